"""From text to index terms: the one analysis that documents and queries share.

Words are lower-cased, stripped of accents and stemmed (Snowball English). Numbers keep their value whatever their
dress: `$2,000`, `2000` and `2k` are one term. Scripts without spaces are cut into overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import Stemmer

# Han, Hiragana, Katakana, Hangul: a run of these is cut into pairs, as no dictionary is at hand.
_UNSPACED = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = re.compile(
    rf"(?P<unspaced>[{_UNSPACED}]+)"
    r"|(?P<number>\d+(?:,\d{3})+(?:\.\d+)?[kK]?(?![^\W_])|\d+(?:\.\d+)?[kK]?(?![^\W_]))"
    rf"|(?P<word>(?:(?![{_UNSPACED}])[^\W_])+(?:['’](?:(?![{_UNSPACED}])[^\W_])+)*)"
)
MAX_TERM = 64
"""Longer tokens are hashes, encodings or noise: they are cut, so that they still match themselves."""

STOP_WORDS = frozenset(
    """a about after all also am an and any are as at be because been before being but by can could did do does
    doing for from had has have having he her here him his how i if in into is it its just me more most my no nor
    not of off on once only or other our out over own she should so some such than that the their them then there
    these they this those through to too under until up very was we were what when where which while who whom why
    will with would you your""".split()
)
"""Function words: in documents they are indexed like any other, in queries they are left out."""

_stemmer = Stemmer.Stemmer("english")
_known: dict[str, str] = {}
_KNOWN_LIMIT = 500_000


def _word_term(token: str) -> str:
    term = _known.get(token)
    if term is None:
        folded = unicodedata.normalize("NFKD", token.replace("’", "'").casefold())
        plain = "".join(character for character in folded if not unicodedata.combining(character))
        plain = plain.removesuffix("'s").replace("'", "")[:MAX_TERM]
        term = _stemmer.stemWord(plain)
        if len(_known) < _KNOWN_LIMIT:
            _known[token] = term
    return term


def _number_term(token: str) -> str:
    digits = token.replace(",", "")
    if digits[-1] in "kK":
        return format(float(digits[:-1]) * 1000, ".15g")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def terms(text: str) -> list[str]:
    """The terms of `text` in order, repeats kept. Any text is allowed; punctuation yields nothing."""
    found: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        kind = match.lastgroup
        if kind == "word":
            term = _word_term(token)
            if term:
                found.append(term)
        elif kind == "number":
            found.append(_number_term(token)[:MAX_TERM])
        else:
            found.extend(token[at : at + 2] for at in range(max(1, len(token) - 1)))
    return found


_STOP_TERMS = frozenset(_word_term(word) for word in STOP_WORDS)


def content_terms(found: Iterable[str]) -> list[str]:
    """`found` without function words, unless nothing else is left: a query of function words stays a query."""
    kept = list(found)
    content = [term for term in kept if term not in _STOP_TERMS]
    return content or kept
