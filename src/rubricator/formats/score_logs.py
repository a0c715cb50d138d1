"""Score logs: the vault's JSON lines, and other people's JSON lines and tables by a mapping of columns.

A line that can't be used is passed over and named by its number. Its values are never quoted: what is said of a log may
be read before a ranking is committed.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from sys import intern
from typing import Any, Final

import orjson

from rubricator.core.rows import to_number, value_at
from rubricator.core.scores import Scoring
from rubricator.errors import InputError

_NAMED: Final = 20
Outcome = Scoring | str


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


def json_rows(lines: Iterable[bytes]) -> Iterator[tuple[int, Any]]:
    """The objects of JSON lines with their line numbers; None for a line that is no object."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        yield number, _object(line)


def _object(line: bytes) -> Any:
    """The object that a line is. What the quick reader refuses (NaN, half a character) the patient one may take."""
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            return None
    return row if isinstance(row, dict) else None


def table_rows(text: str, delimiter: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a table with a header, as mappings with their line numbers."""
    reader = csv.DictReader(text.splitlines(keepends=True), delimiter=delimiter)
    try:
        for row in reader:
            yield reader.line_num, {key: value for key, value in row.items() if key is not None}
    except csv.Error as error:
        raise InputError(f"Line {reader.line_num} of the table can't be read: {error}.", hint="Check it.") from None


def scorings(rows: Iterable[tuple[int, Any]], columns: Columns, problems: list[str]) -> Iterator[Scoring]:
    """The scorings of `rows`; what is passed over is added to `problems`, by line number and at most twenty of it."""
    count = 0
    for number, row in rows:
        found = _scoring(row, columns)
        if isinstance(found, str):
            count += 1
            if count <= _NAMED:
                problems.append(f"Line {number} of the score log was passed over: {found}.")
        else:
            yield found
    if count > _NAMED:
        problems.append(f"{count - _NAMED} more lines of the score log were passed over.")


def _scoring(row: Any, columns: Columns) -> Outcome:
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
    return Scoring(
        str(artifact),
        score,
        criteria,
        _word(value_at(row, columns.scored_at)),
        intern(_word(value_at(row, columns.rubric))),
        intern(_word(value_at(row, columns.group))),
    )


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
