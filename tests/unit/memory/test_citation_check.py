"""Checking an answer: ids that do not exist, ids that went unused, and words that stand in none of the passages."""

from __future__ import annotations

import json

import pytest

from rubricator.memory.citation_check import check_citations

RUBRIC, MEMO, CHAT = "rubric:0123456789", "kb:aaaaaaaaaa", "kb:bbbbbbbbbb"
KNOWN = {
    RUBRIC: "# Fees\n\nLate fees are never waived.\nThe limit is $2500 per call, and no more.\n",
    MEMO: "During the storm, agents may waive   late\nfees – up to 40 dollars – with a note.\nAsk Dana’s team first.",
    CHAT: "Dana: the “storm rule” ended in March; nobody told the floor.",
}


def found(answer: str) -> list[tuple[str, str | None]]:
    return [(check.quote, check.found_in) for check in check_citations(answer, KNOWN).quotes]


# Ids


def test_an_answer_without_citations_passes_and_cites_nothing() -> None:
    check = check_citations("Nothing here.", KNOWN, [MEMO])

    assert (check.cited, check.unknown, check.unused, check.quotes) == ((), (), (MEMO,), ())
    assert check.passed


@pytest.mark.parametrize("answer", ["", " \n\n ", '"', "“”", '""" "" "', "[]", "...", "\x00", "- \n- \n1. "])
def test_odd_answers_pass(answer) -> None:
    assert check_citations(answer, KNOWN).passed
    assert check_citations(answer, {}).passed


def test_cited_ids_come_in_order_each_once() -> None:
    assert check_citations(f"{MEMO}, [{RUBRIC}] and ({MEMO}).", KNOWN).cited == (MEMO, RUBRIC)


def test_an_id_that_is_not_known_fails_the_answer() -> None:
    check = check_citations(f"See [kb:0000000000] and [{MEMO}].", KNOWN)

    assert check.unknown == ("kb:0000000000",)
    assert not check.passed


def test_unused_is_known_only_where_the_offer_is() -> None:
    answer = f"See [{MEMO}]."

    assert check_citations(answer, KNOWN).unused is None
    assert check_citations(answer, KNOWN, []).unused == ()
    assert check_citations(answer, KNOWN, [RUBRIC, MEMO, CHAT]).unused == (RUBRIC, CHAT)
    assert check_citations(answer, KNOWN, [RUBRIC]).passed


def test_an_id_with_more_digits_is_no_citation() -> None:
    assert check_citations("See kb:aaaaaaaaaa1 and KB:AAAAAAAAAA.", KNOWN).cited == ()


# Quotations


@pytest.mark.parametrize(
    "quote",
    [
        "agents may waive late fees",
        "AGENTS may waive late",
        "waive late fees – up to 40",
        "waive late fees — up to 40",
        "waive late fees - up to 40",
        "Dana's team first",
        "Dana’s team first.",
        "agents may waive...with a note",
        "During the storm […] up to 40 dollars",
        "During the storm [...] with a note…",
        "agents  may\twaive",
    ],
)
def test_case_space_and_the_shape_of_marks_do_not_count(quote) -> None:
    assert found(f'It says "{quote}" [{MEMO}].') == [(quote, MEMO)]


@pytest.mark.parametrize(("left", "right"), ['""', "“”", "«»", "„“", "„”"])
def test_quotation_marks_of_several_kinds(left, right) -> None:
    assert found(f"It says {left}agents may waive late fees{right} [{MEMO}].") == [("agents may waive late fees", MEMO)]
    assert found(f"It says {left}agents must waive late fees{right} [{MEMO}].") == [
        ("agents must waive late fees", None)
    ]


@pytest.mark.parametrize(
    "quote",
    [
        "agents must waive late fees",
        "agents may waive all late fees",
        "with a note [...] agents may waive",
        "up to 50 dollars",
        "Late fees are never waived",
    ],
)
def test_words_that_do_not_stand_there_are_a_misquotation(quote) -> None:
    check = check_citations(f'It says "{quote}" [{MEMO}].', KNOWN)

    assert [misquoted.quote for misquoted in check.misquoted] == [quote]
    assert not check.passed


def test_a_quotation_within_a_quotation_is_found() -> None:
    assert found(f"Dana said “the 'storm rule' ended in March” [{CHAT}].")[0][1] is None
    assert found(f'Dana said «the "storm rule" ended in March» [{CHAT}].')[0] == (
        'the "storm rule" ended in March',
        CHAT,
    )


@pytest.mark.parametrize("quote", ["storm rule", "waiver", "never ever", ""])
def test_short_quotations_are_terms_and_not_checked(quote) -> None:
    assert found(f'The "{quote}" is old [{MEMO}].') == []


def test_a_quotation_without_any_id_is_not_checked() -> None:
    assert found('They say "agents must waive all fees".') == []
    assert found(f'They say "agents must waive all fees".\n\nBut see [{MEMO}].') == []


def test_a_quotation_belongs_to_the_ids_of_its_sentence() -> None:
    answer = f'The rubric says "late fees are never waived" [{RUBRIC}]. The memo says "agents may waive" [{MEMO}].'
    swapped = f'The rubric says "late fees are never waived" [{MEMO}]. The memo says "agents may waive" [{RUBRIC}].'

    assert [place for _, place in found(answer)] == [RUBRIC, MEMO]
    assert [place for _, place in found(swapped)] == [None, None]


