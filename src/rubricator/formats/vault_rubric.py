"""The vault's own rubric format: Markdown, one level-2 heading a criterion.

---
name: Newsletter openings
scale: [1, 5]
aggregate: weighted_mean
---
## Hook
- weight: 2
- added: 2026-03-01
- source: kb:0123456789
The first sentence makes a reader want the second.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import yaml

from rubricator.core.formula import Formula
from rubricator.core.markdown import headings
from rubricator.core.rubric import Criterion, Rubric, criterion_id, shortest
from rubricator.errors import InputError, NoCriteriaError
from rubricator.formats import edits
from rubricator.formats.content import Content
from rubricator.formats.plain_markdown import describes_data, has_structure
from rubricator.formats.reading import RubricFormat

_FRONT: Final = re.compile(r"---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_ITEM: Final = re.compile(
    r"[ \t]{0,3}[-*+][ \t]+(weight|added|source)[ \t]*:[ \t]*([^\r\n]*?)[ \t]*(\r?\n|\Z)", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"[-+]?[^\s#(;]+")
_LEVEL: Final = 2


@dataclass(frozen=True, slots=True)
class _Section:
    """A criterion's place: its heading, its list items as (key, value, where the value starts), its text, its end."""

    name: str
    start: int
    items: tuple[tuple[str, str, int], ...]
    items_start: int
    body_start: int
    end: int


def _matches(content: Content) -> bool:
    """Front matter, a weight under a heading, or headings where neither a table nor a list says more."""
    if not content.is_markdown:
        return False
    text = content.text
    own = bool(_FRONT.match(text)) or any(section.items for section in _sections(text))
    return own or (bool(_sections(text)) and not has_structure(text) and not describes_data(text))


def _read(content: Content) -> Rubric:
    """The rubric of a vault file. Raises InputError with the line for front matter, weights or names that can't be."""
    text, filename = content.text, content.filename
    front = _front_matter(text, filename)
    criteria: list[Criterion] = []
    lines: dict[str, int] = {}
    for section in _sections(text):
        line = _line(text, section.start)
        key = criterion_id(section.name)
        if not key:
            raise InputError(f"{filename}, line {line}: a criterion without a name.", hint="Name it after the ##.")
        if key in lines:
            raise InputError(
                f"{filename}: “{section.name}” is a criterion twice, in lines {lines[key]} and {line}.",
                hint="Give each criterion a name of its own.",
            )
        lines[key] = line
        values = {name: value for name, value, _ in section.items}
        where = f"{filename}, line {line}, weight of “{section.name}”"
        weight = edits.number(_weight_words(values["weight"]), where) if "weight" in values else 1.0
        words = text[section.body_start : section.end].replace("\r\n", "\n").strip()
        criteria.append(Criterion(section.name, words, weight, values.get("added", ""), values.get("source", "")))
    if not criteria:
        raise NoCriteriaError(
            f"{filename} has no criterion.", hint="Write each as a level-2 heading (## Name) with its text below."
        )
    formula = str(front.get("formula") or "")
    if formula:
        Formula.parse(formula)
    chosen = front.get("aggregate") or ("formula" if formula else None)
    return Rubric(
        name=str(front.get("name") or content.stem),
        criteria=tuple(criteria),
        scale=edits.scale(front.get("scale"), filename),
        aggregate=edits.aggregate(chosen, filename),
        formula=formula,
        format="vault",
    )


def _spans(content: Content, change: Any) -> list[edits.Span]:
    """Where a change is made, and what is to stand there."""
    return [_span(content.text, change)]


def _span(text: str, change: Any) -> edits.Span:
    section = next(s for s in _sections(text) if criterion_id(s.name) == criterion_id(change.criterion))
    kind = type(change).__name__
    if kind == "Retire":
        return edits.Span(section.start, section.end, "")
    if kind == "Reword":
        body = text[section.body_start : section.end]
        kept = body.rstrip()
        lead = len(kept) - len(kept.lstrip())
        newline = _newline(text)
        words = change.text.strip().replace("\r\n", "\n").replace("\n", newline)
        if not kept.strip():
            before = "" if text[: section.body_start].endswith("\n") else newline
            return edits.Span(section.body_start, section.body_start, f"{before}{newline}{words}{newline}")
        return edits.Span(section.body_start + lead, section.body_start + len(kept), words)
    for name, value, place in section.items:
        if name == "weight":
            return edits.Span(place, place + len(_weight_words(value)), shortest(change.weight))
    newline = _newline(text)
    before = "" if text[: section.items_start].endswith("\n") else newline
    item = f"{before}- weight: {shortest(change.weight)}{newline}"
    if not section.items and text[section.body_start : section.end].strip():
        # Without a blank line, a list would take the text that follows as its own.
        item += "" if text[section.items_start : section.end].startswith(("\n", "\r\n")) else newline
    return edits.Span(section.items_start, section.items_start, item)


def head_of(rubric: Rubric) -> dict[str, Any]:
    """What stands above the criteria, in Markdown as front matter and in YAML."""
    head: dict[str, Any] = {"name": rubric.name}
    if rubric.scale:
        head["scale"] = [rubric.scale.low, rubric.scale.high]
    head["aggregate"] = rubric.aggregate
    if rubric.formula:
        head["formula"] = rubric.formula
    return head


def write(rubric: Rubric) -> str:
    """A new vault file that reads as `rubric`."""
    parts = [f"---\n{yaml.safe_dump(head_of(rubric), sort_keys=False, allow_unicode=True)}---\n"]
    for criterion in rubric.criteria:
        items = [f"- weight: {shortest(criterion.weight)}"]
        items += [
            f"- {key}: {value}" for key, value in (("added", criterion.added), ("source", criterion.source)) if value
        ]
        parts.append(f"\n## {criterion.name}\n" + "\n".join(items) + f"\n\n{criterion.text}\n")
    return "".join(parts)


def _front_matter(text: str, filename: str) -> dict[str, Any]:
    match = _FRONT.match(text)
    if not match:
        return {}
    try:
        value = yaml.safe_load(match[1])
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        first = (str(error).splitlines() or [""])[0]
        raise InputError(
            f"{filename}: the front matter can't be read: {first}.", hint="It is YAML between ---."
        ) from None
    return value if isinstance(value, dict) else {}


def _sections(text: str) -> list[_Section]:
    front = _FRONT.match(text)
    offset = front.end() if front else 0
    found = headings(text[offset:])
    cuts = [(start + offset, words) for start, words, level in found if level == _LEVEL]
    tops = [start + offset for start, _, level in found if level < _LEVEL]
    sections = []
    for n, (start, name) in enumerate(cuts):
        following = cuts[n + 1][0] if n + 1 < len(cuts) else len(text)
        end = min([following, *(top for top in tops if top > start)])
        items_start = min(end, text.find("\n", start) + 1 or len(text))
        place = items_start
        while place < end and (blank := re.compile(r"[ \t]*\r?\n").match(text, place, end)):
            place = blank.end()
        items: list[tuple[str, str, int]] = []
        first = place
        while place < end and (item := _ITEM.match(text, place, end)):
            items.append((item[1].lower(), item[2], item.start(2)))
            place = item.end()
        sections.append(
            _Section(name, start, tuple(items), first if items else items_start, place if items else items_start, end)
        )
    return sections


def _weight_words(value: str) -> str:
    """The number of a weight item, without what follows it on the line."""
    match = _NUMBER.match(value)
    return match[0] if match else value


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


VAULT: Final = RubricFormat("vault", "Rubricator's own Markdown", _matches, _read, _spans)
