"""Ranking: the floor, the collapse of copies, scope before relevance, the cap per source, and the rules for ties."""

from __future__ import annotations

import datetime as dt
import itertools
import random
from array import array
from typing import Any

import pytest

from rubricator.memory.ranking import FLOOR, Candidate, Ranked, clear_floor, rank
from rubricator.memory.similarity import are_copies, sketch
from rubricator.memory.terms import terms

OLD, NEW = dt.date(2025, 1, 10), dt.date(2026, 2, 3)
SCOPES = ("score", "prefix", "prefix", "scorecard")
"""The scopes of the roots 0 to 3: the score's own, a long prefix, a short one, the scorecard's."""
NOTE = sketch(terms("Late fees are waived when the customer asks within the agreed time and the lead agrees."))


def candidate(number: int, relevance: float = 1.0, root: int = 0, **facts: Any) -> Candidate:
    facts = {"date": None, "source": f"s{number}.md", "start": 0} | facts
    return Candidate(number, relevance, SCOPES[root], root, **facts)


def numbers(ranked: list[Ranked]) -> list[int]:
    return [entry.candidate.number for entry in ranked]


# The floor


@pytest.mark.parametrize(
    ("relevances", "floor", "kept"),
    [
        ([], 0.5, []),
        ([0.3], 0.5, [0.3]),
        ([4.0, 2.0, 1.99], 0.5, [4.0, 2.0]),
        ([1.0, 4.0, 2.5], 0.5, [4.0, 2.5]),
        ([4.0, 0.1], 0.0, [4.0, 0.1]),
        ([4.0, 3.9, 4.0], 1.0, [4.0, 4.0]),
        ([0.0, 0.0], 0.5, [0.0, 0.0]),
    ],
)
def test_the_floor_is_a_share_of_the_best_relevance(relevances, floor, kept) -> None:
    pairs = [(relevance, number) for number, relevance in enumerate(relevances)]

    cleared = clear_floor(iter(pairs), floor)

    assert [relevance for relevance, _ in cleared] == kept
    assert [pair for pair in pairs if pair in cleared] == cleared


def test_the_floor_has_a_default() -> None:
    assert clear_floor([(10.0, 1), (10.0 * FLOOR, 2), (10.0 * FLOOR - 0.01, 3)]) == [(10.0, 1), (10.0 * FLOOR, 2)]


def test_the_floor_comes_before_the_order() -> None:
    found = [(10.0, 1), (1.0, 2), (6.0, 3)]
    root = {1: 3, 2: 0, 3: 0}

    ranked = rank(candidate(number, relevance, root[number]) for relevance, number in clear_floor(found))

    assert numbers(ranked) == [3, 1]


# Order


def test_scope_comes_before_relevance_and_the_longest_prefix_first() -> None:
    found = [candidate(1, 9, root=3), candidate(2, 8, root=2), candidate(3, 5, root=1), candidate(4, 4, root=0)]

    assert numbers(rank(found)) == [4, 3, 2, 1]
    assert numbers(rank(found, order="relevance")) == [1, 2, 3, 4]


def test_within_a_scope_the_more_relevant_comes_first() -> None:
    found = [candidate(1, 1.0), candidate(2, 3.0), candidate(3, 2.0)]

    assert numbers(rank(found)) == [2, 3, 1]


@pytest.mark.parametrize("order", ["scope", "relevance"])
def test_ties_go_to_the_newer_then_by_source_and_span(order) -> None:
    found = [
        candidate(1, date=None, source="a.md"),
        candidate(2, date=OLD, source="c.md", start=5),
        candidate(3, date=OLD, source="c.md", start=0),
        candidate(4, date=OLD, source="b.md", start=9),
        candidate(5, date=NEW, source="z.md"),
    ]

    for order_of_input in itertools.permutations(found):
        assert numbers(rank(order_of_input, order=order, per_source=None)) == [5, 4, 3, 2, 1]


def test_a_newer_source_wins_a_tie_over_a_narrower_scope_by_relevance_only() -> None:
    found = [candidate(1, root=0, date=OLD), candidate(2, root=3, date=NEW)]

    assert numbers(rank(found, order="relevance")) == [2, 1]
    assert numbers(rank(found, order="scope")) == [1, 2]


def test_float_noise_makes_no_order() -> None:
    found = [candidate(1, 1.0 + 1e-9, date=OLD), candidate(2, 1.0, date=NEW)]

    assert numbers(rank(found)) == [2, 1]


# Copies


def test_copies_collapse_to_the_most_specific_scope_then_the_newest_date() -> None:
    found = [
        candidate(1, 9.0, root=3, date=NEW, sketch=NOTE),
        candidate(2, 8.0, root=1, date=OLD, sketch=NOTE),
        candidate(3, 7.0, root=1, date=NEW, sketch=NOTE),
        candidate(4, 6.0, root=2, date=NEW, sketch=NOTE),
        candidate(5, 5.0, root=1, date=None, sketch=NOTE),
    ]

    (only,) = rank(found)

    assert only.candidate.number == 3
    assert [copy.number for copy in only.copies] == [2, 5, 4, 1]


