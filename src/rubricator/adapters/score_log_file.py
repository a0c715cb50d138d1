"""Reading score logs from disk, whole or as they were when a pass began."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rubricator.core.scores import ScoreLog
from rubricator.errors import InputError
from rubricator.formats import score_logs
from rubricator.formats.content import Content
from rubricator.formats.logged import Logged
from rubricator.formats.rows import rows
from rubricator.formats.score_logs import Columns


def read_scores(
    path: Path,
    columns: Columns | None = None,
    *,
    format: str | None = None,
    upto: int | None = None,
) -> ScoreLog:
    """The score log at `path`, or the part of it that lies before byte `upto`.

    `format` forces a peer's format; else it is told by the content. Raises InputError for a log that can't be read, or
    in which no line can be used.
    """
    problems: list[str] = []
    kind, logged = _logged(path, columns, format, problems, upto)
    log = ScoreLog.collect((entry.scoring for entry in logged), format=kind)
    if not log.rows:
        raise InputError(
            f"The score log {path} has no line that can be used.{' ' + problems[0] if problems else ''}",
            hint="Check the column names: see the documentation of score logs.",
        )
    return ScoreLog(log.newest, log.repeats, log.rows, tuple(problems), kind)


def texts_in_log(path: Path, columns: Columns | None, format: str | None = None) -> dict[str, str]:
    """The texts of artifacts, for logs that carry them; of several for one artifact the last counts."""
    _, logged = _logged(path, columns, format, [])
    return {entry.scoring.artifact: entry.text for entry in logged if entry.text}


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


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a table or of JSON lines; a line that is no object is an empty row, so that numbers stay right."""
    for _, row in rows(_content(path)):
        yield row or {}


def newest_time(path: Path) -> float:
    """When a log was last written to, in seconds since 1970; 0 where there is none."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _logged(
    path: Path, columns: Columns | None, format: str | None, problems: list[str], upto: int | None = None
) -> tuple[str, Iterator[Logged]]:
    return score_logs.read_log(_content(path, upto), columns, format, problems)


def _content(path: Path, upto: int | None = None) -> Content:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error
    return Content(raw if upto is None else raw[:upto], path.name)


def _unreadable(path: Path, error: OSError) -> InputError:
    return InputError(f"The score log {path} can't be read: {error.strerror}.", hint="Check the path.")
