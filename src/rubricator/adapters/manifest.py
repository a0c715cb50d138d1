"""The manifest of a prepared corpus, and the record of each raw file that it was made from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rubricator.adapters.tree import Listing
from rubricator.core.identity import fingerprint, portable_path, tagged_hash
from rubricator.core.scope import Root

SCHEMA_VERSION: Final = 1
"""Of everything under a prepared corpus: another schema is another key, so old and new never mix."""

MANIFEST: Final = "manifest.json"
FILES: Final = "files.json"


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One raw file as it was when it was last read.

    `digest` is the SHA-256 of its content, or stands in for it where the content was not read. `stored` is empty for a
    file that is not indexed; `skipped` holds (part, reason) pairs, the part being empty for the file as a whole.
    """

    path: str
    root: int
    size: int
    mtime_ns: int
    digest: str
    date: str | None = None
    stored: str = ""
    title: str | None = None
    source_uri: str = ""
    copy_sha256: str = ""
    copy_size: int = 0
    prepared_at: str = ""
    skipped: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a prepared corpus was made from. `generation` and `corpus` are folders beside it.

    `parts` are the sizes of the generation's files, by path: a file cut short shows.

    `refused` is what was not even listed (links that leave the tree), `skipped` what was listed but not indexed.
    """

    key: str
    scorecard: str
    score: str
    retriever: str
    schema_version: int
    extractor: str
    fingerprint: str
    generation: str
    corpus: str
    files: int
    indexed: int
    passages: int
    prepared_at: str
    parts: dict[str, int]
    roots: tuple[Root, ...]
    files_by_root: tuple[int, ...]
    refused: tuple[tuple[str, str], ...]
    skipped: tuple[tuple[str, str], ...]

    def to_json(self) -> dict[str, Any]:
        """The manifest as it is written to `manifest.json`."""
        plain = {name: getattr(self, name) for name in self.__slots__ if name not in _NESTED}
        return plain | {
            "sources": self.sources(),
            "refused": _reasons(self.refused),
            "skipped": _reasons(self.skipped),
        }

    def sources(self) -> list[dict[str, Any]]:
        """The knowledge bases, most specific first, each with the number of its raw files."""
        counted = zip(self.roots, self.files_by_root, strict=True)
        return [{"scope": root.scope, "root": root.name, "files": count} for root, count in counted]

    def passed_over(self) -> list[dict[str, str]]:
        """All that was refused or skipped, and why."""
        return _reasons((*self.refused, *self.skipped))

    @classmethod
    def read(cls, folder: Path) -> Manifest | None:
        """The manifest in `folder`, or None where there is none that this version can read."""
        try:
            value = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            if not (_GENERATION.fullmatch(value["generation"]) and _CORPUS.fullmatch(value["corpus"])):
                return None
            return cls(
                **{name: value[name] for name in cls.__slots__ if name not in _NESTED},
                roots=tuple(Root(source["scope"], source["root"]) for source in value["sources"]),
                files_by_root=tuple(source["files"] for source in value["sources"]),
                refused=tuple((skip["path"], skip["reason"]) for skip in value["refused"]),
                skipped=tuple((skip["path"], skip["reason"]) for skip in value["skipped"]),
            )
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None


_GENERATION = re.compile(r"g\d{6,}")
_CORPUS = re.compile(r"c\d{6,}")
_NESTED = frozenset({"roots", "files_by_root", "refused", "skipped"})


def _reasons(pairs: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"path": path, "reason": reason} for path, reason in pairs]


def cache_key(scorecard: str, score: str, retriever: str) -> str:
    """The folder name of a prepared corpus: readable, and the same on every machine."""
    scorecard, score = portable_path(scorecard), portable_path(score)
    digest = tagged_hash("cache-key", [scorecard, score, retriever, SCHEMA_VERSION])[:12]
    words = "".join(c if c.isascii() and c.isalnum() else "-" for c in f"{scorecard}--{score}".lower())
    return f"{words[:60].strip('-')}--{digest}"


def content_fingerprint(records: Iterable[FileRecord]) -> str:
    """The fingerprint of all raw files: it follows their content and their place in the tree, and nothing else."""
    return fingerprint((record.path, record.digest) for record in records)


def write_records(records: Iterable[FileRecord]) -> str:
    """File records as the text of `files.json`: a list of lists, since 50,000 objects would repeat every key."""
    names = FileRecord.__slots__
    rows = [[getattr(record, name) for name in names] for record in records]
    return json.dumps({"fields": names, "rows": rows}, ensure_ascii=False, separators=(",", ":"))


def read_rows(path: Path) -> dict[str, list[Any]] | None:
    """The rows of `files.json`, by path, or None where they can't be read."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        width = len(FileRecord.__slots__)
        if tuple(value["fields"]) != FileRecord.__slots__ or any(len(row) != width for row in value["rows"]):
            return None
        return {row[0]: row for row in value["rows"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def records_of(rows: Mapping[str, list[Any]]) -> dict[str, FileRecord]:
    """The file records that rows stand for."""
    return {
        path: FileRecord(*[*row[:-1], tuple((part, reason) for part, reason in row[-1])]) for path, row in rows.items()
    }


def is_untouched(rows: Mapping[str, list[Any]], listing: Listing) -> bool:
    """Whether every file is where it was, with the size and time stamp it had."""
    for file in listing.files:
        row = rows.get(file.path)
        if row is None or row[1] != file.root or row[2] != file.size or row[3] != file.mtime_ns:
            return False
    return True
