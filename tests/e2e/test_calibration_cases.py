"""Whole passes through the installed command and the API: the four findings, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.evaluators import CRITERIA, by_text, drifted_rows, groups_by, weighted_mean, write_evaluator

from .conftest import Installed
from .ranking_server import Page, serving


def begin(installed: Installed, workspace: Path, *options: str) -> str:
    started = installed.json("rubricator", "calibrate", "start", "letters", "--seed", "4", *options, cwd=workspace)
    assert set(started) >= {"session", "evaluator", "artifacts", "reading_minutes", "url"}
    assert started["url"].startswith("http://127.0.0.1:")
    return str(started["session"])


def rank(page: Page, folder: Path, value) -> dict[str, int]:
    """Rank by the value of each artifact's number; the numbers by label come back."""
    status, opened = page.call()
    assert status == 200
    assert opened["state"] == "open"
    known = by_text(folder)
    numbers = {a["label"]: known[a["text"].splitlines()[0]] for a in opened["artifacts"]}
    status, _ = page.call("/ranking", {"ranking": groups_by({k: value(n) for k, n in numbers.items()}), "notes": {}})
    assert status == 200
    return numbers


def test_a_drifted_rubric_is_named_quoted_mended_and_given_back(installed, tmp_path) -> None:
    rows = drifted_rows()
    folder = write_evaluator(tmp_path, rows)
    rubric = folder / "rubric.md"
    before = rubric.read_bytes()
    session = begin(installed, tmp_path)
    with serving(installed, tmp_path, session) as page:
        numbers = rank(page, folder, lambda n: {0: 2, 1: 3, 2: 4, 3: 1, 4: 0}[n])

    report = installed.json("rubricator", "calibrate", "report", session, cwd=tmp_path)
    assert report["finding"] == "drift"
    inverted = [(numbers[i["preferred"]], numbers[i["over"]]) for i in report["inversions"]]
    assert len(inverted) == 2, inverted
    for inversion in report["inversions"]:
        assert inversion["attribution"]["criterion"] == "Numbers"
        assert inversion["attribution"]["quote"] in before.decode()
        assert inversion["attribution"]["removal_reverses"] is True
    assert report["drivers"][0]["criterion"] == "Numbers"
    assert report["unread"] is True
    assert report["caveat"].startswith("The ranking was made faster than anyone could read")

    proposals = installed.json("rubricator", "calibrate", "propose", session, cwd=tmp_path)["proposals"]
    (proposal,) = [p for p in proposals if p["criterion"] == "Numbers"]
    assert proposal["verified"] is True
    done = installed.json("rubricator", "calibrate", "apply", session, "--approve", proposal["id"], cwd=tmp_path)
    assert done["changed"] is True
    after = {**CRITERIA, "Numbers": proposal["after"]["weight"]}
    if proposal["action"] == "retire":
        del after["Numbers"]
    for better, worse in inverted:
        assert weighted_mean(rows[better], CRITERIA) < weighted_mean(rows[worse], CRITERIA)
        assert weighted_mean(rows[better], after) > weighted_mean(rows[worse], after)
    assert rubric.read_bytes() != before
    log = installed.json("rubricator", "calibrate", "log", "letters", cwd=tmp_path)
    assert log["entries"][-1]["changes"][0]["criterion"] == "Numbers"
    assert "“Numbers”" in (folder / "calibration" / "LOG.md").read_text(encoding="utf-8")
    assert installed.json("rubricator", "calibrate", "verify", "letters", cwd=tmp_path)["valid"] is True

    installed.json("rubricator", "calibrate", "revert", session, cwd=tmp_path)
    assert rubric.read_bytes() == before


def test_an_owner_who_agrees_gets_no_proposal(installed, tmp_path) -> None:
    rows = drifted_rows()
    folder = write_evaluator(tmp_path, rows)
    session = begin(installed, tmp_path)
    with serving(installed, tmp_path, session) as page:
        rank(page, folder, lambda n: round(weighted_mean(rows[n], CRITERIA), 9))
        _, report = page.call()

    assert report["finding"] == "no_calibration_needed"
    assert report["kendall_tau_b"] == 1
    found = installed.json("rubricator", "calibrate", "propose", session, cwd=tmp_path)
    assert found["proposals"] == []
    assert found["message"] == "No calibration needed."


