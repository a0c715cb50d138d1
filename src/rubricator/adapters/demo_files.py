"""Copies the demo's scorecard out of the package."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

from rubricator.errors import InputError, StorageError

_MARK = "STORY.md"


def copy_demo(target: Path) -> bool:
    """Copy the demo into `target`, and return whether that was needed.

    A demo that is there already is left as it is, with whatever was changed in it. Raises InputError where the folder
    holds something else.
    """
    if (target / _MARK).exists():
        return False
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(f"{target} is there already, and is not the demo.", hint="Give the name of a new folder.")
    try:
        with as_file(files("rubricator") / "demo") as source:
            shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    except OSError as error:
        raise StorageError(f"The demo can't be copied to {target}: {error}.", hint="Check the folder.") from error
    return True
