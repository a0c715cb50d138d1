"""Totals, attribution, drivers and adjustments on rubrics whose arithmetic can be done by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricator.calibration.adjustments import adjust
from rubricator.calibration.attribution import attribute
from rubricator.calibration.counterfactual import contradictions, leave_one_out, order_change, ranks
from rubricator.calibration.drivers import blame, ordering_probability
from rubricator.calibration.ranked_sample import RankedSample
from rubricator.calibration.totals import SubScores, reproduction
from rubricator.core.rubric import Criterion, Rubric, Scale

SCALE = Scale(1, 5)


def rubric(aggregate="weighted_mean", formula="", **weights) -> Rubric:
    return Rubric("r", tuple(Criterion(n, f"text of {n}", w) for n, w in weights.items()), SCALE, aggregate, formula)


def sample(of: Rubric, owner, *rows) -> RankedSample:
    table = SubScores.of(of, [dict(zip(of.weights, row, strict=True)) for row in rows])
    labels = tuple("ABCDEFGH"[: len(rows)])
    return RankedSample(labels, labels, tuple(owner), tuple(table.totals(of).tolist()), table, SCALE.tie)


DRIFTED = rubric(hook=1, depth=1, numbers=4)
PASS = sample(DRIFTED, [2, 1, 0], (5, 5, 4), (4, 4, 5), (3, 3, 3))


@given(
    st.sampled_from(["weighted_mean", "sum", "points", "minimum"]),
    st.lists(st.integers(-40, 40).map(lambda n: n / 10), min_size=3, max_size=3),
    st.lists(st.one_of(st.none(), st.floats(0, 5)), min_size=3, max_size=3),
)
def test_totals_of_a_table_are_those_of_the_rubric(aggregate, weights, values) -> None:
    one = rubric(aggregate, **dict(zip("abc", weights, strict=True)))
    row = {k: v for k, v in zip("abc", values, strict=True) if v is not None}

    expected, (found,) = one.total(row), SubScores.of(one, [row]).totals(one)

    assert (expected is None and np.isnan(found)) or found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_formula_is_the_total_that_it_says() -> None:
    made = rubric("formula", "0.5 * hook + 0.5 * min(hook, depth) * weight_depth", hook=1, depth=2)

    assert made.total({"hook": 4, "depth": 3}) == 5
    assert made.total({"hook": 4}) is None


@pytest.mark.parametrize(
    ("stored", "reproduced", "says"),
    [
        ([4.3333333, 4.6666667], True, "exactly"),
        ([4.3, 4.7], True, "rounding at 1 decimals"),
        ([4.3, 4.9], False, "off by up to"),
        ([26, 28], False, "`aggregate: sum`"),
    ],
)
def test_stored_totals_are_reproduced_or_the_pass_says_not(stored, reproduced, says) -> None:
    table = SubScores.of(DRIFTED, [{"hook": 5, "depth": 5, "numbers": 4}, {"hook": 4, "depth": 4, "numbers": 5}])

    found = reproduction(DRIFTED, SCALE, table, stored)

    assert found.reproduced is reproduced
    assert says in found.reason


def test_an_inversion_is_taken_apart_by_criterion() -> None:
    (found,) = attribute(DRIFTED, PASS, [(0, 1)], {})

    assert found.contributions == {
        "hook": pytest.approx(-1 / 6),
        "depth": pytest.approx(-1 / 6),
        "numbers": pytest.approx(4 / 6),
    }
    assert sum(found.contributions.values()) == pytest.approx(PASS.machine[1] - PASS.machine[0])
    assert found.criterion == "numbers"
    assert found.reversing == ("numbers",)


def test_a_minimum_is_attributed_by_removal() -> None:
    lowest = rubric("minimum", hook=1, depth=1)
    ranked = sample(lowest, [1, 0], (2, 5), (3, 3))

    (found,) = attribute(lowest, ranked, [(0, 1)], {})

    assert found.criterion == "hook"
    assert found.removal_reverses


def test_the_probability_of_an_order_is_that_of_simulation() -> None:
    means = np.array([[0.0, 0.3, 0.1, 1.2], [2.0, 1.0, 0.0, -1.0], [0.0, 50.0, 51.0, 90.0]])
    drawn = np.random.default_rng(1).normal(size=(400_000, 4))

    found = ordering_probability(means)

    for row, probability in zip(means, found, strict=True):
        simulated = (np.diff(drawn + row, axis=1) > 0).all(axis=1).mean()
        assert probability == pytest.approx(simulated, abs=3e-3)


def test_two_equal_values_are_ordered_by_chance() -> None:
    assert ordering_probability(np.array([[1.0, 1.0]]))[0] == pytest.approx(0.5, abs=1e-3)


def test_probabilities_sum_to_one_and_the_planted_criterion_is_first() -> None:
    found = blame(DRIFTED, SCALE, PASS.sub_scores, PASS.owner)

    assert sum(found.by_criterion.values()) + found.noise == pytest.approx(1)
    assert next(iter(found.by_criterion)) == "numbers"
    assert found.candidates[0] == "numbers"


def test_a_criterion_that_explains_no_more_than_another_is_not_named() -> None:
    twins = rubric(a=1, b=1, c=1)
    ranked = sample(twins, [1, 0], (3, 3, 5), (5, 5, 2))

    found = blame(twins, SCALE, ranked.sub_scores, ranked.owner)

    assert found.driver is None
    assert {"a", "b"} <= set(found.candidates)


def test_the_smallest_reweighting_is_proposed() -> None:
    found = adjust(DRIFTED, SCALE, PASS, "numbers")

    assert (found.action, found.weight) == ("reweight", 1.5)
    assert found.effect.resolves == ((0, 1),)
    assert found.effect.breaks == ()
    assert found.totals[0] > found.totals[1] > found.totals[2]


def test_a_weight_that_must_go_to_nothing_is_a_retirement() -> None:
    made = rubric(hook=1, numbers=4)
    ranked = sample(made, [1, 0], (3.01, 1), (3, 5))

    found = adjust(made, SCALE, ranked, "numbers")

    assert found.action == "retire"
    assert "numbers" not in found.after.weights


def test_where_no_weight_does_it_the_text_is_to_be_narrowed() -> None:
    made = rubric(hook=1, numbers=4)
    ranked = sample(made, [2, 1, 0], (4, 4), (3, 5), (3.5, 1))

    assert ranked.split(ranked.machine)[1] == {(0, 1)}
    found = adjust(made, SCALE, sample(made, [3, 2, 1, 0], (4, 4), (4, 5), (4.5, 4.5), (4.5, 1)), "numbers")

    assert found is None or found.effect.holds


def test_narrowing_names_whom_it_must_stop_rewarding() -> None:
    # Without numbers B would fall below C as it should, but A and C need numbers to stay in order.
    made = rubric(hook=1, numbers=1)
    ranked = sample(made, [2, 1, 0], (2, 5), (3, 3), (3.5, 3))

    found = adjust(made, SCALE, ranked, "hook")

    assert found.effect.holds


def test_a_change_that_breaks_a_pair_is_not_proposed() -> None:
    made = rubric(hook=1, numbers=1)
    ranked = sample(made, [1, 0], (4, 4), (3, 5))

    assert ranked.split(ranked.machine) == (set(), set())
    assert adjust(made, SCALE, ranked, "hook") is None or adjust(made, SCALE, ranked, "hook").effect.breaks == ()


def test_what_a_change_does_elsewhere_is_counted() -> None:
    after = DRIFTED.with_weights({"numbers": 1.5})
    earlier = sample(DRIFTED, [0, 1], (5, 5, 4), (4, 4, 5))

    assert leave_one_out(PASS, DRIFTED, after) == {"survives": 1, "of": 3}
    assert contradictions([("old", earlier)], DRIFTED, after) == [{"session": "old", "pair": ["B", "A"]}]
    moved = order_change(PASS.artifacts, PASS.sub_scores, SCALE.tie, DRIFTED, after)
    assert (moved["artifacts"], moved["moved"]) == (3, 2)
    assert {entry["artifact"] for entry in moved["largest"]} == {"A", "B"}


def test_ranks_share_their_places() -> None:
    assert ranks([3.0, 5.0, 5.0 + 1e-9, 1.0], 1e-6) == [3.0, 1.5, 1.5, 4.0]
