"""Whole passes over files that other tools wrote: promptfoo's, whose configuration is edited, and Inspect's."""

from __future__ import annotations

import json
import re
import zipfile

import pytest
from tests.evaluators import CRITERIA, drifted_rows, groups_by, owner_value, prose, weighted_mean

from .ranking_server import serving

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

CONFIG = """\
# Letters, graded by a judge
description: Letters
prompts: ['{{topic}}']
providers: [echo]

defaultTest:
  assert:
"""
ASSERTION = """\
    - type: llm-rubric   # asked of the judge
      metric: %s
      value: >-
        What %s means,
        in the owner's own words.
      weight: %g
"""
INSPECTED = [dict.fromkeys(CRITERIA, 4 + n / 5) | {"Numbers": 5.0 - n} for n in range(5)]
INSPECTED += [dict.fromkeys(CRITERIA, 1 + n / 10) for n in range(8)]
"""Numbers counts as much as any other, and turns the owner's order round."""


def write_promptfoo(folder) -> str:
    config = CONFIG + "".join(ASSERTION % (name, name, weight) for name, weight in CRITERIA.items())
    (folder / "promptfooconfig.yaml").write_text(config + "\ntests: []  # from the data set\n", encoding="utf-8")
    results = []
    for number, row in enumerate(drifted_rows()):
        score = weighted_mean(row, CRITERIA) / 5
        components = [
            {"score": row[c] / 5, "assertion": {"type": "llm-rubric", "metric": c, "weight": w}}
            for c, w in CRITERIA.items()
        ]
        results.append({
            "testIdx": number, "promptIdx": 0, "score": score, "response": {"output": prose(number)},
            "gradingResult": {"score": score, "componentResults": components},
        })  # fmt: skip
    (folder / "results.json").write_text(json.dumps({"results": {"version": 3, "results": results}}))
    (folder / "rubricator.toml").write_text(
        '[evaluators.letters]\nrubric = "promptfooconfig.yaml"\nscores = "results.json"\n'
    )
    return config


def write_inspect(folder) -> None:
    header = {"version": 2, "status": "success", "eval": {"task": "letters", "created": "2026-01-01T00:00:00+00:00",
              "scorers": [{"name": "judge", "options": {"template": "Grade it."}}]}}  # fmt: skip
    with zipfile.ZipFile(folder / "log.eval", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps(header))
        for number, row in enumerate(INSPECTED):
            value = {**row, "overall": sum(row.values()) / len(row)}
            sample = {
                "id": number, "epoch": 1, "input": "Write a letter.", "scores": {"judge": {"value": value}},
                "output": {"choices": [{"message": {"content": prose(number)}}]},
            }  # fmt: skip
            file.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample))
    (folder / "rubricator.toml").write_text(
        '[evaluators.letters]\nrubric = "log.eval"\nscores = "log.eval"\nscale = [1, 5]\n'
    )


def ranked(served, rows) -> None:
    """Rank through the page's own API as an owner does who values everything but `Numbers`."""
    status, packet = served.call()
    assert status == 200
    numbers = {a["label"]: int(re.search(r"Piece (\d+)", a["text"])[1]) for a in packet["artifacts"]}
    rows = drifted_rows()
    assert (
        served.call("/ranking", {"ranking": groups_by({k: owner_value(rows[n]) for k, n in numbers.items()})})[0] == 200
    )


def test_a_pass_over_promptfoo_edits_the_weight_in_its_configuration_and_nothing_else(installed, tmp_path) -> None:
    write_promptfoo(tmp_path)
    before = (tmp_path / "promptfooconfig.yaml").read_bytes()
    begun = installed.json("rubricator", "calibrate", "start", "letters", "--seed", "4", cwd=tmp_path)
    with serving(installed, tmp_path, begun["session"]) as served:
        shown = served.call()[1]
        assert all("Piece" in a["text"] for a in shown["artifacts"])
        assert "gradingResult" not in json.dumps(shown)
        ranked(served, drifted_rows())
    report = installed.json("rubricator", "calibrate", "report", cwd=tmp_path)
    assert report["finding"] == "drift"
    assert {i["attribution"]["criterion"] for i in report["inversions"]} == {"Numbers"}
    assert {i["attribution"]["method"] for i in report["inversions"]} == {"sub_scores"}

    proposals = installed.json("rubricator", "calibrate", "propose", cwd=tmp_path)["proposals"]
    reweight = next(p for p in proposals if p["action"] == "reweight" and p["verified"])
    done = installed.json("rubricator", "calibrate", "apply", "--approve", reweight["id"], cwd=tmp_path)
    assert done["changed"]

    after = (tmp_path / "promptfooconfig.yaml").read_bytes()
    old, new = before.splitlines(), after.splitlines()
    changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert changed == [(b"      weight: 4", f"      weight: {reweight['after']['weight']:g}".encode())]
    installed.json("rubricator", "calibrate", "revert", begun["session"], cwd=tmp_path)
    assert (tmp_path / "promptfooconfig.yaml").read_bytes() == before


def test_a_pass_over_an_inspect_log_takes_texts_and_sub_scores_from_the_log(installed, tmp_path) -> None:
    write_inspect(tmp_path)
    begun = installed.json("rubricator", "calibrate", "start", "letters", "--seed", "4", cwd=tmp_path)
    with serving(installed, tmp_path, begun["session"]) as served:
        assert all(a["text"].startswith("**Input**\n\nWrite a letter.") for a in served.call()[1]["artifacts"])
        ranked(served, INSPECTED)
    report = installed.json("rubricator", "calibrate", "report", cwd=tmp_path)
    assert report["finding"] == "drift"
    assert {i["attribution"]["method"] for i in report["inversions"]} == {"sub_scores"}
    assert "Numbers" in {i["attribution"]["criterion"] for i in report["inversions"]}
