"""Plain text and Markdown: the exact decoded text, and the blocks it is made of.

One pass over the lines, each looked at a bounded number of times, so that a 20 MB log costs time in proportion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rubricator.adapters.text.decode import UNDECODABLE, Decoded, decode
from rubricator.adapters.text.draft import NO_TEXT
from rubricator.adapters.text.limits import Reading, UnreadableError
from rubricator.memory.document import Block, BlockKind, Document, Extraction

MARKDOWN_SUFFIXES: Final = (".md", ".markdown", ".txt", ".text", "")
"""Files in which `#` begins a heading; in a log or a configuration file it begins a comment."""

_TEXT_SUFFIXES: Final = (*MARKDOWN_SUFFIXES, ".log", ".yaml", ".yml", ".rst", ".org")
_STAMP = r"[(\[]?(?:\d{4}-\d\d-\d\d[T ,]+)?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,6})?(?: ?[AaPp][Mm])?Z?[)\]]?"
_SPEAKER = r"\*{0,2}[^\W\d_][\w.'’&-]{0,30}(?: [\w.'’&(-][\w.'’&)-]{0,30}){0,4}"
_TURN = re.compile(rf"(?:{_STAMP}[ \t-]*)?{_SPEAKER}(?: ?{_STAMP})?:\*{{0,2}}(?:[ \t]|$)|{_STAMP}[ \t]")
_SHAPE = re.compile(
    r"""[ ]{0,3}(?:
        (?P<heading>\#{1,6})(?:[ \t]|$)
      | (?P<fence>`{3,}|~{3,})
      | (?P<table>\|)
      | (?P<underline>(?:=+|-{2,})[ \t]*$)
      | (?P<divider>(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$)
    )
    | [ \t]*(?P<item>(?:[-*+•]|\d{1,9}[.)])[ \t]+)\S""",
    re.VERBOSE,
)
_LINE_END = re.compile(r"\r\n|\n|\r")
_KINDS: Final[dict[str, BlockKind]] = {"heading": "heading", "fence": "code", "table": "table", "item": "list"}
_MAX_TURN_HEAD: Final = 200
_MAX_MARK: Final = 400
_MAX_FRONT_MATTER: Final = 20_000


def read(data: bytes, reading: Reading) -> Extraction:
    """Read a text file. The spans of its blocks are spans of the decoded file."""
    decoded = decode(data)
    if decoded is None:
        known = reading.suffix in _TEXT_SUFFIXES
        raise UnreadableError(UNDECODABLE if known else f"not a text format this version reads ({reading.suffix})")
    return Extraction((document(decoded, reading),))


def document(decoded: Decoded, reading: Reading) -> Document:
    """The document of decoded text, unchanged. Raises UnreadableError when it is only white space."""
    text = decoded.text
    reading.budget.spend_chars(len(text))
    markdown = reading.suffix in MARKDOWN_SUFFIXES
    found = tuple(blocks(text, markdown=markdown))
    if not found:
        raise UnreadableError(NO_TEXT)
    first = next((block for block in found if block.kind == "heading"), None)
    return Document(
        text=text,
        blocks=found,
        media_type="text/markdown" if reading.suffix in {".md", ".markdown"} else "text/plain",
        part=reading.part,
        title=_heading_text(text, first) if first else None,
        encoding=decoded.encoding,
    )


def blocks(text: str, *, markdown: bool = True) -> Iterator[Block]:  # noqa: C901, PLR0912 - one machine, every line
    """The blocks of `text`, in order. Without `markdown`, only paragraphs and turns of speech are told apart."""
    kind: BlockKind = "paragraph"
    start = end = 0
    lines = 0  # of the open block; none is open when it is 0
    fence = ""
    after_blank = False
    for begin, stop in _spans(text):
        line = text[begin:stop]
        if fence:
            end = stop if line.strip() else end
            if _closes(fence, line):
                yield Block(start, end, "code")
                fence, lines = "", 0
            continue
        if not line or line.isspace():
            after_blank = True
            if lines and kind != "list":
                yield Block(start, end, kind)
                lines = 0
            continue
        shape, mark = _shape(line) if markdown else ("turn" if is_turn(line) else "prose", "")
        if begin == 0 and markdown and _has_front_matter(text):
            shape, mark = "fence", "---"
        elif lines == 1 and shape == "underline" and kind == "paragraph":
            yield Block(start, stop, "heading", 1 if "=" in line else 2)
            lines = 0
            continue
        if lines and _joins(kind, shape, line, after_blank=after_blank):
            end = stop
            lines += 1
        else:
            if lines:
                yield Block(start, end, kind)
            kind, start, end, lines = _KINDS.get(shape, "paragraph"), begin, stop, 1
            if shape == "fence":
                fence = mark
            elif shape == "heading":
                if line.strip().strip("#"):
                    yield Block(begin, stop, "heading", len(mark))
                lines = 0
            elif shape in {"divider", "underline"}:
                lines = 0
        after_blank = False
    if lines:
        yield Block(start, end, kind)


def is_turn(line: str) -> bool:
    """Whether a line begins a turn of speech or a log entry: `Name: ...`, `[10:04] Name: ...`, `10:04:22 ...`."""
    return ":" in line[:_MAX_TURN_HEAD] and _TURN.match(line, 0, _MAX_TURN_HEAD) is not None


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """The start and end of every line, without its line end."""
    start = 0
    for match in _LINE_END.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _shape(line: str) -> tuple[str, str]:
    """What a line of Markdown looks like by itself, and the mark that says so."""
    match = None if line[0].isalpha() else _SHAPE.match(line, 0, _MAX_MARK)
    if match and match.lastgroup and not (match.end() == _MAX_MARK < len(line)):  # the end of the look, not the line's
        return match.lastgroup, match[match.lastgroup]
    return ("turn" if is_turn(line) else "prose"), ""


def _joins(kind: BlockKind, shape: str, line: str, *, after_blank: bool) -> bool:
    """Whether a line goes on with the open block of `kind`."""
    if kind == "list":
        return shape == "item" or (shape in {"prose", "turn"} and (line[0] in " \t" or not after_blank))
    return shape == "prose" if kind == "paragraph" else _KINDS.get(shape) == kind


def _closes(fence: str, line: str) -> bool:
    mark = line.strip()
    return mark.startswith(fence) and not mark.strip(fence[0])


def _has_front_matter(text: str) -> bool:
    head = text[:_MAX_FRONT_MATTER].splitlines()
    return head[0].rstrip() == "---" and any(line.rstrip() == "---" for line in head[1:])


def _heading_text(text: str, block: Block) -> str:
    first = text[block.start : block.end].splitlines()[0]
    return " ".join(first.strip().strip("#").split())[:200]
