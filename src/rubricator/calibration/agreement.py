"""How well the evaluator's order agrees with the owner's: rank correlations, their p-values, and pairs.

Both correlations are taken on levels (see `levels`), so scores a millionth of the scale apart are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import permutations
from math import isfinite
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from rubricator.calibration.levels import levels

Method = Literal["exact", "monte_carlo", "asymptotic"]

EXACT_UP_TO: Final = 9
"""All orders are counted up to this many artifacts (9! = 362,880)."""
MONTE_CARLO_UP_TO: Final = 200
"""Random orders are drawn up to this many; beyond, the normal approximation is as good and much quicker."""
RESAMPLES: Final = 20_000
_MOST_NAMED: Final = 10_000
_EQUAL: Final = 1e-9


@dataclass(frozen=True, slots=True)
class PairCounts:
    """The pairs of a ranking. Each pair is one of: agreeing, an inversion, a machine tie, an owner tie.

    An owner tie is a pair that the owner ties, whatever the evaluator says; a machine tie one that the owner tells
    apart and the evaluator ties. `inversions` are numbers of items, the owner's better one first.
    """

    agreeing: int
    inversions: tuple[tuple[int, int], ...]
    machine_ties: int
    owner_ties: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """Rank agreement of `n` items; `dropped` counts those left out since one side had no value.

    `spearman` and `kendall_tau_b` lie in [-1, 1]; ties get mid-ranks, and tau-b's correction. `p_exact` is the
    two-sided permutation p of tau-b, `p_spearman` that of Spearman's rho, by `p_method`, with `p_resamples` random
    orders where it is `monte_carlo`. What is undefined is None, and `undefined` says why by name.
    """

    n: int
    spearman: float | None
    kendall_tau_b: float | None
    p_exact: float | None
    p_spearman: float | None
    p_method: Method | None
    pairs: PairCounts
    p_resamples: int = 0
    dropped: int = 0
    undefined: dict[str, str] = field(default_factory=dict)


def agreement(
    owner: Sequence[float | None], machine: Sequence[float | None], *, tie: float, seed: int = 0
) -> Agreement:
    """The agreement of two sequences over the same items, higher is better on both sides.

    Owner values are equal only where they are the same; machine values where they are nearer than `tie`. Items without
    a finite value on either side are dropped. p-values count, of all orders of the machine's levels, those at least as
    far from 0 as the one seen: every one up to 9 items, 20,000 random ones (seeded) up to 200, with (k + 1) / (m + 1)
    after Phipson and Smyth (doi:10.2202/1544-6115.1585); beyond, SciPy's normal approximation.
    """
    kept = [(a, b) for a, b in zip(owner, machine, strict=True) if _known(a) and _known(b)]
    mine = levels([float(a) for a, _ in kept if a is not None], 1e-12)
    theirs = levels([float(b) for _, b in kept if b is not None], tie)
    pairs = pair_counts(mine, theirs)
    dropped = len(owner) - len(kept)
    reason = _undefined(mine, theirs)
    if reason:
        names = ("spearman", "kendall_tau_b", "p_exact", "p_spearman")
        return Agreement(
            len(kept), None, None, None, None, None, pairs, dropped=dropped, undefined=dict.fromkeys(names, reason)
        )
    rho, tau = spearman(mine, theirs)[0], kendall_tau_b(mine, theirs)[0]
    p_tau, p_rho, method = _p_values(mine, theirs, seed)
    resamples = RESAMPLES if method == "monte_carlo" else 0
    return Agreement(len(kept), rho, tau, p_tau, p_rho, method, pairs, resamples, dropped)


def spearman(one: Sequence[float], other: Sequence[float]) -> tuple[float | None, str]:
    """Spearman's rho in [-1, 1]: the correlation of mid-ranks; (None, reason) where a side has only one level."""
    if reason := _undefined(one, other):
        return None, reason
    x, y = _centred(_midranks(one)), _centred(_midranks(other))
    return round(float(np.clip(x @ y, -1, 1)), 12), ""


def kendall_tau_b(one: Sequence[float], other: Sequence[float]) -> tuple[float | None, str]:
    """Kendall's tau-b in [-1, 1], corrected for ties (Kendall 1945, doi:10.1093/biomet/33.3.239).

    (None, reason) where a side has fewer than two levels.
    """
    if reason := _undefined(one, other):
        return None, reason
    if len(one) > MONTE_CARLO_UP_TO:
        from scipy.stats import kendalltau

        return float(kendalltau(one, other, method="asymptotic").statistic), ""
    x, y = _signs(one), _signs(other)
    return round(float(np.clip((x @ y) / np.sqrt(float(x @ x) * float(y @ y)), -1, 1)), 12), ""


