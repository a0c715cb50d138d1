"""The evidence pack: one disputed item, the rubric's reading, and the evidence for and against it, all cited.

A synthesizer gives labels and ids. Here the words are attached, the history is put in order, the confidence is capped
and the open questions are added that the rules ask for, whoever the synthesizer was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rubricator.core.authority import Authority
from rubricator.core.fence import one_line
from rubricator.memory.confidence import SPARSE, Confidence, Standing, Weighed, Weight, weigh
from rubricator.memory.hits import Hit, excerpt, iso, oldest_first, shortened
from rubricator.memory.query import ITEM_FIELDS, DisputedItem
from rubricator.memory.rules import Rule
from rubricator.memory.signals import records_decision
from rubricator.memory.synthesis import Classification, Synthesis
from rubricator.memory.terms import words_of

_MOST_UNDATED = 3


@dataclass(frozen=True, slots=True)
class EvidencePack:
    """The analysis of one disputed item; the fields are described in the documentation of the JSON."""

    item: dict[str, Any]
    score_version_id: str
    rubric_reading: str
    rubric_quotes: list[dict[str, Any]]
    evidence_classification: Classification
    supporting_evidence: list[dict[str, Any]]
    conflicting_evidence: list[dict[str, Any]]
    historical_context: list[dict[str, Any]]
    history_of_change: list[dict[str, Any]]
    likely_reason_for_disagreement: str
    confidence: Confidence
    confidence_inputs: dict[str, Any]
    open_questions: list[str]
    synthesizer: dict[str, Any]
    authority: dict[str, Any]
    diagnostics: list[str]

    def to_json(self) -> dict[str, Any]:
        """The pack as one JSON object."""
        return {name: getattr(self, name) for name in self.__slots__}


def build_pack(
    item: DisputedItem,
    authority: Authority,
    hits: Sequence[Hit],
    synthesis: Synthesis,
    diagnostics: Sequence[str] = (),
) -> EvidencePack:
    """The pack that a synthesis of `hits` comes to. Every hit is in it, once."""
    by_id = {hit.passage.citation_id: hit for hit in hits}
    supporting = [by_id[key] for key in synthesis.supporting]
    conflicting = [by_id[key] for key in synthesis.conflicting]
    labels = dict.fromkeys(synthesis.supporting, "supporting") | dict.fromkeys(synthesis.conflicting, "conflicting")
    other = [hit for key, hit in by_id.items() if key not in labels]
    weight = weigh(
        [_weighed(hit) for hit in supporting],
        [_weighed(hit) for hit in conflicting],
        champion=authority.champion,
        claimed=synthesis.confidence,
    )
    wanted = words_of(f"{item.feedback_comment} {item.model_explanation}".strip() or item.text)

    says = {key: _says(hit, wanted, synthesis.words.get(key)) for key, hit in by_id.items()}

    def shown(found: Sequence[Hit]) -> list[dict[str, Any]]:
        return [_evidence(hit, says, synthesis.signals) for hit in found]

    return EvidencePack(
        item={"id": item.item_id or None, **{name: getattr(item, name) for name in ITEM_FIELDS}},
        score_version_id=authority.score_version_id,
        rubric_reading=_reading(synthesis.rules),
        rubric_quotes=[rule.to_json(authority.source) for rule in synthesis.rules],
        evidence_classification=synthesis.classification,
        supporting_evidence=shown(supporting),
        conflicting_evidence=shown(conflicting),
        historical_context=shown(other),
        history_of_change=[_event(hit, says, labels) for hit in oldest_first(hits)],
        likely_reason_for_disagreement=synthesis.likely_reason,
        confidence=weight.confidence,
        confidence_inputs={"claimed": synthesis.confidence, **weight.to_json()},
        open_questions=_questions(authority, synthesis, by_id, weight, says),
        synthesizer=dict(synthesis.made_by),
        authority={
            "citation_id": authority.citation_id,
            "scorecard": authority.scorecard,
            "score": authority.score,
            "source": authority.source,
            "champion": authority.champion,
        },
        diagnostics=[*authority.diagnostics, *diagnostics],
    )


def should_say(statement: str, *citations: str) -> str:
    """The question to the experts when something says what the rubric doesn't."""
    told = shortened(one_line(statement)).rstrip(".")
    return (
        f"Should the rubric be updated to say explicitly that “{told}”? {' '.join(f'[{c}]' for c in citations)}".strip()
    )


def _reading(found: Sequence[Rule]) -> str:
    if not found:
        return "No sentence of the rubric bears on this item."
    return " ".join(f"“{' '.join(rule.text.split())}” [{rule.citation_id}]" for rule in found)


def _weighed(hit: Hit) -> Weighed:
    standing: Standing = "decision" if records_decision(hit.passage.text) else "statement"
    return Weighed(hit.passage.source, hit.scope, hit.date is not None, "quoted" if hit.passage.quoted else standing)


def _says(hit: Hit, wanted: Sequence[str], meant: str | None) -> str:
    """The sentence of a passage to show: the one that was meant, else the one with most of the wanted terms."""
    return shortened(" ".join(meant.split())) if meant else excerpt(hit.passage.text, wanted)


def _evidence(hit: Hit, says: Mapping[str, str], signals: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    key = hit.passage.citation_id
    return {**hit.to_json(), "excerpt": says[key], "signals": list(signals.get(key, ()))}


def _event(hit: Hit, says: Mapping[str, str], labels: Mapping[str, str]) -> dict[str, Any]:
    key = hit.passage.citation_id
    return {
        "date": iso(hit.date),
        "citation_id": key,
        "source": hit.passage.source,
        "scope": hit.scope,
        "label": labels.get(key, "historical_context"),
        "excerpt": says[key],
    }


def _questions(
    authority: Authority, synthesis: Synthesis, by_id: Mapping[str, Hit], weight: Weight, says: Mapping[str, str]
) -> list[str]:
    """The questions that rules ask for, then those of the synthesizer; each once."""
    found: list[str] = []
    if synthesis.explicit:
        found.append(should_say(says[synthesis.explicit], synthesis.explicit))
    elif synthesis.classification == "rubric_gap":
        found.append("What should the rubric say about this? Neither it nor any passage found settles it.")
    if weight.counts["sources"] <= SPARSE:
        count = "No source" if not weight.counts["sources"] else "Only one source"
        found.append(
            f"{count} bears the reading out. Is there a decision about this that is not in the knowledge base?"
        )
    if synthesis.conflicting:
        dated = sorted(
            (by_id[key] for key in (*synthesis.supporting, *synthesis.conflicting)), key=lambda h: iso(h.date) or ""
        )
        listed = ", ".join(f"[{hit.passage.citation_id}] ({iso(hit.date) or 'undated'})" for hit in dated)
        found.append(f"Which of these holds, oldest first: {listed}?")
    undated = [key for key in (*synthesis.supporting, *synthesis.conflicting) if by_id[key].date is None]
    if undated:
        listed = ", ".join(f"[{key}]" for key in undated[:_MOST_UNDATED])
        found.append(f"When was {listed} written, and does it still hold?")
    if not authority.champion:
        found.append(f"Is version {authority.score_version_id} of the rubric the one in force?")
    return list(dict.fromkeys([*found, *synthesis.questions]))
