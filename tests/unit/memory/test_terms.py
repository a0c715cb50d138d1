"""Terms: one analysis for documents and queries, in which dress does not count and value does."""

from __future__ import annotations

import unicodedata

import pytest

from rubricator.memory.terms import MAX_TERM, STOP_WORDS, content_terms, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \t\n", []),
        ("—…!?()[]{}<>'’\"", []),
        ("🙂👍", []),
        ("Fees", ["fee"]),
        ("waived waiving waives", ["waiv", "waiv", "waiv"]),
        ("refund, refund; refund", ["refund", "refund", "refund"]),
        ("snake_case-and-hyphens", ["snake", "case", "and", "hyphen"]),
        ("a\x00b", ["a", "b"]),
    ],
)
def test_words_are_lower_case_stems_in_order_and_repeats_are_kept(text, expected) -> None:
    assert terms(text) == expected


def test_function_words_are_indexed_like_any_other() -> None:
    assert terms("the fee is not theirs") == ["the", "fee", "is", "not", "their"]


@pytest.mark.parametrize("dress", ["résumé", "RÉSUMÉ", "Résumé", "resume", "résumé's", "résumé’s"])
def test_case_accents_and_the_genitive_do_not_count(dress) -> None:
    assert terms(dress) == terms("resume")


@pytest.mark.parametrize(
    ("one", "other"), [("don't", "don’t"), ("straße", "STRASSE"), ("ﬁne", "fine"), ("boss’s", "boss")]
)
def test_spellings_of_one_word_are_one_term(one, other) -> None:
    assert terms(one) == terms(other)
    assert len(terms(one)) == 1


@pytest.mark.parametrize("word", ["résumé", "Müller", "ação", "Ελλάδα", "한국어 정책"])
def test_the_unicode_form_does_not_count(word) -> None:
    assert terms(unicodedata.normalize("NFD", word)) == terms(unicodedata.normalize("NFC", word))


@pytest.mark.parametrize(
    ("dress", "value"),
    [
        ("$2,000", "2000"),
        ("2000", "2000"),
        ("2k", "2000"),
        ("2K", "2000"),
        ("€2,000.00", "2000"),
        ("2.0k", "2000"),
        ("2000.", "2000"),
        ("(2,000)", "2000"),
        ("1.5k", "1500"),
        ("1,234,567", "1234567"),
        ("0.50", "0.5"),
        ("0.0", "0"),
        ("100", "100"),
        ("50%", "50"),
    ],
)
def test_a_number_is_its_value(dress, value) -> None:
    assert terms(dress) == [value]


@pytest.mark.parametrize(("one", "other"), [("2,00", "200"), ("1.5", "15"), ("20", "2"), ("007", "7"), ("3rd", "3")])
def test_other_numbers_are_other_terms(one, other) -> None:
    assert terms(one) != terms(other)


def test_a_number_within_a_word_belongs_to_the_word() -> None:
    assert terms("v2 3rd 10am q4") == ["v2", "3rd", "10am", "q4"]


@pytest.mark.parametrize("digits", ["1" + "0" * 15, "1234567890123456", "9" * 400])
def test_a_large_number_of_thousands_is_its_value(digits) -> None:
    assert terms(f"{digits}k") == terms(f"{digits}000")


def test_full_width_digits_are_digits() -> None:
    assert terms("２０００円") == ["2000", "円"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("政", ["政"]),
        ("政策", ["政策"]),
        ("退款政策", ["退款", "款政", "政策"]),
        ("환불 규정", ["환불", "규정"]),
        ("fee手数料fee", ["fee", "手数", "数料", "fee"]),
    ],
)
def test_scripts_without_spaces_are_cut_into_overlapping_pairs(text, expected) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize("unit", ["x", "9", "xé"])
def test_very_long_tokens_are_cut_and_still_match_themselves(unit) -> None:
    token = unit * 5000

    (term,) = terms(token)

    assert len(term) <= MAX_TERM
    assert terms(f"see {token}, there")[1] == term


def test_content_terms_leave_out_function_words_in_any_form() -> None:
    assert content_terms(terms("What is the limit for ALL fees, if there are any?")) == ["limit", "fee"]


def test_a_query_of_function_words_stays_a_query() -> None:
    assert content_terms(terms("who is it?")) == ["who", "is", "it"]
    assert content_terms([]) == []


def test_every_stop_word_is_recognised() -> None:
    assert content_terms([*terms(" ".join(sorted(STOP_WORDS))), "fee"]) == ["fee"]
