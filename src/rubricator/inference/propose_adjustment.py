"""`propose-adjustment`: a change to one criterion. Three actions exist, and adding a criterion is none of them."""

from __future__ import annotations

import re
from typing import Final

from pydantic import Field

from rubricator.calibration.adjustments import Action
from rubricator.inference.contract import Answer, Contract, Given, Untrusted
from rubricator.inference.verbatim import MOST_PROSE, faults_of_prose

_MOST_GROWTH: Final = 2
_SPARE: Final = 400
_STRUCTURE = re.compile(r"^\s*(?:#{1,6}\s|[-*+]\s*(?:weight|added|source)\s*:|---\s*$)", re.MULTILINE | re.IGNORECASE)


class AdjustmentGiven(Given):
    """A criterion that inversions were attributed to, the words to blame, and the rubric it stands in.

    `inversions_caused` are sentences such as `The owner has C above A`, each with the explanation that was given.
    """

    criterion: str
    weight: float
    text: str
    quote: str
    inversions_caused: list[Untrusted]
    full_rubric: str


class AdjustmentAnswer(Answer):
    """The change."""

    action: Action = Field(description="One of the three; nothing can be added.")
    proposed_text: str | None = Field(
        max_length=8000, description="For narrow, the criterion's whole new text; else null."
    )
    weight: float | None = Field(description="For reweight, the new weight; else null.")
    rationale: str = Field(max_length=MOST_PROSE, description="Why this is the smallest change, in two sentences.")


def _check(given: AdjustmentGiven, answer: AdjustmentAnswer) -> list[str]:
    return _faults_of_change(given, answer) or faults_of_prose(
        answer.rationale, "rationale", (), [given.full_rubric, given.text, *given.inversions_caused]
    )


def _faults_of_change(given: AdjustmentGiven, answer: AdjustmentAnswer) -> list[str]:
    if answer.action == "narrow":
        return _faults_of_text(given, answer.proposed_text or "")
    if answer.action == "reweight":
        lowered = (
            answer.weight is not None
            and 0 < abs(answer.weight) < abs(given.weight)
            and answer.weight * given.weight > 0
        )
        return [] if lowered else [f"weight: it must lie between 0 and {given.weight:g}, both excluded."]
    return []


def _faults_of_text(given: AdjustmentGiven, text: str) -> list[str]:
    if not text.strip():
        return ["proposed_text: narrow needs the criterion's whole new text."]
    if " ".join(text.split()) == " ".join(given.text.split()):
        return ["proposed_text: it is the text as it stands."]
    if _STRUCTURE.search(text):
        return ["proposed_text: it must be plain text of this one criterion, without headings, weights or rules."]
    if len(text) > _MOST_GROWTH * len(given.text) + _SPARE:
        return ["proposed_text: it is much longer than the criterion. Narrow what it rewards; add nothing new."]
    return []


PROPOSE_ADJUSTMENT: Final = Contract("propose-adjustment", 2, AdjustmentGiven, AdjustmentAnswer, _check)
