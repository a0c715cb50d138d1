"""A rubric in anybody's Markdown: a table, a list, or headings. What was guessed is said in the rubric's notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from rubricator.core.markdown import headings
from rubricator.core.rubric import Criterion, Rubric, Scale
from rubricator.errors import NoCriteriaError
from rubricator.formats.content import Content
from rubricator.formats.reading import Found, RubricFormat, named_after, numbered

_NUMBER: Final = r"(?P<number>-?\d+(?:\.\d+)?)"
_WEIGHT: Final = (
    re.compile(rf"[(\[]?\s*\bweight(?:ed|ing)?\b\s*[:=]?\s*{_NUMBER}\s*(?P<unit>%)?\s*[)\]]?", re.IGNORECASE),
    re.compile(rf"[(\[]\s*{_NUMBER}\s*(?P<unit>%|points?|pts?\.?)?\s*[)\]]", re.IGNORECASE),
    re.compile(rf"[-–—:]\s*{_NUMBER}\s*(?P<unit>%|points?|pts?\.?)(?=\s*$|\s*[:.])", re.IGNORECASE),
)
_NAME: Final = re.compile(
    r"\s*(?:\*\*|__)(?P<bold>.+?)(?:\*\*|__)\s*[:.–—-]?\s*|(?P<plain>[^:.\n]{2,60}?)\s*(?::|\s[–—-]\s)\s*"
)
_ABOUT: Final = re.compile(r"criteri|rubric|checklist|dimension|scor|grad|evaluat", re.IGNORECASE)
_NAME_COLUMN: Final = re.compile(r"criteri|dimension|category|aspect|name|item", re.IGNORECASE)
_WEIGHT_COLUMN: Final = re.compile(r"weight|points|pts|%|share", re.IGNORECASE)
_SCALE: Final = re.compile(
    r"(?:scale|scored?|rate[ds]?|grade[ds]?)\b[^.\n]{0,30}?\b(\d+)\s*(?:-|–|to)\s*(\d+)", re.IGNORECASE
)
_FEWEST: Final = 2
_FEWEST_OF_DATA: Final = 3


def has_structure(text: str) -> bool:
    """Whether a table or a list of the text says more of criteria than its headings do."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    return bool(_from_table(tokens) or _from_list(text, tokens, weighted=True) or _from_list(text, tokens, about=True))


def describes_data(text: str) -> bool:
    """Whether most headings have blocks of code under them, as documents about formats do and rubrics don't."""
    found = headings(text)
    starts = [start for start, _, _ in found]
    coded = sum("```" in text[start:end] for start, end in pairwise([*starts, len(text)]))
    return len(found) >= _FEWEST_OF_DATA and coded * 2 > len(found)


def _read(content: Content) -> Rubric:
    text = content.text
    if describes_data(text):
        raise NoCriteriaError(
            f"{content.filename} describes data: most of its headings have blocks of code under them.",
            hint="If it is a rubric, write each criterion as a level-2 heading with its text, or give --format vault.",
        )
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    ways: tuple[tuple[str, Callable[[], list[Found]]], ...] = (
        ("the rows of a table", lambda: _from_table(tokens)),
        ("the entries of a list with weights", lambda: _from_list(text, tokens, weighted=True)),
        ("the entries of a list under a heading about criteria", lambda: _from_list(text, tokens, about=True)),
        ("headings of one level", lambda: _from_headings(text)),
        ("the entries of its longest list", lambda: _from_list(text, tokens)),
    )
    for what, find in ways:
        found = numbered(find())
        if found:
            top = next((words for _, words, level in headings(text) if level == 1), "")
            scale = _SCALE.search(text)
            notes = [f"The file has no format of its own: {what} were taken for criteria."]
            if len({f.criterion.weight for f in found}) == 1:
                notes.append("No weights were found; each criterion counts 1.")
            if scale:
                notes.append(f"A scale of {scale[1]} to {scale[2]} was read out of the text.")
            bounds = Scale(float(scale[1]), float(scale[2])) if scale and int(scale[1]) < int(scale[2]) else None
            criteria = tuple(f.criterion for f in found)
            return Rubric(top or content.stem, criteria, bounds, format="markdown", notes=tuple(notes))
    raise NoCriteriaError(
        f"{content.filename} has no criterion.",
        hint="Write each as a level-2 heading (## Name) with its text below.",
    )


