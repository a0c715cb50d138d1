"""XML: feeds as their entries, anything else as its elements' text under their names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from xml.etree import ElementTree as ET

from rubricator.adapters.text import html, plain
from rubricator.adapters.text.decode import UNDECODABLE, decode_as
from rubricator.adapters.text.draft import Draft
from rubricator.adapters.text.limits import Reading, UnreadableError
from rubricator.memory.document import Extraction

_ENCODING = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})["']""")
_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,300}\?>")
_MARKUP = re.compile(r"<(?:p|br|div|a|img|ul|ol|h\d|b|i|em|strong|span|table|blockquote)\b[^>]*>", re.IGNORECASE)
_ENTRIES: Final = frozenset({"item", "entry"})


def read(data: bytes, reading: Reading) -> Extraction:
    """Read XML. What is not well-formed is read as plain text."""
    declared = _ENCODING.match(data)
    decoded = decode_as(data, declared[1].decode("ascii") if declared else None)
    if decoded is None:
        raise UnreadableError(UNDECODABLE)
    try:
        root = ET.fromstring(_DECLARATION.sub("", decoded.text, count=1))  # noqa: S314 - expat bounds its entities
    except (ET.ParseError, ValueError):
        return Extraction((plain.document(decoded, reading),))
    draft = Draft(reading)
    headings: set[ET.Element] = set()
    for element in root.iter():
        name = _name(element)
        title = _title(element) if name in _ENTRIES or element is root else None
        if title is not None:
            headings.add(title)
            draft.add(" ".join((title.text or "").split()), "heading", level=1 if element is root else 2)
        text = (element.text or "").strip()
        if text and element not in headings:
            for line in _readable(text):
                draft.add(f"{name}: {line}", gap="\n")
        if element.tail and element.tail.strip():
            draft.add(element.tail, gap="\n")
    return Extraction((draft.document("text/xml", encoding=decoded.encoding),))


def _name(element: ET.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _title(element: ET.Element) -> ET.Element | None:
    """The title of a feed or an entry, where it has one."""
    holder = next((child for child in element if _name(child) == "channel"), element)
    return next((child for child in holder if _name(child) == "title"), None)


def _readable(text: str) -> Iterator[str]:
    """The text of an element; where it holds HTML, as feeds do, what that shows."""
    if _MARKUP.search(text):
        yield from (piece.text for piece in html.pieces(text))
    else:
        yield text
