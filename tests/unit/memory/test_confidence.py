"""Confidence: capped by rule, and never raised by more conflict, fewer sources or fewer dates."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricator.core.scope import SCOPES
from rubricator.memory.confidence import LEVELS, Weighed, weigh

NEAREST, *_, WIDEST = SCOPES
EVIDENCE = st.builds(
    Weighed,
    source=st.sampled_from("abcdef"),
    scope=st.sampled_from(SCOPES),
    dated=st.booleans(),
    standing=st.sampled_from(["decision", "statement", "quoted"]),
)
SOME = st.lists(EVIDENCE, max_size=6)


def decisions(count: int, scope: str = NEAREST, *, dated: bool = True) -> list[Weighed]:
    return [Weighed(f"{n}.md", scope, dated, "decision") for n in range(count)]  # type: ignore[arg-type]


def level(supporting, conflicting=(), *, champion=True) -> int:
    return LEVELS.index(weigh(supporting, conflicting, champion=champion).confidence)


def test_several_dated_decisions_of_the_score_under_a_champion_carry_all_that_is_claimed() -> None:
    assert weigh(decisions(3), [], champion=True).confidence == "high"
    assert weigh(decisions(3), [], champion=True, claimed="low").confidence == "low"
    assert weigh(decisions(3), [], champion=True).caps == ()


@pytest.mark.parametrize(
    ("supporting", "conflicting", "champion", "rule"),
    [
        ([], [], True, "count"),
        (decisions(1), [], True, "count"),
        (decisions(3, WIDEST), [], True, "scope"),
        (decisions(3, dated=False), [], True, "dates"),
        (decisions(3), decisions(2), True, "conflict"),
        ([replace(e, standing="quoted") for e in decisions(3)], [], True, "standing"),
        (decisions(3), [], False, "authority"),
    ],
)
def test_each_rule_caps_and_gives_its_reason(supporting, conflicting, champion, rule) -> None:
    weight = weigh(supporting, conflicting, champion=champion)

    assert weight.confidence != "high"
    assert rule in {cap.rule for cap in weight.caps}
    assert all(cap.reason for cap in weight.caps)


def test_nothing_that_supports_is_low() -> None:
    assert weigh([], [], champion=True).confidence == "low"


TABLE = """
evidence  dated  conflict | score   prefix  scorecard
none      yes    no       | low     low     low
none      yes    yes      | low     low     low
none      no     no       | low     low     low
none      no     yes      | low     low     low
one       yes    no       | medium  medium  medium
one       yes    yes      | low     low     low
one       no     no       | low     low     low
one       no     yes      | low     low     low
many      yes    no       | high    high    medium
many      yes    yes      | medium  medium  medium
many      no     no       | low     low     low
many      no     yes      | low     low     low
"""


def rows():
    head, *lines = TABLE.strip().splitlines()
    scopes = head.split("|")[1].split()
    for line in lines:
        given_, levels = line.split("|")
        for scope, expected in zip(scopes, levels.split(), strict=True):
            yield (*given_.split(), scope, expected)


@pytest.mark.parametrize(("count", "dated", "conflict", "scope", "expected"), list(rows()))
def test_the_table_of_confidence(count, dated, conflict, scope, expected) -> None:
    supporting = decisions({"none": 0, "one": 1, "many": 3}[count], scope, dated=dated == "yes")
    conflicting = decisions(1, scope) if conflict == "yes" else []

    assert weigh(supporting, conflicting, champion=True).confidence == expected


def test_the_table_is_whole() -> None:
    cases = {row[:4] for row in rows()}

    assert cases == set(itertools.product(("none", "one", "many"), ("yes", "no"), ("yes", "no"), SCOPES))


@given(SOME, SOME, EVIDENCE, st.booleans())
def test_more_conflict_never_raises_it(supporting, conflicting, more, champion) -> None:
    assert level(supporting, [*conflicting, more], champion=champion) <= level(
        supporting, conflicting, champion=champion
    )


@given(SOME, SOME, st.data())
def test_losing_a_date_never_raises_it(supporting, conflicting, data) -> None:
    if not supporting:
        return
    at = data.draw(st.integers(0, len(supporting) - 1))
    undated = [replace(e, dated=False) if n == at else e for n, e in enumerate(supporting)]

    assert level(undated, conflicting) <= level(supporting, conflicting)


@given(SOME, SOME, st.data())
def test_losing_dated_evidence_never_raises_it(supporting, conflicting, data) -> None:
    dated = [n for n, e in enumerate(supporting) if e.dated]
    if not dated:
        return
    at = data.draw(st.sampled_from(dated))

    assert level([e for n, e in enumerate(supporting) if n != at], conflicting) <= level(supporting, conflicting)