def _from_table(tokens: Sequence[Token]) -> list[Found]:
    for rows in _tables(tokens):
        head, body = rows[0], rows[1:]
        name = next((n for n, cell in enumerate(head) if _NAME_COLUMN.search(cell)), None)
        if name is None or len(body) < _FEWEST:
            continue
        weight = next((n for n, cell in enumerate(head) if n != name and _WEIGHT_COLUMN.search(cell)), None)
        found = []
        for row in body:
            if not row[name].strip("* "):
                continue
            rest = [(h, cell) for n, (h, cell) in enumerate(zip(head, row, strict=False)) if n not in {name, weight}]
            text = rest[0][1] if len(rest) == 1 else "\n".join(f"- {h}: {cell}" for h, cell in rest if cell)
            number = re.search(r"-?\d+(?:\.\d+)?", row[weight]) if weight is not None else None
            found.append(Found(Criterion(row[name].strip("* "), text, float(number[0]) if number else 1.0)))
        return found
    return []


def _tables(tokens: Sequence[Token]) -> Iterator[list[list[str]]]:
    rows: list[list[str]] = []
    for n, token in enumerate(tokens):
        if token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type in {"th_open", "td_open"}:
            rows[-1].append(tokens[n + 1].content.strip())
        elif token.type == "table_close" and rows:
            yield rows


def _from_list(text: str, tokens: Sequence[Token], *, weighted: bool = False, about: bool = False) -> list[Found]:
    """The criteria of the list with the most entries among those that qualify."""
    best: list[Found] = []
    for heading, items in _lists(text, tokens):
        found = [_entry(item) for item in items]
        if weighted and sum(criterion.weight is not None for criterion in found) < _FEWEST:
            continue
        if about and (
            not _ABOUT.search(heading) or sum(item.startswith(("`", "**`")) for item in items) * 2 > len(items)
        ):
            continue
        if len(found) >= _FEWEST and len(found) > len(best):
            best = [Found(Criterion(e.name, e.text, 1.0 if e.weight is None else e.weight)) for e in found]
    return best


class _Entry:
    """A list entry: its name, its text and the weight that it states, None for none."""

    def __init__(self, name: str, text: str, weight: float | None) -> None:
        self.name, self.text, self.weight = name, text, weight


def _entry(item: str) -> _Entry:
    first, _, rest = item.partition("\n")
    weight = None
    for pattern in _WEIGHT:
        if match := pattern.search(first):
            weight = float(match["number"])
            first = f"{first[: match.start()].rstrip()} {first[match.end() :].lstrip()}".strip()
            break
    match = _NAME.match(first)
    name = (match["bold"] or match["plain"] or "").strip(" :*_") if match else ""
    body = f"{first[match.end() :] if match and name else first}\n{rest}".strip()
    return _Entry(name or named_after(first), body.lstrip(":–—- ") or first, weight)


def _lists(text: str, tokens: Sequence[Token]) -> Iterator[tuple[str, list[str]]]:
    """Each outermost list with the heading above it: the texts of its entries, without their marks."""
    lines = text.splitlines()
    heading = ""
    items: list[str] = []
    depth = 0
    for n, token in enumerate(tokens):
        if token.type == "heading_open":
            heading = tokens[n + 1].content
        elif token.type in {"bullet_list_open", "ordered_list_open"}:
            depth += 1
            items = [] if depth == 1 else items
        elif token.type in {"bullet_list_close", "ordered_list_close"}:
            depth -= 1
            if depth == 0:
                yield heading, items
        elif token.type == "list_item_open" and depth == 1 and token.map:
            start, end = token.map
            body = re.sub(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?", "", "\n".join(lines[start:end]))
            items.append(body.strip())


def _from_headings(text: str) -> list[Found]:
    """The level that has most headings, two at least; of two levels with as many, the upper one."""
    found = headings(text)
    levels = [level for _, _, level in found]
    level = max(sorted(set(levels)), key=levels.count, default=0)
    if levels.count(level) < _FEWEST:
        return []
    criteria = []
    for n, (start, words, at) in enumerate(found):
        if at == level:
            end = next((s for s, _, other in found[n + 1 :] if other <= level), len(text))
            entry = _entry(words)
            body = text[start:end].partition("\n")[2].strip()
            name = words if entry.weight is None else entry.name
            criteria.append(Found(Criterion(name.strip("* "), body, entry.weight or 1.0)))
    return criteria


PLAIN_MARKDOWN: Final = RubricFormat("markdown", "Markdown of any form", lambda content: content.is_markdown, _read)
