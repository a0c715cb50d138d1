"""Queries: which terms of an asker's words, or of a disputed item, count, and how much."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from rubricator.errors import InputError
from rubricator.memory.query import ITEM_FIELDS, MAX_TERMS, DisputedItem, item_query, text_query


@dataclass
class Counts:
    """An index that holds every term in `default` passages, but for those in `held`."""

    held: Mapping[str, int] = field(default_factory=dict)
    default: int = 1
    passage_count: int = 1000
    asked: int = 0

    def passages_with(self, term: str) -> int:
        self.asked += 1
        return self.held.get(term, self.default)


ITEM = DisputedItem(
    text="Caller asks about a late charge on the storm invoice.",
    model_value="No",
    model_explanation="The agent promised a waiver without approval.",
    feedback_value="Yes",
    feedback_comment="During the storm every agent may waive, see the memo.",
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\x00",
        '"',
        "\"who\" 'may' waive",
        "fee AND NOT (limit OR",
        "title:fee +must -not ^2 ~ *?",
        "a-b: c\\d/e [f] {g} !h",
        "field:value:more",
        "🙂👍🏽 👩‍👩‍👧",
        "退款政策是什么？",
        "¿Quién puede?",
        "\ud800",
        "\u200b\u202e",
        "who is it",
        "x" * 100_000,
        "word " * 10_000,
        " ".join(f"w{n}" for n in range(10_000)),
    ],
)
def test_any_text_is_a_query(text) -> None:
    query = text_query(text, Counts())

    assert query.text == text
    assert len(query.terms) <= MAX_TERMS
    assert all(weight > 0 for _, weight in query.terms)
    assert len(dict(query.terms)) == len(query.terms)


@pytest.mark.parametrize("text", ["", "…", "?!", "🙂"])
def test_a_text_without_words_has_no_terms(text) -> None:
    assert text_query(text, Counts()).terms == ()


def test_an_index_without_passages_gives_no_terms() -> None:
    assert text_query("late fee", Counts(default=0, passage_count=0)).terms == ()


def test_terms_that_no_passage_holds_are_left_out() -> None:
    assert [term for term, _ in text_query("late fee waiver", Counts({"late": 0})).terms] == ["fee", "waiver"]


def test_function_words_are_left_out_unless_there_is_nothing_else() -> None:
    assert [term for term, _ in text_query("who may waive the fee?", Counts()).terms] == ["fee", "may", "waiv"]
    assert {term for term, _ in text_query("who is it?", Counts()).terms} == {"who", "is", "it"}


def test_repeats_weigh_more() -> None:
    query = text_query("fee limit fee", Counts())

    assert query.terms == (("fee", 2.0), ("limit", 1.0))


def test_rare_terms_come_first_and_ties_go_by_the_alphabet() -> None:
    query = text_query("common rare beta alpha", Counts({"common": 900, "rare": 1}, default=50))

    assert [term for term, _ in query.terms] == ["rare", "alpha", "beta", "common"]


def test_a_term_that_every_passage_holds_still_counts_a_little() -> None:
    assert text_query("fee", Counts({"fee": 1000})).terms == (("fee", 1.0),)


def test_of_many_terms_those_that_tell_passages_apart_are_chosen() -> None:
    rare = [f"rare{n}" for n in range(MAX_TERMS)]
    text = " ".join([f"common{n}" for n in range(200)] + rare)

    query = text_query(text, Counts(dict.fromkeys(rare, 1), default=400))

    assert {term for term, _ in query.terms} == set(rare)


def test_a_book_costs_no_more_than_a_letter() -> None:
    index = Counts()

    text_query(" ".join(f"w{n}" for n in range(50_000)) + " fee fee", index)

    assert index.asked <= 2000


def test_the_most_frequent_terms_of_a_book_are_looked_at() -> None:
    text = "zebra zebra " + " ".join(f"w{n}" for n in range(50_000))

    assert text_query(text, Counts()).terms[0] == ("zebra", 2.0)


# Disputed items


def test_what_is_argued_about_outweighs_what_the_item_tells() -> None:
    weights = dict(item_query(ITEM, Counts()).terms)

    assert weights["memo"] == ITEM_FIELDS["feedback_comment"]
    assert weights["approv"] == ITEM_FIELDS["model_explanation"]
    assert weights["invoic"] == ITEM_FIELDS["text"]
    assert weights["storm"] == ITEM_FIELDS["feedback_comment"] + ITEM_FIELDS["text"]
    assert weights["memo"] > weights["approv"] > weights["invoic"]


def test_repeats_in_an_item_weigh_less_than_once_each() -> None:
    weights = dict(item_query(DisputedItem(text="fee fee fee fee"), Counts()).terms)

    assert weights == {"fee": 2.0}


def test_an_item_of_ten_thousand_words_keeps_the_comment() -> None:
    item = DisputedItem(text=" ".join(f"w{n}" for n in range(10_000)), feedback_comment="see the storm memo")

    terms = [term for term, _ in item_query(item, Counts()).terms]

    assert len(terms) == MAX_TERMS
    assert set(terms[:3]) == {"memo", "see", "storm"}


def test_an_items_text_begins_with_the_argument_and_leaves_out_what_is_empty() -> None:
    assert item_query(DisputedItem(text=" late fee ", feedback_comment="see memo"), Counts()).text == (
        "see memo\nlate fee"
    )


def test_an_item_without_words_has_no_terms() -> None:
    assert item_query(DisputedItem(text=""), Counts()).terms == ()


def test_an_item_from_json_takes_the_known_keys() -> None:
    item = DisputedItem.from_json(
        {"id": 12, "text": "Late fee.", "model_value": None, "feedback_value": 4, "other": []}
    )

    assert item == DisputedItem(text="Late fee.", feedback_value="4", item_id="12")


@pytest.mark.parametrize("value", [None, [], "text", 3, {}, {"id": "1"}, {"text": " \n"}, {"comment": "x"}])
def test_what_is_no_item_is_refused(value) -> None:
    with pytest.raises(InputError) as refusal:
        DisputedItem.from_json(value)

    assert all(name in refusal.value.hint for name in ITEM_FIELDS)


def test_one_field_is_enough() -> None:
    for name in ITEM_FIELDS:
        assert getattr(DisputedItem.from_json({name: "fee"}), name) == "fee"
