"""What was added lately: dated sources, newest first."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rubricator.core.scope import SCOPES, Scope
from rubricator.memory.hits import MAIL_HEADER, iso, shortened
from rubricator.memory.passages import Passage


@dataclass(frozen=True, slots=True)
class RecentSource:
    """A source dated within the window. `citation_id` is that of its first passage."""

    source: str
    scope: Scope
    date: dt.date
    title: str
    excerpt: str
    citation_id: str
    passages: int

    def to_json(self) -> dict[str, Any]:
        """The source as JSON."""
        return {name: getattr(self, name) for name in self.__slots__} | {"date": iso(self.date)}


@dataclass(frozen=True, slots=True)
class Recent:
    """The sources dated from `since` to `until`, newest first, and how many undated ones were left out."""

    since: dt.date
    until: dt.date
    sources: tuple[RecentSource, ...]
    undated: int

    def to_json(self) -> dict[str, Any]:
        """The listing as JSON, with the number of sources in each scope."""
        counts = Counter(source.scope for source in self.sources)
        return {
            "since": iso(self.since),
            "until": iso(self.until),
            "sources": [source.to_json() for source in self.sources],
            "scope_counts": {scope: counts[scope] for scope in SCOPES},
            "undated": self.undated,
        }


def recent_sources(passages: Iterable[tuple[Passage, Scope, dt.date]]) -> tuple[RecentSource, ...]:
    """The sources of `passages`, which come grouped by source in the order wanted."""
    found: dict[str, RecentSource] = {}
    counts: Counter[str] = Counter()
    for passage, scope, date in passages:
        counts[passage.source] += 1
        if passage.source not in found:
            words = _opening(passage)
            found[passage.source] = RecentSource(
                passage.source, scope, date, passage.title, words, passage.citation_id, 0
            )
    return tuple(
        RecentSource(s.source, s.scope, s.date, s.title, s.excerpt, s.citation_id, counts[s.source])
        for s in found.values()
    )


def _opening(passage: Passage) -> str:
    """The first words of a passage that are neither its title nor the headers of a mail."""
    lines = [line.strip("#=- \t\r") for line in passage.text.splitlines()]
    body = [line for line in lines if line and line != passage.title and not MAIL_HEADER.match(line)]
    return shortened(" ".join(" ".join(body or lines).split()))
