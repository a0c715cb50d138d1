"""Small dealings with the file system: sharing files, writing many of them, and replacing one at a stroke."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path


def link_or_copy(source: Path | str, target: Path | str) -> None:
    """Make `target` the same file as `source` where the file system allows, else a copy of it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def write_file(path: str, content: bytes) -> None:
    """Write a file by the fewest system calls: a corpus is made of many small files."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o666)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(handle, rest) :]
    finally:
        os.close(handle)


def content_digest(path: str) -> str:
    """The SHA-256 of a file's content."""
    with open(path, "rb") as file:  # noqa: PTH123 - the name may be no text
        return hashlib.file_digest(file, "sha256").hexdigest()


def replace_atomically(path: Path, content: str) -> None:
    """Write `content` to `path` so that a reader sees the old file or the new one, and a crash leaves one of them."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
