"""The part of a committed pass that is put to a model: it reads artifacts against criteria, and names one of them.

What it may be asked about is settled by arithmetic before. What it can't answer is said to be missing, and nothing
stands in its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rubricator.calibration import judged as judgement
from rubricator.calibration.packet import BlindPacket
from rubricator.core.rubric import Criterion, Rubric, shortest
from rubricator.errors import AnswerError, AnswerNeededError, ServiceError
from rubricator.inference.attribute_inversion import ATTRIBUTE_INVERSION, CriterionGiven, InversionGiven, criterion_of
from rubricator.inference.contract import A, Contract, G
from rubricator.inference.propose_adjustment import PROPOSE_ADJUSTMENT, AdjustmentGiven
from rubricator.inference.runner import Answered, Inference
from rubricator.inference.verbatim import located


class Consultation:
    """One pass put to a model.

    `needed` are the questions that a host agent has yet to answer, `missing` what nobody answered, and why.
    """

    def __init__(self, rubric: Rubric, packet: BlindPacket, inference: Inference) -> None:
        self._rubric = rubric
        self._texts = {artifact.label: artifact.text for artifact in packet.artifacts}
        self._inference = inference
        self._unreachable = ""
        self.needed: list[dict[str, Any]] = []
        self.missing: list[dict[str, str]] = []

    def judge(self, told: Mapping[str, Any], proposed: Mapping[str, Any]) -> dict[str, Any]:
        """Ask about every open inversion, then for a change to the criteria that were named, or for missing words."""
        attributions = [found for i in judgement.open_inversions(told) if (found := self._attributed(i)) is not None]
        caused = judgement.by_criterion(attributions)
        wordings = {p["id"]: words for p in judgement.wordless(proposed) if (words := self._wording(p)) is not None}
        return {
            "attributions": attributions,
            "drivers": [judgement.driver(self._criterion(name), len(pairs)) for name, pairs in caused.items()],
            "proposals": self._proposals(caused),
            "wordings": wordings,
            "records": self._inference.records,
            "missing": self.missing,
        }

    def _attributed(self, inversion: Mapping[str, Any]) -> dict[str, Any] | None:
        better, worse = inversion["preferred"], inversion["over"]
        given = InversionGiven(
            artifact_a=self._texts[better],
            artifact_b=self._texts[worse],
            user_order="artifact_a above artifact_b",
            machine_order="artifact_b above artifact_a",
            criteria=[CriterionGiven(name=c.name, text=c.text) for c in self._rubric.criteria],
        )
        answered = self._ask(ATTRIBUTE_INVERSION, given, f"the criterion that puts {worse} above {better}")
        if answered is None:
            return None
        named = criterion_of(given, answered.answer.criterion)
        quote = located(answered.answer.quote, named.text) if named else None
        if named is None or quote is None:  # the contract holds an answer to both
            return None
        return {
            "preferred": better,
            "over": worse,
            "criterion": named.name,
            "quote": quote,
            "explanation": answered.answer.explanation,
            "model": _model(answered),
        }

    def _proposals(self, caused: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for name, pairs in list(caused.items())[: judgement.MOST_PROPOSALS]:
            criterion = self._criterion(name)
            reasons = [f"{_order(p['preferred'], p['over'])} {p['explanation']}" for p in pairs]
            what = f"a change to “{name}”"
            adjustment = self._adjustment(criterion, pairs[0]["quote"], reasons, what)
            if adjustment is None:
                continue
            if reason := judgement.refusal(self._rubric, criterion, adjustment):
                self.missing.append({"what": what, "why": reason})
                continue
            found.append(judgement.proposal(len(found) + 1, criterion, adjustment, pairs))
        return found

    def _wording(self, proposal: Mapping[str, Any]) -> dict[str, Any] | None:
        """Words for a narrowing that holds by arithmetic; another action was tried there already, and doesn't hold."""
        what = f"words for {proposal['id']}"
        criterion = self._criterion(proposal["criterion"])
        reasons = [_order(*pair) for pair in proposal["resolves"]]
        adjustment = self._adjustment(criterion, criterion.text, reasons, what)
        if adjustment is None:
            return None
        if adjustment["action"] != "narrow":
            why = f"The model would {adjustment['action']} the criterion instead, which does not hold by arithmetic."
            self.missing.append({"what": what, "why": why})
            return None
        return {"text": adjustment["proposed_text"], **{key: adjustment[key] for key in ("rationale", "model")}}

    def _adjustment(self, criterion: Criterion, quote: str, reasons: Sequence[str], what: str) -> dict[str, Any] | None:
        given = AdjustmentGiven(
            criterion=criterion.name,
            weight=criterion.weight,
            text=criterion.text,
            quote=quote,
            inversions_caused=list(reasons),
            full_rubric=_written(self._rubric),
        )
        answered = self._ask(PROPOSE_ADJUSTMENT, given, what)
        return None if answered is None else {**answered.answer.model_dump(mode="json"), "model": _model(answered)}

    def _ask(self, contract: Contract[G, A], given: G, what: str) -> Answered[A] | None:
        """The answer, or None with the reason noted. After a service has failed it is not tried again."""
        if self._unreachable:
            self.missing.append({"what": what, "why": self._unreachable})
            return None
        try:
            return self._inference.ask(contract, given, missing=what)
        except AnswerNeededError as needed:
            self.needed += needed.requests
        except AnswerError as error:
            self.missing.append({"what": what, "why": error.message})
        except ServiceError as error:
            self._unreachable = error.message
            self.missing.append({"what": what, "why": error.message})
        return None

    def _criterion(self, name: str) -> Criterion:
        return next(c for c in self._rubric.criteria if c.name == name)


def _model(answered: Answered[A]) -> str:
    return str(answered.record["model"] or "the model")


def _order(better: str, worse: str) -> str:
    return f"The owner has {better} above {worse}; the evaluator has them the other way round."


def _written(rubric: Rubric) -> str:
    return "\n\n".join(f"{c.name} (weight {shortest(c.weight)}): {c.text}" for c in rubric.criteria)
