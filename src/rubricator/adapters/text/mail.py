"""Mail: single messages and mailboxes. New words, repeated history and attachments are kept apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Final

from rubricator.adapters.text import html, registry
from rubricator.adapters.text.decode import decode, decode_as
from rubricator.adapters.text.draft import Draft, cleaned
from rubricator.adapters.text.limits import Reading, UnreadableError
from rubricator.adapters.text.quotes import regions
from rubricator.memory.document import BlockKind, Document, Extraction, Place, Skip

_SHOWN: Final = ("From", "To", "Cc", "Date", "Subject")
_ENVELOPE = re.compile(rb"(?:\A|\r?\n\r?\n)From [^\r\n]{1,200}\d{4}[^\r\n]{0,20}\r?\n(?=[A-Za-z>][\w-]*:)")
_ESCAPED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_FORWARD = re.compile(r"\s*(?:fwd?|wg|tr|rv|enc|i|vs|doorst)\s*:", re.IGNORECASE)
_PARAGRAPH_GAP = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_MAX_NESTING: Final = 100


def read(data: bytes, reading: Reading) -> Extraction:
    """Read one message, or a mailbox of many: one document with every message, then what is attached to them."""
    starts = [match.end() for match in _ENVELOPE.finditer(data)]
    if starts and data.startswith(b"From "):
        ends = [*[match.start() for match in _ENVELOPE.finditer(data)][1:], len(data)]
        raw = [_ESCAPED_FROM.sub(rb"\1", data[start:end]) for start, end in zip(starts, ends, strict=True)]
    else:
        raw = [data]
    draft = Draft(reading)
    attached: list[Extraction] = []
    for number, source in enumerate(raw, start=1):
        _add_message(draft, message_from_bytes(source, policy=policy.compat32), number, reading, attached)
    documents: list[Document] = []
    skipped: list[Skip] = []
    try:
        documents.append(draft.document("message/rfc822"))
    except UnreadableError as error:
        skipped.append(Skip(str(error), reading.part))
    for extraction in attached:
        documents += extraction.documents
        skipped += extraction.skipped
    return Extraction(tuple(documents), tuple(skipped))


def _add_message(draft: Draft, message: Message, number: int, reading: Reading, attached: list[Extraction]) -> None:
    headers = {name: value for name in _SHOWN if (value := header_text(message, name))}
    author = headers.get("From")
    place = Place(message=number, author=author, sent_at=_sent_at(message))
    draft.title = draft.title or headers.get("Subject")
    draft.add("\n".join(f"{name}: {value}" for name, value in headers.items()), "message", place=place)
    passed_on = is_forward(headers.get("Subject", ""))
    for part in _leaves(message):
        body = None if _is_attachment(part) else _body(part)
        if body is None:
            attached.append(_attachment(part, reading))
        else:
            add_body(draft, body, place, is_forward=passed_on)


def is_forward(subject: str) -> bool:
    """Whether a subject announces a message that is passed on."""
    return _FORWARD.match(subject) is not None


def add_body(draft: Draft, body: str, place: Place, *, is_forward: bool) -> None:
    """Add the words of a message, each kind of them as blocks of its own."""
    for region in regions(cleaned(body), is_forward=is_forward):
        kind: BlockKind = "quote" if region.kind == "quoted" else "paragraph"
        where = place
        if region.kind == "forwarded":
            where = Place(message=place.message, author=region.author)
        elif region.kind == "quoted":
            where = Place(message=place.message)
        for paragraph in _PARAGRAPH_GAP.split(region.text):
            draft.add(paragraph, kind, place=where)


def _leaves(message: Message) -> Iterator[Message]:
    """The parts of a message that are shown or attached. Of alternatives, only the best one."""
    pending = [(message, 0)]
    while pending:
        part, depth = pending.pop()
        content = part.get_payload()
        if part.get_content_type() == "message/rfc822" or not isinstance(content, list) or depth > _MAX_NESTING:
            yield part
        elif part.get_content_type() == "multipart/alternative":
            pending += [(choice, depth + 1) for choice in _best(content)]
        else:
            pending += [(inner, depth + 1) for inner in reversed(content) if isinstance(inner, Message)]


def _best(choices: list[Message | str]) -> list[Message]:
    """The choice to read: plain text where it says anything, or else the last, which its sender liked best."""
    parts = [choice for choice in choices if isinstance(choice, Message)]
    for part in parts:
        if part.get_content_type() == "text/plain" and (_body(part) or "").strip():
            return [part]
    readable = [part for part in parts if part.get_content_type() == "text/html" or part.is_multipart()]
    return readable[-1:] or parts[-1:]


def _is_attachment(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or (
        part.get_content_disposition() is not None and _filename(part) is not None
    )


def _body(part: Message) -> str | None:
    """The text of a part that is shown as text, or None."""
    kind = part.get_content_type()
    if part.is_multipart() or kind not in {"text/plain", "text/html"}:
        return None
    decoded = decode_as(_payload(part), part.get_content_charset())
    if decoded is None:
        return None
    return _html_text(decoded.text) if kind == "text/html" else decoded.text


def _html_text(markup: str) -> str:
    """HTML mail as a plain one: block quotations become lines that begin with `>`."""
    lines: list[str] = []
    previous: BlockKind | None = None
    for piece in html.pieces(markup):
        if previous is not None and not (piece.kind == previous and piece.kind in {"list", "table"}):
            lines.append(">" if piece.quoted and lines[-1].startswith(">") else "")
        lines += ["> " + line if piece.quoted else line for line in piece.text.split("\n")]
        previous = piece.kind
    return "\n".join(lines)


def _attachment(part: Message, reading: Reading) -> Extraction:
    name = _filename(part) or ""
    content = part.get_payload()
    if part.get_content_type() == "message/rfc822" and isinstance(content, list) and content:
        inner = content[0]
        name = name or f"{header_text(inner, 'Subject') or 'message'}.eml"
        data = inner.as_bytes() if isinstance(inner, Message) else b""
    else:
        name = name or f"unnamed.{part.get_content_subtype()}"
        data = _payload(part)
    try:
        inside = reading.inside(name)
    except UnreadableError as error:
        return Extraction(skipped=(Skip(str(error), reading.part_name(name)),))
    return registry.read(data, inside)


def _payload(part: Message) -> bytes:
    with suppress(ValueError, LookupError, MessageError):
        payload = part.get_payload(decode=True)
        if isinstance(payload, bytes):
            return payload
    return b""


def _filename(part: Message) -> str | None:
    with suppress(ValueError, LookupError, MessageError, TypeError):
        name = part.get_filename()
        return unfolded(name) if name else None
    return None


def header_text(message: Message | str, name: str) -> str:
    """A header as its reader sees it: encoded words decoded, on one line."""
    value = message.get(name) if isinstance(message, Message) else None
    return "" if value is None else unfolded(str(value))


def unfolded(value: str) -> str:
    """The text of a header's value. What claims a charset that it isn't in stays as it stands."""
    raw = value.encode("utf-8", "surrogateescape")  # how the parser keeps bytes that are no ASCII
    if b"=?" not in raw:
        decoded = decode(raw)
        return " ".join(cleaned(decoded.text if decoded else raw.decode("utf-8", "replace")).split())
    words = []
    try:
        for chunk, charset in decode_header(value):
            data = chunk.encode("utf-8", "surrogateescape") if isinstance(chunk, str) else chunk
            decoded = decode_as(data, charset)
            words.append(decoded.text if decoded else data.decode("utf-8", "replace"))
    except (MessageError, ValueError, LookupError):
        words = [value]
    return " ".join(cleaned("".join(words)).split())


def _sent_at(message: Message) -> str | None:
    with suppress(ValueError, TypeError, IndexError, OverflowError):
        return parsedate_to_datetime(header_text(message, "Date")).isoformat()
    return None
