"""Office documents, PDF and e-books, read by kreuzberg (the extra `documents`)."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from typing import Any, Final

from rubricator.adapters.text import mail, sniff, tables
from rubricator.adapters.text.draft import Draft
from rubricator.adapters.text.limits import Reading, UnreadableError
from rubricator.memory.document import BlockKind, Extraction, Place, Skip

_OPEN: Final = "application/vnd.openxmlformats-officedocument"
_MEDIA_TYPES: Final = {
    ".pdf": "application/pdf",
    ".docx": f"{_OPEN}.wordprocessingml.document",
    ".xlsx": f"{_OPEN}.spreadsheetml.sheet",
    ".xls": "application/vnd.ms-excel",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".rtf": "application/rtf",
    ".epub": "application/epub+zip",
    ".msg": "application/vnd.ms-outlook",
}
_NO_TITLES: Final = frozenset({"", "untitled", "anonymous", "unspecified"})
_KINDS: Final[dict[str, BlockKind]] = {"list_item": "list", "code": "code"}
_MISSING: Final = 'needs the extra "documents": pip install "rubricator[documents]"'
_SCANNED: Final = "no text: a scanned document; run OCR over it first"
_ATTACHED: Final = "attached to an Outlook message; save it as its own file"
_ENCRYPTED: Final = "encrypted; save it without a password"
_PARAGRAPH_GAP = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


def read(data: bytes, reading: Reading) -> Extraction:
    """Read a document that is no zip: PDF, RTF, or one of the older Microsoft formats."""
    suffix = sniff.container(data)
    if suffix == ".msg":
        suffix = sniff.ole_suffix(data)
        if b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e" in data:
            raise UnreadableError(_ENCRYPTED)
    if suffix not in _MEDIA_TYPES:
        raise UnreadableError(f"not a format this version reads ({suffix or reading.suffix}); save it as PDF or .docx")
    return read_as(data, suffix, reading)


def read_as(data: bytes, suffix: str, reading: Reading) -> Extraction:
    """Read a document whose format is known by the suffix that belongs to it."""
    result = _extracted(data, _MEDIA_TYPES[suffix])
    metadata = result.metadata or {}
    nodes = (result.document or {}).get("nodes") or []
    draft = Draft(reading)
    skipped: tuple[Skip, ...] = ()
    if suffix == ".pdf":
        _add_pages(draft, result.pages or [])
    elif suffix == ".msg":
        _add_message(draft, nodes, metadata)
        skipped = tuple(Skip(_ATTACHED, reading.part_name(str(name))) for name in metadata.get("attachments") or [])
    else:
        _add_nodes(draft, nodes)
    title = metadata.get("subject" if suffix == ".msg" else "title")
    if isinstance(title, str) and title.strip(" ()").lower() not in _NO_TITLES and not draft.title:
        draft.title = " ".join(title.split())[:200]
    try:
        return Extraction((draft.document(_MEDIA_TYPES[suffix]),), skipped)
    except UnreadableError:
        if suffix == ".pdf" and result.pages:
            raise UnreadableError(_SCANNED) from None
        raise


def _extracted(data: bytes, media_type: str) -> Any:
    """What kreuzberg makes of a document, without OCR, caches or models."""
    try:
        kreuzberg: Any = importlib.import_module("kreuzberg")  # optional, and slow to load
    except ImportError as error:
        raise UnreadableError(_MISSING) from error
    config = kreuzberg.ExtractionConfig(
        use_cache=False,
        disable_ocr=True,
        output_format="plain",
        include_document_structure=True,
        pages=kreuzberg.PageConfig(extract_pages=True),
    )
    try:
        return kreuzberg.extract_bytes_sync(data, media_type, config)
    except MemoryError:
        raise
    except Exception as error:  # beside its own errors, it raises what its parsers happen to
        words = " ".join(str(error).split())
        if "password" in words.lower() or "encrypt" in words.lower():
            raise UnreadableError(_ENCRYPTED) from error
        raise UnreadableError(f"damaged, or not what its name says: {words[:200]}") from error


def _add_pages(draft: Draft, pages: list[Any]) -> None:
    for page in pages:
        place = Place(page=page["page_number"])
        for paragraph in _PARAGRAPH_GAP.split(page["content"].replace("\r\n", "\n")):
            draft.add(paragraph, place=place)


def _add_message(draft: Draft, nodes: list[Any], metadata: dict[str, Any]) -> None:
    """Add an Outlook message, its repeated history apart from its own words."""
    place = Place(message=1, author=metadata.get("from_email"), sent_at=metadata.get("created_at"))
    for node in nodes:
        content = node["content"]
        if content["node_type"] == "metadata_block":
            draft.add("\n".join(f"{name}: {value}" for name, value in content["entries"]), "message", place=place)
    words = "\n\n".join(str(node["content"].get("text") or "") for node in nodes)
    mail.add_body(draft, words, place, is_forward=mail.is_forward(str(metadata.get("subject") or "")))


def _add_nodes(draft: Draft, nodes: list[Any]) -> None:
    previous = ""
    for node in nodes:
        content = node["content"]
        kind = content["node_type"]
        if kind == "table":
            tables.add_rows(draft, _rows(content["grid"]))
        elif kind in {"heading", "title"}:
            draft.add(" ".join(content["text"].split()), "heading", level=min(max(content.get("level") or 1, 1), 6))
        elif kind == "list_item":
            draft.add(f"- {content['text']}", "list", gap="\n" if previous == kind else "\n\n")
        elif text := content.get("text") or "":
            for paragraph in _PARAGRAPH_GAP.split(text.replace("\r\n", "\n")):
                draft.add(paragraph, _KINDS.get(kind, "paragraph"))
        previous = kind


def _rows(grid: Any) -> Iterator[list[str]]:
    rows = [[""] * grid["cols"] for _ in range(grid["rows"])]
    for cell in grid["cells"]:
        rows[cell["row"]][cell["col"]] = cell["content"]
    return iter(rows)
