"""What retrieval answers with: passages in their final order, with what a reader needs to judge and cite them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from rubricator.core.scope import Scope
from rubricator.memory.passages import Passage
from rubricator.memory.terms import terms

_EXCERPT_CHARS = 240
MAIL_HEADER = re.compile(r"(?:From|To|Cc|Bcc|Date|Sent|Subject|Reply-To): ")
# Line ends that separate, rather than wrap: before a blank line, a list item, a heading, a table row or a turn.
_UNWRAPPED = re.compile(r"\n(?=\s*(?:\n|[-*+#|>]|\d+[.)]\s|[^\s:]{1,30}(?: [^\s:]{1,30}){0,2}: ))")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])")  # noqa: RUF001 - sentences end so, too
_MARK = re.compile(r"^(?:#{1,6}|[-*+>|]|\d+[.)])\s+|^[-=*_]{3,}$")


@dataclass(frozen=True, slots=True)
class Copy:
    """A near-duplicate that a hit stands for."""

    citation_id: str
    source: str
    scope: Scope
    date: dt.date | None

    def to_json(self) -> dict[str, Any]:
        """The copy as JSON."""
        return {"citation_id": self.citation_id, "source": self.source, "scope": self.scope, "date": iso(self.date)}


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage in its place, from 1. `relevance` is the retriever's, comparable within one query only."""

    rank: int
    relevance: float
    passage: Passage
    scope: Scope
    date: dt.date | None
    copies: tuple[Copy, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The hit as JSON, with the passage's text to the letter."""
        passage = self.passage
        return {
            "rank": self.rank,
            "citation_id": passage.citation_id,
            "source": passage.source,
            "scope": self.scope,
            "date": iso(self.date),
            "score": round(self.relevance, 4),
            "span": span_json(passage),
            "heading": list(passage.heading),
            "title": passage.title or None,
            "quoted": passage.quoted,
            "text": passage.text,
            "copies": [copy.to_json() for copy in self.copies],
        }


def oldest_first(hits: Iterable[Hit]) -> list[Hit]:
    """The dated hits by date; those of one day by rank."""
    return sorted((hit for hit in hits if hit.date), key=lambda hit: (hit.date or hit, hit.rank))


def iso(date: dt.date | None) -> str | None:
    """A date as `YYYY-MM-DD`, or None."""
    return date.isoformat() if date else None


def span_json(passage: Passage) -> dict[str, Any]:
    """A passage's span as JSON: offsets and lines always, page, time and message where there are any."""
    span = passage.span
    place = {name: value for name, value in asdict(span.place).items() if value is not None}
    return {"start": span.start, "end": span.end, "line_start": span.line_start, "line_end": span.line_end, **place}


def location(passage: Passage) -> str:
    """Where a passage stands, in words: its page, time or message if it has one, else its lines."""
    place = passage.span.place
    words = []
    if place.page is not None:
        words.append(f"page {place.page}")
    if place.time_start is not None:
        end = f"–{_clock(place.time_end)}" if place.time_end is not None else ""
        words.append(f"{_clock(place.time_start)}{end}")
    if place.message is not None:
        words.append(f"message {place.message}")
    if not words:
        first, last = passage.span.line_start, passage.span.line_end
        words.append(f"line {first}" if first == last else f"lines {first}–{last}")
    return ", ".join(words)


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def excerpt(text: str, wanted: Iterable[str] = ()) -> str:
    """The sentence of `text` that holds most of the `wanted` terms, on one line; the first one on a tie.

    Headings and the headers of a mail count only where there is nothing else.
    """
    sought = set(wanted)
    best, best_rank = "", (False, -1)
    for paragraph in _UNWRAPPED.split(text):
        says = not (paragraph.lstrip().startswith("#") or MAIL_HEADER.match(paragraph.lstrip()))
        for sentence in _SENTENCE.split(" ".join(paragraph.split())):
            words = _MARK.sub("", sentence)
            rank = (says, len(sought.intersection(terms(words))) if sought else 0)
            if words and rank > best_rank:
                best, best_rank = words, rank
    return shortened(best)


def shortened(line: str) -> str:
    """A line cut at a word's end, where it is longer than an excerpt may be."""
    return line if len(line) <= _EXCERPT_CHARS else line[: _EXCERPT_CHARS - 1].rsplit(" ", 1)[0] + "…"
