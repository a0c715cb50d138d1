"""Proposed changes to one criterion: the smallest that bring the evaluator's order to the owner's and harm nothing.

A re-weighting is a linear programme in one variable, so its corners are all there is to try: the weights at which a
pair changes its order. Of those that break no agreeing pair, the ones that resolve most inversions count, and of
those the nearest to the present weight. Where the weight goes to nothing the criterion is to be retired; where no
weight does it, its text is to be narrowed, and the arithmetic can say which artifacts it must stop rewarding, but not
in which words.
Every change is tried on the exact totals, and one that does not hold there is not proposed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from rubricator.calibration.counterfactual import Effect, effect, effect_of_totals
from rubricator.calibration.ranked_sample import RankedSample
from rubricator.core.rubric import Rubric, Scale

Action = Literal["reweight", "narrow", "retire"]

NOTHING: Final = 0.05
"""A weight that must fall to this share of what it was, or below, is as good as none: the criterion is retired."""
_STEPS: Final = (1.0, 0.5, 0.25, 0.1, 0.05, 0.01)
_SLACK: Final = 1.25
_MARGIN: Final = 10
"""How many ties' breadth beyond the corner, so that a resolved pair doesn't end as a tie."""
_MOST: Final = 3.0


@dataclass(frozen=True)
class Adjustment:
    """A change to one criterion that holds: `after` is the rubric with it (None for `narrow`: the words are missing).

    `relieved` are the numbers of the artifacts that a narrowed criterion must stop rewarding; `totals` are those of the
    sample after the change.
    """

    criterion: str
    action: Action
    effect: Effect
    totals: tuple[float, ...]
    after: Rubric | None
    weight: float | None = None
    relieved: tuple[int, ...] = ()


def adjust(rubric: Rubric, scale: Scale, sample: RankedSample, criterion: str) -> Adjustment | None:
    """The smallest change to a criterion (by id) that resolves inversions and breaks no agreeing pair, or None.

    The rubric's totals must be those that the evaluator stored.
    """
    weight = rubric.weights[criterion]
    changed = _smallest_weight(rubric, sample, criterion)
    if changed is not None and abs(changed) > NOTHING * abs(weight):
        after = rubric.with_weights({criterion: changed})
        return _made(rubric, sample, criterion, "reweight", after, weight=changed)
    without = rubric.without([criterion])
    if without.criteria and effect(sample, rubric, without).holds:
        return _made(rubric, sample, criterion, "retire", without)
    return _narrowed(rubric, scale, sample, criterion)


def _made(
    rubric: Rubric, sample: RankedSample, criterion: str, action: Action, after: Rubric, *, weight: float | None = None
) -> Adjustment:
    totals = tuple(sample.totals(after).tolist())
    return Adjustment(criterion, action, effect(sample, rubric, after), totals, after, weight)


def _smallest_weight(rubric: Rubric, sample: RankedSample, criterion: str) -> float | None:
    """The nearest weight that holds, rounded away from the present one as far as that costs little; None: none does.

    A weight keeps its sign, and at most trebles the sum of all.
    """
    differences = pair_differences(rubric, sample)
    if differences is None:
        return None
    weights = rubric.weights
    now, column = weights[criterion], list(weights).index(criterion)
    others = np.array([0.0 if key == criterion else weight for key, weight in weights.items()])
    whole = sum(abs(weight) for weight in weights.values())
    margin = _MARGIN * sample.tie * whole
    tried: dict[float, Effect] = {}
    for difference in differences.values():
        if slope := float(difference[column]):
            corner = -float(difference @ others) / slope
            for weight in (corner - margin / abs(slope), corner + margin / abs(slope)):
                if weight * now > 0 and abs(weight) <= _MOST * whole:
                    tried[weight] = effect(sample, rubric, rubric.with_weights({criterion: weight}))
    holding = [weight for weight, found in tried.items() if found.holds]
    if not holding:
        return None
    best = min(holding, key=lambda weight: (-len(tried[weight].resolves), abs(weight - now)))
    return next(
        (v for v in _rounder(now, best) if effect(sample, rubric, rubric.with_weights({criterion: v})) == tried[best]),
        best,
    )


def _rounder(now: float, wanted: float) -> list[float]:
    """Rounder numbers than `wanted`, a little further away from `now`; the roundest first."""
    away = np.floor if wanted < now else np.ceil
    values = [float(round(away(wanted / step) * step, 4)) for step in _STEPS]
    return [value for value in values if value * now > 0 and abs(value - now) <= _SLACK * abs(wanted - now)]


def pair_differences(rubric: Rubric, sample: RankedSample) -> dict[tuple[int, int], Any] | None:
    """For each pair that the owner tells apart, the better one's sub-scores less the worse one's.

    A rubric orders the pair as the owner does when weights times differences are positive. None where
    totals aren't linear in the weights: `minimum`, `formula`, or a sub-score missing.
    """
    if rubric.aggregate in {"minimum", "formula"} or not sample.sub_scores.complete:
        return None
    values = sample.sub_scores.values
    return {(a, b): values[a] - values[b] for a, b in sample.preferences()}


def _narrowed(rubric: Rubric, scale: Scale, sample: RankedSample, criterion: str) -> Adjustment | None:
    """The narrowing: the artifacts that the evaluator has too high would get the lowest sub-score on the criterion.

    All of them together where that holds, else the one alone that resolves most.
    """
    if criterion not in sample.sub_scores.ids:
        return None
    before = sample.totals(rubric)
    _, inverted = sample.split(before)
    lowest = 0.0 if rubric.aggregate == "points" else scale.low
    too_high = sorted({worse for _, worse in inverted})
    column = sample.sub_scores.ids.index(criterion)
    best: Adjustment | None = None
    for relieved in (tuple(too_high), *((n,) for n in too_high)):
        values = sample.sub_scores.values.copy()
        values[list(relieved), column] = np.minimum(values[list(relieved), column], lowest)
        totals = type(sample.sub_scores)(sample.sub_scores.ids, values).totals(rubric)
        found = effect_of_totals(sample, before, totals)
        if found.holds and (best is None or len(found.resolves) > len(best.effect.resolves)):
            best = Adjustment(criterion, "narrow", found, tuple(totals.tolist()), None, relieved=relieved)
    return best
