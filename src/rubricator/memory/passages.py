"""From a document's blocks to passages: runs of whole blocks that respect headings, pages and quoted history."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from rubricator.core.identity import citation_id
from rubricator.memory.document import NOWHERE, Block, Document, Place

MAX_CHARS: Final = 2400
"""A passage is at most this long. About 600 tokens: long enough to hold an argument, short enough to cite."""

CONVERSATION_CHARS: Final = 600
"""Messages and cues are gathered up to about this length, so that a question stays with its answer."""

_LINE_END = re.compile(r"\r\n|\n|\r")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*\s|[。！？][」』”’）]*\s?")  # noqa: RUF001 - full-width marks end sentences too


@dataclass(frozen=True, slots=True)
class Span:
    """Where a passage stands: half-open character offsets, lines from 1 (both ends included), and its place."""

    start: int
    end: int
    line_start: int
    line_end: int
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Passage:
    """A located span of a source's text, under its stable citation id.

    `source` is the path within the scorecard folder, with `!/` before the part inside a file; `heading` the path of
    headings above the text, outermost first; `quoted` marks history repeated from an earlier message.
    """

    citation_id: str
    source: str
    text: str
    span: Span
    heading: tuple[str, ...] = ()
    title: str = ""
    quoted: bool = False


def source_name(path: str, part: str) -> str:
    """The name of a source: the file's path within the scorecard folder, and the part inside it, if any."""
    return f"{path}!/{part}" if part else path


def passages(document: Document, path: str) -> list[Passage]:
    """The passages of `document`, which was read from `path` within the scorecard folder, in order of the text.

    Every passage's text is exactly `document.text[span.start:span.end]`; passages don't overlap.
    """
    source = source_name(path, document.part)
    lines = [0, *(match.end() for match in _LINE_END.finditer(document.text))]
    seen: dict[str, int] = {}
    found = []
    for heading, blocks in _grouped(document):
        start, end = blocks[0].start, blocks[-1].end
        text = document.text[start:end]
        occurrence = seen.get(text, 0)
        seen[text] = occurrence + 1
        span = Span(
            start,
            end,
            bisect.bisect_right(lines, start),
            bisect.bisect_right(lines, max(start, end - 1)),
            _place(blocks),
        )
        found.append(
            Passage(
                citation_id=citation_id("kb", source, text, occurrence),
                source=source,
                text=text,
                span=span,
                heading=heading,
                title=document.title or "",
                quoted=blocks[-1].kind == "quote",
            )
        )
    return found


def _grouped(document: Document) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """Blocks packed into passages, each with the headings above it."""
    path: list[tuple[int, str]] = []
    heading: tuple[str, ...] = ()
    group: list[Block] = []
    for block in document.blocks:
        if block.kind == "heading":
            if any(b.kind != "heading" for b in group):
                yield heading, group
                group = []
            words = " ".join(document.text[block.start : block.end].strip().strip("#=-").split())
            path = [(level, text) for level, text in path if level < block.level] + [(block.level, words[:200])]
        for piece in _pieces(document.text, block):
            if group and _breaks(group, piece):
                yield heading, group
                group = []
            group.append(piece)
            heading = tuple(text for _, text in path)
    if group:
        yield heading, group


def _breaks(group: list[Block], block: Block) -> bool:
    """Whether `block` must start a new passage."""
    last = group[-1]
    size = last.end - group[0].start
    if block.end - group[0].start > MAX_CHARS:
        return True
    if last.kind == "heading":
        return False
    if (block.kind == "quote") != (last.kind == "quote") or block.place.page != last.place.page:
        return True
    turn = block.kind in {"message", "cue"} or block.place.message != last.place.message
    return turn and size >= CONVERSATION_CHARS


def _pieces(text: str, block: Block) -> Iterator[Block]:
    """`block` itself, or, where it alone is too long, pieces cut at a line, a sentence or a word's end."""
    if block.end - block.start <= MAX_CHARS:
        if text[block.start : block.end].strip():
            yield block
        return
    start = block.start
    while block.end - start > MAX_CHARS:
        cut = _cut(text, start, start + MAX_CHARS)
        if text[start:cut].strip():
            yield replace(block, start=start, end=cut)
        start = cut
    if text[start : block.end].strip():
        yield replace(block, start=start)


def _cut(text: str, start: int, limit: int) -> int:
    """The best place to cut within the last half before `limit`."""
    half = start + (limit - start) // 2
    line = max(text.rfind("\n", half, limit), text.rfind("\r", half, limit - 1))
    if line > start:
        return line + 1
    ends = [match.end() for match in _SENTENCE_END.finditer(text, half, limit)]
    if ends:
        return ends[-1]
    space = text.rfind(" ", half, limit)
    return space + 1 if space > start else limit


def _place(blocks: list[Block]) -> Place:
    """The place of a run of blocks: where it begins, until when it lasts, and its author if there is only one."""
    places = [block.place for block in blocks if block.place is not NOWHERE]
    if not places:
        return NOWHERE
    first, last = places[0], places[-1]
    authors = {place.author for place in places if place.author}
    return replace(first, time_end=last.time_end, author=authors.pop() if len(authors) == 1 else None)
