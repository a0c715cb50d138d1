"""The part of a pack, and of the gate, that is put to a model: it gets the texts, and gives labels and ids back."""

from __future__ import annotations

from collections.abc import Sequence

from rubricator.core.authority import Authority
from rubricator.inference.gate_questions import GATE_QUESTIONS, QuestionGiven, QuestionsGiven
from rubricator.inference.runner import Inference
from rubricator.inference.synthesize_evidence_pack import (
    SYNTHESIZE_EVIDENCE_PACK,
    ItemGiven,
    PackGiven,
    PassageGiven,
    SectionGiven,
)
from rubricator.memory.gate import Gated, gate_by
from rubricator.memory.hits import Hit, iso
from rubricator.memory.query import ITEM_FIELDS, DisputedItem
from rubricator.memory.rules import Rule, nearest_rules, rules
from rubricator.memory.synthesis import Synthesis

_RULES_A_SECTION = 2


def synthesize(item: DisputedItem, authority: Authority, hits: Sequence[Hit], inference: Inference) -> Synthesis:
    """The synthesis that a model gives. Raises AnswerError where it gives none that can be used."""
    given = PackGiven(
        item=ItemGiven(**{name: getattr(item, name) for name in ITEM_FIELDS}),
        rubric=_sections(authority),
        passages=_passages(hits),
    )
    answered = inference.ask(
        SYNTHESIZE_EVIDENCE_PACK,
        given,
        missing="the classification, the labels of the evidence and the likely reason for the disagreement",
    )
    answer = answered.answer
    return Synthesis(
        classification=answer.classification,
        rules=tuple(_quoted(authority, answer.rubric_sections, f"{item.feedback_comment} {item.model_explanation}")),
        supporting=tuple(dict.fromkeys(answer.supporting)),
        conflicting=tuple(dict.fromkeys(answer.conflicting)),
        likely_reason=answer.likely_reason,
        confidence=answer.confidence,
        questions=tuple(answer.open_questions),
        explicit=answer.explicit or "",
        made_by={"kind": inference.answerer.kind, **answered.record},
    )


def regate(
    unsettled: Sequence[Gated], found: Sequence[Sequence[Hit]], authority: Authority, inference: Inference
) -> list[Gated]:
    """The questions that arithmetic left open, as a model judges them; `found` are the passages of each."""
    asked = [
        QuestionGiven(number=gated.number, question=gated.question, passages=_passages(hits))
        for gated, hits in zip(unsettled, found, strict=True)
    ]
    given = QuestionsGiven(rubric=_sections(authority), questions=asked)
    answered = inference.ask(GATE_QUESTIONS, given, missing=f"the status of {len(asked)} questions")
    told = {entry.number: entry for entry in answered.answer.questions}
    return [
        gate_by(
            gated.number,
            gated.question,
            told[gated.number].status,
            authority,
            _quoted(authority, told[gated.number].citations, gated.question, each=1),
            [hit for hit in hits if hit.passage.citation_id in told[gated.number].citations],
        )
        for gated, hits in zip(unsettled, found, strict=True)
    ]


def _sections(authority: Authority) -> list[SectionGiven]:
    return [SectionGiven(citation_id=s.citation_id, text=s.text) for s in authority.sections()]


def _passages(hits: Sequence[Hit]) -> list[PassageGiven]:
    return [
        PassageGiven(citation_id=h.passage.citation_id, scope=h.scope, date=iso(h.date), text=h.passage.text)
        for h in hits
    ]


def _quoted(authority: Authority, cited: Sequence[str], about: str, each: int = _RULES_A_SECTION) -> list[Rule]:
    """The sentences of the cited sections that are nearest to what it is about: the words behind a citation."""
    every = rules(authority)
    return [
        rule
        for key in dict.fromkeys(cited)
        for rule in nearest_rules(about, [r for r in every if r.citation_id == key], each)
    ]
