"""Asks, validates, gives one chance to mend, and fails closed. The same for every contract and every answerer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol

from rubricator.core.identity import tagged_hash
from rubricator.errors import AnswerError, ServiceError
from rubricator.inference.contract import A, Contract, G, Question, question

_CHARACTERS_PER_TOKEN = 4
_MOST_REPEATED = 6000  # characters: an answer that ran away must leave room for a second one


@dataclass(frozen=True, slots=True)
class Reply:
    """What an answerer said. Tokens and cost (US dollars) are None where it doesn't tell."""

    text: str
    model: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None


class Answerer(Protocol):
    """Something that answers questions: a model behind an endpoint, a procedure, a host agent."""

    @property
    def kind(self) -> str:
        """Which of the ways to answer it is: `endpoint`, `tactus`, `host`."""
        ...

    @property
    def identity(self) -> str:
        """What its answers are cached under: another model is another identity."""
        ...

    def ask(self, asked: Question) -> Reply:
        """The reply to one question. Raises ServiceError where there is none."""
        ...

    def close(self) -> None:
        """Let go of whatever it holds: connections, processes."""
        ...


class AnswerCache(Protocol):
    """Keeps answers by the hash of everything that they depend on."""

    def find(self, key: str) -> Mapping[str, Any] | None:
        """What was kept under a key, or None."""
        ...

    def keep(self, key: str, value: Mapping[str, Any]) -> None:
        """Keep an answer."""
        ...


@dataclass(frozen=True, slots=True)
class Answered(Generic[A]):
    """A valid answer, and the record of how it was come by."""

    answer: A
    record: dict[str, Any]


@dataclass
class Inference:
    """One run's way to ask: an answerer, a cache (None: every question is asked), and a budget of tokens.

    `prompt` gives the instructions of a contract by its name, `seconds` reads a clock. `records` are those of all
    answers so far, those that failed too.
    """

    answerer: Answerer
    prompt: Callable[[str], str]
    seconds: Callable[[], float]
    cache: AnswerCache | None = None
    token_budget: int = 200_000
    records: list[dict[str, Any]] = field(default_factory=list)
    _spent: int = 0

    def ask(self, contract: Contract[G, A], given: G, *, missing: str) -> Answered[A]:
        """The answer to `contract` for `given`; `missing` says what there is none of when this fails.

        Raises AnswerError where two answers were refused, or the budget of tokens would be passed; whatever the
        answerer raises.
        """
        asked = question(contract, given, self.prompt(contract.name))
        key = tagged_hash("answer", [asked.request, self.answerer.kind, self.answerer.identity])
        if found := self._cached(contract, given, key):
            self.records.append(found.record)
            return found
        record = {
            "contract": contract.name,
            "version": contract.version,
            "request": asked.request,
            "answerer": self.answerer.kind,
            "model": None,
            "tokens_in": 0,
            "tokens_out": 0,
            "cost_usd": None,
            "seconds": 0.0,
            "repaired": False,
            "cached": False,
        }
        self.records.append(record)
        answer, text = self._answered(contract, given, asked, record, missing)
        if self.cache is not None:
            self.cache.keep(key, {"text": text, "record": record})
        return Answered(answer, record)

    def close(self) -> None:
        """Let the answerer go."""
        self.answerer.close()

    def _answered(
        self, contract: Contract[G, A], given: G, asked: Question, record: dict[str, Any], missing: str
    ) -> tuple[A, str]:
        """A valid answer by at most two questions, and its text."""
        for last in (False, True):
            reply = self._reply(asked, record, missing)
            answer, problems = contract.read(given, reply.text)
            if answer is not None:
                return answer, json.dumps(answer.model_dump(mode="json"), ensure_ascii=False)
            if last:
                break
            record["repaired"] = True
            asked = replace(asked, refused=reply.text[:_MOST_REPEATED], problems=tuple(problems))
        raise AnswerError(
            f"No usable answer to {contract.name} came from {self.answerer.kind}: {' '.join(problems)}",
            hint=f"Missing is {missing}. Try another model, or go without one: --answerer none.",
            missing=(missing,),
            problems=tuple(problems),
        )

    def _reply(self, asked: Question, record: dict[str, Any], missing: str) -> Reply:
        needed = sum(len(message["content"]) for message in asked.messages) // _CHARACTERS_PER_TOKEN
        if self._spent + needed > self.token_budget:
            raise AnswerError(
                f"{asked.contract} needs about {needed} tokens; {self._spent} of {self.token_budget} are spent.",
                hint=f"Missing is {missing}. Raise RUBRICATOR_TOKEN_BUDGET, or ask for less.",
                missing=(missing,),
            )
        started = self.seconds()
        try:
            reply = self.answerer.ask(asked)
        except ServiceError as error:
            error.missing = (missing,)
            raise
        finally:
            record["seconds"] = round(record["seconds"] + self.seconds() - started, 3)
        record["model"] = reply.model
        for name, told in (("tokens_in", reply.tokens_in), ("tokens_out", reply.tokens_out)):
            record[name] = None if told is None or record[name] is None else record[name] + told
        if reply.cost_usd is not None:
            record["cost_usd"] = (record["cost_usd"] or 0.0) + reply.cost_usd
        told = (reply.tokens_in or 0) + (reply.tokens_out or 0)
        self._spent += told or needed + len(reply.text) // _CHARACTERS_PER_TOKEN
        return reply

    def _cached(self, contract: Contract[G, A], given: G, key: str) -> Answered[A] | None:
        """A kept answer, held to the contract again: what is in a cache is no more trusted than a model."""
        kept = self.cache.find(key) if self.cache is not None else None
        if kept is None or not isinstance(kept.get("record"), Mapping):
            return None
        answer, _ = contract.read(given, str(kept.get("text", "")))
        if answer is None:
            return None
        return Answered(answer, {**kept["record"], "cached": True, "cost_usd": 0.0, "seconds": 0.0})