def test_a_group_stands_where_its_most_specific_copy_stands() -> None:
    found = [
        candidate(1, 9.0, root=3, sketch=NOTE),
        candidate(2, 5.0, root=0, sketch=NOTE),
        candidate(3, 7.0, root=0),
        candidate(4, 8.0, root=1),
    ]

    assert numbers(rank(found)) == [3, 2, 4]
    assert numbers(rank(found, order="relevance")) == [4, 3, 2]


@pytest.mark.parametrize(("one", "other"), [("$50", "$60"), ("2 days", "3 days"), ("", "not"), ("with", "without")])
def test_texts_that_differ_in_a_number_or_a_negation_stand_apart(one, other) -> None:
    words = "The fee is {} waived when the customer asks within the time that the lead agreed on with the billing team"
    found = [
        candidate(number, sketch=sketch(terms(words.format(middle)))) for number, middle in enumerate((one, other))
    ]

    ranked = rank(found)

    assert len(ranked) == 2
    assert not any(entry.copies for entry in ranked)


def test_passages_without_terms_are_copies_of_nothing() -> None:
    assert len(rank([candidate(1, sketch=b""), candidate(2, sketch=b"")])) == 2


@pytest.mark.parametrize("words", ["fee", "late fees", "late fees waived"])
def test_short_copies_collapse_too(words) -> None:
    assert len(rank(candidate(number, sketch=sketch(terms(words))) for number in range(3))) == 1


def test_copies_are_found_among_many_other_passages() -> None:
    others = [candidate(n, 1.0, sketch=sketch([f"w{n}x{i}" for i in range(30)])) for n in range(500)]
    copies = [candidate(n, 2.0, root=n % 4, sketch=NOTE) for n in range(500, 504)]

    ranked = rank([*others, *copies], limit=1000)

    assert len(ranked) == 501
    assert numbers(ranked)[0] == 500
    assert len(ranked[0].copies) == 3


def hashes(*values: int) -> bytes:
    """A sketch of these hashes, with no number or negation to guard."""
    return array("I", [0, *sorted(values)]).tobytes()


def test_copies_collapse_when_some_of_their_smallest_hashes_differ() -> None:
    one, other = hashes(*range(1, 25)), hashes(1, 3, 5, 7, *range(9, 25), *range(90, 94))

    assert are_copies(one, other)
    assert len(rank([candidate(1, sketch=one), candidate(2, sketch=other)])) == 1


def test_a_chain_of_copies_is_cut_the_same_from_any_order() -> None:
    chain = [hashes(*range(start, start + 24)) for start in (0, 3, 6)]
    found = [candidate(n, 3.0 - n, sketch=shape) for n, shape in enumerate(chain)]

    assert [are_copies(chain[a], chain[b]) for a, b in ((0, 1), (1, 2), (0, 2))] == [True, True, False]
    for order_of_input in itertools.permutations(found):
        ranked = rank(order_of_input)
        assert [(entry.candidate.number, [copy.number for copy in entry.copies]) for entry in ranked] == [
            (0, [1]),
            (2, []),
        ]


def test_copies_do_not_fill_the_limit() -> None:
    found = [candidate(n, 2.0, sketch=NOTE) for n in range(20)] + [candidate(99, 1.0)]

    assert numbers(rank(found, limit=2)) == [0, 99]


# Caps


def test_per_source_keeps_the_best_of_each_source() -> None:
    found = [candidate(n, 10.0 - n, source=f"{n % 2}.md", start=n) for n in range(6)]

    assert numbers(rank(found)) == [0, 1]
    assert numbers(rank(found, per_source=2)) == [0, 1, 2, 3]
    assert numbers(rank(found, per_source=None)) == [0, 1, 2, 3, 4, 5]


def test_the_cap_comes_before_the_limit() -> None:
    found = [candidate(n, 10.0 - n, source="a.md", start=n) for n in range(5)] + [candidate(9, 1.0, source="b.md")]

    assert numbers(rank(found, limit=2)) == [0, 9]


def test_a_copy_counts_for_the_source_that_stands_for_it_only() -> None:
    found = [
        candidate(1, 5.0, root=0, source="a.md", sketch=NOTE),
        candidate(2, 5.0, root=3, source="b.md", sketch=NOTE),
        candidate(3, 4.0, root=3, source="b.md", start=50),
    ]

    assert numbers(rank(found)) == [1, 3]


@pytest.mark.parametrize("limit", [0, 1, 3, 100])
def test_the_limit_is_kept(limit) -> None:
    assert len(rank((candidate(n) for n in range(10)), limit=limit)) == min(limit, 10)


def test_nothing_found_is_nothing_ranked() -> None:
    assert rank([]) == []


def test_one_candidate_is_ranked_as_it_is() -> None:
    only = candidate(1, sketch=NOTE)

    assert rank([only]) == [Ranked(only)]


def test_a_thousand_candidates_come_out_the_same_from_any_order() -> None:
    source = random.Random(7)
    found = [
        candidate(
            n,
            round(source.uniform(1, 2), 1),
            root=source.randrange(4),
            date=source.choice([None, OLD, NEW]),
            source=f"{source.randrange(50)}.md",
            start=n,
            sketch=sketch([f"{n % 90}", "late", "fee", "waiv", *(f"w{n % 90}x{i}" for i in range(20))]),
        )
        for n in range(1000)
    ]
    expected = rank(found, limit=1000, per_source=3)
    source.shuffle(found)

    assert rank(found, limit=1000, per_source=3) == expected
    assert sum(len(entry.copies) for entry in expected)
