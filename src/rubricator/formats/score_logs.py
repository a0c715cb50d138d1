"""Score logs: the vault's JSON lines, any JSON lines and tables by a mapping of columns, and the logs of peers.

A line that can't be used is passed over and named by its number. Its values are never quoted: what is said of a log may
be read before a ranking is committed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from sys import intern
from typing import Any, Final

from rubricator.core.rows import to_number, value_at
from rubricator.core.scores import Scoring
from rubricator.errors import InputError
from rubricator.formats.autorubric import AUTORUBRIC_LOG
from rubricator.formats.content import Content, well_formed
from rubricator.formats.deepeval import DEEPEVAL_LOG
from rubricator.formats.healthbench import HEALTHBENCH_LOG
from rubricator.formats.inspect_log import INSPECT_LOG
from rubricator.formats.logged import LogFormat, Logged, Outcome
from rubricator.formats.promptfoo import PROMPTFOO_LOG
from rubricator.formats.rows import rows
from rubricator.formats.strangers import stranger
from rubricator.formats.traces import TRACE_LOGS

_NAMED: Final = 20
_PEERS: Final = (PROMPTFOO_LOG, INSPECT_LOG, AUTORUBRIC_LOG, DEEPEVAL_LOG, HEALTHBENCH_LOG, *TRACE_LOGS)
LOG_FORMATS: Final = {format.name: format for format in _PEERS}
"""The peers' formats by name; a log in none of them is read by columns (`jsonl`, `table`)."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Where a log keeps what: column names, or dotted paths into nested JSON.

    `criteria` maps criterion names to columns; a single column that holds a mapping can be given as `criteria_in`.
    `text` is the column of the artifact's text, for logs that carry it.
    """

    artifact: str = "artifact"
    score: str = "score"
    criteria: Mapping[str, str] = field(default_factory=dict)
    criteria_in: str = "criteria"
    scored_at: str = "scored_at"
    rubric: str = "rubric"
    group: str = "group"
    text: str = ""


VAULT: Final = Columns()


def read_log(
    content: Content,
    columns: Columns | None,
    format: str | None,
    problems: list[str],
) -> tuple[str, Iterator[Logged]]:
    """The name of a log's format, and what it logged; what is passed over is added to `problems`.

    The format is the one that is named; by columns where those are given; else the first that knows the content.
    Raises InputError for an unknown name, and for a file that is no score log, saying what it is.
    """
    if format is not None and format not in {*LOG_FORMATS, "jsonl", "table"}:
        raise InputError(
            f"{format!r} is no score-log format.", hint=f"There are: jsonl, table, {', '.join(LOG_FORMATS)}."
        )
    peer = LOG_FORMATS.get(format or "") or (None if format or columns else _sniffed(content))
    if peer is not None:
        notes: list[str] = []
        found = _collected(enumerate(peer.read(content, notes), start=1), "Entry", problems)
        return peer.name, _whole(found, content, peer, notes, problems)
    kind = "table" if content.delimiter or format == "table" else "jsonl"
    chosen = columns or VAULT
    outcomes = ((number, _logged(row, chosen)) for number, row in rows(content))
    return kind, _collected(outcomes, "Line", problems)


def _sniffed(content: Content) -> LogFormat | None:
    """The peer whose log this is; None where it is to be read by the vault's columns. Raises InputError for neither."""
    first = next((row for _, row in rows(content)), None)
    if isinstance(first, Mapping) and VAULT.artifact in first and VAULT.score in first:
        return None
    found = next((peer for peer in _PEERS if peer.matches(content)), None)
    if found is None and (content.is_zip or content.json is not None or content.suffix not in {".jsonl", ".ndjson"}):
        raise InputError(
            f"{content.filename} is no score log that is known{stranger(content)}.",
            hint="Give its columns in rubricator.toml, or export it as one of: " + ", ".join(LOG_FORMATS) + ".",
        )
    return found


def _whole(
    found: Iterator[Logged], content: Content, peer: LogFormat, notes: list[str], problems: list[str]
) -> Iterator[Logged]:
    """All entries; what a peer's reader says of the whole log comes after they have been read."""
    with well_formed(content, peer.title):
        yield from found
    problems += notes


def _collected(outcomes: Iterable[tuple[int, Outcome]], what: str, problems: list[str]) -> Iterator[Logged]:
    """What could be used; what could not is added to `problems`, by its number and at most twenty of it."""
    count = 0
    for number, found in outcomes:
        if isinstance(found, str):
            count += 1
            if count <= _NAMED:
                problems.append(f"{what} {number} of the score log was passed over: {found}.")
        else:
            yield found
    if count > _NAMED:
        many = {"Line": "lines", "Entry": "entries"}[what]
        problems.append(f"{count - _NAMED} more {many} of the score log were passed over.")


def _logged(row: Any, columns: Columns) -> Outcome:
    if row is None:
        return "it is no JSON object"
    artifact = value_at(row, columns.artifact)
    if not isinstance(artifact, str | int) or isinstance(artifact, bool) or artifact == "":
        return "it names no artifact"
    score = to_number(value_at(row, columns.score))
    if score is None:
        return "its score is missing or no number"
    if columns.criteria:
        given = {name: value_at(row, column) for name, column in columns.criteria.items()}
    else:
        given = value_at(row, columns.criteria_in)
    criteria = _numbers(given) if isinstance(given, Mapping) else {}
    scoring = Scoring(
        str(artifact),
        score,
        criteria,
        _word(value_at(row, columns.scored_at)),
        intern(_word(value_at(row, columns.rubric))),
        intern(_word(value_at(row, columns.group))),
    )
    text = value_at(row, columns.text) if columns.text else ""
    return Logged(scoring, text if isinstance(text, str) else "")


def _numbers(given: Mapping[str, Any]) -> Mapping[str, float]:
    """The entries that are finite numbers; the mapping itself where all of them are, as in nearly every line."""
    if all(type(value) is float or type(value) is int for value in given.values()) and math.isfinite(
        sum(given.values())
    ):
        return given
    found = ((intern(str(name)), to_number(value)) for name, value in given.items())
    return {name: number for name, number in found if number is not None}


def _word(value: Any) -> str:
    return "" if value is None else str(value)
