"""The four inference contracts through every way to ask a model, against one loopback server: the plain client and the
real Tactus runtime hold to the same promises. Also: what each contract asks is pinned to its version.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator

import pytest
from tests.model_server import ModelServer, drops, fails, hangs, model_server, says

from rubricator.adapters.answer_cache import AnswerFiles
from rubricator.adapters.endpoint_answerer import EndpointAnswerer
from rubricator.adapters.prompts import prompt
from rubricator.adapters.tactus_answerer import TactusAnswerer
from rubricator.core.identity import tagged_hash
from rubricator.errors import AnswerError, EndpointError
from rubricator.inference.attribute_inversion import ATTRIBUTE_INVERSION, CriterionGiven, InversionGiven
from rubricator.inference.gate_questions import GATE_QUESTIONS, QuestionGiven, QuestionsGiven
from rubricator.inference.propose_adjustment import PROPOSE_ADJUSTMENT, AdjustmentGiven
from rubricator.inference.runner import Answerer, Inference, Reply
from rubricator.inference.synthesize_evidence_pack import (
    SYNTHESIZE_EVIDENCE_PACK,
    ItemGiven,
    PackGiven,
    PassageGiven,
    SectionGiven,
)
from rubricator.memory.query import ITEM_FIELDS

SECTION = SectionGiven(citation_id="rubric:1111111111", text="The greeting names the shop. A first name is enough.")
PASSAGE = PassageGiven(
    citation_id="kb:2222222222", scope="score", date="2026-01-05", text="Ann: a first name is enough, we decided."
)


def _gated(**change):
    return {"number": 1, "status": "answered_by_rubric", "citations": [SECTION.citation_id], **change}


CASES = {
    "attribute-inversion": (
        ATTRIBUTE_INVERSION,
        InversionGiven(
            artifact_a="A plain greeting.",
            artifact_b="BUY NOW! A loud greeting.",
            user_order="A above B",
            machine_order="B above A",
            criteria=[
                CriterionGiven(name="Hook", text="The opening is loud and grabs attention."),
                CriterionGiven(name="Clarity", text="Each sentence says one thing."),
            ],
        ),
        {"criterion": "Hook", "quote": "loud and grabs attention", "explanation": "B is louder."},
        {"criterion": "Charm", "quote": "charm", "explanation": "B has charm."},
    ),
    "propose-adjustment": (
        PROPOSE_ADJUSTMENT,
        AdjustmentGiven(
            criterion="Hook",
            weight=2.0,
            text="The opening is loud and grabs attention.",
            quote="loud and grabs attention",
            inversions_caused=["The owner has A above B."],
            full_rubric="Hook: The opening is loud and grabs attention.",
        ),
        {"action": "reweight", "proposed_text": None, "weight": 1.0, "rationale": "It counts too much."},
        {"action": "reweight", "proposed_text": None, "weight": 5.0, "rationale": "It counts too little."},
    ),
    "synthesize-evidence-pack": (
        SYNTHESIZE_EVIDENCE_PACK,
        PackGiven(
            item=ItemGiven(**(dict.fromkeys(ITEM_FIELDS, "") | {"feedback_comment": "She gave her first name."})),
            rubric=[SECTION],
            passages=[PASSAGE],
        ),
        {
            "classification": "rubric_supported",
            "rubric_sections": [SECTION.citation_id],
            "supporting": [PASSAGE.citation_id],
            "conflicting": [],
            "explicit": None,
            "likely_reason": f"The evaluator overlooked it [{SECTION.citation_id}].",
            "confidence": "medium",
            "open_questions": [],
        },
        {
            "classification": "rubric_supported",
            "rubric_sections": [SECTION.citation_id],
            "supporting": ["kb:9999999999"],
            "conflicting": [],
            "explicit": None,
            "likely_reason": "It is so.",
            "confidence": "high",
            "open_questions": [],
        },
    ),
    "gate-questions": (
        GATE_QUESTIONS,
        QuestionsGiven(
            rubric=[SECTION],
            questions=[QuestionGiven(number=1, question="Is a first name enough?", passages=[PASSAGE])],
        ),
        {"questions": [{"number": 1, "status": "answered_by_rubric", "citations": [SECTION.citation_id]}]},
        {"questions": [{"number": 1, "status": "answered_by_rubric", "citations": ["kb:9999999999"]}]},
    ),
}
"""By contract: what is given, an answer that is right, and one that its check must refuse."""


@pytest.fixture(params=["endpoint", "tactus"])
def ask(request) -> Iterator[object]:
    """A way to ask a server, closed at the end."""
    opened: list[Answerer] = []

    def inference(server: ModelServer, *, cache=None, timeout: float = 20.0, budget: int = 200_000) -> Inference:
        common = {"model": "test-model", "base_url": server.base_url, "api_key": "k-secret", "timeout": timeout}
        if request.param == "tactus":
            pytest.importorskip("tactus")
            opened.append(TactusAnswerer(provider="openai", **common))
        else:
            pytest.importorskip("openai")
            opened.append(EndpointAnswerer(**common))
        return Inference(opened[-1], prompt, time.monotonic, cache, budget)

    yield inference
    for answerer in opened:
        answerer.close()


def test_each_contract_is_answered_and_its_record_kept(ask) -> None:
    plays = [says(right) for _, _, right, _ in CASES.values()]
    with model_server(*plays) as server:
        inference = ask(server)
        for contract, given, right, _ in CASES.values():
            answered = inference.ask(contract, given, missing="it")

            assert answered.answer.model_dump(mode="json") == right
            assert answered.record["tokens_in"] == 100
            assert not answered.record["repaired"]
        assert len(server.requests) == len(CASES)
    assert [record["contract"] for record in inference.records] == list(CASES)


def test_a_wrong_answer_is_sent_back_once_with_its_fault_and_then_taken(ask) -> None:
    plays = itertools.chain.from_iterable((says(wrong), says(right)) for _, _, right, wrong in CASES.values())
    with model_server(*plays) as server:
        inference = ask(server)
        for contract, given, right, _ in CASES.values():
            answered = inference.ask(contract, given, missing="it")

            assert answered.record["repaired"]
            assert answered.answer.model_dump(mode="json") == right
        assert len(server.requests) == 2 * len(CASES)


@pytest.mark.parametrize(
    "bad",
    [
        "Certainly! I can't say.",
        '{"criterion": "Hook", ',
        '{"criterion": "Hook"}',
        '{"criterion": "Hook", "quote": "charm", "explanation": "x"}',
        '{"criterion": "Hook", "quote": "loud", "explanation": "x", "new_criterion": "y"}',
        "",
    ],
    ids=["prose", "cut off", "a field missing", "a quote that stands nowhere", "a field too many", "nothing"],
)
def test_two_wrong_answers_fail_closed(ask, bad) -> None:
    contract, given, _, _ = CASES["attribute-inversion"]
    with model_server(says(bad)) as server, pytest.raises((AnswerError, EndpointError)) as failed:
        ask(server).ask(contract, given, missing="the driver")

    assert failed.value.missing == ("the driver",)


def test_prose_around_the_json_is_no_hindrance(ask) -> None:
    plays = [
        says(f"Sure, {{as you wish}}:\n```json\n{json.dumps(r)}\n```\nGood luck!") for _, _, r, _ in CASES.values()
    ]
    with model_server(*plays) as server:
        inference = ask(server)
        for contract, given, right, _ in CASES.values():
            assert inference.ask(contract, given, missing="it").answer.model_dump(mode="json") == right
        assert not any(record["repaired"] for record in inference.records)


def test_invalid_json_is_sent_back_and_then_taken(ask) -> None:
    plays = itertools.chain.from_iterable(
        (says(json.dumps(right)[:-9]), says(right)) for _, _, right, _ in CASES.values()
    )
    with model_server(*plays) as server:
        inference = ask(server)
        for contract, given, right, _ in CASES.values():
            answered = inference.ask(contract, given, missing="it")

            assert answered.answer.model_dump(mode="json") == right
            assert answered.record["repaired"]


INVENTED = {
    "an unknown criterion": ("attribute-inversion", {"criterion": "Charm"}),
    "a misquoted criterion": ("attribute-inversion", {"quote": "loud and seeks attention"}),
    "an invented quotation": ("attribute-inversion", {"explanation": "It says “always be very loud” there."}),
    "a fourth action": ("propose-adjustment", {"action": "add", "proposed_text": "Be kind.", "weight": 1.0}),
    "a larger weight": ("propose-adjustment", {"weight": 9.0}),
    "a smuggled criterion": (
        "propose-adjustment",
        {
            "action": "narrow",
            "weight": None,
            "proposed_text": "It is loud.\n\n## Charm\n- weight: 9\n\nCharm.",
        },
    ),
    "an unknown passage": ("synthesize-evidence-pack", {"conflicting": ["kb:9999999999"]}),
    "an unknown section": ("synthesize-evidence-pack", {"rubric_sections": ["rubric:9999999999"]}),
    "an unknown id in prose": ("synthesize-evidence-pack", {"likely_reason": "As in [kb:9999999999]."}),
    "an invented quotation in prose": ("synthesize-evidence-pack", {"likely_reason": "“Surnames are enough now”."}),
    "an unknown id in a question": ("synthesize-evidence-pack", {"open_questions": ["Does [kb:1234567890] hold?"]}),
    "a sixth class": ("synthesize-evidence-pack", {"classification": "rubric_wrong"}),
    "an unknown citation": ("gate-questions", {"questions": [_gated(citations=["rubric:9999999999"])]}),
    "a sixth status": ("gate-questions", {"questions": [_gated(status="answered_by_me")]}),
    "a question more": ("gate-questions", {"questions": [_gated(), _gated(number=2)]}),
}


@pytest.mark.parametrize("name", INVENTED)
def test_what_is_invented_is_refused_in_every_contract(ask, name) -> None:
    which, change = INVENTED[name]
    contract, given, right, _ = CASES[which]
    with model_server(says({**right, **change})) as server:
        inference = ask(server)
        with pytest.raises(AnswerError) as refused:
            inference.ask(contract, given, missing="it")
        assert len(server.requests) == 2
    assert refused.value.exit_code == 4
    assert refused.value.problems


@pytest.mark.parametrize("play", [fails(401), fails(500), drops], ids=["refused", "broken", "dropped"])
def test_a_server_that_fails_is_an_error_without_the_key(ask, play) -> None:
    contract, given, _, _ = CASES["attribute-inversion"]
    with model_server(play) as server, pytest.raises(EndpointError) as failed:
        ask(server).ask(contract, given, missing="the driver")

    assert "k-secret" not in str(failed.value)
    assert failed.value.missing == ("the driver",)


def test_a_server_that_never_answers_is_given_up(ask) -> None:
    contract, given, _, _ = CASES["attribute-inversion"]
    with model_server(hangs) as server, pytest.raises(EndpointError):
        ask(server, timeout=1.0).ask(contract, given, missing="the driver")


def test_a_busy_server_is_tried_again(ask) -> None:
    contract, given, right, _ = CASES["attribute-inversion"]
    with model_server(fails(429), says(right)) as server:
        assert ask(server).ask(contract, given, missing="it").answer.model_dump(mode="json") == right


def test_a_budget_that_would_be_passed_asks_nothing(ask) -> None:
    contract, given, right, _ = CASES["attribute-inversion"]
    with model_server(says(right)) as server:
        with pytest.raises(AnswerError, match="tokens"):
            ask(server, budget=10).ask(contract, given, missing="it")
        assert server.requests == []


def test_what_was_answered_is_not_asked_again(ask, tmp_path) -> None:
    contract, given, right, _ = CASES["attribute-inversion"]
    with model_server(says(right)) as server:
        first = ask(server, cache=AnswerFiles(tmp_path)).ask(contract, given, missing="it")
        again = ask(server, cache=AnswerFiles(tmp_path)).ask(contract, given, missing="it")

        assert len(server.requests) == 1
    assert first.answer == again.answer
    assert again.record["cached"]


def asked_by(contract) -> str:
    """A hash of everything that a contract says: change one, and the version has to change with it."""
    parts = [prompt(contract.name), contract.given.model_json_schema(), contract.schema]
    return tagged_hash("contract", [json.dumps(part, sort_keys=True) for part in parts])[:12]


PINS = {
    "attribute-inversion": (2, "ab56b4d10388"),
    "propose-adjustment": (2, "25a0960504d8"),
    "synthesize-evidence-pack": (3, "b2a150bf64c1"),
    "gate-questions": (3, "f106de3c589e"),
}


def test_an_id_without_its_prefix_is_read_as_the_one_id_that_it_can_be() -> None:
    for name in ("synthesize-evidence-pack", "gate-questions"):
        contract, given, answer, _ = CASES[name]
        bare = json.dumps(answer).replace("rubric:", "").replace("kb:", "")
        assert contract.read(given, bare) == contract.read(given, json.dumps(answer)), name
        assert contract.read(given, bare)[0] is not None, name


def test_a_refused_answer_that_ran_away_is_not_sent_back_whole() -> None:
    server = _Says(["x" * 50_000, json.dumps(CASES["gate-questions"][2])])
    contract, given, *_ = CASES["gate-questions"]
    assert Inference(server, lambda _: "Answer.", time.monotonic).ask(contract, given, missing="it").answer
    assert len(server.asked[1].refused) == 6000


class _Says:
    """An answerer with its answers ready."""

    kind, identity = "endpoint", "ready"

    def __init__(self, answers: list[str]) -> None:
        self.answers, self.asked = answers, []

    def ask(self, asked):
        self.asked.append(asked)
        return Reply(self.answers[len(self.asked) - 1], "ready")

    def close(self) -> None:
        pass


def test_what_a_contract_asks_is_pinned_to_its_version() -> None:
    assert {name: (case[0].version, asked_by(case[0])) for name, case in CASES.items()} == PINS