def pair_counts(owner: Sequence[int], machine: Sequence[int]) -> PairCounts:
    """The pairs of two sequences of levels. Of more than 10,000 inversions, the first 10,000 are named."""
    mine, theirs = np.asarray(owner, dtype=np.int64), np.asarray(machine, dtype=np.int64)
    agreeing = machine_ties = owner_ties = 0
    inversions: list[tuple[int, int]] = []
    for n in range(len(mine) - 1):
        by_owner, by_machine = np.sign(mine[n + 1 :] - mine[n]), np.sign(theirs[n + 1 :] - theirs[n])
        owner_ties += int((by_owner == 0).sum())
        machine_ties += int(((by_owner != 0) & (by_machine == 0)).sum())
        agreeing += int((by_owner * by_machine > 0).sum())
        opposed = (np.flatnonzero(by_owner * by_machine < 0) + n + 1).tolist()
        inversions.extend((other, n) if mine[other] > mine[n] else (n, other) for other in opposed)
    return PairCounts(agreeing, tuple(sorted(inversions)[:_MOST_NAMED]), machine_ties, owner_ties)


def _known(value: float | None) -> bool:
    return value is not None and isfinite(value)


def _undefined(one: Sequence[Any], other: Sequence[Any]) -> str:
    """Why no rank correlation is defined, or nothing."""
    if len(one) < 2:  # noqa: PLR2004 - a pair has two
        return "fewer than two items have values on both sides"
    if len(set(one)) == 1:
        return "the owner ties all items"
    if len(set(other)) == 1:
        return "the evaluator ties all items"
    return ""


def _midranks(values: Sequence[float]) -> NDArray[np.float64]:
    # By hand, since SciPy's statistics take most of a second to import.
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks


def _centred(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values with mean 0 and length 1, so that a product of two is their correlation."""
    away = values - values.mean()
    unit: NDArray[np.float64] = away / np.sqrt(away @ away)
    return unit


def _signs(values: Sequence[float] | NDArray[Any]) -> NDArray[np.int64]:
    """The sign of each pair's difference, for all pairs in one fixed order."""
    array = np.asarray(values)
    first, second = np.triu_indices(len(array), 1)
    signs: NDArray[np.int64] = np.sign(array[first] - array[second]).astype(np.int64)
    return signs


def _p_values(mine: Sequence[int], theirs: Sequence[int], seed: int) -> tuple[float, float, Method]:
    count = len(mine)
    if count > MONTE_CARLO_UP_TO:
        from scipy.stats import kendalltau, spearmanr

        tau = kendalltau(mine, theirs, method="asymptotic")
        return float(tau.pvalue), float(spearmanr(mine, theirs).pvalue), "asymptotic"
    orders = _all_orders(count) if count <= EXACT_UP_TO else _random_orders(count, seed)
    values = np.asarray(theirs)
    tau_seen = abs(int(_signs(mine) @ _signs(values)))
    x, y = _centred(_midranks(mine)), _centred(_midranks(theirs))
    rho_seen = abs(float(x @ y))
    tau_far = _far_taus(_signs(mine), values, orders, tau_seen)
    rho_far = int((np.abs(y[orders] @ x) >= rho_seen - _EQUAL).sum())
    if count <= EXACT_UP_TO:
        return tau_far / len(orders), rho_far / len(orders), "exact"
    return (tau_far + 1) / (RESAMPLES + 1), (rho_far + 1) / (RESAMPLES + 1), "monte_carlo"


def _far_taus(signs: NDArray[np.int64], values: NDArray[Any], orders: NDArray[Any], seen: int) -> int:
    """How many orders of `values` have at least `seen` more pairs one way than the other.

    The denominator of tau-b is the same for all orders, so that the sum of signs is compared.
    """
    sums = np.zeros(len(orders), dtype=np.int64)
    first, second = np.triu_indices(len(values), 1)
    for sign, one, other in zip(signs.tolist(), first.tolist(), second.tolist(), strict=True):
        if sign:
            sums += sign * np.sign(values[orders[:, one]] - values[orders[:, other]])
    return int((np.abs(sums) >= seen).sum())


@lru_cache(maxsize=4)
def _all_orders(count: int) -> NDArray[np.int8]:
    return np.array(list(permutations(range(count))), dtype=np.int8)


def _random_orders(count: int, seed: int) -> NDArray[np.int64]:
    generator = np.random.default_rng(seed)
    orders: NDArray[np.int64] = generator.permuted(np.tile(np.arange(count), (RESAMPLES, 1)), axis=1)
    return orders
