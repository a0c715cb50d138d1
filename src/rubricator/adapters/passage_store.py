"""The passages of a prepared corpus, with what ranking and citing need to know of them, in one SQLite file.

The file is written once, before its corpus is published, and never changed after: readers open it as immutable.
"""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from rubricator.core.scope import Root
from rubricator.errors import StorageError
from rubricator.memory.document import NOWHERE, Place
from rubricator.memory.passages import Passage, Span
from rubricator.memory.ranking import Candidate

_SCHEMA = """
CREATE TABLE passages (
    number INTEGER PRIMARY KEY,
    file TEXT NOT NULL,
    citation_id TEXT NOT NULL,
    source TEXT NOT NULL,
    root INTEGER NOT NULL,
    day INTEGER,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    line_start INTEGER NOT NULL,
    line_end INTEGER NOT NULL,
    place TEXT NOT NULL,
    heading TEXT NOT NULL,
    title TEXT NOT NULL,
    quoted INTEGER NOT NULL,
    sketch BLOB NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX passages_by_file ON passages (file);
CREATE INDEX passages_by_citation ON passages (citation_id);
CREATE INDEX passages_by_day ON passages (day, source);
"""
_BATCH = 500
_INSERT = "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage as it was stored: its number, the position of its knowledge base among the roots, and its date."""

    number: int
    root: int
    date: dt.date | None
    passage: Passage


class PassageStore:
    """Reads the passages of a published corpus. Numbers are those the index knows."""

    def __init__(self, path: Path, roots: Sequence[Root]) -> None:
        self._path = path
        self._roots = tuple(roots)
        with _storage_errors(path):
            # A quoted URI, since a folder's name may hold `?` or `#`.
            self._db = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def candidates(self, found: Sequence[tuple[float, int]]) -> list[Candidate]:
        """What ranking needs of the passages that a retriever found."""
        relevance = {number: score for score, number in found}
        rows = self._in("SELECT number, root, day, source, start, sketch FROM passages", list(relevance))
        return [
            Candidate(number, relevance[number], self._roots[root].scope, root, _date(day), source, start, sketch)
            for number, root, day, source, start, sketch in rows
        ]

    def get(self, numbers: Iterable[int]) -> dict[int, StoredPassage]:
        """The passages with these numbers, by number."""
        return {row[0]: _stored(row) for row in self._in(_SELECT, list(numbers))}

    def cited(self, citation_ids: Iterable[str]) -> dict[str, list[StoredPassage]]:
        """The passages under these citation ids; an id that is not here has no entry."""
        found: dict[str, list[StoredPassage]] = {}
        for row in self._in(_SELECT, list(citation_ids), column="citation_id"):
            found.setdefault(row[1], []).append(_stored(row))
        return found

    def of_source(self, source: str) -> list[StoredPassage]:
        """The passages of one source, in the order of its text."""
        with _storage_errors(self._path):
            rows = self._db.execute(f"{_SELECT} WHERE source = ? ORDER BY start", (source,)).fetchall()
        return [_stored(row) for row in rows]

    def dated(self, since: dt.date, until: dt.date) -> Iterator[StoredPassage]:
        """The passages dated within the two days, both included, newest first, then by scope, source and span."""
        sql = f"{_SELECT} WHERE day BETWEEN ? AND ? ORDER BY day DESC, root, source, start"
        with _storage_errors(self._path):
            for row in self._db.execute(sql, (since.toordinal(), until.toordinal())):
                yield _stored(row)

    def undated_sources(self) -> int:
        """The number of sources without a date."""
        with _storage_errors(self._path):
            query = "SELECT COUNT(DISTINCT source) FROM passages WHERE day IS NULL"
            return int(self._db.execute(query).fetchone()[0])

    def root(self, stored: StoredPassage) -> Root:
        """The knowledge base that a passage is from."""
        return self._roots[stored.root]

    def _in(self, select: str, keys: list[Any], column: str = "number") -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        with _storage_errors(self._path):
            for at in range(0, len(keys), 500):
                chunk = keys[at : at + 500]
                marks = ",".join("?" * len(chunk))
                sql = f"{select} WHERE {column} IN ({marks}) ORDER BY number"
                rows.extend(self._db.execute(sql, chunk))
        return rows


