"""Which criterion is to blame for a pass as a whole: a probability for each, under a stated model of the owner.

Every hypothesis says how the owner values artifacts: as the rubric's total does, but for one criterion that counts only
a share of its weight (or, for the last hypothesis, exactly as the rubric says: then noise alone made the inversions).
The owner sees each value through normal noise and ranks what they see (Thurstone's model, case V; Psychological Review
34, 1927). The probability of the whole ranking is computed exactly, not pair by pair: pairs that share an artifact
are not independent, and counting them as if they were makes a model surer than it has reason to be. How large the noise
is, is not known either, and is averaged over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import factorial, prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rubricator.calibration.totals import SubScores
from rubricator.core.rubric import Rubric, Scale

Array = NDArray[np.float64]

SHARES: Final = (0.0, 0.15, 0.3, 0.45, 0.6)
"""How much of its weight the criterion to blame may count with the owner; each as likely as the others."""
NOISES: Final = (
    (0.002, 0.15),
    (0.01, 0.05),
    (0.02, 0.1),
    (0.05, 0.15),
    (0.1, 0.2),
    (0.15, 0.15),
    (0.2, 0.1),
    (0.3, 0.1),
)
"""The owner's noise: standard deviations as shares of the scale's width, each with its prior probability."""
PRIOR_OF_NOISE_ALONE: Final = 0.2
"""How likely it is, before anything is seen, that the rubric is as the owner values.

The rest goes to the criteria by the square of their weights, which is their share in the variance of totals when
sub-scores vary alike: a heavy criterion can do more harm than a light one.
"""
CONFIDENT: Final = 0.9
"""A criterion is named as the driver from this probability on, if it also stays `LIKELY` under two harder looks."""
LIKELY: Final = 0.6
"""What must be left when the owner is taken to be noisier (`HARD_NOISE`), and when weights count for nothing.

A ranking that fits one criterion to the hair may do so by luck; a heavy criterion may be heavy with reason.
"""
HARD_NOISE: Final = 0.05
CANDIDATE_MASS: Final = 0.9
"""The candidates are the fewest criteria that together have this share of what is attributed to criteria."""

_ORDERS: Final = 120
"""At most so many ways to order the owner's ties are averaged over."""


@dataclass(frozen=True, slots=True)
class Blame:
    """The probabilities of a pass: `by_criterion` (ids, highest first) and `noise` for none of them; they sum to 1.

    `candidates` are the ids of the smallest set that holds `CANDIDATE_MASS` of the criteria's share. `driver` is the
    one that is named, or None.
    """

    by_criterion: dict[str, float]
    noise: float
    candidates: tuple[str, ...]
    driver: str | None

    @property
    def suspects(self) -> tuple[str, ...]:
        """The criteria for which a change is worth looking for: the driver, else what is likelier than mere noise."""
        if self.driver:
            return (self.driver,)
        return tuple(key for key in self.candidates if self.by_criterion[key] > self.noise)


def blame(rubric: Rubric, scale: Scale, sub_scores: SubScores, owner: Sequence[int]) -> Blame | None:
    """The probability of each criterion of `rubric` to be what parts owner and evaluator in a pass.

    `sub_scores` are those of the ranked artifacts, `owner` their positions in the owner's ranking, higher is better,
    equal for ties: all orders within a tie are averaged over. None where a total can't be derived.
    """
    values = hypotheses(rubric, sub_scores)
    if not np.isfinite(values).all():
        return None
    likelihoods = ranking_likelihoods(values / scale.width, owner)
    usual = np.array([weight for _, weight in NOISES])
    hard = np.array([weight if noise >= HARD_NOISE else 0.0 for noise, weight in NOISES])
    weights = np.array([c.weight for c in rubric.criteria])
    shares, noise = _posterior(likelihoods, usual, weights**2)
    first = int(np.argmax(shares))
    looks = (_posterior(likelihoods, hard, weights**2)[0], _posterior(likelihoods, usual, np.ones(len(weights)))[0])
    named = shares[first] >= CONFIDENT and all(look[first] >= LIKELY for look in looks)
    ids = list(rubric.weights)
    ordered = dict(sorted(zip(ids, shares.tolist(), strict=True), key=lambda item: -item[1]))
    return Blame(ordered, noise, _smallest_set(ordered), ids[first] if named else None)


def hypotheses(rubric: Rubric, sub_scores: SubScores) -> Array:
    """The artifacts' values under each hypothesis: (criteria x shares + 1, artifacts); the last row is the rubric's."""
    changed = (rubric.with_weights({c.id: c.weight * share}) for c, share in product(rubric.criteria, SHARES))
    return np.array([sub_scores.totals(variant) for variant in (*changed, rubric)])


