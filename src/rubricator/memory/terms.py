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
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_NUMBER = r"\d+(?:,\d{3})+(?:\.\d+)?[kK]?(?![^\W_])|\d+(?:\.\d+)?[kK]?(?![^\W_])"
_TOKEN = re.compile(rf"{_NUMBER}|[^\W_]+(?:['’][^\W_]+)*")
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
_KNOWN_LIMIT = 500_000


class _Known(dict[str, str]):
    """The term of each token seen, worked out when it is first met."""

    def __missing__(self, token: str) -> str:
        term = _number_term(token) if re.fullmatch(_NUMBER, token) else _word_term(token)
        if len(self) < _KNOWN_LIMIT:
            self[token] = term
        return term


_known = _Known()


def _word_term(token: str) -> str:
    folded = unicodedata.normalize("NFKD", token.replace("’", "'").casefold())
    plain = "".join(character for character in folded if not unicodedata.combining(character))
    plain = plain.removesuffix("'s").replace("'", "")[:MAX_TERM]
    return str(_stemmer.stemWord(plain))


def _number_term(token: str) -> str:
    digits = "".join(c if c.isascii() else str(unicodedata.digit(c, c)) for c in token.replace(",", ""))
    if digits[-1] in "kK":
        whole, _, part = digits[:-1].partition(".")
        digits = f"{whole}{part[:3]:0<3}.{part[3:]}".lstrip("0")  # times a thousand: the point moves by three
    return (digits.rstrip("0").rstrip(".") if "." in digits else digits)[:MAX_TERM] or "0"


def terms(text: str) -> list[str]:
    """The terms of `text` in order, repeats kept. Any text is allowed; punctuation yields nothing."""
    if not text.isascii():
        # One spelling: composed letters, digits of one width; half a character is none.
        text = unicodedata.normalize("NFKC", text.encode("utf-8", "replace").decode())
    if not _UNSPACED.search(text):
        return [term for token in _TOKEN.findall(text) if (term := _known[token])]
    found: list[str] = []
    at = 0
    for run in _UNSPACED.finditer(text):
        found.extend(terms(text[at : run.start()]))
        characters = run.group()
        found.extend(characters[n : n + 2] for n in range(max(1, len(characters) - 1)))
        at = run.end()
    return found + terms(text[at:])


def content_terms(found: Iterable[str]) -> list[str]:
    """`found` without function words, unless nothing else is left: a query of function words stays a query."""
    kept = list(found)
    content = [term for term in kept if term not in _STOP_TERMS]
    return content or kept


def words_of(text: str) -> list[str]:
    """The terms of a text that say what it is about."""
    return content_terms(terms(text))


def tells(text: str) -> bool:
    """Whether a text holds a word beyond function words."""
    return any(term not in _STOP_TERMS for term in terms(text))


_STOP_TERMS = frozenset(_word_term(word) for word in STOP_WORDS)
