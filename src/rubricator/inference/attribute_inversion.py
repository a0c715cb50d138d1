"""`attribute-inversion`: which criterion makes an evaluator order two artifacts otherwise than their owner does."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from rubricator.inference.contract import Answer, Contract, Given, Untrusted
from rubricator.inference.verbatim import MOST_PROSE, faults_of_prose, located


class CriterionGiven(Given):
    """A criterion of the rubric, word for word."""

    name: str
    text: str


class InversionGiven(Given):
    """Two artifacts, the two orders, and all criteria. No score is given: an order is all that there is to explain."""

    artifact_a: Untrusted
    artifact_b: Untrusted
    user_order: str
    machine_order: str
    criteria: list[CriterionGiven]


class InversionAnswer(Answer):
    """The criterion to blame."""

    criterion: str = Field(description="The name of one criterion, exactly as given.")
    quote: str = Field(
        description="Words of that criterion's text, copied without a change, that reward the wrong one."
    )
    explanation: str = Field(
        max_length=MOST_PROSE, description="Why those words favour one artifact, in two sentences."
    )


def criterion_of(given: InversionGiven, name: str) -> CriterionGiven | None:
    """The criterion of that name, however it is capitalised."""
    return next((c for c in given.criteria if c.name.casefold() == name.strip().casefold()), None)


def _check(given: InversionGiven, answer: InversionAnswer) -> list[str]:
    criterion = criterion_of(given, answer.criterion)
    if criterion is None:
        names = "; ".join(c.name for c in given.criteria)
        return [f"criterion: there is no “{answer.criterion}”. The criteria are: {names}."]
    if located(answer.quote, criterion.text) is None:
        return [f"quote: “{answer.quote}” does not stand in the text of “{criterion.name}”. Copy words from it."]
    given_texts = [*(c.text for c in given.criteria), given.artifact_a, given.artifact_b]
    return faults_of_prose(answer.explanation, "explanation", (), given_texts)


ATTRIBUTE_INVERSION: Final = Contract("attribute-inversion", 2, InversionGiven, InversionAnswer, _check)
