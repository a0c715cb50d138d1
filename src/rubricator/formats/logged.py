"""What a score-log format makes of a file: scorings, with the artifacts' texts where the log carries them.

An entry that can't be used becomes a reason, which never quotes a value: what is said of a log may be read before a
ranking is committed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from rubricator.core.rows import to_number
from rubricator.core.scores import Scoring
from rubricator.formats.content import Content
from rubricator.formats.rows import rows

_NO_TOTAL: Final = "The log gives no total: the mean of an artifact's scores was taken for it."
_TOTALS: Final = ("overall", "total", "score", "overall_score", "total_score")
_MOST_INPUT: Final = 2000


@dataclass(frozen=True, slots=True)
class Logged:
    """One scoring, and the artifact's text; empty where the log doesn't carry it."""

    scoring: Scoring
    text: str = ""


Outcome = Logged | str


@dataclass(frozen=True)
class LogFormat:
    """A score-log format: its name, who writes it, how it is told and how it is read.

    `read` may add sentences about the whole log to the list that it is given.
    """

    name: str
    title: str
    matches: Callable[[Content], bool]
    read: Callable[[Content, list[str]], Iterator[Outcome]]


def by_line(
    name: str, title: str, matches: Callable[[Mapping[str, Any]], bool], row: Callable[[Mapping[str, Any]], Outcome]
) -> LogFormat:
    """A format of JSON lines, told by its first one."""

    def told(content: Content) -> bool:
        first = next((entry for _, entry in rows(content)), None)
        return isinstance(first, Mapping) and matches(first)

    def read(content: Content, _notes: list[str]) -> Iterator[Outcome]:
        for _, entry in rows(content):
            yield row(entry) if isinstance(entry, Mapping) else "it is no JSON object"

    return LogFormat(name, title, told, read)


def sub_scores(named: Iterable[tuple[str, float | None]]) -> dict[str, float]:
    """Sub-scores by name; of two of one name, the second is numbered, as the rubric formats number criteria."""
    found: dict[str, float] = {}
    seen: dict[str, int] = {}
    for name, value in named:
        seen[name] = seen.get(name, 0) + 1
        if value is not None and math.isfinite(value):
            found[name if seen[name] == 1 else f"{name} ({seen[name]})"] = value
    return found


def without_total(artifact: str, named: Mapping[str, Any], notes: list[str], **rest: Any) -> Scoring | None:
    """The scoring of tools that keep scores side by side; None for no score.

    The total is the score of that name (`overall`, `total`, `score`) where there is one; a lone score; else the mean,
    which is said once in `notes`.
    """
    numbers = {name: number for name, value in named.items() if (number := as_number(value)) is not None}
    if not numbers:
        return None
    for name in _TOTALS:
        key = next((known for known in numbers if known.casefold() == name), None)
        if key is not None and len(numbers) > 1:
            others = {known: value for known, value in numbers.items() if known != key}
            return Scoring(artifact, numbers[key], others, **rest)
    if len(numbers) == 1:
        return Scoring(artifact, next(iter(numbers.values())), {}, **rest)
    if _NO_TOTAL not in notes:
        notes.append(_NO_TOTAL)
    return Scoring(artifact, math.fsum(numbers.values()) / len(numbers), numbers, **rest)


def as_number(value: Any) -> float | None:
    """A finite number, also of true and false, which judges give for passed and failed."""
    return float(value) if isinstance(value, bool) else to_number(value)


def shown(given: Any, output: Any) -> str:
    """An artifact's text: what was asked, shortened, and what came of it. Empty where nothing came of it."""
    answer = as_text(output).strip()
    asked = as_text(given).strip()
    if not answer or not asked:
        return answer
    if len(asked) > _MOST_INPUT:
        asked = asked[:_MOST_INPUT].rstrip() + " …"
    return f"**Input**\n\n{asked}\n\n**Output**\n\n{answer}"


def as_text(value: Any) -> str:
    """Words as they are; messages one after the other, their parts joined; anything else as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list) and value and all(isinstance(entry, Mapping) for entry in value):
        parts = [as_text(entry.get("content", entry.get("text"))) for entry in value]
        if any(parts):
            return "\n\n".join(part for part in parts if part)
    return orjson.dumps(value, option=orjson.OPT_INDENT_2, default=str).decode("utf-8", "replace")
