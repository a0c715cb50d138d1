"""What a model judged, laid beside arithmetic: marked as its own, and never in the place of what is proved."""

from __future__ import annotations

import pytest

from rubricator.calibration.judged import (
    is_open,
    open_inversions,
    proposals_with_judgement,
    refusal,
    with_judgement,
)
from rubricator.core.rubric import Criterion, Rubric

INVERSION = {
    "preferred": "A",
    "over": "B",
    "attribution": {"method": "none", "criterion": None, "quote": None, "explanation": "It can't be told."},
}
TOLD = {
    "finding": "drift",
    "reproduction": {"reproduced": False, "reason": "No sub-scores are logged."},
    "inversions": [INVERSION],
    "drivers": [],
    "unattributed": "Nothing is attributed.",
}
JUDGED = {
    "attributions": [
        {
            "preferred": "A",
            "over": "B",
            "criterion": "Hook",
            "quote": "loud",
            "explanation": "B is loud.",
            "model": "m",
        }
    ],
    "drivers": [{"criterion": "Hook", "probability": None}],
    "proposals": [{"id": "p1", "verified": False}],
    "wordings": {},
    "records": [{"model": "m"}],
    "missing": [],
}
NARROW = {
    "id": "p1",
    "action": "narrow",
    "needs_wording": True,
    "after": {"weight": 1.0, "text": None},
    "rationale": "It would help.",
}
NOTHING = {"proposals": [], "message": "No change."}


@pytest.mark.parametrize(
    "told",
    [
        {**TOLD, "finding": "aligned"},
        {**TOLD, "reproduction": {"reproduced": True, "reason": ""}},
        {**TOLD, "inversions": []},
        {**TOLD, "inversions": [{**INVERSION, "attribution": {"method": "sub_scores"}}]},
    ],
)
def test_nothing_is_open_without_an_inversion_that_arithmetic_leaves(told) -> None:
    assert open_inversions(told) == []
    assert not is_open(told, NOTHING)


def test_a_reading_is_marked_as_one_and_computes_nothing() -> None:
    told = with_judgement(TOLD, JUDGED)

    assert told["inversions"][0]["attribution"]["method"] == "inference"
    assert told["drivers"][0]["probability"] is None
    assert "not a proof" in told["unattributed"]
    assert told["inference"] == {"records": [{"model": "m"}], "missing": []}
    assert TOLD["inversions"][0]["attribution"]["method"] == "none", "what was given is left as it is"


def test_without_one_the_report_is_what_arithmetic_found() -> None:
    assert with_judgement(TOLD, None) == {**TOLD, "inference": None}
    assert proposals_with_judgement(NOTHING, None) == NOTHING


def test_what_arithmetic_attributed_stays() -> None:
    proved = {**INVERSION, "attribution": {"method": "sub_scores", "criterion": "Depth"}}
    told = with_judgement({**TOLD, "inversions": [proved], "drivers": [{"criterion": "Depth"}]}, JUDGED)

    assert told["inversions"] == [proved]
    assert told["drivers"] == [{"criterion": "Depth"}]


def test_a_models_proposals_stand_only_where_arithmetic_has_none() -> None:
    proved = {"proposals": [{**NARROW, "id": "p1"}], "message": "One change holds."}

    assert proposals_with_judgement(NOTHING, JUDGED)["proposals"] == JUDGED["proposals"]
    assert "no arithmetic bears it out" in proposals_with_judgement(NOTHING, JUDGED)["message"]
    assert proposals_with_judgement(proved, JUDGED) == proved


def test_words_for_a_narrowing_say_whose_they_are() -> None:
    worded = {**JUDGED, "proposals": [], "wordings": {"p1": {"text": "New.", "rationale": "Shorter.", "model": "m"}}}
    (proposal,) = proposals_with_judgement({"proposals": [NARROW], "message": ""}, worded)["proposals"]

    assert proposal["after"]["text"] == "New."
    assert proposal["needs_wording"] is False
    assert proposal["rationale"] == "It would help. m suggests words: Shorter."
    assert is_open({**TOLD, "finding": "aligned"}, {"proposals": [NARROW]})
    assert not is_open({**TOLD, "finding": "aligned"}, {"proposals": [proposal]})


def test_the_only_criterion_is_not_retired() -> None:
    one, two = (Criterion(name, "Text.") for name in ("Hook", "Depth"))

    def rubric(*criteria: Criterion) -> Rubric:
        return Rubric(name="r", criteria=criteria)

    assert "the only criterion" in refusal(rubric(one), one, {"action": "retire"})
    assert refusal(rubric(one, two), one, {"action": "retire"}) == ""
    assert refusal(rubric(one), one, {"action": "narrow"}) == ""