def ranking_likelihoods(values: Array, owner: Sequence[int]) -> Array:
    """The probability of the owner's ranking (noises x hypotheses), averaged over the orders within the owner's ties.

    `values` are (hypotheses x artifacts) with a scale of width 1; the rows follow `NOISES`.
    """
    orders = _orders(owner)
    found = [
        sum(ordering_probability(values[:, order] / noise) for order in orders) / len(orders) for noise, _ in NOISES
    ]
    likelihoods: Array = np.maximum(np.array(found), np.finfo(float).tiny)
    return likelihoods


def _posterior(likelihoods: Array, noises: Array, favour: Array) -> tuple[Array, float]:
    """The criteria's probabilities and that of noise alone, with prior weights for noises and for criteria."""
    each = favour if favour.any() else np.ones(len(favour))
    by_share = np.repeat((1 - PRIOR_OF_NOISE_ALONE) / len(SHARES) * each / each.sum(), len(SHARES))
    posterior = np.append(by_share, PRIOR_OF_NOISE_ALONE) * (noises @ likelihoods)
    posterior /= posterior.sum()
    return posterior[:-1].reshape(len(favour), len(SHARES)).sum(axis=1), float(posterior[-1])


def ordering_probability(means: Array) -> Array:
    """The probability that independent normal values with these means (rows; unit variance) are in ascending order.

    P(X1 < X2 < ... < Xn) as n nested integrals, each a cumulative trapezium sum on one grid with four steps a standard
    deviation; the error is below 1e-3 of the probability. Values far apart are brought nearer, since eight standard
    deviations are as good as eighty.
    """
    means = _compressed(means)
    low, high = float(means.min()) - 5, float(means.max()) + 5
    grid = np.linspace(low, high, int((high - low) * 4) + 2)
    step = grid[1] - grid[0]
    below = np.ones((len(means), len(grid)))
    for mean in means.T:
        density = np.exp(-0.5 * (grid - mean[:, None]) ** 2) * below
        cumulative = np.cumsum(density, axis=1)
        below = (cumulative - 0.5 * (density + density[:, :1])) * (step / np.sqrt(2 * np.pi))
    last: Array = below[:, -1]
    return last


def _compressed(means: Array) -> Array:
    """Means with gaps of more than eight between neighbours cut to eight; order and all smaller gaps are kept."""
    by_size = np.argsort(means, axis=1)
    ascending = np.take_along_axis(means, by_size, axis=1)
    gaps = np.minimum(np.diff(ascending, axis=1, prepend=ascending[:, :1]), 8.0)
    near = np.cumsum(gaps, axis=1)
    result = np.empty_like(means)
    np.put_along_axis(result, by_size, near, axis=1)
    return result


def _orders(owner: Sequence[int]) -> list[list[int]]:
    """The orders (worst first) of artifact numbers that agree with the owner's, at most about `_ORDERS` of them."""
    groups = [[n for n, p in enumerate(owner) if p == position] for position in sorted(set(owner))]
    if prod(factorial(len(group)) for group in groups) <= _ORDERS:
        ways = [list(permutations(group)) for group in groups]
        return [[n for group in way for n in group] for way in product(*ways)]
    generator = np.random.default_rng(0)
    return [[int(n) for group in groups for n in generator.permutation(group)] for _ in range(_ORDERS)]


def _smallest_set(by_id: Mapping[str, float]) -> tuple[str, ...]:
    total, reached, chosen = sum(by_id.values()), 0.0, list[str]()
    for identity, probability in by_id.items():
        chosen.append(identity)
        reached += probability
        if reached >= CANDIDATE_MASS * total:
            break
    return tuple(chosen)


def to_json(found: Blame, rubric: Rubric, inversions: Mapping[str, int]) -> list[dict[str, Any]]:
    """The driver, or the candidates where there is none, with their words; `inversions` counts by criterion id."""
    named = (found.driver,) if found.driver else found.candidates
    criteria = {c.id: c for c in rubric.criteria}
    return [
        {
            "criterion": criteria[identity].name,
            "id": identity,
            "probability": round(found.by_criterion[identity], 4),
            "confident": identity == found.driver,
            "inversions": inversions.get(identity, 0),
            "quote": criteria[identity].text,
            "weight": criteria[identity].weight,
            "added": criteria[identity].added,
            "source": criteria[identity].source,
        }
        for identity in named
    ]
