"""Masking what could carry a score in an artifact's text, so that the packet can't.

Better one word too many masked than a score shown: what was masked is counted before the ranking and listed after it.
Every pattern is bounded, so that no text can make masking slow.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rubricator.core.rubric import criterion_id

MASK: Final = "[masked]"

Span = tuple[int, int, str]
"""Where something is to be masked, from and to, and of what kind it is."""

_STRONG: Final = "scor(?:es?|ed|ing)|rating|rated|grade[sd]?|overall|verdict|evaluation|evaluated|assessment"
_WEAK: Final = "rate|marks?|marked|points?|total|quality|stars?"
_BEGIN: Final = r"(?:(?<![^\W_])|(?-i:(?<=[a-z])(?=[A-Z])))"
"""Before a word, also within `total_score` and `qualityScore`."""
_END: Final = r"(?![^\W_])"
_DRESS: Final = r"[\s\"'*_`]{0,8}"
_NUMBER: Final = r"[-+]?\d{1,3}(?:[.,]\d{1,12})?(?!\d)"
_NUMBERS: Final = rf"{_NUMBER}(?:\s?[,;]\s?{_NUMBER}){{0,40}}"
_WORDED: Final = "one|two|three|four|five|six|seven|eight|nine|ten"
_LINK: Final = (
    r"[:=|>→➜⇒≈~–—-]|<[^<>\n]{0,40}>|\([^()\n]{0,30}\)|"
    rf"\b(?:is|was|of|at|it|this|as|an?|by|with|value|content){_END}"
)
"""What may stand between a score word and its number."""
_OUT_OF: Final = (
    rf"\s{{0,3}}(?:/|out\s+of|von|sur|of\s+a\s+possible)\s{{0,3}}(?:5|10|100|{_WORDED})(?:\.0+)?(?![\w/]|\.\d)"
)
_PATTERNS: Final = (
    ("out of a scale", rf"(?<![\w./])(?:{_NUMBER}|(?:{_WORDED})(?=\s)){_OUT_OF}"),
    (
        "score word and number",
        rf"{_BEGIN}(?:{_STRONG}){_END}(?:{_DRESS}(?:{_LINK})){{0,6}}{_DRESS}[\[(]?\s?{_NUMBERS}(?:\s?%)?(?![\d/:-])",
    ),
    (
        "score word and number",
        (
            r"\b(?:rated|scores|scored|grades|graded)(?:\s{1,3}[\w'’-]{1,30}){1,3}\s{1,3}"
            rf"{_NUMBER}(?:\s?%)?(?!\s{{0,3}}\w|[/:-])"
        ),
    ),
    (
        "score word and number",
        rf"{_BEGIN}(?:{_WEAK})[\"'*_`]{{0,4}}\s{{0,3}}[:=]{_DRESS}{_NUMBER}(?:\s?%)?(?![\d/:-])",
    ),
    ("score word and grade", rf"{_BEGIN}(?:grade|rating|verdict|score)[\"'*_`]{{0,4}}\s?[:=]{_DRESS}[A-F][-+]?(?!\w)"),
    (
        "number and score word",
        rf"(?<![\w./-]){_NUMBER}\s?%?[½¼¾]?[\s-]{{1,3}}(?:stars?|points?|marks|score|rating|overall){_END}",
    ),
    ("stars", r"[★☆⭐✩✭🌟](?:[\s\ufe0f]{0,3}[★☆⭐✩✭🌟½])+\ufe0f?|[★⭐🌟]\ufe0f?"),
)
_COMPILED: Final = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS)
_FRONT: Final = re.compile(
    r"\A\ufeff?(?:---[ \t]*\n(.*?)^(?:---|\.\.\.)|\+\+\+[ \t]*\n(.*?)^\+\+\+)[ \t]*$", re.DOTALL | re.MULTILINE
)
_FIELD: Final = re.compile(r"((?:- )?)[\"']?([^:=\"'\n]{1,80})[\"']?[ \t]{0,8}[:=]")
_FIELD_WORDS: Final = re.compile(
    r"scor|(?<![a-z])(?:rat(?:e|ed|ings?)|grad(?:e|ed|es|ing)|overall|verdict|eval\w*|assess\w*|judge\w*|criteri\w*|"
    r"marks?|marked|points?|total|quality|stars?|ranks?)(?![a-z])"
)
_HEADING: Final = re.compile(
    rf"[^\n:]{{0,40}}{_BEGIN}(?:{_STRONG}|criteria){_END}[^\n:]{{0,20}}:?[*_ \t]{{0,8}}$", re.IGNORECASE
)
_ITEM: Final = re.compile(
    rf"(?:[-*+]|\d{{1,3}}[.)])[ \t]{{0,4}}[^:=\n]{{1,60}}[:=]{_DRESS}({_NUMBER}(?:\s?%)?)(?![\d:])"
)
_CELL: Final = re.compile(r"[^|\t\n]+")
_CELL_NUMBER: Final = re.compile(
    rf"[\s*_`]*({_NUMBER}(?:\s?%)?(?:\s{{0,3}}(?:/|of|out\s+of)\s{{0,3}}\d{{1,3}})?)[\s*_`★☆⭐]*\Z", re.IGNORECASE
)


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
    decimals are masked wherever they stand, full or rounded to two decimals or more, with point or comma. Lines end
    with a newline only in what is given back.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    plain = _plain(text)
    names = "|".join(
        r"[\s_-]?".join(re.escape(word) for word in re.split(r"[\s_-]+", name.strip()))
        for name in criteria
        if name.strip()
    )
    spans = [*_front_matter(plain, {criterion_id(name) for name in criteria})]
    for kind, pattern in _COMPILED:
        spans += [(m.start(), m.end(), kind) for m in pattern.finditer(plain)]
    if names:
        pattern = re.compile(
            rf"{_BEGIN}(?:{names}){_END}[\"'*_`]{{0,4}}\s{{0,3}}"
            rf"(?:[:=|→–—-]{_DRESS}{_NUMBER}(?:\s?/\s?\d+)?(?![\d:])|\(\s?{_NUMBER}(?:\s?/\s?\d+)?\s?\))",
            re.IGNORECASE,
        )
        spans += [(m.start(), m.end(), "criterion and number") for m in pattern.finditer(plain)]
    spans += _table_cells(plain, names)
    spans += _listed(plain)
    spans += _known(plain, known)
    return _applied(text, spans)


def _plain(text: str) -> str:
    """The text with digits of any script as 0 to 9 and full-width characters as plain ones; each keeps its place."""
    return text if text.isascii() else text.translate({ord(c): _ascii(c) for c in set(text) if not c.isascii()})


def _ascii(character: str) -> str:
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    if character == "\N{ARABIC DECIMAL SEPARATOR}":
        return "."
    plain = unicodedata.normalize("NFKC", character)
    return plain if len(plain) == 1 else character


def _front_matter(text: str, criteria: set[str]) -> Iterator[Span]:
    """The fields of the front matter that speak of scores or criteria, each with all that is nested in it."""
    front = _FRONT.match(text)
    if front is None:
        return
    place = front.start(front.lastindex or 1)
    start: int | None = None
    end, depth = place, 0
    for line in front[front.lastindex or 1].splitlines(keepends=True):
        indent = len(line) - len(line.lstrip(" \t"))
        inner = not line.strip() or indent > depth or (indent == depth and line[indent:].startswith(("- ", "-\n")))
        if start is not None and not inner:
            yield start, end, "front matter"
            start = None
        if start is None and (field := _FIELD.match(line[indent:])) and _speaks(field[2], criteria):
            start, depth = place + indent + field.end(1), indent
        place += len(line)
        if line.strip():
            end = place - line.endswith("\n")
    if start is not None:
        yield start, end, "front matter"


def _speaks(key: str, criteria: set[str]) -> bool:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower()
    return bool(_FIELD_WORDS.search(words)) or criterion_id(words) in criteria or criterion_id(key) in criteria


def _table_cells(text: str, names: str) -> Iterator[Span]:
    """The number cells of tables (bars or tabs) whose first row names a score or a criterion, and of rows that do.

    Of a table whose first row has a weaker word, such as “total”, only the columns below that word.
    """
    strong = re.compile(rf"{_BEGIN}(?:{_STRONG}{'|' if names else ''}{names}){_END}", re.IGNORECASE)
    weak = re.compile(rf"{_BEGIN}(?:{_WEAK}){_END}", re.IGNORECASE)
    place, inside, whole = 0, False, False
    columns: set[int] = set()
    for line in text.splitlines(keepends=True):
        if "|" in line or "\t" in line:
            cells = list(_CELL.finditer(line))
            speaks = bool(strong.search(line))
            if not inside:
                whole = speaks
                columns = {number for number, cell in enumerate(cells) if weak.search(cell[0])}
            for number, cell in enumerate(cells):
                if (whole or speaks or number in columns) and (found := _CELL_NUMBER.match(cell[0].rstrip("\n"))):
                    yield place + cell.start() + found.start(1), place + cell.start() + found.end(1), "table cell"
            inside = True
        else:
            inside = False
        place += len(line)


def _listed(text: str) -> Iterator[Span]:
    """The numbers of a list under a line that speaks of scores, such as `- Style: 4` under “Scores:”."""
    place, inside = 0, False
    for line in text.splitlines(keepends=True):
        item = line.lstrip(" \t")
        if inside and (found := _ITEM.match(item)):
            start = place + len(line) - len(item)
            yield start + found.start(1), start + found.end(1), "list of scores"
        elif item.strip():
            inside = bool(_HEADING.match(item.rstrip()))
        place += len(line)


def _known(text: str, known: Iterable[float]) -> Iterator[Span]:
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
        return
    point = r"(?:\\?[.,·]|%2[eEcC]|&#46;|&#x2[eE];|&period;)"
    longest_first = sorted(spellings, key=len, reverse=True)
    pattern = "|".join(re.escape(spelling).replace(r"\.", point) for spelling in longest_first)
    for found in re.finditer(rf"(?<!\d)0*(?:{pattern})\d*", text):
        yield found.start(), found.end(), "known score"


def _applied(text: str, spans: Iterable[Span]) -> Masked:
    """The text with all spans masked, overlapping ones as one."""
    merged: list[Span] = []
    for start, end, kind in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), merged[-1][2])
        else:
            merged.append((start, end, kind))
    parts: list[str] = []
    traces: list[Trace] = []
    place, line = 0, 1
    for start, end, kind in merged:
        between = text[place:start]
        parts += [between, MASK]
        line += between.count("\n")
        traces.append(Trace(kind, line, text[start:end]))
        line += text.count("\n", start, end)
        place = end
    return Masked("".join([*parts, text[place:]]), tuple(traces))
