"""Small dealings with the file system: sharing files between folders, and replacing one at a stroke."""

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


def copy_hashed(source: str, target: Path) -> str:
    """Copy a file's content and return its SHA-256, from one read."""
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with open(source, "rb") as reading, target.open("wb") as writing:  # noqa: PTH123 - the name may be no text
        while block := reading.read(1 << 20):
            digest.update(block)
            writing.write(block)
    return digest.hexdigest()


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
