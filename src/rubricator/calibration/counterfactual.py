"""What a changed rubric would have done: to the ranked sample, to earlier rankings, and to all logged artifacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rubricator.calibration.agreement import kendall_tau_b
from rubricator.calibration.levels import levels
from rubricator.calibration.ranked_sample import Pair, RankedSample
from rubricator.calibration.totals import SubScores
from rubricator.core.rubric import Rubric

_LARGEST: Final = 5


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change does to the owner's pairs: inversions it `resolves`, agreeing pairs it `breaks`.

    A pair is resolved when it ends in the owner's order, and broken when it no longer does, a new tie included.
    """

    resolves: tuple[Pair, ...]
    breaks: tuple[Pair, ...]

    @property
    def holds(self) -> bool:
        """Whether the change helps and harms nothing: the condition for being proposed."""
        return bool(self.resolves) and not self.breaks


def effect(sample: RankedSample, before: Rubric, after: Rubric) -> Effect:
    """What changing the rubric from `before` to `after` does to a sample, by the totals that either gives."""
    return effect_of_totals(sample, sample.totals(before), sample.totals(after))


def effect_of_totals(sample: RankedSample, before: Any, after: Any) -> Effect:
    """What it does to a sample when its totals change from `before` to `after`. Missing totals after: nothing holds."""
    agreeing, inverted = sample.split(before)
    if not np.isfinite(after).all():
        return Effect((), tuple(sorted(agreeing)))
    agreeing_after, _ = sample.split(after)
    return Effect(tuple(sorted(inverted & agreeing_after)), tuple(sorted(agreeing - agreeing_after)))


def leave_one_out(sample: RankedSample, before: Rubric, after: Rubric) -> dict[str, int]:
    """In how many samples with one artifact left out the change still resolves something and breaks nothing."""
    survives = sum(effect(sample.without(n), before, after).holds for n in range(len(sample.labels)))
    return {"survives": survives, "of": len(sample.labels)}


def contradictions(earlier: Sequence[tuple[str, RankedSample]], before: Rubric, after: Rubric) -> list[dict[str, Any]]:
    """The pairs of earlier rankings that agree under `before` and would not under `after`, with their pass."""
    return [
        {"session": session, "pair": [sample.artifacts[a], sample.artifacts[b]]}
        for session, sample in earlier
        for a, b in effect(sample, before, after).breaks
    ]


def order_change(
    artifacts: Sequence[str], sub_scores: SubScores, tie: float, before: Rubric, after: Rubric
) -> dict[str, Any]:
    """How the order of all logged artifacts with sub-scores moves.

    How many change their rank, tau-b between the two orders (None where one of them has no order), and the largest
    moves, as ranks from 1 for the best.
    """
    old, new = sub_scores.totals(before), sub_scores.totals(after)
    both = np.flatnonzero(np.isfinite(old) & np.isfinite(new))
    ranks_before, ranks_after = _ranks(old[both], tie), _ranks(new[both], tie)
    moves = ranks_after - ranks_before
    largest = both[np.argsort(-np.abs(moves), kind="stable")[:_LARGEST]]
    place = {int(n): i for i, n in enumerate(both)}
    return {
        "artifacts": len(both),
        "moved": int((moves != 0).sum()),
        "kendall_tau_b": kendall_tau_b(-ranks_before, -ranks_after)[0] if len(both) else None,
        "largest": [
            {
                "artifact": artifacts[n],
                "before": float(ranks_before[place[int(n)]]),
                "after": float(ranks_after[place[int(n)]]),
            }
            for n in largest
            if moves[place[int(n)]]
        ],
    }


def ranks(values: Sequence[float], tie: float) -> list[float]:
    """Ranks from 1 for the highest; ties share the mean of their places."""
    return [float(rank) for rank in _ranks(np.array(values, dtype=np.float64), tie)]


def _ranks(values: Any, tie: float) -> Any:
    height = np.array(levels(values.tolist(), tie), dtype=np.int64)
    counts = np.bincount(height) if len(height) else np.array([], dtype=np.int64)
    above = counts[::-1].cumsum()[::-1] - counts
    return above[height] + (counts[height] + 1) / 2
