"""Copies the demo's evaluator out of the package, and gives its rubric the history that the package keeps as files."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from rubricator.errors import InputError, StorageError

NAME: Final = "help-articles"
_STORY: Final = "STORY-CALIBRATION.md"
_AUTHOR: Final = ("Harbor Home editors", "editors@harborhome.example")


def copy_demo_evaluator(target: Path) -> bool:
    """Copy the demo evaluator into `target` as a git repository, and return whether that was needed.

    One that is there already is left as it is. Without git, it comes without a history. Raises InputError where the
    folder holds something else.
    """
    if (target / _STORY).exists():
        return False
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(f"{target} is there already, and is not the demo.", hint="Give the name of a new folder.")
    place = target / "evaluators" / NAME
    try:
        with as_file(files("rubricator") / "demo" / "evaluators") as source:
            shutil.copytree(source / NAME, place, ignore=shutil.ignore_patterns("history"))
            shutil.copyfile(source / _STORY, target / _STORY)
            (target / ".gitignore").write_text(".rubricator/\n", encoding="utf-8")
            if shutil.which("git"):
                _make_history(target, place / "rubric.md", source / NAME / "history")
    except OSError as error:
        raise StorageError(f"The demo can't be copied to {target}: {error}.", hint="Check the folder.") from error
    return True


def _make_history(target: Path, rubric: Path, history: Path) -> None:
    """Commit the revisions of the rubric with their dates; the rest of the demo comes with the last of them."""
    _git(target, "init", "--quiet", "--initial-branch=main")
    revisions = tomllib.loads((history / "history.toml").read_text(encoding="utf-8"))["revision"]
    for number, revision in enumerate(revisions, start=1):
        rubric.write_bytes((history / revision["file"]).read_bytes())
        _git(target, "add", *(["--all"] if number == len(revisions) else [str(rubric.relative_to(target))]))
        _git(target, "commit", "--quiet", "--no-verify", "-m", revision["subject"], at=revision["at"])


def _git(folder: Path, *arguments: str, at: str = "") -> None:
    name, mail = _AUTHOR
    who = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", name), ("EMAIL", mail))
    }
    dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else {}
    command = ["git", "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false", "-C", str(folder), *arguments]
    try:
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, **who, **dates}, timeout=30)  # noqa: S603 - a fixed command
    except (subprocess.SubprocessError, OSError) as error:
        said = getattr(error, "stderr", b"") or b""
        raise StorageError(
            f"git could not write the demo's history: {said.decode('utf-8', 'replace').strip() or error}.",
            hint="Check that git works here.",
        ) from error
