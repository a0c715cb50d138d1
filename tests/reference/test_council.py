"""Packs and the gate on a real scorecard, against what its texts support. Skipped where that data is not at hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rubricator import Workspace
from rubricator.memory.query import DisputedItem

SIDES = ("supporting_evidence", "conflicting_evidence", "historical_context")
OPPOSITE = {"rubric_supported": "rubric_conflicting", "rubric_conflicting": "rubric_supported"}


@pytest.fixture(scope="module")
def workspace(shared_data: Path, tmp_path_factory) -> Workspace:
    cache = tmp_path_factory.mktemp("council")
    scorecards = shared_data / "kb" / "scorecards"
    return Workspace.open(environment={"SCORECARD_CACHE_DIR": str(scorecards), "RUBRICATOR_CACHE_DIR": str(cache)})


def test_the_extractive_packs_of_the_disputed_items(workspace, shared_data) -> None:
    cited = right = 0
    for line in (shared_data / "kb" / "items-dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        pack = workspace.pack(row["scorecard"], row["score"], DisputedItem.from_json(row)).to_json()
        sources = {entry["source"] for side in SIDES for entry in pack[side]}
        sources |= {quote["source"] for quote in pack["rubric_quotes"]}
        cited += set(row["expect"]["must_cite"]) <= sources
        right += pack["evidence_classification"] == row["expect"]["classification"]
        assert pack["evidence_classification"] != OPPOSITE.get(row["expect"]["classification"])
        assert pack["confidence"] in {"low", "medium"}
    assert cited >= 5
    assert right >= 3


@pytest.mark.parametrize(
    ("question", "status", "agenda"),
    [
        ("Up to how many days after the event may receipts be emailed to the Foundation?", "answered_by_rubric", None),
        ("How much was the travel grant program budget increased by?", "answered_by_corpus", "Should the rubric be"),
        ("Which airline lounge may a travel grantee use?", "true_open_question", "Which airline lounge"),
    ],
)
def test_the_gate_on_questions_of_a_real_scorecard(workspace, question, status, agenda) -> None:
    with workspace.memory("Council Policies", "Spending: Travel") as memory:
        (gated,) = memory.gate([question])["questions"]

    assert gated["status"] == status
    assert gated["agenda"] is None if agenda is None else gated["agenda"].startswith(agenda)
    assert bool(gated["citations"]) == (status != "true_open_question")
