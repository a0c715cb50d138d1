"""The commands, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

CARD = ["--scorecard", "Support QA"]
NAMES = [*CARD, "--score", "Refunds: Eligibility"]
LIMIT = "what is the waiver limit for late fees?"


def test_prewarm_prints_the_roots_and_what_it_did(at_work: Any) -> None:
    first = at_work.run("plexus", "rubric-memory", "prewarm", *NAMES)
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("built: Support QA / Refunds: Eligibility")
    for root in ("Refunds- Eligibility.knowledge-base", "Refunds.knowledge-base", "scorecard.knowledge-base"):
        assert root in first.stdout
    assert at_work.run("plexus", "rubric-memory", "prewarm", *NAMES).stdout.startswith("reused")
    assert first.stderr == ""


def test_prewarm_all_prints_one_document_a_line(at_work: Any) -> None:
    done = at_work.run("rubricator", "memory", "prewarm", *CARD, "--all", "--json")
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [result["score"] for result in results] == ["Greeting", "Refunds: Eligibility"]
    assert {"status", "key", "fingerprint", "retriever", "schema_version", "corpus_path", "manifest_path", "sources",
            "files", "passages", "skipped", "prepared_at", "seconds"} <= results[0].keys()  # fmt: skip


def test_search_reads_queries_from_a_file_and_prints_a_result_a_line(at_work: Any, tmp_path: Path) -> None:
    queries = tmp_path / "q.jsonl"
    hostile = 'a "quoted: thing" AND NOT (x OR -y) * ~2 \\ [z] {w} ' + "word " * 10_000
    lines = [{"id": "a", "query": LIMIT}, {"id": "b", "query": hostile}, {"id": "c", "query": "?!"}]
    queries.write_text("\n".join(json.dumps(line) for line in lines))
    done = at_work.run("rubricator", "memory", "search", *NAMES, "--queries", str(queries), "-k", "2", "--json")
    assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [result["id"] for result in results] == ["a", "b", "c"]
    hit = results[0]["hits"][0]
    assert len(results[0]["hits"]) == 2
    assert all(hit["source"].startswith("Refunds- Eligibility.knowledge-base/") for hit in results[0]["hits"])
    assert hit["citation_id"].startswith("kb:")
    raw = Path(at_work.environment["SCORECARD_CACHE_DIR"], "Support QA", hit["source"]).read_text()
    assert raw[hit["span"]["start"] : hit["span"]["end"]] == hit["text"]
    assert results[2]["diagnostics"] == ["No passage holds any of the words asked for."]


def test_context_goes_into_a_prompt(at_work: Any, tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.md"
    prompt.write_text("Judge by the rubric.\n\n{{rubric_memory}}\n\nAnswer now.\n")
    done = at_work.run("rubricator", "memory", "context", *NAMES, LIMIT, "--into", str(prompt))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Judge by the rubric.")
    assert "## Authority" in done.stdout
    assert "{{rubric_memory}}" not in done.stdout
    prompt.write_text("Nothing to fill in.\n")
    refused = at_work.run("rubricator", "memory", "context", *NAMES, LIMIT, "--into", str(prompt))
    assert refused.returncode == 2


def test_context_of_a_disputed_item_from_standard_input(at_work: Any) -> None:
    item = json.dumps({"text": "A late fee was waived: 38 dollars.", "feedback_comment": "The waiver limit is 40."})
    done = at_work.run("rubricator", "memory", "context", *NAMES, "--item", "-", "--json", stdin=item)
    context = json.loads(done.stdout)
    assert {"markdown", "authority", "citations", "history", "evidence", "diagnostics"} <= context.keys()
    assert [entry["date"] for entry in context["history"]] == sorted(entry["date"] for entry in context["history"])


def test_check_citations_warns_by_default_and_fails_with_check(at_work: Any, tmp_path: Path) -> None:
    answer = tmp_path / "answer.md"
    answer.write_text("As decided [kb:0123456789].\n")
    assert at_work.run("rubricator", "memory", "check-citations", *NAMES, str(answer)).returncode == 0
    checked = at_work.run("rubricator", "memory", "check-citations", *NAMES, str(answer), "--check")
    assert checked.returncode == 1
    assert "does not exist: [kb:0123456789]" in checked.stdout


def test_recent_since_a_day(at_work: Any) -> None:
    found = at_work.json("plexus", "rubric-memory", "recent", *NAMES, "--since", "2025-06-01", "--until", "2026-12-31")
    assert [source["date"] for source in found["sources"]] == ["2026-02-03", "2025-06-02"]
    assert found["undated"] == 1


def test_lint_check_exits_with_one(at_work: Any, support_qa: Path) -> None:
    assert at_work.run("rubricator", "memory", "lint", *CARD, "--check").returncode == 0
    (support_qa / "Support QA" / "Stray.knowledge-base").mkdir()
    assert at_work.run("rubricator", "memory", "lint", *CARD, "--check").returncode == 1


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["memory", "prewarm", "--scorecard", "Nope", "--score", "x"], 2, "no scorecard 'Nope'"),
        (["memory", "prewarm", *CARD, "--score", "Refunds: Eligibilty"], 2, "Did you mean"),
        (["memory", "prewarm", *CARD, "--score", ".."], 2, "escape"),
        (["memory", "search", *NAMES], 2, "Give one of"),
        (["memory", "search", *NAMES, ""], 2, "empty"),
        (["memory", "search", *NAMES, "x", "--since", "2026-02-30"], 2, "YYYY-MM-DD"),
        (["memory", "context", *NAMES, "--item", "/nowhere.json"], 2, "can't be read"),
        (["memory", "nonsense"], 2, "No such command"),
    ],
)
def test_bad_input_says_what_and_ends_with_two(at_work: Any, args: list[str], code: int, words: str) -> None:
    done = at_work.run("rubricator", *args)
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_an_error_with_json_is_json(at_work: Any) -> None:
    done = at_work.run("rubricator", "memory", "prewarm", "--scorecard", "Nope", "--score", "x", "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "bad_input"


def test_no_authority_is_refused(at_work: Any, support_qa: Path) -> None:
    (support_qa / "Support QA" / "Refunds- Eligibility.md").write_text(" \n")
    done = at_work.run("rubricator", "memory", "context", *NAMES, LIMIT)
    assert done.returncode == 3
    assert "empty" in done.stderr


def test_doctor_says_what_is_there(at_work: Any) -> None:
    found = at_work.json("rubricator", "doctor")
    assert found["packages"]["core"]["tantivy"]
    assert any(entry["name"].startswith("Markdown") for entry in found["formats"])
    assert found["folders"]["scorecards"]["exists"]


def test_demo_prints_one_citation_context_and_can_be_run_twice(installed: Any, tmp_path: Path) -> None:
    target = tmp_path / "demo"
    first = installed.run("rubricator", "demo", str(target))
    assert first.returncode == 0, first.stderr
    assert "## Policy history" in first.stdout
    assert "Try next" in first.stderr
    assert installed.run("rubricator", "demo", str(target)).stdout == first.stdout
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("mine")
    assert installed.run("rubricator", "demo", str(tmp_path / "mine")).returncode == 2


@pytest.mark.parametrize("args", [["memory", "search", "--bogus"], ["memory", "search", *NAMES, "x", "-k", "0"]])
def test_a_usage_error_with_json_is_json(at_work: Any, args: list[str]) -> None:
    done = at_work.run("rubricator", *args, "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "bad_input"


def test_queries_keep_their_ids_and_bad_lines_are_named(at_work: Any, tmp_path: Path) -> None:
    queries = tmp_path / "q.jsonl"
    queries.write_text('{"id": 7, "query": "late\\u2028fee"}\n{"id": null, "query": "\\ud800 fee"}\n', encoding="utf-8")
    done = at_work.run("rubricator", "memory", "search", *NAMES, "--queries", str(queries), "--json")
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["id"] for line in done.stdout.split("\n") if line] == [7, None]
    queries.write_text('{"id": "a", "query": "fee"}\n' + "[" * 100_000 + "\n")
    done = at_work.run("rubricator", "memory", "search", *NAMES, "--queries", str(queries), "--json")
    assert done.returncode == 2
    assert "Line 2" in done.stderr


def test_one_bad_score_does_not_stop_the_others(at_work: Any, support_qa: Path) -> None:
    (support_qa / "Support QA" / "scorecard.yaml").write_text("name: Support QA\n")
    (support_qa / "Support QA" / "README.md").write_text("# About this folder\n")
    done = at_work.run("rubricator", "memory", "prewarm", *CARD, "--all", "--json")
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["score"] for line in done.stdout.splitlines()] == ["Greeting", "Refunds: Eligibility"]


def test_a_working_directory_that_is_gone_matters_only_for_relative_folders(at_work: Any, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    done = at_work.run("rubricator", "memory", "search", *NAMES, "late fees", cwd=gone, preexec_fn=gone.rmdir)
    assert done.returncode == 0, done.stderr
