"""How sure a pack may be: caps by rule, from what the evidence is and never from what anybody says of it.

Only supporting evidence can carry confidence. Conflicting evidence takes it away, and so do few sources, no dates, a
scope that is merely near, hearsay and a rubric that is not known to be the active version. Each cap gives its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from rubricator.core.scope import SCOPES, Scope

Confidence = Literal["low", "medium", "high"]
Standing = Literal["decision", "statement", "quoted"]
"""How a passage stands: it records a decision, somebody says it, or it repeats an earlier message."""

LEVELS: Final[tuple[Confidence, ...]] = ("low", "medium", "high")
SPARSE: Final = 1
"""Evidence from this many sources or fewer is sparse."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """One piece of evidence, as far as confidence goes: where it comes from, its scope, whether it has a date."""

    source: str
    scope: Scope
    dated: bool
    standing: Standing = "statement"


@dataclass(frozen=True, slots=True)
class Cap:
    """One rule that applied: confidence may be `at_most` this, and why."""

    rule: str
    at_most: Confidence
    reason: str


@dataclass(frozen=True, slots=True)
class Weight:
    """The outcome: the confidence, the caps that applied, and the counts they were taken from."""

    confidence: Confidence
    caps: tuple[Cap, ...]
    counts: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """The inputs of the confidence as JSON."""
        caps = [{"rule": cap.rule, "at_most": cap.at_most, "reason": cap.reason} for cap in self.caps]
        return {**self.counts, "caps": caps}


def weigh(
    supporting: Sequence[Weighed], conflicting: Sequence[Weighed], *, champion: bool, claimed: Confidence = "high"
) -> Weight:
    """The confidence that `claimed` comes to under all caps.

    Taking supporting evidence or a date away, or adding conflicting evidence, never raises it.
    """
    caps = [cap for cap in _caps(supporting, conflicting, champion=champion) if cap.at_most != "high"]
    confidence = min((claimed, *(cap.at_most for cap in caps)), key=LEVELS.index)
    return Weight(confidence, tuple(caps), _counts(supporting, conflicting, champion=champion))


def _caps(supporting: Sequence[Weighed], conflicting: Sequence[Weighed], *, champion: bool) -> list[Cap]:
    return [
        _by_count(len({e.source for e in supporting})),
        _by_scope(min((SCOPES.index(e.scope) for e in supporting), default=None)),
        _by_dates(len(supporting), sum(e.dated for e in supporting)),
        _by_conflict(len(supporting), len(conflicting)),
        _by_standing({e.standing for e in supporting}),
        Cap("authority", "high" if champion else "medium", "The rubric is not known to be the active version."),
    ]


def _by_count(sources: int) -> Cap:
    if not sources:
        return Cap("count", "low", "No source supports the reading.")
    return Cap("count", "medium" if sources <= SPARSE else "high", "Only one source supports the reading.")


def _by_scope(most_specific: int | None) -> Cap:
    if most_specific is None:
        return Cap("scope", "low", "There is no supporting evidence of any scope.")
    own = SCOPES[most_specific] != "scorecard"
    return Cap("scope", "high" if own else "medium", "The evidence is of the whole scorecard, not of this score.")


def _by_dates(count: int, dated: int) -> Cap:
    if count and dated == count:
        return Cap("dates", "high", "")
    if dated:
        return Cap("dates", "medium", "Some of the supporting evidence has no date.")
    return Cap("dates", "low", "None of the supporting evidence has a date.")


def _by_conflict(supporting: int, conflicting: int) -> Cap:
    if not conflicting:
        return Cap("conflict", "high", "")
    level: Confidence = "medium" if conflicting < supporting else "low"
    return Cap("conflict", level, f"{conflicting} of {supporting + conflicting} passages that bear on it conflict.")


def _by_standing(found: set[Standing]) -> Cap:
    if found and found <= {"quoted"}:
        return Cap("standing", "low", "All of it is repeated from earlier messages.")
    return Cap("standing", "high" if "decision" in found else "medium", "No passage records a decision.")


def _counts(supporting: Sequence[Weighed], conflicting: Sequence[Weighed], *, champion: bool) -> dict[str, Any]:
    return {
        "supporting": len(supporting),
        "conflicting": len(conflicting),
        "sources": len({e.source for e in supporting}),
        "dated": sum(e.dated for e in supporting),
        "by_scope": {scope: sum(e.scope == scope for e in supporting) for scope in SCOPES},
        "decisions": sum(e.standing == "decision" for e in supporting),
        "rubric_is_active_version": champion,
    }
