"""From bytes to text, or to the knowledge that they are none.

A wrong guess would be quoted as evidence, so whatever can't be told with confidence is not decoded at all.
"""

from __future__ import annotations

import codecs
import logging
import re
from dataclasses import dataclass
from typing import Final

from charset_normalizer import from_bytes

UNDECODABLE: Final = "not text, or text in an encoding that can't be told for certain; save it as UTF-8"

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_LEGACY: Final = "gb18030 big5 euc_kr cp1250 cp1251 koi8_r cp1253 cp1254 cp1255 cp1256 cp1257 cp874 iso8859_2".split()
"""The encodings that files are found in beside UTF-8 and cp1252.

EBCDIC and Mac code pages would only invite wrong guesses.
"""

_WIDER: Final = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
"""Labels that are used loosely, and the wider encoding that is meant."""

_MULTIBYTE: Final = frozenset({"gb18030", "big5", "euc_kr"})
"""Encodings whose strict rules make a chance fit unlikely."""

_COHERENT: Final = 0.3
_MARGIN: Final = 0.1
_SAMPLE: Final = 2**16
_CONTROL = re.compile(r"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
_WORD = re.compile(r"[^\W\d_]+")
_ASCII_LETTER = re.compile(r"[A-Za-z]")
_HIGH = re.compile(r"[^\x00-\x7f]")
_UNUSUAL = re.compile(r"[^\x00-\x7f]{3}|[^\w\x00-\x7f\xa0‘’“”–—…•€£§°·©®™«»¼½¾]")
_INNER_SYMBOL = re.compile(r"(?<=[^\W\d_])[^\w\s\x00-\x7f’·´\xad–—…](?=[^\W\d_])|[a-zß-ÿ][À-ÖØ-Þ]")  # noqa: RUF001
_KANA = re.compile(r"[\u3041-\u30ff]")
_JAPANESE = re.compile(r"[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text and the encoding it was in. A byte order mark is not part of the text."""

    text: str
    encoding: str


def decode(data: bytes) -> Decoded | None:
    """The text that `data` encodes, or None where it is binary or can't be told. Line ends stay as they are."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], encoding)
    if b"\0" in data:
        return _wide(data)
    if b"\x1b$" in data or b"\x1b(" in data:
        return _strict(data, "iso2022_jp_2") or _strict(data, "utf-8")
    return _strict(data, "utf-8") or _legacy(data)


def decode_as(data: bytes, charset: str | None) -> Decoded | None:
    """The text that `data` encodes by its own declaration where that holds, otherwise as `decode` finds."""
    if not charset or any(data.startswith(mark) for mark, _ in _BOMS):
        return decode(data)
    try:
        name = codecs.lookup(charset.strip().removesuffix("-i").removesuffix("-I")).name
    except (LookupError, ValueError):
        return decode(data)
    if name in {"utf-16", "utf-32"} or not _is_text_encoding(name):
        return decode(data)
    return _strict(data, "utf-8") or _strict(data, _WIDER.get(name, name)) or decode(data)


def _is_text_encoding(name: str) -> bool:
    try:
        return isinstance(b"".decode(name), str)
    except (LookupError, UnicodeError):  # base64, zip and the like: codecs, but none for text
        return False


def _strict(data: bytes, encoding: str) -> Decoded | None:
    try:
        text = data.decode(encoding)
    except (UnicodeError, ValueError):
        return None
    return Decoded(text, encoding) if _is_plausible(text) else None


def _is_plausible(text: str) -> bool:
    """Whether `text` is free of the control characters that only binary data holds."""
    if text.isascii() and text.isprintable():
        return True
    if "\0" in text:
        return False
    found = _CONTROL.findall(text, 0, _SAMPLE)
    return len(found) * 200 <= min(len(text), _SAMPLE) and not any(char >= "\x80" for char in found)


def _wide(data: bytes) -> Decoded | None:
    """UTF-16 or UTF-32 without a mark: mostly Latin text shows as NULs at every second byte, or all but each fourth."""
    sample = data[:4096]
    quarter = len(sample) // 4 or 1
    share = [sample[lane::4].count(0) / quarter for lane in range(4)]
    often, seldom = 0.7, 0.1
    if share[1] > often and share[3] > often and share[0] < seldom:
        return _strict(data, "utf-32-le" if share[2] > often else "utf-16-le")
    if share[0] > often and share[2] > often and share[3] < seldom:
        return _strict(data, "utf-32-be" if share[1] > often else "utf-16-be")
    return None


def _legacy(data: bytes) -> Decoded | None:
    western = _strict(data, "cp1252")
    if western and _is_western(western.text[:_SAMPLE]):
        return western
    for encoding, kana_needed in (("cp932", False), ("euc_jp", True)):
        japanese = _strict(data, encoding)
        if japanese and _is_japanese(japanese.text[:_SAMPLE], kana_needed=kana_needed):
            return japanese
    found = _told_apart(data[:_SAMPLE])
    return _strict(data, found) if found else None


def _told_apart(sample: bytes) -> str | None:
    """The encoding that charset-normalizer finds and that no other one comes close to."""
    if len(sample) == _SAMPLE:
        sample = sample[: sample.rfind(b"\n") + 1] or sample  # never in the middle of a character
    logging.getLogger("charset_normalizer").setLevel(logging.ERROR)
    matches = list(from_bytes(sample, cp_isolation=list(_LEGACY), preemptive_behaviour=False))
    if not matches:
        return None
    best = matches[0]
    rivals = [match for match in matches if str(match) != str(best)]
    if best.encoding in _MULTIBYTE and not any(rival.encoding in _MULTIBYTE and not rival.chaos for rival in rivals):
        return best.encoding
    closest = max((rival.coherence for rival in rivals), default=0.0)
    return best.encoding if best.coherence >= max(_COHERENT, closest + _MARGIN) else None


def _is_western(text: str) -> bool:
    """Whether text read as cp1252 looks written in it: accents inside Latin words, or a few typographic marks."""
    high = _HIGH.findall(text)
    letters = sum(char.isalpha() for char in high)
    if len(_INNER_SYMBOL.findall(text)) * 20 > len(high):
        return False
    if letters * 2 < len(high):
        return len(high) * 5 <= len(text) and not _UNUSUAL.search(text)
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    return sum(bool(_ASCII_LETTER.search(word)) for word in words) * 2 > len(words)


def _is_japanese(text: str, *, kana_needed: bool) -> bool:
    """Whether text is Japanese script through and through. Half-width kana are what other encodings look like."""
    high = len(_HIGH.findall(text))
    kana = len(_KANA.findall(text))
    return len(_JAPANESE.findall(text)) >= 0.9 * high and (kana >= 0.2 * high or not kana_needed)
