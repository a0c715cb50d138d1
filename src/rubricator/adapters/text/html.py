"""Web pages and HTML mail: what a reader sees, as headings, paragraphs, list items, table rows and code.

The tree is walked without recursion, for a page may nest 50,000 elements deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser

from rubricator.adapters.text.decode import UNDECODABLE, decode_as
from rubricator.adapters.text.draft import Draft
from rubricator.adapters.text.limits import Reading, UnreadableError
from rubricator.memory.document import BlockKind, Extraction

_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_UNSEEN: Final = frozenset("script style template head nav svg iframe object select textarea noframes".split())
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_BREAKING: Final = frozenset(
    "p div section article main header footer aside address blockquote center details dd dl dt fieldset figcaption "
    "figure form hr li ol pre summary table tbody tfoot thead tr ul caption body html".split()
) | frozenset(_HEADINGS)
_SPACE = re.compile(r"[ \t\r\n\f\u00a0]+")
_WHITE: Final = " \t\r\n\f"


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of visible text. `quoted` is how many block quotations it stands in."""

    text: str
    kind: BlockKind = "paragraph"
    level: int = 0
    quoted: int = 0


def read(data: bytes, reading: Reading) -> Extraction:
    """Read a web page. Its own declaration of a charset holds, unless the bytes contradict it."""
    declared = _CHARSET.search(data[:4096])
    decoded = decode_as(data, declared[1].decode("ascii", "replace") if declared else None)
    if decoded is None:
        raise UnreadableError(UNDECODABLE)
    tree = LexborHTMLParser(decoded.text)
    draft = Draft(reading)
    title = tree.css_first("title")
    draft.title = " ".join((title.text(deep=False) or "").split())[:200] or None if title else None
    previous: BlockKind | None = None
    for piece in _pieces(tree):
        together = piece.kind == previous and piece.kind in {"list", "table"}
        draft.add(piece.text, piece.kind, level=piece.level, gap="\n" if together else "\n\n")
        previous = piece.kind
    return Extraction((draft.document("text/html", encoding=decoded.encoding),))


def pieces(markup: str) -> Iterator[Piece]:
    """The visible text of `markup`, in order."""
    yield from _pieces(LexborHTMLParser(markup))


def _pieces(tree: LexborHTMLParser) -> Iterator[Piece]:
    if tree.root is not None:
        walk = _Walk(_layout_tables(tree.root))
        for node, entering in _events(tree.root, skip=_is_unseen):
            yield from walk.enter(node) if entering else walk.leave(node)
        yield from walk.flush()


def _events(root: Any, skip: Any = None) -> Iterator[tuple[Any, bool]]:
    """Every node as it is entered (True) and left (False), in the order of the document."""
    node = root
    while True:
        skipped = skip is not None and skip(node)
        if not skipped:
            yield node, True
            if node.child is not None:
                node = node.child
                continue
            yield node, False
        while node.next is None:
            node = node.parent
            if node is None or node.mem_id == root.mem_id:
                return
            yield node, False
        if node.mem_id == root.mem_id:
            return
        node = node.next


def _is_unseen(node: Any) -> bool:
    tag = str(node.tag)
    if tag.startswith("-"):
        return tag != "-text"
    if tag in _UNSEEN:
        return True
    attributes = node.attributes
    if not attributes:
        return False
    style = attributes.get("style") or ""
    return "hidden" in attributes or attributes.get("role") == "navigation" or bool(_HIDDEN_STYLE.search(style))


def _layout_tables(root: Any) -> frozenset[int]:
    """The tables that hold other tables: they place things on a page, and their cells are no row."""
    open_tables: list[int] = []
    found = set()
    for node, entering in _events(root):
        if node.tag == "table":
            if entering:
                found.update(open_tables[-1:])
                open_tables.append(node.mem_id)
            else:
                open_tables.pop()
    return frozenset(found)


class _Walk:
    """What is open while the tree is walked, and the text gathered since the last break."""

    def __init__(self, layout_tables: frozenset[int]) -> None:
        self._layout_tables = layout_tables
        self._text: list[str] = []
        self._cells: list[str] = []
        self._tables: list[bool] = []  # whether each open table holds data
        self._heading = self._lists = self._items = self._pre = self._quotes = 0

    def enter(self, node: Any) -> Iterator[Piece]:
        tag = node.tag
        if tag == "-text":
            text = node.text_content or ""
            self._text.append(text if self._pre else _SPACE.sub(" ", text))
            return
        if tag == "br":
            self._text.append("\n")
        elif tag in _BREAKING:
            yield from self._break()
        if tag == "table":
            self._tables.append(node.mem_id not in self._layout_tables)
        self._shift(tag, 1)

    def leave(self, node: Any) -> Iterator[Piece]:
        tag = node.tag
        if tag in {"td", "th"}:
            yield from self._end_cell()
        elif tag == "tr":
            yield from self._end_row()
        elif tag == "caption":
            yield from self.flush()
        elif tag in _BREAKING:
            yield from self._break()
        self._shift(tag, -1)
        if tag == "table":
            yield from self._end_row()
            self._tables.pop()

    def _shift(self, tag: str, by: int) -> None:
        """Count what is open: one more, or one less."""
        if tag in _HEADINGS:
            self._heading = _HEADINGS[tag] if by > 0 else 0
        elif tag in {"ul", "ol"}:
            self._lists += by
        elif tag == "li":
            self._items += by
        elif tag == "pre":
            self._pre += by
        elif tag == "blockquote":
            self._quotes += by

    def flush(self) -> Iterator[Piece]:
        """The text since the last break, as a piece."""
        text = self._taken()
        if not text:
            return
        if self._pre:
            yield Piece(text, "code", quoted=self._quotes)
        elif self._heading:
            yield Piece(" ".join(text.split()), "heading", self._heading, self._quotes)
        elif self._items:
            yield Piece("  " * (max(self._lists, 1) - 1) + "- " + text, "list", quoted=self._quotes)
        else:
            yield Piece(text, quoted=self._quotes)

    def _taken(self) -> str:
        text = "".join(self._text)
        self._text = []
        if self._pre:
            return text.strip("\n").rstrip()
        return "\n".join(" ".join(line.split(" ")).strip(_WHITE) for line in text.split("\n")).strip()

    def _break(self) -> Iterator[Piece]:
        if self._tables and self._tables[-1]:
            self._text.append(" ")  # a row of data stays one line, whatever its cells hold
        else:
            yield from self.flush()

    def _end_cell(self) -> Iterator[Piece]:
        if self._tables and self._tables[-1]:
            self._cells.append(" ".join(self._taken().split()))
        else:
            yield from self.flush()

    def _end_row(self) -> Iterator[Piece]:
        if not (self._tables and self._tables[-1]):
            yield from self.flush()
            return
        stray = " ".join(self._taken().split())  # a caption, or text that stands between cells
        if any(self._cells):
            yield Piece(" | ".join(self._cells), "table", quoted=self._quotes)
        if stray:
            yield Piece(stray, quoted=self._quotes)
        self._cells = []
