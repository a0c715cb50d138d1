"""The published correlations of an evaluator with people, on the Topical-Chat annotations.

Source: UniEval (Zhong et al. 2022, arXiv:2210.07197), its table on dialogue response generation.
"""

from __future__ import annotations

import json

import pytest

from rubricator import Workspace
from rubricator.interfaces.cli import main

PUBLISHED = {
    "naturalness": (0.513986, 0.373973),
    "coherence": (0.612942, 0.465915),
    "engagingness": (0.604739, 0.455941),
    "groundedness": (0.574954, 0.451533),
    "understandability": (0.467807, 0.360741),
    "overall": (0.662583, 0.487272),
}


@pytest.mark.parametrize("dimension", PUBLISHED)
def test_the_published_correlations(shared_data, dimension) -> None:
    found = Workspace.audit(
        shared_data / "calibration" / "topical_chat.jsonl",
        owner=f"human.{dimension}",
        machine=f"evaluator.{dimension}",
    )

    assert found["items"] == 360
    assert (round(found["spearman"], 6), round(found["kendall_tau_b"], 6)) == PUBLISHED[dimension]
    assert found["blind"] is False


def test_each_context_as_a_pass(shared_data, capsys) -> None:
    names = [name for name in PUBLISHED if name != "overall"]
    with pytest.raises(SystemExit) as ended:
        main(
            [
                *("calibrate", "audit", str(shared_data / "calibration" / "topical_chat.jsonl")),
                *("--owner", "human.overall", "--machine", "evaluator.overall", "--group", "context_id"),
                *("--criteria", ",".join(f"evaluator.{name}" for name in names), "--json"),
            ]
        )
    assert ended.value.code == 0
    found = json.loads(capsys.readouterr().out)

    assert found["groups"] == 60
    assert round(found["mean_by_group"]["spearman"], 6) == 0.677986
    assert round(found["mean_by_group"]["kendall_tau_b"], 6) == 0.576212
    counts = {key: found[key] for key in ("inversions", "agreeing", "owner_ties", "machine_ties")}
    assert counts == {"inversions": 168, "agreeing": 666, "owner_ties": 66, "machine_ties": 0}
    assert sum(driver["inversions"] for driver in found["drivers"]) == 168
    assert found["reweighting"]["given"] == pytest.approx(0.576212, abs=1e-6)
    assert found["reweighting"]["learned"] is not None
