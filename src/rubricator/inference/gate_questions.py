"""`gate-questions`: which proposed questions rubric and corpus already answer. Statuses and ids come back, no words."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from rubricator.inference.contract import Answer, Contract, Given, Untrusted
from rubricator.inference.synthesize_evidence_pack import PassageGiven, SectionGiven
from rubricator.memory.gate import Status

_TWO_SIDES: Final = 2


class QuestionGiven(Given):
    """A proposed question, with the passages that were found for it."""

    number: int
    question: Untrusted
    passages: list[PassageGiven]


class QuestionsGiven(Given):
    """The rubric and the questions."""

    rubric: list[SectionGiven]
    questions: list[QuestionGiven]


class QuestionGated(Answer):
    """The status of one question."""

    number: int
    status: Status
    citations: list[str] = Field(max_length=10, description="Ids of the sections and passages that it rests on.")


class QuestionsAnswer(Answer):
    """The status of every question."""

    questions: list[QuestionGated]


def _check(given: QuestionsGiven, answer: QuestionsAnswer) -> list[str]:
    asked, told = [q.number for q in given.questions], [q.number for q in answer.questions]
    if sorted(told) != sorted(asked):
        return [f"questions: each of the numbers {asked} must be there once; there are {told}."]
    sections = {section.citation_id for section in given.rubric}
    offered = {q.number: {p.citation_id for p in q.passages} for q in given.questions}
    return [fault for entry in answer.questions for fault in _faults(entry, sections, offered[entry.number])]


def _faults(entry: QuestionGated, sections: set[str], passages: set[str]) -> list[str]:
    unknown = [key for key in entry.citations if key not in sections and key not in passages]
    if unknown:
        return [f"question {entry.number}: {', '.join(unknown)} was not given for it."]
    cited_rubric, cited_passage = sections & set(entry.citations), passages & set(entry.citations)
    lacking = {
        "answered_by_rubric": "" if cited_rubric else "a section of the rubric",
        "answered_by_corpus": "" if cited_passage else "a passage",
        "partially_answered": "" if entry.citations else "what answers part of it",
        "conflicting_evidence": "" if cited_passage and len(set(entry.citations)) >= _TWO_SIDES else "both sides",
        "true_open_question": "",
    }[entry.status]
    return [f"question {entry.number}: {entry.status} needs {lacking} among its citations."] if lacking else []


def _ids(given: QuestionsGiven) -> set[str]:
    passages = {passage.citation_id for question in given.questions for passage in question.passages}
    return passages | {section.citation_id for section in given.rubric}


GATE_QUESTIONS: Final = Contract("gate-questions", 3, QuestionsGiven, QuestionsAnswer, _check, _ids)
