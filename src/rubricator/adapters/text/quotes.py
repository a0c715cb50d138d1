"""Telling what a mail says anew from the history that it repeats.

Mail programs mark history in four ways: lines that begin with `>`, a line of attribution (`On ... wrote:`), a line
that announces the original message, and a block of its headers. A message passed on (`Forwarded message`) is not
history but somebody else's words, given under their name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

RegionKind = Literal["new", "quoted", "forwarded"]


@dataclass(frozen=True, slots=True)
class Region:
    """A run of lines of one kind. `author` is who wrote a forwarded run, as far as its headers say."""

    kind: RegionKind
    text: str
    author: str | None = None


_VERBS: Final = (
    "wrote writes said écrit schrieb geschrieben schreef geschreven escribió escribio escreveu scritto skrev "
    "skrifaði kirjoitti napisał napisała napisał(a) napsal napsala написал написала написал(а) пишет написав писал "  # noqa: RUF001
    "написа schreibt írta scrisă scris yazdı έγραψε 写道 のメール"  # noqa: RUF001
).split()
_ORIGINAL = re.compile(
    r"\s*(?:[-_=*]{2,}\s*)(?:original|reply|antwort(?:nachricht)?|ursprüngliche|urspr\.|oprindelig|oorspronkelijk|"
    r"ursprungligt|mensaje|mensagem|messaggio|message d.origine|исходное|oryginalna|wiadomość)"
    r"[^\r\n]{0,60}?[-_=*]{2,}\s*$|\s*_{20,}\s*$",
    re.IGNORECASE,
)
_FORWARDED = re.compile(
    r"\s*(?:[-_=*]{2,}\s*(?:forwarded|weitergeleitet|message transféré|mensaje reenviado|mensagem encaminhada|"
    r"messaggio inoltrato|doorgestuurd|vidarebefordrat|пересылаемое|пересланное)[^\r\n]{0,60}"
    r"|(?:begin forwarded message|anfang der weitergeleiteten (?:nachricht|e-mail)"
    r"|début du message (?:réexpédié|transféré)|inizio messaggio inoltrato|inicio del mensaje reenviado) ?:)\s*$",
    re.IGNORECASE,
)
_FROM: Final = "from|von|de|da|van|från|fra|от|от кого|od|lähettäjä|差出人|发件人"
_LABEL = re.compile(
    rf"\s*\*?({_FROM}|sent|to|cc|bcc|date|subject|reply-to|gesendet|an|datum|betreff|envoyé|à|objet|enviado(?: el)?|"
    r"para|asunto|assunto|data|fecha|inviato|a|oggetto|verzonden|aan|onderwerp|skickat|till|ämne|sendt|til|emne|"
    r"отправлено|кому|копия|дата|тема|wysłano|do|dw|temat|送信日時|宛先|件名|发送时间|收件人|主题|kopie"
    r") ?: ?\*?(?:[ \t]|\S|$)",
    re.IGNORECASE,
)
_FROM_LINE = re.compile(rf"\s*\*?(?:{_FROM}) ?: ?\*?\s*(.+)", re.IGNORECASE)
_TIME = re.compile(r"\d{1,2}[:.]\d\d|\d{4}|\d{1,2}[./-]\d{1,2}")
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d")
_OPENER = re.compile(r"[\W_]*(?:on|le|am|el|il|op|den|em|w dniu|dnia|på|el día|pe|ngày|在|于)\b", re.IGNORECASE)
_ADDRESS = re.compile(r"<[^<>\s]+@[^<>\s]+>")
_QUOTED = re.compile(r"\s*>|\|> ")
_MIN_LABELS: Final = 3
_MAX_ATTRIBUTION_LINES: Final = 4
_MAX_LINE: Final = 400
_MAX_HEADERS: Final = 12


def regions(text: str, *, is_forward: bool = False) -> Iterator[Region]:
    """The runs of `text`, in order. `is_forward` says that the subject announces a message passed on."""
    lines = text.split("\n")
    kinds: list[RegionKind] = []
    authors: list[str | None] = []
    rest: RegionKind = "new"  # what the lines are that carry no mark of their own
    author: str | None = None
    while len(kinds) < len(lines):
        at = len(kinds)
        line = lines[at][:_MAX_LINE]
        size, kind = 1, rest
        if _QUOTED.match(line):
            kind = "quoted"
        elif _FORWARDED.match(line):
            size += _headers(lines, at + 1)
            kind = rest = "forwarded"
            author = _author(lines[at + 1 : at + size])
        elif rest != "quoted" and (labels := _header_block(lines, at)):
            size = labels
            kind = rest = "forwarded" if is_forward else "quoted"
            author = _author(lines[at : at + size]) if is_forward else None
            is_forward = False
        elif rest != "quoted" and _ORIGINAL.match(line):
            kind = rest = "quoted"
        elif rest != "quoted" and (size := _attribution(lines, at)):
            kind = "quoted"
            if not _marks_follow(lines, at + size):
                rest = "quoted"
        size = max(size, 1)
        kinds += [kind] * size
        authors += [author if kind == "forwarded" else None] * size
    yield from _runs(lines, kinds, authors)


def _runs(lines: list[str], kinds: list[RegionKind], authors: list[str | None]) -> Iterator[Region]:
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or (kinds[at], authors[at]) != (kinds[start], authors[start]):
            run = "\n".join(lines[start:at])
            if run.strip():
                yield Region(kinds[start], run, authors[start])
            start = at


def _headers(lines: list[str], at: int) -> int:
    """How many lines from `at` on are the headers of a message passed on, with the empty lines among them."""
    size = 0
    for offset, line in enumerate(lines[at : at + _MAX_HEADERS]):
        if _LABEL.match(line):
            size = offset + 1
        elif line.strip() and size:
            break
    return size


def _header_block(lines: list[str], at: int) -> int:
    """How many lines from `at` on are a block of repeated headers: at least three, one of which names the sender."""
    size = 0
    while at + size < len(lines) and size < _MAX_HEADERS and _LABEL.match(lines[at + size][:_MAX_LINE]):
        size += 1
    named = any(_FROM_LINE.match(line) for line in lines[at : at + size])
    return size if size >= _MIN_LABELS and named else 0


def _author(headers: list[str]) -> str | None:
    found = next((match for line in headers if (match := _FROM_LINE.match(line))), None)
    return found[1].strip(" *")[:200] if found else None


def _attribution(lines: list[str], at: int) -> int:
    """How many lines from `at` on say who wrote what follows, or 0. Long ones are wrapped over several lines."""
    if not _OPENER.match(lines[at][:_MAX_LINE]) and not _TIME.search(lines[at][:_MAX_LINE]):
        return 0
    joined = ""
    for size, line in enumerate(lines[at : at + _MAX_ATTRIBUTION_LINES], start=1):
        stripped = line.strip()
        if not stripped or _QUOTED.match(line) or len(joined) + len(stripped) > _MAX_LINE:
            return 0
        joined = f"{joined} {stripped}".strip()
        if stripped.endswith((":", "：")):  # noqa: RUF001 - a full-width colon
            dated = _TIME.search(joined)
            words = joined.rstrip(":： ").lower().split()  # noqa: RUF001
            told = any(word in _VERBS or word.endswith(("写道", "のメール")) for word in words[-4:] + words[:4])
            certain = _marks_follow(lines, at + size) or _CLOCK.search(joined)  # "On 3 May Ann wrote:" may be prose
            return size if dated and certain and (told or _ADDRESS.search(joined)) else 0
    return 0


def _marks_follow(lines: list[str], at: int) -> bool:
    following = next((line for line in lines[at : at + 3] if line.strip()), "")
    return _QUOTED.match(following) is not None
