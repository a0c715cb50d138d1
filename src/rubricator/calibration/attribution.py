"""Why the evaluator orders one pair otherwise than the owner: each criterion's share in the difference of totals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rubricator.calibration.ranked_sample import Pair, RankedSample
from rubricator.calibration.totals import SubScores
from rubricator.core.rubric import Rubric


@dataclass(frozen=True, slots=True)
class Attribution:
    """What one inversion is due to.

    `contributions` by criterion id, in the scale's units: positive ones speak for the artifact that the owner has
    lower, and together they are the difference of the totals (for `minimum` and `formula`, each is what removing the
    criterion takes from the difference, and they need not add up). `reversing` are the criteria without which the
    evaluator would order the pair as the owner does. `criterion` is the one to which the inversion is attributed, None
    where no criterion speaks for it.
    """

    pair: Pair
    contributions: dict[str, float]
    reversing: tuple[str, ...]
    criterion: str | None

    @property
    def removal_reverses(self) -> bool:
        """Whether taking the criterion out reverses the evaluator's order."""
        return self.criterion in self.reversing


def attribute(
    rubric: Rubric, sample: RankedSample, pairs: Sequence[Pair], probabilities: Mapping[str, float]
) -> list[Attribution]:
    """The attribution of each of `pairs`, inversions of `sample` whose totals the rubric reproduces.

    Of the criteria whose removal reverses the order, the one that the pass as a whole makes most probable is named,
    where `probabilities` (by id) has them, else the largest contribution; without any such, the largest contribution.
    """
    removed = {c.id: sample.totals(rubric.without([c.id])) for c in rubric.criteria}
    whole = sample.totals(rubric)
    shares = contributions(rubric, sample.sub_scores)
    found = []
    for better, worse in pairs:
        if shares is None:
            gap = whole[worse] - whole[better]
            parts = {key: float(gap - (totals[worse] - totals[better])) for key, totals in removed.items()}
        else:
            parts = {key: float(values[worse] - values[better]) for key, values in shares.items()}
        reversing = tuple(
            key for key, totals in removed.items() if totals[better] - totals[worse] >= sample.tie and parts[key] > 0
        )
        among = reversing or tuple(key for key, part in parts.items() if part > 0)
        criterion = max(
            among, key=lambda key: (probabilities.get(key, 0.0) if reversing else 0.0, parts[key]), default=None
        )
        found.append(Attribution((better, worse), parts, reversing, criterion))
    return found


def contributions(rubric: Rubric, sub_scores: SubScores) -> dict[str, Any] | None:
    """What each criterion adds to each artifact's total, by id; None for aggregates that are no sum of such parts."""
    if rubric.aggregate in {"minimum", "formula"}:
        return None
    values = sub_scores.values
    known = np.isfinite(values)
    weights = np.array([c.weight for c in rubric.criteria])
    counted = {"weighted_mean": weights, "points": np.maximum(weights, 0.0)}.get(rubric.aggregate)
    norm = np.ones(len(values)) if counted is None else known @ counted
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(known, values, 0.0) * weights / norm[:, None]
    return {c.id: parts[:, n] for n, c in enumerate(rubric.criteria)}
