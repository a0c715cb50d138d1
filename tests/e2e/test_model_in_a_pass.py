"""A pass over an evaluator that gives one number: with a loopback model, without one, and with one that fails."""

from __future__ import annotations

import json

import pytest
from tests.evaluators import CRITERIA, NARROWED, drifted_rows, judgement, owner_value, weighted_mean, write_evaluator
from tests.model_server import fails, model_server, says

from .chromium import axe, shot
from .ranking_server import rank_on_page, serving

MINUTES = "# Numbers\n\nAgreed: we reward numbers, what they mean to the owner, since readers asked for figures.\n"
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture
def letters(installed, tmp_path):
    """An evaluator without sub-scores, and a session over it."""
    rows = drifted_rows()
    folder = write_evaluator(tmp_path, [{}] * len(rows), totals=[weighted_mean(row, CRITERIA) for row in rows])
    memory = folder / "rubric.knowledge-base" / "2026-01-05"
    memory.mkdir(parents=True)
    (memory / "minutes.md").write_text(MINUTES, encoding="utf-8")
    begun = installed.json("rubricator", "calibrate", "start", "letters", "--seed", "4", cwd=tmp_path)
    return folder, begun["session"]


def model_settings(server, answerer: str = "endpoint") -> dict[str, str]:
    return {
        "RUBRICATOR_ANSWERER": answerer,
        "RUBRICATOR_MODEL": "little",
        "RUBRICATOR_BASE_URL": server.base_url,
        "RUBRICATOR_API_KEY": "k-secret",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }


def rank(page, served) -> None:
    """Rank as an owner does who values everything but `Numbers`."""
    rows = drifted_rows()
    rank_on_page(page, served.url, lambda number: owner_value(rows[number]))


@pytest.mark.parametrize("answerer", ["endpoint", "tactus"])
def test_from_start_to_applied_edit_with_a_model(installed, letters, tmp_path, page, answerer) -> None:
    folder, session = letters
    with model_server(says(judgement)) as server:
        settings = model_settings(server, answerer)
        with serving(installed, tmp_path, session, **settings) as served:
            status, _ = served.call("/inference", {})
            assert (status, server.requests) == (409, []), "nothing is asked before a ranking is committed"
            rank(page, served)
            assert "Arithmetic can’t tell" in page.inner_text("[aria-labelledby=model-title]")
            assert server.base_url.removeprefix("http://") in page.inner_text("[aria-labelledby=model-title]")
            assert "k-secret" not in page.content()
            axe(page, "before the model")
            page.click("button:has-text('Ask the model')")
            page.wait_for_selector("#why-title")
            axe(page, "judged")
            shot(page, f"judged-{answerer}")
            why = page.inner_text("[aria-labelledby=why-title]")
            assert "A model read the artifacts" in why
            assert "Numbers" in why
            page.click("summary:has-text('What the knowledge bases say of it')")
            remembered = page.inner_text(".remembered")
            assert "since readers asked for figures" in remembered
            assert "rubric.knowledge-base/2026-01-05/minutes.md" in remembered
            proposal = page.locator("fieldset.proposal", has_text="Numbers")
            assert "Not verified" in proposal.inner_text()
            assert page.input_value("#wording-p1") == NARROWED
            proposal.get_by_label("Approve").check()
            page.click("button:has-text('Apply what I approved')")
            page.wait_for_selector("#done-title")
            assert "nobody can compute beforehand" in page.inner_text("[aria-labelledby=done-title]")
            axe(page, "done")

    prompts = "\n".join(server.prompts)
    assert not any(f"{weighted_mean(row, CRITERIA):.4g}" in prompts for row in drifted_rows()[:5])
    assert NARROWED in (folder / "rubric.md").read_text(encoding="utf-8")
    report = installed.json("rubricator", "calibrate", "report", session, cwd=tmp_path)
    assert report["inversions"][0]["attribution"]["method"] == "inference"
    assert report["decisions"]["approved"][0]["verified"] is False
    assert report["decisions"]["predicted"] is None
    assert report["drivers"][0]["probability"] is None
    assert report["drivers"][0]["memory"][0]["citation_id"].startswith("kb:")
    assert report["drivers"][0]["origin"].startswith("there by 20")
    events = [json.loads(line)["type"] for line in (folder / "calibration" / "ledger.jsonl").read_text().splitlines()]
    assert "model_consulted" in events
    done = installed.run("rubricator", "calibrate", "revert", session, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert NARROWED not in (folder / "rubric.md").read_text(encoding="utf-8")


def test_without_a_model_a_pass_ends_with_agreement_and_inversions_and_says_what_is_not_known(
    installed, letters, tmp_path, page
) -> None:
    folder, session = letters
    before = (folder / "rubric.md").read_bytes()
    with serving(installed, tmp_path, session) as served:
        rank(page, served)
        assert "Kendall’s tau-b" in page.inner_text("[aria-labelledby=two-title]")
        assert "You put" in page.inner_text("[aria-labelledby=pairs-title]")
        assert "none is set" in page.inner_text("[aria-labelledby=model-title]")
        assert page.locator("#why-title").count() == 0
        assert page.locator("fieldset.proposal").count() == 0
        status, body = served.call("/inference", {})
        assert (status, body["error"]["message"]) == (400, "No model is set that could be asked.")
        axe(page, "no model")
        page.click("button:has-text('Finish')")
        page.wait_for_selector("#done-title")
    assert (folder / "rubric.md").read_bytes() == before
    report = installed.json("rubricator", "calibrate", "report", session, cwd=tmp_path)
    assert report["inference"] is None
    assert report["drivers"] == []
    assert report["inversions"]


def test_a_model_that_fails_leaves_the_report_whole_and_says_what_is_missing(
    installed, letters, tmp_path, page
) -> None:
    _, session = letters
    with model_server(fails(401, "no such key")) as server:
        with serving(installed, tmp_path, session, **model_settings(server)) as served:
            rank(page, served)
            page.click("button:has-text('Ask the model')")
            page.wait_for_selector("text=Missing, because it could not be answered")
            assert page.locator("fieldset.proposal").count() == 0
            axe(page, "failed")
        assert len(server.requests) == 1, "a service that failed is not tried for every pair"
        arguments = ["rubricator", "calibrate", "report", session, "--json"]
        done = installed.run(*arguments, cwd=tmp_path, env=model_settings(server))
    told = json.loads(done.stdout)
    assert done.returncode == 4
    assert told["inference"]["missing"]
    assert told["drivers"] == []
    assert "Missing: " in done.stderr


@pytest.mark.parametrize(
    "invented",
    [
        {"criterion": "Charm", "quote": "What Numbers means", "explanation": "It is charming."},
        {"criterion": "Numbers", "quote": "more numbers are always better", "explanation": "Numbers."},
    ],
)
def test_nothing_invented_reaches_a_report(installed, letters, tmp_path, page, invented) -> None:
    _, session = letters
    with model_server(says(invented)) as server:
        with serving(installed, tmp_path, session) as served:
            rank(page, served)
        arguments = ["rubricator", "calibrate", "report", session, "--json"]
        done = installed.run(*arguments, cwd=tmp_path, env=model_settings(server))
    told = json.loads(done.stdout)
    assert done.returncode == 4
    assert {i["attribution"]["method"] for i in told["inversions"]} == {"none"}
    assert told["drivers"] == []
    assert installed.json("rubricator", "calibrate", "propose", session, cwd=tmp_path)["proposals"] == []
