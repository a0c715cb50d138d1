"""What follows and precedes a build: finishing the last publication, and clearing away what killed builds left."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from rubricator.adapters import biblicus_corpus as biblicus
from rubricator.adapters.generation import CATALOG, Last
from rubricator.adapters.manifest import Manifest

TO_REMOVE: Final = "to-remove.json"
"""In a generation: the copies to remove once it is in force. While it is there, the publication is not finished."""

_OURS = re.compile(r"[gc]\d+")


def settle(folder: Path) -> None:
    """Finish a publication: show the new catalog, remove copies and generations that are no longer in force.

    It can be cut off and done again at any point.
    """
    manifest = Manifest.read(folder)
    if manifest is None:
        return
    generation, corpus = folder / manifest.generation, folder / manifest.corpus
    to_remove = generation / TO_REMOVE
    if not to_remove.exists() or not (generation / CATALOG).exists():
        return
    if not biblicus.is_published(corpus, generation / CATALOG):
        biblicus.publish_catalog(corpus, generation / CATALOG)
    with suppress(ValueError):  # a list that was damaged leaves strays, which do no harm
        biblicus.remove_items(corpus, json.loads(to_remove.read_text(encoding="utf-8")))
    to_remove.unlink()


def clean(folder: Path, start: Last | None) -> None:
    """Remove what killed builds and earlier generations left: all but what the manifest names.

    `start` is what the next build, or the one that failed, starts from.
    """
    manifest = Manifest.read(folder)
    keep = {manifest.generation, manifest.corpus} if manifest else set()
    in_force = int(manifest.generation[1:]) if manifest else 0
    killed = False
    for entry in folder.iterdir():
        if entry.is_dir() and _OURS.fullmatch(entry.name) and entry.name not in keep:
            killed = killed or int(entry.name[1:]) > in_force
            shutil.rmtree(entry, ignore_errors=True)
    if killed and manifest and start and start.folder.name == manifest.generation:
        stored = {record.stored for record in start.records.values()}
        corpus = folder / manifest.corpus
        biblicus.remove_items(corpus, biblicus.strays(corpus, stored))


def sizes(generation: Path) -> dict[str, int]:
    """The sizes of a generation's files that never change, by their path within it."""
    files = [generation / "passages.sqlite", generation / CATALOG, *sorted((generation / "index").glob("*"))]
    return {
        f.relative_to(generation).as_posix(): f.stat().st_size for f in files if f.is_file() and f.suffix != ".lock"
    }


def next_number(folder: Path) -> int:
    """A number that no generation or corpus in the folder has."""
    numbers = [int(entry.name[1:]) for entry in folder.iterdir() if _OURS.fullmatch(entry.name)]
    return max(numbers, default=0) + 1
