"""What passes between the parent and its worker.

A request is two frames, a JSON header and the bytes of a file; a reply is one JSON frame. A frame is a length of
eight bytes and so many bytes. Nothing is pickled, for the worker handles hostile input and its word is not trusted.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict
from typing import IO, Any, Final

from rubricator.memory.document import NOWHERE, Block, Document, Extraction, Place, Skip

OUT_OF_MEMORY: Final = 77
"""The worker's exit code when a file took all the memory it may have."""

MAX_FRAME: Final = 2**29
_DOCUMENT_FIELDS: Final = ("text", "media_type", "part", "title", "encoding")
_LENGTH = struct.Struct(">Q")


def write_frame(stream: IO[bytes], data: bytes) -> None:
    """Write one frame."""
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """One frame, or None where the stream ends or the frame is too long to be meant."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > MAX_FRAME:
        return None
    data = stream.read(length)
    return data if len(data) == length else None


def to_json(extraction: Extraction) -> bytes:
    """An extraction as JSON. A block is a short list, since there may be a million of them."""
    documents = [
        {**{name: getattr(document, name) for name in _DOCUMENT_FIELDS}, "blocks": [_row(b) for b in document.blocks]}
        for document in extraction.documents
    ]
    skipped = [[skip.reason, skip.part] for skip in extraction.skipped]
    return json.dumps({"documents": documents, "skipped": skipped}).encode()


def from_json(data: bytes) -> Extraction:
    """The extraction that `to_json` wrote. Raises ValueError, KeyError or TypeError over anything else."""
    value = json.loads(data)
    documents = (
        Document(**{**document, "blocks": tuple(_block(*row) for row in document["blocks"])})
        for document in value["documents"]
    )
    return Extraction(tuple(documents), tuple(Skip(reason, part) for reason, part in value["skipped"]))


def _row(block: Block) -> list[Any]:
    place = [] if block.place == NOWHERE else [asdict(block.place)]
    return [block.start, block.end, block.kind, block.level, *place]


def _block(start: int, end: int, kind: Any, level: int, place: dict[str, Any] | None = None) -> Block:
    return Block(start, end, kind, level, Place(**place) if place else NOWHERE)
