"""Checks an answer against its citations: which ids exist, which went unused, and whether quoted words are there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from rubricator.core.identity import CITATION_ID, cited_ids
from rubricator.memory.fence import LINE_PREFIX

MIN_QUOTED_WORDS: Final = 3
"""Shorter quotations are terms or scare quotes, not evidence."""

_QUOTE = re.compile(r"“([^“”]+)”|\"([^\"\n]+)\"|«([^«»]+)»|„([^„“”]+)[“”]")
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^\s\[(])")
_OMISSION = re.compile(r"\s*(?:\[\s*(?:\.\.\.|…)\s*\]|\.\.\.|…)\s*")
_SPELLINGS = str.maketrans("‘’‚“”„«»–—‑", '\'\'\'"""""---')


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """One quotation in an answer, the ids cited with it, and the one whose passage holds it (None: none of them)."""

    quote: str
    citation_ids: tuple[str, ...]
    found_in: str | None


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """What an answer cites. `unused` is None where it isn't known what it was offered."""

    cited: tuple[str, ...]
    unknown: tuple[str, ...]
    unused: tuple[str, ...] | None
    quotes: tuple[QuoteCheck, ...]

    @property
    def misquoted(self) -> tuple[QuoteCheck, ...]:
        """The quotations that stand in none of the passages cited with them."""
        return tuple(check for check in self.quotes if check.found_in is None)

    @property
    def passed(self) -> bool:
        """Whether every id exists and every quotation is where the answer says. Unused citations are no fault."""
        return not self.unknown and not self.misquoted

    def to_json(self) -> dict[str, Any]:
        """The check as JSON."""
        return {
            "passed": self.passed,
            "cited": list(self.cited),
            "unknown": list(self.unknown),
            "unused": None if self.unused is None else list(self.unused),
            "quotes": [
                {"quote": check.quote, "citation_ids": list(check.citation_ids), "found_in": check.found_in}
                for check in self.quotes
            ],
        }


def check_citations(answer: str, known: Mapping[str, str], offered: Collection[str] | None = None) -> CitationCheck:
    """Check `answer` against the texts in `known` (by citation id).

    A quotation is text of three words or more between double quotation marks. It belongs to the ids in its sentence or,
    where that has none, in its paragraph or list item; without any it is not checked. Case, white space and the shape
    of quotation marks and dashes don't count; `...` and `[...]` stand for left-out words, the rest must come in order.
    """
    cited = cited_ids(answer)
    texts = {citation: _plain(text) for citation, text in known.items()}
    quotes = []
    for paragraph in _PARAGRAPH.split(answer):
        near = cited_ids(paragraph)
        for sentence in _SENTENCE.split(paragraph) if near else ():
            ids = tuple(cited_ids(sentence) or near)
            for match in _QUOTE.finditer(sentence):
                quote = next(group for group in match.groups() if group)
                if len(CITATION_ID.sub("", quote).split()) >= MIN_QUOTED_WORDS:
                    found = next((i for i in ids if i in texts and _holds(texts[i], quote)), None)
                    quotes.append(QuoteCheck(quote, ids, found))
    return CitationCheck(
        cited=tuple(cited),
        unknown=tuple(citation for citation in cited if citation not in known),
        unused=None if offered is None else tuple(citation for citation in offered if citation not in cited),
        quotes=tuple(quotes),
    )


def _holds(text: str, quote: str) -> bool:
    at = 0
    for part in _OMISSION.split(quote):
        words = _plain(part).strip(" .,;:!?")
        if not words:
            continue
        at = text.find(words, at)
        if at < 0:
            return False
        at += len(words)
    return True


def _plain(text: str) -> str:
    """A text as it is compared: one spelling of marks, one space between words, no case, no fence prefixes."""
    lines = (line.removeprefix(LINE_PREFIX.strip()) for line in text.splitlines())
    plain = unicodedata.normalize("NFKC", " ".join(lines)).translate(_SPELLINGS).casefold()
    return " ".join(plain.split())
