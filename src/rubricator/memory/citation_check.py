"""Checks an answer against its citations: which ids exist, which went unused, and whether quoted words are there."""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from rubricator.core.fence import LINE_PREFIX
from rubricator.core.identity import CITATION_ID, cited_ids, miswritten_ids

MIN_QUOTED_WORDS: Final = 3
"""Shorter quotations are terms or scare quotes, not evidence."""

_QUOTE = re.compile(r"“([^“”]+)”|(?<!\w)\"([^\"]+)\"(?!\w)|«([^«»]+)»|„([^„“”]+)[“”]")
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)")
_SENTENCE_END = re.compile(r"(?:(?<!\.\.)(?<=[.!?])|(?<=[.!?][\"”»]))\s+(?=[^\s\[(])")
_OMISSION = re.compile(r"\s*(?:\[\s*(?:\.\.\.|…)\s*\]|\.\.\.|…)\s*")
_SPELLINGS = str.maketrans(dict.fromkeys("‘’‚", "'") | dict.fromkeys("“”„«»", '"') | dict.fromkeys("‐‑‒–—−", "-"))


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """One quotation in an answer, the ids cited with it, and the one whose passage holds it (None: none of them)."""

    quote: str
    citation_ids: tuple[str, ...]
    found_in: str | None


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """What an answer cites.

    `unknown` are ids that don't exist, or are no ids though written as such; `unused` is None where it isn't known what
    was offered.
    """

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
        near = tuple(cited_ids(paragraph))
        for quote, sentence in _quotations(paragraph) if near else ():
            ids = tuple(cited_ids(sentence)) or near
            found = next((i for i in ids if i in texts and _holds(texts[i], quote)), None)
            quotes.append(QuoteCheck(quote, ids, found))
    return CitationCheck(
        cited=tuple(cited),
        unknown=(*(citation for citation in cited if citation not in known), *miswritten_ids(answer)),
        unused=None if offered is None else tuple(citation for citation in offered if citation not in cited),
        quotes=tuple(quotes),
    )


def _quotations(paragraph: str) -> Iterator[tuple[str, str]]:
    """The quotations in a paragraph, each with the sentence it stands in; none ends within a quotation."""
    found = list(_QUOTE.finditer(paragraph))
    starts = [quote.start() for quote in found]

    def quoted(at: int) -> bool:
        before = bisect.bisect_left(starts, at)
        return before > 0 and at < found[before - 1].end() - 1

    ends = [match.end() for match in _SENTENCE_END.finditer(paragraph) if not quoted(match.start())]
    bounds = [0, *ends, len(paragraph)]
    for quote in found:
        words = next(group for group in quote.groups() if group)
        if sum(any(c.isalnum() for c in word) for word in CITATION_ID.sub("", words).split()) >= MIN_QUOTED_WORDS:
            last = bisect.bisect_right(bounds, quote.start())
            yield words, paragraph[bounds[last - 1] : bounds[last]]


def _holds(text: str, quote: str) -> bool:
    """Whether a text holds a quotation's words, whole and in order."""
    at = 0
    for part in _OMISSION.split(quote):
        words = _plain(part).strip(" .,;:!?")
        if not words:
            continue
        before = r"(?<!\w)(?<!\d[.,])" if words[0].isalnum() else ""
        after = r"(?!\w)(?![.,]\d)" if words[-1].isalnum() else ""
        whole = re.compile(before + re.escape(words) + after)
        match = whole.search(text, at)
        if match is None:
            return False
        at = match.end()
    return True


def _plain(text: str) -> str:
    """A text as it is compared: one spelling of marks, one space between words, no case, no fence prefixes."""
    lines = (line.removeprefix(LINE_PREFIX.strip()) for line in text.splitlines())
    plain = unicodedata.normalize("NFKC", " ".join(lines)).translate(_SPELLINGS).casefold()
    return " ".join(plain.split())
