"""Drift by revision: the ranked sample scored anew under every past rubric, to see where agreement broke."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rubricator.calibration.agreement import kendall_tau_b
from rubricator.calibration.due import learning_events
from rubricator.calibration.ranked_sample import RankedSample
from rubricator.core.rubric import Rubric, shortest

_BREAK: Final = 0.05
"""A loss of tau-b smaller than this is no break worth telling."""


@dataclass(frozen=True, slots=True)
class PastRubric:
    """A rubric as one revision had it: the revision's id, its time (ISO 8601), its message."""

    id: str
    at: str
    subject: str
    rubric: Rubric


@dataclass(frozen=True, slots=True)
class RevisionAgreement:
    """The agreement that the owner's ranking would have had with the rubric of one revision.

    `kendall_tau_b` is None, with a `reason`, where the sample has no totals under it or they are all equal. `changes`
    are what the revision changed, in words.
    """

    past: PastRubric
    kendall_tau_b: float | None
    reason: str
    changes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The agreement as JSON."""
        return {
            "id": self.past.id,
            "at": self.past.at,
            "subject": self.past.subject,
            "kendall_tau_b": self.kendall_tau_b,
            "reason": self.reason,
            "change": "; ".join(self.changes),
        }


def by_revision(sample: RankedSample, history: Sequence[PastRubric]) -> list[RevisionAgreement]:
    """The agreement under each of `history`, oldest first: its criteria and weights over today's sub-scores.

    A criterion of the past that has no sub-scores today can't count; `reason` then says so beside the figure.
    """
    found: list[RevisionAgreement] = []
    for number, past in enumerate(history):
        totals = sample.totals(past.rubric)
        reason = ""
        unknown = [c.name for c in past.rubric.criteria if c.id not in sample.sub_scores.ids]
        if np.isfinite(totals).all():
            tau, reason = kendall_tau_b(sample.owner, sample.levels(totals))
        else:
            tau, reason = None, "some artifacts have no total under this revision"
        if tau is not None and unknown:
            reason = f"without {', '.join(unknown)}, of which there are no sub-scores"
        changes = (
            tuple(event.detail for event in learning_events(history[number - 1].rubric, past.rubric))
            if number
            else ("first revision",)
        )
        found.append(RevisionAgreement(past, tau, reason or "", changes))
    return found


def origin(driver: Mapping[str, Any], history: Sequence[PastRubric]) -> str:
    """Where a criterion came from, in words: the revisions that brought it and changed its weight, and its source."""
    told: list[str] = []
    weight: float | None = None
    for number, past in enumerate(history):
        criterion = past.rubric.criterion(driver["criterion"])
        if criterion is None or criterion.weight == weight:
            continue
        if number == 0:  # it may be older than what is on record
            told.append(
                f"added {driver['added']}" if driver["added"] else f"there by {past.at[:10]}, the first on record"
            )
            weight = criterion.weight
            continue
        what = "came" if weight is None else f"weight {shortest(weight)} → {shortest(criterion.weight)}"
        told.append(f"{what} {past.at[:10]} ({past.subject})".replace("  ", " "))
        weight = criterion.weight
    if not told and driver["added"]:
        told.append(f"added {driver['added']}")
    if driver["source"]:
        told.append(f"source: {driver['source']}")
    return "; ".join(told) or "its origin is not known"


def story(found: Sequence[RevisionAgreement]) -> str:
    """Where agreement broke, and how that compounded, in a sentence or two; says so where it never did."""
    known = [entry for entry in found if entry.kendall_tau_b is not None]
    if len(known) < 2:  # noqa: PLR2004 - one point is no course
        return "There are too few revisions of the rubric to tell where agreement broke."
    values = [float(entry.kendall_tau_b or 0.0) for entry in known]
    losses = [(n, values[n - 1] - values[n]) for n in range(1, len(known)) if values[n - 1] - values[n] >= _BREAK]
    if not losses:
        return f"No revision made agreement worse: tau-b went from {values[0]:.2f} to {values[-1]:.2f}."
    first, _ = losses[0]
    text = f"Agreed (tau-b {values[first - 1]:.2f}) until {_when(known[first])}, then {values[first]:.2f}."
    for number, _ in losses[1:]:
        text += f" It compounded: {_when(known[number])}, {values[number]:.2f}."
    return text


def _when(entry: RevisionAgreement) -> str:
    what = "; ".join(entry.changes) or entry.past.subject or "a revision"
    return f"{what} ({entry.past.at[:10]})" if entry.past.at else what
