"""Replacing a file at a stroke, and only if it is still the one that was meant."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from rubricator.errors import ConflictError, StorageError


def replace_file(path: Path, expected_sha256: str, content: bytes) -> None:
    """Put `content` in the place of a file that has the digest `expected_sha256`; a reader sees the old or the new one.

    A link is followed, and the file's permissions are kept. Raises ConflictError where the file is another one by now,
    StorageError where it can't be written; the old file is then whole.
    """
    target = path.resolve()
    draft = target.with_name(f".{target.name}.rubricator-draft")
    try:
        draft.unlink(missing_ok=True)  # what a killed process left
        mode = stat.S_IMODE(target.stat().st_mode)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.chmod(mode)
        if hashlib.sha256(target.read_bytes()).hexdigest() != expected_sha256:
            raise ConflictError(f"{path} changed in the meantime.", hint="Look at the change, and start again.")
        draft.replace(target)
    except OSError as error:
        raise StorageError(
            f"{path} can't be written: {error.strerror}.", hint="The file is as it was. Check its folder."
        ) from error
    finally:
        draft.unlink(missing_ok=True) if draft.parent.exists() else None
