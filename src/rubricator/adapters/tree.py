"""The raw tree: scorecard folders, knowledge bases and the files in them. Read, never written."""

from __future__ import annotations

import datetime as dt
import difflib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rubricator.core.identity import portable_path
from rubricator.core.scope import (
    KNOWLEDGE_BASE,
    Root,
    applicable_roots,
    collision_key,
    folder_name,
    same_name,
    source_date,
)
from rubricator.errors import InputError, NameRefusedError

RUBRIC_SUFFIX = ".md"
RECORD_SUFFIX = ".yaml"
_NOTES = frozenset({"readme", "changelog", "contributing", "license", "provenance"})


@dataclass(frozen=True, slots=True)
class RawFile:
    """One raw file: its portable path within the scorecard folder, and the position of its knowledge base."""

    path: str
    absolute: str
    root: int
    date: dt.date | None
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Listing:
    """All files of the knowledge bases that apply to a score, and what was refused, as (path, reason)."""

    roots: tuple[Root, ...]
    files: tuple[RawFile, ...]
    refused: tuple[tuple[str, str], ...]


def shown(name: str) -> str:
    """A file name as text: bytes that are no UTF-8 are written out, so that the name can be printed and stored."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def scorecard_folder(cache_dir: Path, scorecard: str) -> Path:
    """The folder of a scorecard. Raises InputError where there is none, naming those there are."""
    wanted = folder_name(scorecard, what="scorecard")
    names = _folders(cache_dir)
    if wanted in names:
        return cache_dir / wanted
    for name in names:
        if same_name(name, wanted):
            return cache_dir / name
    if not cache_dir.is_dir():
        raise InputError(
            f"The scorecard cache {cache_dir} does not exist.",
            hint="Set SCORECARD_CACHE_DIR to the folder that holds your scorecard folders.",
        )
    raise InputError(f"There is no scorecard {scorecard!r} in {cache_dir}.", hint=_suggest(wanted, names, "scorecards"))


def scorecards(cache_dir: Path) -> list[str]:
    """The names of the scorecard folders in the cache."""
    return [name for name in _folders(cache_dir) if not name.startswith(".")]


def scores(folder: Path) -> list[str]:
    """The stems of the scores in a scorecard folder: of every `.yaml` and `.md` file directly in it, sorted."""
    names = [entry.name for entry in _entries(folder) if entry.is_file() and not entry.name.startswith(".")]
    stems = {
        name.removesuffix(suffix)
        for name in names
        for suffix in (RUBRIC_SUFFIX, RECORD_SUFFIX)
        if name.endswith(suffix)
    }
    return sorted(stem for stem in stems if _may_be_a_score(stem))


def _may_be_a_score(stem: str) -> bool:
    """Whether a file's stem can be a score's name, and is not that of a note about the folder itself."""
    try:
        return folder_name(stem) == stem and stem.casefold() not in _NOTES
    except NameRefusedError:
        return False


def score_stem(folder: Path, score: str, *, only_here: bool = True) -> str:
    """The stem under which a score's files and knowledge base are kept in `folder`.

    A name that differs from one on disk only in Unicode form is that one. A score of which nothing of its own is here
    is refused as a slip of the pen, unless the folder holds knowledge bases alone or, without `only_here`, the scores
    are kept elsewhere; then it has the wider knowledge bases. Raises InputError for such a score, and where two names
    on disk differ only in Unicode form.
    """
    wanted = folder_name(score)
    named = scores(folder)
    bases = knowledge_bases(folder)
    known = [*named, *(name.removesuffix(KNOWLEDGE_BASE) for name in bases)]
    same = sorted({stem for stem in known if same_name(stem, wanted)})
    if len(same) > 1:
        raise InputError(
            f"{folder.name} holds two scores named {score!r} that differ only in Unicode form.",
            hint="Rename one of them: on other file systems they are one file.",
        )
    if same:
        return same[0]
    if (not named or not only_here) and applicable_roots(bases, wanted):
        return wanted
    hint = _suggest(wanted, named, "scores")
    raise InputError(f"There is no score {score!r} in the scorecard folder {folder}.", hint=hint)


def knowledge_bases(folder: Path) -> list[str]:
    """The names of the knowledge-base folders in a scorecard folder, sorted; links are left out."""
    return sorted(
        entry.name
        for entry in _entries(folder)
        if entry.name.endswith(KNOWLEDGE_BASE) and entry.is_dir(follow_symlinks=False)
    )


def linked_knowledge_bases(folder: Path) -> list[str]:
    """The names of knowledge bases that are symbolic links, which are refused."""
    return sorted(e.name for e in _entries(folder) if e.name.endswith(KNOWLEDGE_BASE) and e.is_symlink())


def collisions(folder: Path) -> list[tuple[str, str]]:
    """Pairs of names in a scorecard folder that other file systems can't tell apart."""
    seen: dict[str, str] = {}
    found = []
    for entry in sorted(_entries(folder), key=lambda e: e.name):
        key = collision_key(entry.name)
        if key in seen:
            found.append((seen[key], entry.name))
        seen.setdefault(key, entry.name)
    return found


