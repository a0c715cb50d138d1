"""Putting a document together from pieces of text."""

from __future__ import annotations

import re
from typing import Final

from rubricator.adapters.text.limits import Reading, UnreadableError
from rubricator.memory.document import NOWHERE, Block, BlockKind, Document, Place

NO_TEXT: Final = "no text"

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LINE_END = re.compile(r"\r\n?")


def cleaned(text: str) -> str:
    """`text` with the line feed as its only line end, and without what can't be printed or encoded."""
    return _SURROGATE.sub("\ufffd", _UNPRINTABLE.sub("", _LINE_END.sub("\n", text)))


class Draft:
    """A document in the making: pieces are added in order, and become its text and its blocks."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._pieces: list[str] = []
        self._blocks: list[Block] = []
        self._length = 0
        self.title: str | None = None

    def add(
        self, text: str, kind: BlockKind = "paragraph", *, level: int = 0, place: Place = NOWHERE, gap: str = "\n\n"
    ) -> None:
        """Add a block, `gap` after the one before. Text that is only white space adds nothing."""
        text = cleaned(text).strip("\n").rstrip()
        if not text:
            return
        start = self._length + len(gap) if self._blocks else 0
        end = start + len(text)
        self._reading.budget.spend_chars(end - self._length)
        if self._blocks:
            self._pieces.append(gap)
        self._pieces.append(text)
        self._blocks.append(Block(start, end, kind, level, place))
        self._length = end
        if kind == "heading" and self.title is None:
            self.title = " ".join(text.strip("#= ").split())[:200]

    def document(self, media_type: str, *, encoding: str | None = None) -> Document:
        """The finished document. Raises UnreadableError when nothing was added."""
        if not self._blocks:
            raise UnreadableError(NO_TEXT)
        return Document(
            text="".join(self._pieces),
            blocks=tuple(self._blocks),
            media_type=media_type,
            part=self._reading.part,
            title=self.title,
            encoding=encoding,
        )
