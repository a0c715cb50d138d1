"""The question gate: answered, opposed, partly answered or open, each with its citation and what to ask instead."""

from __future__ import annotations

import pytest
from tests.evidence import hit, official

from rubricator.errors import InputError
from rubricator.memory.gate import STATUSES, agenda, gate, gate_by, read_questions

RUBRIC = official(
    "# Loans\n\nBooks are lent for 21 days. A fine of $2 is charged for each late week.\n\n"
    "## Keys\n\nThe reading room needs a key from the desk."
)


def only(question: str, *hits):
    (gated,) = gate([question], RUBRIC, [list(hits)])
    return gated


def test_what_the_rubric_answers_is_suppressed_with_its_citation() -> None:
    gated = only("For how many days are books lent?")

    assert (gated.status, gated.action) == ("answered_by_rubric", "suppress")
    assert gated.citations[0]["quote"] == "Books are lent for 21 days."
    assert gated.to_json()["agenda"] is None


def test_what_only_the_corpus_answers_becomes_a_proposal() -> None:
    note = hit("Decided: lost library cards cost $5 to replace.", "2026-03-01")
    gated = only("How much does replacing lost library cards cost?", note)

    assert (gated.status, gated.action) == ("answered_by_corpus", "transform")
    assert gated.asked.startswith("Should the rubric be updated to say explicitly that “Decided: lost library cards")
    assert note.passage.citation_id in gated.asked


def test_dated_opposed_sources_are_kept_with_the_newest_last() -> None:
    new = hit("Lost library cards cost $8 to replace.", "2026-05-01")
    old = hit("Lost library cards cost $5 to replace.", "2025-03-01", rank=2)
    gated = only("How much does replacing lost library cards cost?", new, old)

    assert (gated.status, gated.action) == ("conflicting_evidence", "keep")
    assert [citation["date"] for citation in gated.citations] == ["2025-03-01", "2026-05-01"]
    assert gated.asked.index("$5") < gated.asked.index("$8")


def test_a_newer_answer_against_the_rubric_is_a_conflict_and_not_an_answer() -> None:
    gated = only("For how many days are books lent?", hit("Books are lent for 14 days from now on.", "2026-05-01"))

    assert gated.status == "conflicting_evidence"
    assert [citation["kind"] for citation in gated.citations] == ["rubric", "passage"]


def test_what_nobody_answers_is_kept_open() -> None:
    gated = only("Who chairs the gardening committee?", hit("The garden was watered.", "2026-01-01"))

    assert (gated.status, gated.action, gated.citations) == ("true_open_question", "keep", ())


@pytest.mark.parametrize("question", ["Keys?", "What about lent?", "Zeppelins and keys?", "Why is it so?", "???"])
def test_one_telling_word_in_common_is_no_answer(question) -> None:
    assert only(question, hit("Keys.", "2026-01-01")).status == "true_open_question"


def test_a_number_that_is_asked_for_must_be_there() -> None:
    with_words_only = hit("Replacing lost library cards costs a small sum.", "2026-03-01")

    assert only("How much does replacing lost library cards cost?", with_words_only).status != "answered_by_corpus"


def test_a_question_in_a_passage_answers_nothing() -> None:
    asked_before = hit("How much does replacing lost library cards cost, is it $5?", "2026-03-01")

    assert only("How much does replacing lost library cards cost?", asked_before).status == "true_open_question"


def test_the_agenda_has_conflicts_first_and_counts_all() -> None:
    note = hit("Decided: lost library cards cost $5 to replace.", "2026-03-01")
    newer = hit("Books are lent for 14 days from now on.", "2026-05-01")
    questions = [
        "How much does replacing lost library cards cost?",
        "Who waters it?",
        "For how many days are books lent?",
    ]
    told = agenda(gate(questions, RUBRIC, [[note], [], [newer]]))

    assert [entry["number"] for entry in told["agenda"]] == [3, 2, 1]
    assert told["counts"] == {"keep": 2, "transform": 1, "suppress": 0}
    assert [q["question"] for q in told["questions"]] == questions


def test_a_status_from_elsewhere_gets_its_words_here() -> None:
    note = hit("Decided: lost library cards cost $5 to replace.", "2026-03-01")
    for status, action in STATUSES.items():
        gated = gate_by(1, "How much is a card?", status, RUBRIC, (), (note,))
        assert gated.action == action
        assert gated.citations[0]["quote"] in note.passage.text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Agenda\n\n- one?\n- [ ] two?\n3. three?\n", ["one?", "two?", "three?"]),
        ("one?\n\ntwo?", ["one?", "two?"]),
    ],
)
def test_questions_are_read_from_lists_or_lines(text, found) -> None:
    assert read_questions(text) == found


def test_no_question_is_an_error() -> None:
    with pytest.raises(InputError):
        read_questions("# Agenda\n\n")