def list_sources(folder: Path, score: str) -> Listing:
    """Every raw file that applies to `score`, in order of scope and path.

    Links that leave their knowledge base are refused; so are links to folders, whose files are read where they are.
    """
    roots = applicable_roots(knowledge_bases(folder), score)
    refused = [
        (shown(root.name), "the knowledge base is a symbolic link; put a real folder in its place")
        for root in applicable_roots(linked_knowledge_bases(folder), score)
    ]
    files: list[RawFile] = []
    seen: set[str] = set()
    for number, root in enumerate(roots):
        base = str(folder / root.name)
        real_base = os.path.realpath(base)
        for item in _walk(base, root.name, (), number, real_base):
            if not isinstance(item, RawFile):
                refused.append(item)
            elif item.path in seen:
                refused.append(
                    (item.path, "a second file whose name differs in its Unicode form only; rename one of them")
                )
            else:
                seen.add(item.path)
                files.append(item)
    return Listing(tuple(roots), tuple(files), tuple(refused))


def _walk(
    directory: str, path: str, folders: tuple[str, ...], root: int, real_base: str
) -> Iterator[RawFile | tuple[str, str]]:
    """The files under one folder of a knowledge base, and the refusals."""
    try:
        entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
    except OSError as error:
        yield _portable(path), f"the folder can't be read: {error.strerror}"
        return
    date = source_date(folders)
    for entry in entries:
        here = f"{path}/{entry.name}"
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path, here, (*folders, entry.name), root, real_base)
                continue
            refusal = _refusal(entry, real_base) if entry.is_symlink() else None
            status = entry.stat()
            if refusal is None and not stat.S_ISREG(status.st_mode):
                refusal = "not a regular file"
            if refusal is None:
                yield RawFile(_portable(here), entry.path, root, date, status.st_size, status.st_mtime_ns)
            else:
                yield _portable(here), refusal
        except OSError as error:
            yield _portable(here), f"can't be read: {error.strerror}"


def _refusal(link: os.DirEntry[str], real_base: str) -> str | None:
    """Why a symbolic link is refused, or None where it may be followed."""
    target = os.path.realpath(link.path)
    if os.path.commonpath([target, real_base]) != real_base:
        return "a symbolic link that leaves the knowledge base; copy the file in its place"
    if link.is_dir():
        return "a symbolic link to a folder; its files are read where they are"
    return None


def _portable(path: str) -> str:
    """A path as text in its one spelling; nearly all are ASCII, and are that already."""
    return path if path.isascii() else portable_path(shown(path))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        raise InputError(
            f"The folder {folder} can't be read: {error.strerror}.", hint="Check its permissions."
        ) from error


def _folders(cache_dir: Path) -> list[str]:
    if not cache_dir.is_dir():
        return []
    return sorted(entry.name for entry in _entries(cache_dir) if entry.is_dir())


def _suggest(wanted: str, names: list[str], what: str) -> str:
    close = difflib.get_close_matches(wanted, names, n=3, cutoff=0.5)
    if close:
        return "Did you mean " + " or ".join(repr(name) for name in close) + "?"
    if not names:
        return f"It holds no {what}."
    listed = ", ".join(repr(name) for name in names[:10])
    return f"It holds the {what} {listed}{' and others' if len(names) > 10 else ''}."  # noqa: PLR2004
