"""`synthesize-evidence-pack`: labels for the evidence about one disputed item. Ids come back, and never evidence."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from rubricator.inference.contract import Answer, Contract, Given, Untrusted
from rubricator.inference.verbatim import MOST_PROSE, faults_of_prose
from rubricator.memory.confidence import Confidence
from rubricator.memory.synthesis import Classification

Prose = Annotated[str, Field(max_length=MOST_PROSE)]


class SectionGiven(Given):
    """A section of the official rubric."""

    citation_id: str
    text: str


class PassageGiven(Given):
    """A passage that was retrieved."""

    citation_id: str
    scope: str
    date: str | None
    text: Untrusted


class ItemGiven(Given):
    """The disputed item, as far as it is known."""

    text: Untrusted
    model_value: Untrusted
    model_explanation: Untrusted
    feedback_value: Untrusted
    feedback_comment: Untrusted


class PackGiven(Given):
    """The item, the rubric and the passages."""

    item: ItemGiven
    rubric: list[SectionGiven]
    passages: list[PassageGiven]


class PackAnswer(Answer):
    """The labels."""

    classification: Classification = Field(description="What rubric and passages make of the reviewer's side.")
    rubric_sections: list[str] = Field(max_length=6, description="Ids (rubric:...) of the sections that bear on it.")
    supporting: list[str] = Field(max_length=40, description="Ids (kb:...) of passages that bear the rubric out.")
    conflicting: list[str] = Field(max_length=40, description="Ids (kb:...) of passages that depart from the rubric.")
    explicit: str | None = Field(description="The id of the passage that says what the rubric leaves open, or null.")
    likely_reason: Prose = Field(description="Why the two sides disagree, in two sentences. Cite ids in brackets.")
    confidence: Confidence
    open_questions: list[Prose] = Field(max_length=5, description="What an expert should be asked.")


def _check(given: PackGiven, answer: PackAnswer) -> list[str]:
    sections = {section.citation_id: section.text for section in given.rubric}
    passages = {passage.citation_id: passage.text for passage in given.passages}
    found = [f"rubric_sections: {key} was not given." for key in answer.rubric_sections if key not in sections]
    for name in ("supporting", "conflicting"):
        found += [f"{name}: {key} was not given." for key in getattr(answer, name) if key not in passages]
    if answer.explicit is not None and answer.explicit not in passages:
        found.append(f"explicit: {answer.explicit} was not given.")
    if both := sorted(set(answer.supporting) & set(answer.conflicting)):
        found.append(f"{', '.join(both)} can't be supporting and conflicting at once.")
    if not answer.rubric_sections and answer.classification in {"rubric_supported", "rubric_conflicting"}:
        found.append(f"rubric_sections: {answer.classification} needs the section that it rests on.")
    if answer.classification == "possible_stale_rubric" and answer.explicit is None:
        found.append("explicit: possible_stale_rubric needs the newer passage that departs from the rubric.")
    known = {*sections, *passages}
    texts = [*sections.values(), *passages.values(), *(str(v) for v in given.item.model_dump().values())]
    texts += [str(getattr(given.item, name)) for name in type(given.item).model_fields]
    for where, prose in (
        ("likely_reason", answer.likely_reason),
        *(("open_questions", q) for q in answer.open_questions),
    ):
        found += faults_of_prose(prose, where, known, texts)
    return found


def _ids(given: PackGiven) -> set[str]:
    return {section.citation_id for section in given.rubric} | {passage.citation_id for passage in given.passages}


SYNTHESIZE_EVIDENCE_PACK: Final = Contract("synthesize-evidence-pack", 3, PackGiven, PackAnswer, _check, _ids)
