"""A file's history from git, through the `git` command."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

from rubricator.core.revision import Revision

_SECONDS: Final = 20
_FIELDS: Final = 4


def revisions(path: Path) -> tuple[list[Revision], str | None]:
    """The revisions of a file, oldest first, renames followed; what is not committed yet is the last of them.

    ([], reason) where there is no history: no git, no repository, a file that git doesn't know.
    """
    path = path.resolve()
    try:
        content = path.read_bytes()
        logged = _git(
            path.parent,
            "log",
            "--follow",
            "-z",
            "--name-only",
            "--format=%x01%H%x02%cI%x02%an%x02%s%x02",
            "--",
            path.name,
        )
        top = _git(path.parent, "rev-parse", "--show-toplevel").decode("utf-8", "surrogateescape").rstrip("\n")
    except FileNotFoundError:
        return [], "git is not installed"
    except OSError as error:
        return [], f"the file can't be read ({error.strerror})"
    except subprocess.TimeoutExpired:
        return [], f"git took more than {_SECONDS} seconds"
    except subprocess.CalledProcessError as error:
        return [], _said(error)
    wanted = _entries(logged)
    if not wanted:
        return [], "git does not know the file yet"
    found: list[Revision] = []
    for (identity, at, author, subject), name in wanted:
        try:
            blob = _git(Path(top), "cat-file", "blob", f"{identity}:{name}")
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            continue  # a revision that deleted the file
        found.append(Revision(identity, at, subject, author, blob))
    found.reverse()
    if not found or _unix(found[-1].content) != _unix(content):
        found.append(Revision("working copy", "", "not committed yet", "", content))
    return found, None


def _entries(logged: bytes) -> list[tuple[tuple[str, str, str, str], str]]:
    entries = []
    for piece in logged.decode("utf-8", "surrogateescape").split("\x01")[1:]:
        *fields, names = piece.split("\x02")
        if len(fields) == _FIELDS:
            entries.append(((fields[0], fields[1], fields[2], fields[3]), names.strip("\0\n").split("\0")[0]))
    return entries


def _git(folder: Path, *arguments: str) -> bytes:
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    command = ["git", "--no-pager", "-c", "core.quotepath=off", "-C", str(folder), *arguments]
    return subprocess.run(  # noqa: S603 - a fixed command; no shell
        command, check=True, capture_output=True, timeout=_SECONDS, env=environment, stdin=subprocess.DEVNULL
    ).stdout


def _said(error: subprocess.CalledProcessError) -> str:
    said = error.stderr.decode("utf-8", "replace").strip().splitlines()
    if any("not a git repository" in line for line in said):
        return "the folder is in no git repository"
    if any("does not have any commits" in line for line in said):
        return "the repository has no commits yet"
    return said[0] if said else "git failed"


def _unix(content: bytes) -> bytes:
    """Content as git may have stored it: a checkout can turn line ends."""
    return content.replace(b"\r\n", b"\n")
