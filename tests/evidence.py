"""Evidence to try readings on: an authority and hits, made in a line each."""

from __future__ import annotations

import datetime as dt

from rubricator.core.authority import Authority, make_authority
from rubricator.core.identity import citation_id
from rubricator.core.scope import Scope
from rubricator.memory.hits import Hit
from rubricator.memory.passages import Passage, Span


def official(rubric: str, *, champion: bool = True) -> Authority:
    """A rubric in force, or one that is not known to be."""
    record = {"version": "v2", "championVersionId": "v2" if champion else "v3"}
    return make_authority(scorecard="Desk", score="Loans", rubric=rubric, source="Loans.md", metadata=record)


def hit(text: str, date: str | None = None, *, rank: int = 1, scope: Scope = "score", quoted: bool = False) -> Hit:
    """A passage as a search finds it, in a source of its own."""
    source = f"Loans.knowledge-base/{date or 'undated'}/note-{rank}.md"
    passage = Passage(citation_id("kb", source, text), source, text, Span(0, len(text), 1, 1), quoted=quoted)
    return Hit(rank, 10.0 / rank, passage, scope, dt.date.fromisoformat(date) if date else None)
