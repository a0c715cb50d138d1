"""Telling a format by its content, where the name says nothing or says something else."""

from __future__ import annotations

import re
from typing import Final

_HEAD: Final = 4096
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS: Final = (
    ("__substg1.0", ".msg"),
    ("EncryptedPackage", ".xlsx"),
    ("WordDocument", ".doc"),
    ("PowerPoint Document", ".ppt"),
    ("Workbook", ".xls"),
    ("Book", ".xls"),
)
_HEADER = re.compile(
    rb"(?:from|to|cc|subject|date|sender|received|return-path|message-id|mime-version|content-type|reply-to|"
    rb"delivered-to|in-reply-to|references|x-[\w-]{1,40}):",
    re.IGNORECASE,
)
_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,1000}?-->\s*)?<(?:!doctype html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_MIN_HEADERS: Final = 2


def container(data: bytes) -> str:
    """The suffix that belongs to a binary container or a document that announces itself, or an empty string."""
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return ".zip"
    if data[:1024].lstrip().startswith(b"%PDF-"):
        return ".pdf"
    if data.startswith(b"{\\rtf"):
        return ".rtf"
    return ".msg" if data.startswith(_OLE) else ""


def ole_suffix(data: bytes) -> str:
    """The suffix that belongs to an OLE container, told by the names of its streams, or an empty string."""
    return next((suffix for name, suffix in _OLE_STREAMS if name.encode("utf-16-le") in data), "")


def text_format(data: bytes) -> str:
    """The suffix that belongs to a text without one, or an empty string when it is just text."""
    head = data[:_HEAD].removeprefix(b"\xef\xbb\xbf")
    if head.startswith(b"WEBVTT"):
        return ".vtt"
    if head.startswith(b"From ") and _looks_like_mail(head.partition(b"\n")[2]):
        return ".mbox"
    if _looks_like_mail(head):
        return ".eml"
    if _HTML.match(head):
        return ".html"
    if head.startswith(b"<?xml"):
        return ".xml"
    return ".json" if head.lstrip()[:1] in {b"{", b"["} else ""


def _looks_like_mail(head: bytes) -> bool:
    """Whether text begins with at least two mail headers and nothing else before the first empty line."""
    headers = 0
    for line in head.splitlines():
        if not line.strip():
            break
        if _HEADER.match(line):
            headers += 1
        elif not (headers and line[:1] in b" \t") and not re.match(rb"[A-Za-z][\w-]{0,60}:", line):
            return False
    return headers >= _MIN_HEADERS
