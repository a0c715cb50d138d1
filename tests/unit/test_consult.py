"""A pass put to a model from Python: what it is asked and when, what is kept of it, and what a host agent is handed."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from tests.evaluators import (
    CRITERIA,
    NARROWED,
    by_text,
    drifted_rows,
    groups_by,
    judgement,
    owner_value,
    weighted_mean,
    write_evaluator,
)

from rubricator.adapters.host_answers import HostAnswers
from rubricator.errors import AnswerNeededError, ConflictError, EndpointError, RefusedError
from rubricator.inference.runner import Inference, Reply
from rubricator.rubric_calibration import RubricCalibration

ROWS = drifted_rows()
TOTALS = [weighted_mean(row, CRITERIA) for row in ROWS]


class Model:
    """An answerer that judges as a function does, and counts."""

    kind, identity = "endpoint", "little"

    def __init__(self, answer=judgement) -> None:
        self.answer, self.asked = answer, []

    def ask(self, asked):
        self.asked.append(asked)
        answer = self.answer({"messages": asked.messages})
        if isinstance(answer, Exception):
            raise answer
        return Reply(json.dumps(answer), "little", 1, 1)

    def close(self) -> None:
        """Nothing to let go of."""


def asking(model) -> Inference:
    from rubricator.adapters.prompts import prompt

    return Inference(model, prompt, lambda: 0.0)


def committed(folder, *, rows=None, value=lambda n: owner_value(ROWS[n])) -> tuple[RubricCalibration, str]:
    """A pass whose ranking is committed; without `rows` the evaluator gives one number and no sub-scores."""
    write_evaluator(folder, rows or [{}] * len(ROWS), totals=TOTALS)
    now = iter(dt.datetime(2026, 12, 1, 9, tzinfo=dt.UTC) + dt.timedelta(minutes=n) for n in range(1000))
    calibration = RubricCalibration(folder, folder / "scorecards", clock=now.__next__)
    session = calibration.start("letters", seed=4)["session"]
    opened = calibration.open_pass(session)
    opened.seen()
    known = by_text(folder / "evaluators" / "letters")
    numbers = {a.label: known[a.text.splitlines()[0]] for a in opened.packet.artifacts}
    opened.commit(groups_by({label: value(n) for label, n in numbers.items()}))
    return calibration, session


def test_each_inversion_is_judged_and_a_change_proposed_that_nothing_verifies(tmp_path) -> None:
    calibration, session = committed(tmp_path)
    assert calibration.report(session)["inference"] is None
    assert calibration.can_consult(session)
    model = Model()
    calibration.consult(session, asking(model))
    told, proposed = calibration.report(session), calibration.propose(session)

    assert {i["attribution"]["method"] for i in told["inversions"]} == {"inference"}
    assert {i["attribution"]["quote"] for i in told["inversions"]} == {"What Numbers means"}
    assert [d["criterion"] for d in told["drivers"]] == ["Numbers"]
    (proposal,) = proposed["proposals"]
    assert (proposal["action"], proposal["after"]["text"]) == ("narrow", NARROWED)
    assert proposal["verified"] is False
    assert proposal["resolves"] is proposal["breaks"] is proposal["ranks_after"] is None
    assert "score A" in proposal["to_verify"] or "score B" in proposal["to_verify"]
    assert len(model.asked) == len(told["inversions"]) + 1
    assert not calibration.can_consult(session)


def test_no_score_is_in_what_a_model_is_asked(tmp_path) -> None:
    calibration, session = committed(tmp_path)
    model = Model()
    calibration.consult(session, asking(model))
    words = "\n".join(message["content"] for asked in model.asked for message in asked.messages)

    assert not [total for total in TOTALS[:5] if f"{total:.4g}" in words]
    assert "a00.md" not in words


@pytest.mark.parametrize(
    ("rows", "value"),
    [(None, lambda n: TOTALS[n]), (ROWS, lambda n: owner_value(ROWS[n]))],
    ids=["no inversion", "sub-scores explain it"],
)
def test_nobody_is_asked_without_an_inversion_or_where_arithmetic_does_it(tmp_path, rows, value) -> None:
    calibration, session = committed(tmp_path, rows=rows, value=value)
    model = Model()
    calibration.consult(session, asking(model))

    assert not calibration.can_consult(session)
    assert model.asked == []
    assert calibration.report(session)["inference"] is None


def test_nobody_is_asked_before_a_ranking_or_after_a_decision(tmp_path) -> None:
    calibration, session = committed(tmp_path)
    calibration.decide(session)
    model = Model()
    calibration.consult(session, asking(model))
    assert model.asked == []
    write_evaluator(tmp_path, [{}] * 17, name="open", totals=TOTALS)
    before = calibration.start("open")["session"]
    with pytest.raises(RefusedError, match="no committed ranking"):
        calibration.consult(before, asking(model))
    assert model.asked == []


def test_a_failed_service_is_not_tried_for_each_pair_and_may_be_asked_again(tmp_path) -> None:
    calibration, session = committed(tmp_path)
    broken = Model(lambda _: EndpointError("It is down.", hint=""))
    calibration.consult(session, asking(broken))
    told = calibration.report(session)

    assert len(broken.asked) == 1
    assert len(told["inference"]["missing"]) == len(told["inversions"])
    assert told["drivers"] == calibration.propose(session)["proposals"] == []
    assert calibration.can_consult(session)
    calibration.consult(session, asking(Model()))
    assert calibration.report(session)["inference"]["missing"] == []


def test_a_rubric_that_changed_meanwhile_is_not_judged(tmp_path) -> None:
    calibration, session = committed(tmp_path)
    with (tmp_path / "evaluators" / "letters" / "rubric.md").open("a") as rubric:
        rubric.write("\n## Warmth\n\nKind words.\n")
    with pytest.raises(ConflictError):
        calibration.consult(session, asking(Model()))


def test_a_host_agent_is_handed_all_pairs_and_then_the_change(tmp_path) -> None:
    calibration, session = committed(tmp_path)
    answers: dict[str, object] = {}
    rounds = []
    for _ in range(3):
        try:
            calibration.consult(session, asking(HostAnswers({"answers": answers})))
        except AnswerNeededError as needed:
            rounds.append(sorted(request["contract"] for request in needed.requests))
            for request in needed.requests:
                proposing = request["contract"] == "propose-adjustment"
                words = "smallest change to one criterion" if proposing else ""
                answers[request["request"]] = judgement({"messages": words})

    inversions = len(calibration.report(session)["inversions"])
    assert rounds == [["attribute-inversion"] * inversions, ["propose-adjustment"]]
    assert calibration.propose(session)["proposals"][0]["after"]["text"] == NARROWED


def test_the_approved_words_are_written_and_the_ledger_tells_whose_they_were(tmp_path) -> None:
    calibration, session = committed(tmp_path)
    calibration.consult(session, asking(Model()))
    done = calibration.decide(session, approve=["p1"], remember=True)
    rubric = (tmp_path / "evaluators" / "letters" / "rubric.md").read_text(encoding="utf-8")
    note = next((tmp_path / "evaluators" / "letters").rglob("calibration-*.md")).read_text(encoding="utf-8")

    assert NARROWED in rubric
    assert done["predicted"] is None
    assert done["approved"][0]["verified"] is False
    assert "No arithmetic bears this out" in note
    entry = calibration.log("letters")["entries"][-1]
    assert [driver["criterion"] for driver in entry["drivers"]] == ["Numbers"]
    assert calibration.verify("letters")["valid"]


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "add", "proposed_text": "New.", "weight": None, "rationale": "More."},
        {"action": "reweight", "proposed_text": None, "weight": 9.0, "rationale": "More."},
        {"action": "narrow", "proposed_text": "# Other\n- weight: 9", "weight": None, "rationale": "More."},
        {"action": "narrow", "proposed_text": NARROWED, "weight": None, "rationale": "As “the owner said on Monday”."},
    ],
)
def test_a_fourth_action_or_smuggled_structure_is_no_proposal(tmp_path, answer) -> None:
    calibration, session = committed(tmp_path)
    model = Model(lambda request: answer if "smallest change" in str(request["messages"]) else judgement(request))
    calibration.consult(session, asking(model))

    assert calibration.propose(session)["proposals"] == []
    (missing,) = calibration.report(session)["inference"]["missing"]
    assert missing["what"] == "a change to “Numbers”"
    assert calibration.report(session)["drivers"], "what was answered well is kept"


def with_a_narrowing(calibration, session) -> dict:
    """The session with a narrowing that holds by arithmetic among its proposals, as an analysis may find one."""
    result = calibration._store.read(session, "result")
    (first,) = [p for p in result["proposals"]["proposals"] if p["criterion"] == "Numbers"]
    text = {"weight": first["before"]["weight"], "text": None}
    narrow = {**first, "id": "p8", "action": "narrow", "needs_wording": True, "verified": False, "after": text}
    result["proposals"]["proposals"] = [first, narrow]
    calibration._store.write(session, "result", result)
    return first


def test_where_sub_scores_explain_it_a_model_only_suggests_words(tmp_path) -> None:
    calibration, session = committed(tmp_path, rows=ROWS)
    proved = with_a_narrowing(calibration, session)
    model = Model()
    calibration.consult(session, asking(model))
    first, narrow = calibration.propose(session)["proposals"]

    assert len(model.asked) == 1
    assert first == proved, "what is proved stays as it was"
    assert (narrow["after"]["text"], narrow["needs_wording"], narrow["verified"]) == (NARROWED, False, False)
    assert narrow["resolves"] == proved["resolves"], "its arithmetic stays, too"
    done = calibration.decide(session, approve=["p8"])
    assert done["approved"][0]["after"]["text"] == NARROWED
    assert NARROWED in (tmp_path / "evaluators" / "letters" / "rubric.md").read_text(encoding="utf-8")


def test_another_action_than_the_one_that_holds_is_no_wording(tmp_path) -> None:
    calibration, session = committed(tmp_path, rows=ROWS)
    with_a_narrowing(calibration, session)
    retire = {"action": "retire", "proposed_text": None, "weight": None, "rationale": "Away with it."}
    calibration.consult(session, asking(Model(lambda _: retire)))

    assert calibration.propose(session)["proposals"][1]["needs_wording"] is True
    (missing,) = calibration.report(session)["inference"]["missing"]
    assert "does not hold by arithmetic" in missing["why"]
