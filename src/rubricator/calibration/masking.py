"""Masking what could carry a score in an artifact's text, so that the packet can't.

Better one word too many masked than a score shown: what was masked is counted before the ranking and listed after it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

MASK: Final = "[masked]"

_STRONG: Final = "scor(?:es?|ed|ing)|rating|rated|grade[sd]?|overall|verdict|evaluation|evaluated|assessment"
_WEAK: Final = "rate|marks?|marked|points?|total|quality|stars?"
_WORDS: Final = f"{_STRONG}|{_WEAK}"
_NUMBER: Final = r"[-+]?\d{1,3}(?:[.,]\d+)?"
_FRONT: Final = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)
_FRONT_FIELD: Final = re.compile(
    rf"^[ \t]*[\w .-]*(?:{_WORDS}|criteria|judge|evaluator)[\w .-]*[ \t]*:.*(?:\n[ \t]+.*)*",
    re.IGNORECASE | re.MULTILINE,
)
_PATTERNS: Final = (
    (
        "out of a scale",
        rf"(?<![\w./]){_NUMBER}\s*(?:/|out\s+of|von|sur|of\s+a\s+possible)\s*(?:5|10|100|five|ten)(?:\.0+)?(?![\w/]|\.\d)",
    ),
    (
        "score word and number",
        (
            rf"(?:\b|_)(?:{_STRONG})\b(?:[\s\"'*_`]*(?:[:=|–—-]|\b(?:is|was|of|at|it|this|as|a|an|by|with)\b))*"
            rf"[\s\"'*_`]*{_NUMBER}(?:\s*%)?(?![\d/:-])"
        ),
    ),
    ("score word and number", rf"(?:\b|_)(?:{_WEAK})[\"'*_`]*\s*[:=][\s\"'*_`]*{_NUMBER}(?:\s*%)?(?![\d/:-])"),
    ("number and score word", rf"(?<![\w./-]){_NUMBER}\s*%?[\s-]+(?:stars?|points?|marks)\b"),
    ("stars", r"[★☆⭐✩✭🌟](?:[\s\ufe0f]*[★☆⭐✩✭🌟½])+\ufe0f?|[★⭐🌟]\ufe0f?"),
)
_COMPILED: Final = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS)
_TABLE_ROW: Final = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)
_CELL_NUMBER: Final = re.compile(rf"(?<=\|)(\s*\**){_NUMBER}(\**\s*)(?=\|)")


@dataclass(frozen=True, slots=True)
class Trace:
    """Something that was masked: of what kind, in which line of the artifact (from 1), and the words themselves.

    The words may be a score, so that traces are not shown before the ranking is committed.
    """

    kind: str
    line: int
    text: str

    def to_json(self) -> dict[str, Any]:
        """The trace as JSON."""
        return {"kind": self.kind, "line": self.line, "text": self.text}


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its traces of scores, and the traces."""

    text: str
    traces: tuple[Trace, ...]

    def counts(self) -> tuple[tuple[str, int], ...]:
        """How many traces of each kind there are."""
        return tuple(sorted(Counter(trace.kind for trace in self.traces).items()))


def mask(text: str, known: Iterable[float] = (), criteria: Sequence[str] = ()) -> Masked:
    """Mask what looks like a score in `text`, and every spelling of the `known` scores that can't be anything else.

    Front matter fields that speak of scores, “4.9/5”, “score: 4.9”, stars, percentages beside a score word, numbers
    behind a criterion's name (`criteria`), and number cells of tables that name scores or criteria. Known scores with
    decimals are masked wherever they stand, full or rounded to two decimals or more, with point or comma.
    """
    spans: list[tuple[int, int, str]] = []
    plain = _plain_digits(text)
    if front := _FRONT.match(plain):
        spans += [
            (m.start(), m.end(), "front matter") for m in _FRONT_FIELD.finditer(plain, front.start(1), front.end(1))
        ]
        names = "|".join(re.escape(name) for name in criteria)
        if names:
            field = re.compile(rf"^[ \t]*(?:{names})[ \t]*:.*", re.IGNORECASE | re.MULTILINE)
            spans += [(m.start(), m.end(), "front matter") for m in field.finditer(plain, front.start(1), front.end(1))]
    for kind, pattern in _COMPILED:
        spans += [(m.start(), m.end(), kind) for m in pattern.finditer(plain)]
    if named := [re.escape(name) for name in criteria if name.strip()]:
        pattern = re.compile(
            rf"(?<!\w)(?:{'|'.join(named)})(?!\w)[\"'*_`]*\s*[:=|–—-]\s*[\"'*_`]*{_NUMBER}(?:\s*/\s*\d+)?(?![\d:])",
            re.IGNORECASE,
        )
        spans += [(m.start(), m.end(), "criterion and number") for m in pattern.finditer(plain)]
    spans += _table_cells(plain, criteria)
    spans += _known(plain, known)
    return _applied(text, spans)


def _plain_digits(text: str) -> str:
    """The text with digits of any script as 0 to 9, and full-width points; every character keeps its place."""
    if text.isascii():
        return text
    return "".join(
        str(unicodedata.decimal(c)) if not c.isascii() and c.isdecimal() else {"．": ".", "，": ","}.get(c, c)  # noqa: RUF001 - full-width
        for c in text
    )


def _table_cells(text: str, criteria: Sequence[str]) -> list[tuple[int, int, str]]:
    """The number cells of table rows, in tables whose first row names a score or a criterion."""
    names = "|".join([_WORDS, *(re.escape(name) for name in criteria if name.strip())])
    speaks = re.compile(rf"\b(?:{names})\b", re.IGNORECASE)
    spans: list[tuple[int, int, str]] = []
    last, relevant = -2, False
    for row in _TABLE_ROW.finditer(text):
        if row.start() != last + 1:
            relevant = bool(speaks.search(row[0]))
        last = row.end()
        if relevant or speaks.search(row[0]):
            spans += [(m.start(), m.end(), "table cell") for m in _CELL_NUMBER.finditer(text, row.start(), row.end())]
    return spans


def _known(text: str, known: Iterable[float]) -> list[tuple[int, int, str]]:
    spellings: set[str] = set()
    for value in known:
        full = f"{abs(float(value)):.10f}".rstrip("0")
        whole, _, decimals = full.partition(".")
        if not decimals:
            continue
        spellings.add(f"{whole}.{decimals}")
        spellings |= {f"{abs(float(value)):.{places}f}" for places in range(2, len(decimals) + 1)}
        spellings |= {f"{whole}.{decimals[:places]}" for places in range(2, len(decimals))}
    if not spellings:
        return []
    longest_first = sorted(spellings, key=len, reverse=True)
    pattern = "|".join(re.escape(s).replace(r"\.", r"(?:[.,·]|%2[eE]|%2[cC]|&#46;|&period;)") for s in longest_first)
    return [(m.start(), m.end(), "known score") for m in re.finditer(rf"(?<!\d)(?:{pattern})\d*", text)]


def _applied(text: str, spans: list[tuple[int, int, str]]) -> Masked:
    """The text with all spans masked, overlapping ones as one."""
    merged: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), merged[-1][2])
        else:
            merged.append((start, end, kind))
    parts, traces, place = [], [], 0
    for start, end, kind in merged:
        parts += [text[place:start], MASK]
        traces.append(Trace(kind, text.count("\n", 0, start) + 1, text[start:end]))
        place = end
    return Masked("".join([*parts, text[place:]]), tuple(traces))