def test_a_quotation_without_an_id_in_its_sentence_belongs_to_those_of_its_paragraph() -> None:
    answer = f'It says "late fees are never waived". So the call fails [{MEMO}] [{RUBRIC}].'

    (check,) = check_citations(answer, KNOWN).quotes

    assert check.citation_ids == (MEMO, RUBRIC)
    assert check.found_in == RUBRIC


@pytest.mark.parametrize("marker", ["-", "*", "+", "1.", "2)"])
def test_a_list_item_stands_for_itself(marker) -> None:
    answer = f'{marker} "late fees are never waived"\n{marker} see [{RUBRIC}]'

    assert found(answer) == []


def test_an_unknown_id_holds_no_quotation() -> None:
    assert found('It says "agents may waive late fees" [kb:0000000000].') == [("agents may waive late fees", None)]


def test_the_prefix_of_fenced_lines_does_not_count() -> None:
    assert found(f"It says “late\n| fees – up to 40 dollars” [{MEMO}].")[0][1] == MEMO


def test_an_id_inside_the_marks_is_no_word() -> None:
    assert found(f'See "the memo [{MEMO}]" for it.') == []


def test_a_check_as_json() -> None:
    check = check_citations(f'It says "agents must waive fees" [{MEMO}], [kb:0000000000].', KNOWN, [MEMO, CHAT])
    value = check.to_json()

    assert json.loads(json.dumps(value)) == value
    assert value == {
        "passed": False,
        "cited": [MEMO, "kb:0000000000"],
        "unknown": ["kb:0000000000"],
        "unused": [CHAT],
        "quotes": [
            {"quote": "agents must waive fees", "citation_ids": [MEMO, "kb:0000000000"], "found_in": None},
        ],
    }
    assert check_citations("", KNOWN).to_json()["unused"] is None


def test_a_long_answer_is_checked_in_one_go() -> None:
    answer = f'It says "agents may waive late fees" [{MEMO}]. ' * 2000

    assert check_citations(answer, KNOWN).passed


@pytest.mark.parametrize(("left", "right"), ['""', "“”"])
def test_a_quotation_of_several_sentences_is_checked(left, right) -> None:
    answer = f"It says {left}Agents may waive any fee. No approval is needed.{right} [{MEMO}]"

    assert not check_citations(answer, KNOWN).passed


def test_an_omission_between_spaces_does_not_end_the_quotation() -> None:
    assert found(f'It says "agents may waive ... with a note" [{MEMO}].') == [
        ("agents may waive ... with a note", MEMO)
    ]
    assert not check_citations(f'It says "agents must waive ... any fee" [{MEMO}].', KNOWN).passed


def test_a_quotation_in_straight_marks_over_two_lines_is_checked() -> None:
    assert not check_citations(f'It says "agents may waive\nany fee at will" [{MEMO}].', KNOWN).passed


@pytest.mark.parametrize("quote", ["The limit is $250", "The limit is $2", "ate fees are never waived"])
def test_a_part_of_a_word_or_number_is_not_the_word(quote) -> None:
    assert not check_citations(f'It says "{quote}" [{RUBRIC}].', KNOWN).passed


@pytest.mark.parametrize("dash", ["\u2010", "\u2011", "\u2012", "\u2212"])
def test_the_shape_of_a_hyphen_does_not_count(dash) -> None:
    known = {MEMO: f"A follow{dash}up call is needed."}

    assert check_citations(f'It says "a follow-up call is needed" [{MEMO}].', known).passed


@pytest.mark.parametrize("quote", ["The limit is $2", "they get 3"])
def test_a_part_of_a_number_with_a_comma_or_point_is_not_the_number(quote) -> None:
    known = {MEMO: "The limit is $2,500 per call. For each of them they get 3.75 percent."}

    assert not check_citations(f'It says "{quote}" [{MEMO}].', known).passed


def test_a_mark_for_inches_opens_no_quotation() -> None:
    assert found(f'On a 5" screen it says "agents may waive late fees" [{MEMO}].') == [
        ("agents may waive late fees", MEMO)
    ]


def test_a_quotation_of_several_sentences_belongs_to_the_id_after_it() -> None:
    quote = "“During the storm, agents may waive late fees – up to 40 dollars – with a note. Ask Dana’s team first.”"

    assert found(f"See [{RUBRIC}]. It says {quote} [{MEMO}].")[0][1] == MEMO


def test_a_sentence_may_end_within_the_marks() -> None:
    answer = f"It is strict [{RUBRIC}]. It says “The limit is $2500 per call, and no more.” The memo differs [{MEMO}]."

    assert found(answer)[0][1] == RUBRIC


@pytest.mark.parametrize(
    "words",
    [
        "“During the storm, agents may waive late fees – up to 40 dollars – with a note. Ask Dana’s team first”",
        '"agents may waive ... with a note"',
        '"agents may waive late fees" ... so it goes',
    ],
)
def test_a_stop_within_a_sentence_does_not_lend_it_the_ids_of_another(words) -> None:
    answer = f"See the memo [{MEMO}]. It says {words} [{RUBRIC}]. So it is."

    assert [place for _, place in found(answer)] == [None]


@pytest.mark.parametrize(
    "written", ["[kb:12345678]", "[KB:0123456789]", "[kb:0123456789ab]", "[rubric:abc]", "kb:01234567"]
)
def test_what_is_written_as_an_id_but_is_none_is_unknown(written: str) -> None:
    check = check_citations(f"As decided {written}.", {})
    assert check.unknown == (written.strip("[]"),)
    assert not check.passed


def test_words_before_a_colon_are_no_ids() -> None:
    assert check_citations("The rubric: be polite. The rubric:be polite. See [1] and [kb].", {}).unknown == ()
