"""What text extraction yields: a document's text and the blocks it is made of.

A block is the smallest run of text that reads as one unit: a heading, a paragraph, a message, a cue. Passages are
built from whole blocks, so that a citation never starts in mid-sentence unless one block alone is too long.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "message", "cue", "quote"]
"""`quote` is history repeated from an earlier message, kept apart so that it never counts as new text."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in its source a block stands, in the source's own terms. Absent facts are None.

    `page` counts from 1; `time_start` and `time_end` are seconds from the start of a recording; `message` is a
    message's position in its thread or mailbox, from 1; `author` is a speaker or sender; `sent_at` is the message's
    own timestamp in ISO 8601. None of these dates a source: its date is that of its folder.
    """

    page: int | None = None
    time_start: float | None = None
    time_end: float | None = None
    message: int | None = None
    author: str | None = None
    sent_at: str | None = None


NOWHERE = Place()


@dataclass(frozen=True, slots=True)
class Block:
    """The half-open range `start:end` of `Document.text`, in characters.

    Blocks are in order and don't overlap; the text between two blocks is white space or separators. `level` is a
    heading's depth (1 to 6), else 0.
    """

    start: int
    end: int
    kind: BlockKind = "paragraph"
    level: int = 0
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Document:
    """The text of one source.

    `part` is empty for the file itself and names what lies inside it otherwise: an attachment, a channel. For plain
    text and Markdown, `text` is exactly the decoded file, so that spans can be checked against it; for other formats
    it is the extracted text. `title` is a subject, a document title or the first heading.
    """

    text: str
    blocks: tuple[Block, ...]
    media_type: str
    part: str = ""
    title: str | None = None
    encoding: str | None = None


@dataclass(frozen=True, slots=True)
class Skip:
    """A file, or a part of one, that could not be indexed, and why, in words for its owner."""

    reason: str
    part: str = ""


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that was found in one file: documents (the file, then its parts) and what was passed over."""

    documents: tuple[Document, ...] = ()
    skipped: tuple[Skip, ...] = field(default=())
