"""Signals: five stated reasons to call a passage supporting or conflicting, and no other."""

from __future__ import annotations

import pytest

from rubricator.memory.signals import Vocabulary, modality, records_decision, signals


def kinds(statement: str, rule: str) -> set[str]:
    return {signal.kind for signal in signals(statement, rule)}


@pytest.mark.parametrize(
    ("statement", "rule", "found"),
    [
        ("A loan of 21 days is fine.", "Books are lent for 21 days.", {"same_figure"}),
        ("A loan of 14 days is fine.", "Books are lent for 21 days.", {"other_figure"}),
        ("Staff may open the safe.", "Staff must not open the safe.", {"opposed"}),
        ("Staff must not open the safe.", "Staff may not open the safe.", {"same_rule"}),
        ("The fee was raised.", "There is a fee.", {"change"}),
        ("The loan costs $3.", "Books are lent for 21 days.", set()),
        ("Somebody said something.", "There is a fee.", set()),
    ],
)
def test_what_counts_as_a_signal(statement, rule, found) -> None:
    assert kinds(statement, rule) == found


def test_a_signal_says_what_it_rests_on() -> None:
    (signal,) = signals("A loan of 14 days.", "Books are lent for 21 days.")

    assert (signal.words, signal.departs) == ("14 days", True)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("You must ask first.", "required"),
        ("You may ask.", "allowed"),
        ("You may not ask.", "forbidden"),
        ("You don't need to ask.", "exempt"),
        ("You may ask, and must answer.", None),
        ("Nobody asked.", None),
    ],
)
def test_modality(text, found) -> None:
    assert modality(text) == found


def test_the_modality_that_counts_is_of_the_clause_about_the_matter() -> None:
    text = "Members may borrow films, but must return keys at the desk"

    assert modality(text, "who may borrow films") == "allowed"
    assert modality(text, "must return keys") == "required"


def test_decisions_are_told_by_their_words() -> None:
    assert records_decision("Agreed: 21 days from Monday.")
    assert not records_decision("We talked about 21 days.")


def test_one_word_in_common_is_no_overlap() -> None:
    vocabulary = Vocabulary(["Loans last three weeks.", "Fees are charged daily."])

    assert vocabulary.overlap("Loans last long.", "Loans are short.") == 0.0
    assert vocabulary.overlap("Loans last three weeks.", "Loans last three weeks.") == pytest.approx(1.0)
    assert vocabulary.coverage([], ["loans"]) == 0.0
