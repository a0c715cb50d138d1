"""Agreement against SciPy and against plain enumeration."""

from __future__ import annotations

from itertools import permutations, product
from math import isclose

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from rubricator.calibration.agreement import agreement, kendall_tau_b, spearman


def plain_tau(one, other) -> float:
    """Tau-b by its definition, pair by pair."""
    both = mine = theirs = 0
    for i in range(len(one)):
        for j in range(i):
            a = (one[i] > one[j]) - (one[i] < one[j])
            b = (other[i] > other[j]) - (other[i] < other[j])
            both, mine, theirs = both + a * b, mine + a * a, theirs + b * b
    return both / (mine * theirs) ** 0.5


def plain_rho(one, other) -> float:
    """Spearman's rho by its definition: the correlation of mean places."""
    x, y = ([sum(b < a for b in v) + sum(b == a for b in v) / 2 for a in v] for v in (one, other))
    mx, my = sum(x) / len(x), sum(y) / len(y)
    both = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    return both / (sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y)) ** 0.5


def plain_p(statistic, one, other) -> float:
    """The two-sided p by walking through every order."""
    seen = abs(statistic(one, other))
    found = [abs(statistic(one, order)) >= seen - 1e-9 for order in permutations(other)]
    return sum(found) / len(found)


def cases() -> list[tuple[list[int], list[int]]]:
    """Every n up to 7, with and without ties on either side."""
    rng = np.random.default_rng(3)
    found = []
    for n in range(2, 8):
        for levels in {n, max(2, n - 2), 2}:
            for _ in range(2 if n == 7 else 4):
                one, other = rng.integers(levels, size=n).tolist(), rng.integers(levels, size=n).tolist()
                if len(set(one)) > 1 and len(set(other)) > 1:
                    found.append((one, other))
    return found


@pytest.mark.parametrize(("one", "other"), cases())
def test_the_exact_p_is_that_of_enumeration(one, other) -> None:
    found = agreement(one, other, tie=0.5)

    assert found.p_method == "exact"
    assert isclose(found.p_exact, plain_p(plain_tau, one, other), abs_tol=1e-12)
    assert isclose(found.p_spearman, plain_p(plain_rho, one, other), abs_tol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_the_statistics_are_those_of_scipy(seed) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 300))
    one, other = rng.integers(0, 9, n).tolist(), rng.normal(0, 1, n).round(1).tolist()
    if len(set(one)) < 2 or len(set(other)) < 2:
        pytest.skip("no order")
    found = agreement(one, other, tie=1e-6)

    assert isclose(found.kendall_tau_b, kendalltau(one, other).statistic, abs_tol=1e-9)
    assert isclose(found.spearman, spearmanr(one, other).statistic, abs_tol=1e-9)


def test_without_ties_the_exact_p_is_scipys() -> None:
    one, other = [1, 2, 3, 4, 5, 6, 7, 8], [2, 1, 4, 3, 6, 5, 8, 7]

    assert isclose(agreement(one, other, tie=0.5).p_exact, kendalltau(one, other, method="exact").pvalue, abs_tol=1e-12)


def test_monte_carlo_is_near_the_exact_p_and_repeats_itself() -> None:
    one, other = list(range(12)), [0, 2, 1, 3, 5, 4, 9, 7, 8, 6, 11, 10]
    found, again = agreement(one, other, tie=0.5, seed=5), agreement(one, other, tie=0.5, seed=5)

    assert found == again
    assert (found.p_method, found.p_resamples) == ("monte_carlo", 20_000)
    assert abs(found.p_exact - kendalltau(one, other, method="exact").pvalue) < 1e-3


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ([1], [1], "fewer than two"),
        ([1, 1, 1], [1, 2, 3], "the owner ties all"),
        ([1, 2, 3], [2, 2, 2], "the evaluator ties all"),
        ([1, None, float("nan")], [1, 2, 3], "fewer than two"),
    ],
)
def test_what_is_undefined_is_none_with_a_reason(one, other, reason) -> None:
    found = agreement(one, other, tie=0.5)

    assert (found.kendall_tau_b, found.spearman, found.p_exact) == (None, None, None)
    assert all(reason in why for why in found.undefined.values())
    assert set(found.undefined) == {"spearman", "kendall_tau_b", "p_exact", "p_spearman"}


def test_at_five_only_a_perfect_match_is_beyond_chance() -> None:
    perfect = [tuple(range(5)), tuple(range(5))[::-1]]
    found = [agreement(range(5), order, tie=0.5).p_exact for order in permutations(range(5)) if order not in perfect]

    assert agreement(range(5), range(5), tie=0.5).p_exact == pytest.approx(2 / 120)
    assert min(found) > 0.05


@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_order_of_few_items_agrees_with_the_definition(n) -> None:
    for one, other in product(product(range(n), repeat=n), permutations(range(n))):
        tau, reason = kendall_tau_b(one, other)
        if reason:
            assert len(set(one)) == 1
        else:
            assert isclose(tau, plain_tau(one, other), abs_tol=1e-9)
            assert isclose(spearman(one, other)[0], plain_rho(one, other), abs_tol=1e-9)