class PassageWriter:
    """Writes the passages of a corpus that is not published yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _storage_errors(path):
            new = not path.exists()
            self._db = sqlite3.connect(path)
            # Nobody reads the file before it is whole, and a killed build is thrown away: no journal is needed.
            self._db.execute("PRAGMA journal_mode = OFF")
            self._db.execute("PRAGMA synchronous = OFF")
            if new:
                self._db.executescript(_SCHEMA)
            row = self._db.execute("SELECT COALESCE(MAX(number), 0) FROM passages").fetchone()
            self._next = int(row[0]) + 1
        self._pending: list[tuple[Any, ...]] = []

    def add(
        self, file: str, root: int, date: dt.date | None, passages: Sequence[Passage], sketches: Sequence[bytes]
    ) -> list[int]:
        """Store a file's passages and return their numbers."""
        numbers = list(range(self._next, self._next + len(passages)))
        self._next += len(passages)
        day = date.toordinal() if date else None
        self._pending.extend(
            (
                number, file, p.citation_id, p.source, root, day, p.span.start, p.span.end, p.span.line_start,
                p.span.line_end, _place_text(p.span.place), json.dumps(p.heading, ensure_ascii=False), p.title,
                p.quoted, sketch, p.text,
            )
            for number, p, sketch in zip(numbers, passages, sketches, strict=True)
        )  # fmt: skip
        if len(self._pending) > _BATCH:
            self._flush()
        return numbers

    def _flush(self) -> None:
        with _storage_errors(self._path):
            self._db.executemany(_INSERT, self._pending)
        self._pending.clear()

    def remove(self, files: Iterable[str]) -> list[int]:
        """Remove the passages of these files and return their numbers."""
        self._flush()
        removed: list[int] = []
        with _storage_errors(self._path):
            for file in files:
                removed.extend(
                    row[0] for row in self._db.execute("DELETE FROM passages WHERE file = ? RETURNING number", (file,))
                )
        return removed

    def set_root(self, file: str, root: int) -> None:
        """Move a file's passages to another position among the roots."""
        self._flush()
        with _storage_errors(self._path):
            self._db.execute("UPDATE passages SET root = ? WHERE file = ?", (root, file))

    def count(self) -> int:
        """The number of passages stored."""
        self._flush()
        with _storage_errors(self._path):
            return int(self._db.execute("SELECT COUNT(*) FROM passages").fetchone()[0])

    def all(self) -> Iterator[StoredPassage]:
        """Every passage, by number."""
        self._flush()
        with _storage_errors(self._path):
            for row in self._db.execute(f"{_SELECT} ORDER BY number"):
                yield _stored(row)

    def close(self) -> None:
        """Finish the file."""
        self._flush()
        with _storage_errors(self._path):
            self._db.commit()
            self._db.close()


_SELECT = (
    'SELECT number, citation_id, source, root, day, start, "end", line_start, line_end, place, heading, title, '
    "quoted, text FROM passages"
)


def _stored(row: tuple[Any, ...]) -> StoredPassage:
    number, citation, source, root, day, start, end, line_start, line_end, place, heading, title, quoted, text = row
    span = Span(start, end, line_start, line_end, Place(**json.loads(place)) if place else NOWHERE)
    passage = Passage(citation, source, text, span, tuple(json.loads(heading)), title, bool(quoted))
    return StoredPassage(number, root, _date(day), passage)


def _place_text(place: Place) -> str:
    if place is NOWHERE:
        return ""
    return json.dumps({name: value for name, value in asdict(place).items() if value is not None}, ensure_ascii=False)


def _date(day: int | None) -> dt.date | None:
    return dt.date.fromordinal(day) if day else None


@contextmanager
def _storage_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(
            f"The passages in {path} can't be used: {error}.",
            hint="Free some disk space, or prepare again with `rubricator memory prewarm --force`.",
        ) from error