def test_compressed_scores_are_the_finding_itself(installed, tmp_path) -> None:
    rows = [{key: 4.8 + (n * 3 + k) % 5 / 50 for k, key in enumerate(CRITERIA)} for n in range(15)]
    folder = write_evaluator(tmp_path, rows)
    session = begin(installed, tmp_path)
    with serving(installed, tmp_path, session) as page:
        rank(page, folder, lambda n: -n)
        _, report = page.call()

    assert report["finding"] == "no_discrimination"
    assert report["score_range"]["compressed"] is True
    assert 0 < report["score_range"]["sd"] < 0.1
    assert report["drivers"] == []
    assert all(i["attribution"]["method"] == "none" for i in report["inversions"])
    assert installed.json("rubricator", "calibrate", "propose", session, cwd=tmp_path)["proposals"] == []


def test_an_owner_who_declines_halts_the_pass(installed, tmp_path) -> None:
    folder = write_evaluator(tmp_path, drifted_rows())
    session = begin(installed, tmp_path)
    with serving(installed, tmp_path, session) as page:
        status, told = page.call("/decline", {"reason": "no time"})
        assert (status, told["finding"]) == (200, "halted")
        assert page.call("/ranking", {"ranking": []})[0] == 409

    done = installed.run("rubricator", "calibrate", "report", session, "--json", cwd=tmp_path)
    assert done.returncode == 3
    assert json.loads(done.stdout)["finding"] == "halted"
    assert installed.run("rubricator", "calibrate", "propose", session, cwd=tmp_path).returncode == 3
    lines = (folder / "calibration" / "ledger.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["type"] for line in lines] == ["pass_started", "pass_halted"]


def test_nothing_is_told_before_a_ranking_and_none_can_be_piped_in(installed, tmp_path) -> None:
    write_evaluator(tmp_path, drifted_rows())
    session = begin(installed, tmp_path)
    for verb in ("report", "propose", "apply", "explain"):
        done = installed.run("rubricator", "calibrate", verb, session, cwd=tmp_path)
        assert done.returncode == 3, (verb, done.stderr)
    for extra in ([], ["--terminal"]):
        done = installed.run("rubricator", "calibrate", "rank", session, *extra, stdin="A B C D E\ny\n", cwd=tmp_path)
        assert done.returncode == 3, done.stderr
        assert "person" in done.stderr
    assert not (tmp_path / ".rubricator" / "sessions" / session / "ranking.json").exists()


def test_a_changed_score_log_is_noticed(installed, tmp_path) -> None:
    folder = write_evaluator(tmp_path, drifted_rows())
    session = begin(installed, tmp_path)
    log = folder / "scores.jsonl"
    lines = log.read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    log.write_text("\n".join([json.dumps({**first, "score": 1.5}), *lines[1:]]) + "\n", encoding="utf-8")
    with serving(installed, tmp_path, session) as page:
        rank(page, folder, lambda n: n)
        _, report = page.call()

    assert report["seal"]["matches"] is False
    assert report["finding"] == "insufficient"
    assert "sealed" in report["reason"]


def test_a_log_that_only_grew_is_the_log_that_was_sealed(installed, tmp_path) -> None:
    folder = write_evaluator(tmp_path, drifted_rows())
    session = begin(installed, tmp_path)
    with (folder / "scores.jsonl").open("a", encoding="utf-8") as log:
        log.write('{"artifact": "artifacts/a00.md", "score": 1.1, "scored_at": "2026-12-01T00:00:00+00:00"}\n')
    with serving(installed, tmp_path, session) as page:
        rank(page, folder, lambda n: {0: 2, 1: 3, 2: 4, 3: 1, 4: 0}[n])
        _, report = page.call()

    assert report["seal"]["matches"] is True
    assert report["finding"] == "drift"


def test_any_changed_line_of_the_ledger_is_found(installed, tmp_path) -> None:
    folder = write_evaluator(tmp_path, drifted_rows())
    session = begin(installed, tmp_path)
    with serving(installed, tmp_path, session) as page:
        rank(page, folder, lambda n: n)
    ledger = folder / "calibration" / "ledger.jsonl"
    whole = ledger.read_text(encoding="utf-8")
    lines = whole.splitlines(keepends=True)
    for number, line in enumerate(lines):
        tampered = line.replace(session, session[:-1] + "x", 1)
        ledger.write_text("".join([*lines[:number], tampered, *lines[number + 1 :]]), encoding="utf-8")
        done = installed.run("rubricator", "calibrate", "verify", "letters", "--check", "--json", cwd=tmp_path)
        assert done.returncode == 1
        assert f"line {number + 1} " in json.loads(done.stdout)["problems"][0]
    ledger.write_text(whole, encoding="utf-8")
    assert installed.run("rubricator", "calibrate", "verify", "letters", "--check", cwd=tmp_path).returncode == 0


def test_a_rubric_that_changed_meanwhile_is_not_edited(installed, tmp_path) -> None:
    folder = write_evaluator(tmp_path, drifted_rows())
    session = begin(installed, tmp_path)
    with serving(installed, tmp_path, session) as page:
        rank(page, folder, lambda n: {0: 2, 1: 3, 2: 4, 3: 1, 4: 0}[n])
    with (folder / "rubric.md").open("a", encoding="utf-8") as rubric:
        rubric.write("\nOne more sentence.\n")
    before = (folder / "rubric.md").read_bytes()

    done = installed.run("rubricator", "calibrate", "apply", session, "--approve", "p1", cwd=tmp_path)

    assert done.returncode == 3
    assert "changed since the pass began" in done.stderr
    assert (folder / "rubric.md").read_bytes() == before


def test_a_change_is_remembered_where_rubric_memory_finds_it(installed, tmp_path) -> None:
    folder = write_evaluator(tmp_path, drifted_rows())
    session = begin(installed, tmp_path)
    with serving(installed, tmp_path, session) as page:
        rank(page, folder, lambda n: {0: 2, 1: 3, 2: 4, 3: 1, 4: 0}[n])
        status, done = page.call("/decisions", {"approve": ["p1"], "reject": [], "edited": {}, "remember": True})
    assert status == 200
    assert Path(done["remembered"]).is_relative_to(folder / "rubric.knowledge-base")

    found = installed.json(
        *(
            "rubricator",
            "memory",
            "search",
            "--scorecard",
            "letters",
            "--score",
            "rubric",
            "why did Numbers lose weight",
        ),
        cwd=tmp_path,
        env={"SCORECARD_CACHE_DIR": "evaluators"},
    )

    assert "Numbers" in found["hits"][0]["text"]


def test_the_origin_of_a_driver_is_shown_from_memory(installed, tmp_path) -> None:
    folder = write_evaluator(tmp_path, drifted_rows())
    note = folder / "rubric.knowledge-base" / "2026-02-03" / "meeting.md"
    note.parent.mkdir(parents=True)
    note.write_text("# Meeting\n\nDana asked for Numbers, since readers wanted to know how long things take.\n")
    session = begin(installed, tmp_path)
    with serving(installed, tmp_path, session) as page:
        rank(page, folder, lambda n: {0: 2, 1: 3, 2: 4, 3: 1, 4: 0}[n])

    told = installed.json("rubricator", "calibrate", "explain", session, cwd=tmp_path)

    driver = told["drivers"][0]
    assert driver["criterion"] == "Numbers"
    assert "Dana asked for Numbers" in driver["memory"][0]["text"]
    assert driver["memory"][0]["date"] == "2026-02-03"
    assert driver["memory"][0]["citation_id"].startswith("kb:")


def test_the_token_the_host_and_the_origin_are_checked(installed, tmp_path) -> None:
    write_evaluator(tmp_path, drifted_rows())
    session = begin(installed, tmp_path)
    with serving(installed, tmp_path, session) as page:
        assert page.call(token="wrong")[0] == 403
        assert page.call(headers={"Host": "evil.example"})[0] == 403
        assert page.call("/decline", {}, headers={"Origin": "https://evil.example"})[0] == 403
        assert page.call("/decline", {}, token="")[0] == 403
        assert page.call("/ranking", {"ranking": [["A"]]})[0] == 400
        assert page.call()[1]["state"] == "open"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_demo_shows_where_agreement_broke(installed, tmp_path) -> None:
    begun = installed.json("rubricator", "demo", "calibrate", str(tmp_path / "demo"))
    hollow = {"4 lights": 1, "9 tips f": 2, "Your dat": 3, "Our prom": 0}
    with serving(installed, tmp_path / "demo", begun["session"]) as page:
        _, opened = page.call()
        labels = {a["label"]: a["text"].splitlines()[0].removeprefix("# ") for a in opened["artifacts"]}
        values = {k: hollow.get(title[:8], 10 + n) for n, (k, title) in enumerate(labels.items())}
        page.call("/ranking", {"ranking": groups_by(values)})
        _, report = page.call()

    assert report["finding"] == "drift"
    assert report["drivers"][0]["criterion"] == "Concrete numbers"
    assert "was added" in report["revision_story"] or "weight" in report["revision_story"]
    assert report["revisions"][0]["subject"] == "Write down what makes a good help article"
