"""Held to the letter: what a model quotes must stand there, and what it cites must have been given."""

from __future__ import annotations

import pytest

from rubricator.inference.verbatim import faults_of_prose, located


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("two  words", "here are two\nwords.", "two\nwords"),
        ("Two words", "here are two words.", None),
        ("", "anything", None),
        ("two", "", None),
        ("a (b) [c]", "see a (b) [c].", "a (b) [c]"),
    ],
)
def test_a_quote_is_found_to_the_letter_but_for_white_space(quote, text, found) -> None:
    assert located(quote, text) == found


@pytest.mark.parametrize(
    ("prose", "faults"),
    [
        ("It follows [kb:1111111111].", 0),
        ("It follows [kb:2222222222].", 1),
        ("It follows [kb:22].", 1),
        ("He said “the limit is thirty dollars”.", 0),
        ("He said “the limit is forty dollars”.", 1),
        ('She said "the limit is forty dollars", «the limit is fifty dollars».', 2),
        ("A “short” word.", 0),
    ],
)
def test_prose_may_cite_and_quote_only_what_was_given(prose, faults) -> None:
    found = faults_of_prose(prose, "reason", ["kb:1111111111"], ["We agreed that the limit is thirty dollars."])

    assert len(found) == faults
    assert all(fault.startswith("reason: ") for fault in found)
