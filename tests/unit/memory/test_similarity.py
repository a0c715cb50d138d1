"""Similarity: what counts as a copy, and the differences that never do."""

from __future__ import annotations

import pytest

from rubricator.memory.similarity import SKETCH_SIZE, are_copies, sketch
from rubricator.memory.terms import STOP_WORDS, terms

POLICY = (
    "Agents read the notice aloud at the start of every call and ask for the account number before any change is made "
    "to an order. Then they tell the caller what the change means for the bill, where it can be looked up, and whom to "
    "ask about it later. Fees are waived {} when the customer asks within the agreed time and the team lead has "
    "written a note. The note names the reason, the date of the call and the person who agreed to it, so that the "
    "quality team can find both the call and the note when an evaluation is disputed by the agent or by the team lead."
)


def copies(one: str, other: str) -> bool:
    return are_copies(sketch(terms(one)), sketch(terms(other)))


def test_an_empty_text_is_a_copy_of_nothing() -> None:
    assert sketch([]) == b""
    assert not copies("", "")
    assert not copies("", "fee")
    assert not copies("fee", "…")


@pytest.mark.parametrize("text", ["fee", "waive fee", "waive the fee", POLICY, POLICY * 50])
def test_a_text_is_a_copy_of_itself(text) -> None:
    assert copies(text, text)
    assert copies(text, text.upper())
    assert copies(text, f"> {text}\n--\n")


def test_a_sketch_is_of_bounded_size() -> None:
    assert len(sketch([str(n) for n in range(10_000)])) == 4 * (SKETCH_SIZE + 1)
    assert len(sketch(["fee"])) == 8


def test_a_small_edit_of_a_long_text_leaves_a_copy() -> None:
    assert copies(POLICY.format(""), POLICY.format("gladly"))
    assert copies(POLICY.format("up to a limit"), POLICY.format("in part"))


def test_other_texts_are_no_copies() -> None:
    assert not copies(POLICY, "The greeting names the company and the agent. A first name is enough for callers.")
    assert not copies("waive fee", "fee waive")
    assert not copies("fee", "limit")


@pytest.mark.parametrize("share", [0.3, 0.5, 0.6])
def test_texts_that_share_only_a_part_are_no_copies(share) -> None:
    words = [f"{a}{b}word" for a in "abcdefghij" for b in "klmnopqrst"]
    kept = round(len(words) * share)

    assert not are_copies(sketch(words), sketch(words[:kept]))
    assert not are_copies(sketch(words), sketch([*words[:kept], *(f"other{word}" for word in words[kept:])]))


def test_a_part_is_no_copy_of_the_whole() -> None:
    assert not copies(POLICY, f"{POLICY} {' '.join(STOP_WORDS)}")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("up to $50", "up to $60"),
        ("up to $50", "up to $500"),
        ("", "2"),
        ("10am", "11am"),
        ("in 2024", "in 2025"),
        ("", "not"),
        ("", "never"),
        ("with a note", "without a note"),
        ("no", "none"),
        ("is", "isn't"),
        ("can", "cannot"),
        ("can", "can’t"),
        ("", "doesn't"),
        ("", "don't"),
        ("will", "WON'T"),
    ],
)
def test_texts_that_differ_in_a_number_or_a_negation_are_never_copies(one, other) -> None:
    assert not copies(POLICY.format(one), POLICY.format(other))
    assert not copies(POLICY.format(other), POLICY.format(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("should", "shouldn't"),
        ("must", "mustn't"),
        ("are", "aren't"),
        ("were", "weren't"),
        ("did", "didn't"),
        ("would", "wouldn't"),
        ("could", "couldn't"),
        ("has", "hasn't"),
        ("", "nobody"),
        ("", "nothing"),
        ("either", "neither"),
    ],
)
def test_every_negation_counts(one, other) -> None:
    assert not copies(POLICY.format(one), POLICY.format(other))


@pytest.mark.parametrize(("one", "other"), [("two", "three"), ("once", "twice"), ("v2", "v3"), ("Q1", "Q2")])
def test_numbers_in_words_count(one, other) -> None:
    assert not copies(POLICY.format(one), POLICY.format(other))


def test_a_number_that_moved_is_a_difference() -> None:
    assert not copies(POLICY.format("") + " 5 calls and 6 chats", POLICY.format("") + " 6 calls and 5 chats")


def test_the_spelling_of_a_number_is_no_difference() -> None:
    assert copies(POLICY.format("to $2,000"), POLICY.format("to 2k"))


@pytest.mark.parametrize("text", ["Fees are waived.", POLICY, "one two"])
def test_copying_is_mutual(text) -> None:
    for other in ("Fees are waived, gladly.", POLICY.replace("aloud", ""), "two one", ""):
        assert copies(text, other) == copies(other, text)
