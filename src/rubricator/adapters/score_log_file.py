"""Reading score logs from disk, whole or as they were when a pass began."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from rubricator.core.rows import value_at
from rubricator.core.scores import ScoreLog
from rubricator.errors import InputError
from rubricator.formats import score_logs
from rubricator.formats.score_logs import VAULT, Columns

_DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}


def read_scores(path: Path, columns: Columns | None = None, *, upto: int | None = None) -> ScoreLog:
    """The score log at `path`, or the part of it that lies before byte `upto`.

    `.csv` and `.tsv` are tables with a header, everything else JSON lines. Raises InputError for a log that can't be
    read, or in which no line can be used.
    """
    problems: list[str] = []
    rows = _rows(path, upto)
    kind = "table" if path.suffix.lower() in _DELIMITERS else "jsonl"
    log = ScoreLog.collect(score_logs.scorings(rows, columns or VAULT, problems), format=kind)
    if not log.rows:
        raise InputError(
            f"The score log {path} has no line that can be used.{' ' + problems[0] if problems else ''}",
            hint="Check the column names: see the documentation of score logs.",
        )
    return ScoreLog(log.newest, log.repeats, log.rows, tuple(problems), kind)


def log_prefix(path: Path, upto: int | None = None) -> tuple[int, str]:
    """The size and the SHA-256 of a log, or of what lies before byte `upto` of it."""
    digest, size = hashlib.sha256(), 0
    try:
        with path.open("rb") as file:
            while upto is None or size < upto:
                piece = file.read(min(1 << 20, (upto or (1 << 62)) - size))
                if not piece:
                    break
                digest.update(piece)
                size += len(piece)
    except OSError as error:
        raise _unreadable(path, error) from error
    return size, digest.hexdigest()


def texts_in_log(path: Path, columns: Columns) -> dict[str, str]:
    """The texts of artifacts, for logs that carry them in a column; of several lines the last counts."""
    found: dict[str, str] = {}
    for _, row in _rows(path, None):
        if row is None:
            continue
        artifact = str(value_at(row, columns.artifact))
        text = value_at(row, columns.text)
        if isinstance(text, str):
            found[artifact] = text
    return found


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a table or of JSON lines; a line that is no object is an empty row, so that numbers stay right."""
    for _, row in _rows(path, None):
        yield row or {}


def newest_time(path: Path) -> float:
    """When a log was last written to, in seconds since 1970; 0 where there is none."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _rows(path: Path, upto: int | None) -> Iterator[tuple[int, Any]]:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error
    raw = raw if upto is None else raw[:upto]
    delimiter = _DELIMITERS.get(path.suffix.lower())
    if delimiter is None:
        return score_logs.json_rows(BytesIO(raw.removeprefix(b"\xef\xbb\xbf")))
    try:
        return score_logs.table_rows(raw.decode("utf-8-sig"), delimiter)
    except UnicodeDecodeError as error:
        raise InputError(f"The score log {path} is not UTF-8 (byte {error.start}).", hint="Save it as UTF-8.") from None


def _unreadable(path: Path, error: OSError) -> InputError:
    return InputError(f"The score log {path} can't be read: {error.strerror}.", hint="Check the path.")
