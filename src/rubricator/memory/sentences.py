"""Where the sentences of a text are: list items, table rows and turns end one as a full stop does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BLOCK = re.compile(
    r"\n[ \t>]*\n|\n(?=[ \t>]*(?:[-*+]\s|\d+[.)]\s|#{1,6}\s|\||\[\^|[^\s:]{1,30}(?: [^\s:]{1,30}){0,2}: ))"
)
_HEADING = re.compile(r"[ \t>]*#{1,6}[ \t][^\n]*\n")
_MARK = re.compile(r"[\s>]*(?:(?P<heading>#{1,6})\s+|[-*+]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+|\|\s*|\[\^[^\]]*\]:?\s*)?")
_END = re.compile(r"""[.!?…]+["'”’)\]*_]*\s+(?:>+\s*)*(?=["'“‘(\[*_]*[^\s\Wa-z])|[。！？][」』”’）]*\s*""")  # noqa: RUF001
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|no|nos|approx|dr|mr|mrs|ms|st|sec|art|fig)|\b[A-Za-z])\.\s*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, word for word as `text[start:end]` has it; `heading` where it is one."""

    text: str
    start: int
    end: int
    heading: bool = False


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text in order, without list marks and blank ends; what holds no letter or digit is none."""
    return [
        Sentence(text[start:end], start, end, heading)
        for block_start, block_end in _blocks(text)
        for start, end, heading in _within(text, block_start, block_end)
    ]


def statements(text: str) -> list[str]:
    """What a text says, sentence by sentence: headings say nothing."""
    return [sentence.text for sentence in sentences(text) if not sentence.heading]


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end, following in (*((m.start(), m.end()) for m in _BLOCK.finditer(text)), (len(text), len(text))):
        if heading := _HEADING.match(text, start, end):
            yield start, heading.end()
            start = heading.end()
        yield start, end
        start = following


def _within(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    mark = _MARK.match(text, start, end)
    heading = bool(mark and mark["heading"])
    if mark:
        start = mark.end()
    cuts = [
        m.end()
        for m in _END.finditer(text, start, end)
        if not _ABBREVIATION.search(text, max(start, m.start() - 8), m.end())
    ]
    for cut in (*cuts, end):
        piece = text[start:cut]
        trimmed = piece.rstrip(" \t\r\n|>")
        if any(character.isalnum() for character in trimmed):
            yield start, start + len(trimmed), heading
        start = cut
