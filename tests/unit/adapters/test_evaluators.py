"""Finding evaluators, and reading their logs, artifacts and history."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.evaluators import drifted_rows, write_evaluator

from rubricator.adapters.artifacts import Artifacts
from rubricator.adapters.evaluators import discover, scale_of
from rubricator.adapters.git_history import revisions
from rubricator.adapters.rubric_edit import replace_file
from rubricator.adapters.score_log_file import log_prefix, read_scores
from rubricator.core.rubric import Rubric
from rubricator.core.scores import ScoreLog, Scoring
from rubricator.errors import ConflictError, InputError
from rubricator.formats.score_logs import Columns
from rubricator.rubric_calibration import RubricCalibration

RUBRIC = "## Hook\n- weight: 2\n\nText.\n\n## Depth\n\nText.\n"


def test_all_three_kinds_are_found(tmp_path) -> None:
    write_evaluator(tmp_path, drifted_rows(), name="vault")
    (tmp_path / "judge.md").write_text(RUBRIC)
    (tmp_path / "judge.csv").write_text("id,total,Hook,Depth\nx.md,80,4,5\n")
    (tmp_path / "rubricator.toml").write_text(
        '[evaluators.judge]\nrubric = "judge.md"\nscores = "judge.csv"\nscale = [0, 100]\n'
        'columns = { artifact = "id", score = "total", criteria = ["Hook", "Depth"] }\n'
        '[evaluators.broken]\nrubric = "judge.md"\nscroes = "judge.csv"\n'
    )
    card = tmp_path / "scorecards" / "Support QA"
    card.mkdir(parents=True)
    (card / "Refunds- Eligibility.md").write_text("# Refunds\n" + RUBRIC)
    (card / "Refunds- Eligibility.scores.jsonl").write_text('{"artifact": "a", "score": 1}\n')

    found = discover(tmp_path, tmp_path / "scorecards")

    assert [(e.name, e.kind) for e in found.places] == [
        ("vault", "vault"),
        ("judge", "configured"),
        ("Support QA / Refunds- Eligibility", "plexus"),
    ]
    assert any("scroes is not a key" in note for note in found.diagnostics)
    assert found.find("Refunds- Eligibility").kind == "plexus"
    judge = found.find("judge")
    rubric = judge.read(judge.rubric_path.read_bytes())
    assert (rubric.scale.high, rubric.name, rubric.weights) == (100, "judge", {"hook": 2, "depth": 1})
    assert dict(read_scores(judge.scores_path, judge.columns).newest["x.md"].criteria) == {"Hook": 4, "Depth": 5}
    with pytest.raises(InputError, match="no evaluator 'valut'") as error:
        found.find("valut")
    assert "Did you mean 'vault'?" in error.value.hint


def test_without_an_evaluator_the_error_says_how_to_make_one(tmp_path) -> None:
    with pytest.raises(InputError) as error:
        discover(tmp_path, tmp_path / "none").most_recent()
    assert "rubricator demo calibrate" in error.value.hint


def test_the_most_recent_is_the_one_with_the_newest_scored_artifact(tmp_path) -> None:
    write_evaluator(tmp_path, drifted_rows(), name="old")
    new = write_evaluator(tmp_path, drifted_rows(), name="new")
    (new / "scores.jsonl").write_text('{"artifact": "a", "score": 3, "scored_at": "2026-11-30"}\n')

    assert discover(tmp_path, tmp_path / "none").most_recent().name == "new"


def test_bad_lines_of_a_log_are_named_by_number_and_never_quoted(tmp_path) -> None:
    log = tmp_path / "scores.jsonl"
    log.write_bytes(
        b'{"artifact": "a", "score": 4.8317, "criteria": {"Hook": "4.5", "Bad": "x", "Nan": NaN}}\n'
        b'{"artifact": "b", "score": "4.7777 of 5"}\n\n{"score": 4.6666}\n[4.5555]\nnot json 4.4444\n\xff\xfe\n'
        b'{"artifact": "c", "score": true}\n{"artifact": "d", "score": Infinity}\n'
    )

    found = read_scores(log)

    assert list(found.newest) == ["a"]
    assert dict(found.newest["a"].criteria) == {"Hook": 4.5}
    assert [note.split()[1] for note in found.diagnostics] == ["2", "4", "5", "6", "7", "8", "9"]
    assert not any(char.isdigit() and "4." in note for note in found.diagnostics for char in note)
    assert read_scores(log, upto=100).rows == 1
    assert log_prefix(log, 10)[0] == 10


def test_many_bad_lines_are_summed_up(tmp_path) -> None:
    log = tmp_path / "scores.jsonl"
    log.write_text('{"artifact": "a", "score": 1}\n' + "x\n" * 500)

    assert read_scores(log).diagnostics[-1] == "480 more lines of the score log were passed over."


def test_columns_may_be_paths_and_carry_the_text(tmp_path) -> None:
    log = tmp_path / "runs.jsonl"
    rows = [{"id": f"r{n}", "out": {"score": n, "parts": {"Hook": n}}, "body": f"Text {n}."} for n in range(3)]
    log.write_text("\n".join(json.dumps(row) for row in rows))
    columns = Columns(artifact="id", score="out.score", criteria_in="out.parts", text="body")
    (tmp_path / "rubric.md").write_text(RUBRIC)
    (tmp_path / "rubricator.toml").write_text(
        '[evaluators.runs]\nrubric = "rubric.md"\nscores = "runs.jsonl"\n'
        'columns = { artifact = "id", score = "out.score", criteria = "out.parts", text = "body" }\n'
    )

    place = discover(tmp_path, tmp_path / "none").find("runs")

    assert place.columns == columns
    assert read_scores(log, columns).newest["r2"].criteria == {"Hook": 2}
    assert Artifacts(place).text("r1") == "Text 1."
    started = RubricCalibration(tmp_path, tmp_path / "none").start("runs", n=3)
    assert [a["words"] for a in started["artifacts"]] == [2, 2, 2]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.2, 0.9], (0, 1)),
        ([2, 5], (1, 5)),
        ([0, 5], (0, 5)),
        ([3, 9], (1, 10)),
        ([55, 80], (0, 100)),
        ([-3, 7], (-3, 7)),
    ],
)
def test_a_scale_that_is_not_stated_is_assumed_and_said(tmp_path, scores, expected) -> None:
    log = ScoreLog.collect(Scoring(str(n), s) for n, s in enumerate(scores))
    place = discover(write_evaluator(tmp_path, drifted_rows()).parents[1], tmp_path).find("letters")
    rubric = place.read(b"## Hook\n\ntext\n")

    scale, note = scale_of(rubric, log)

    assert (scale.low, scale.high) == expected
    assert "assumed" in note


@pytest.mark.parametrize("scores", [[777.25, 777.25], [1e308, 1e308], [-1e308, 1e308]])
def test_scores_without_any_scale_are_an_error_that_tells_none_of_them(tmp_path, scores) -> None:
    log = ScoreLog.collect(Scoring(str(n), s) for n, s in enumerate(scores))

    with pytest.raises(InputError) as error:
        scale_of(Rubric("x", ()), log)
    assert not any(char.isdigit() for char in error.value.message)


def test_artifacts_that_cannot_be_shown_have_reasons(tmp_path) -> None:
    folder = write_evaluator(tmp_path, drifted_rows())
    art = folder / "artifacts"
    (art / "empty.md").write_text(" \n")
    shutil.copy(art / "a00.md", art / "copy.md")
    (art / "page.html").write_text("<h1>Hello</h1><script>x</script><p>there</p>")
    (tmp_path / "outside.md").write_text("secret")
    (art / "link.md").symlink_to(tmp_path / "outside.md")
    (art / "latin.txt").write_bytes("Grüße aus Köln, schön war es".encode("cp1252"))
    (art / "round.md").symlink_to("about.md")
    (art / "about.md").symlink_to("round.md")
    texts = Artifacts(discover(tmp_path, tmp_path).find("letters"))

    assert texts.reason("artifacts/a00.md") is None
    assert texts.reason("artifacts/round.md") in {"it can't be read: its links run in a circle", "missing on disk"}
    assert texts.reason("artifacts/copy.md") == "same content as artifacts/a00.md"
    assert texts.reason("artifacts/empty.md") == "empty"
    assert texts.reason("artifacts/none.md") == "missing on disk"
    assert texts.reason("../../outside.md") == "it lies outside the evaluator's folder"
    assert texts.reason("artifacts/link.md") == "it lies outside the evaluator's folder"
    assert texts.reason("bad\0name") == "it can't be read: its name is no path"
    assert "Hello" in texts.text("artifacts/page.html")
    assert "x" not in texts.text("artifacts/page.html").split()
    assert "Grüße" in texts.text("artifacts/latin.txt")


def git(folder: Path, *args: str) -> None:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, "-C", str(folder), *args], check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_history_follows_renames_and_knows_the_working_copy(tmp_path) -> None:
    git(tmp_path, "init", "-q")
    old, new = tmp_path / "old näme.md", tmp_path / "sub" / "rubric.md"
    old.write_text("one\n" * 20)
    assert revisions(old) == ([], "the repository has no commits yet")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first, with ünicode")
    new.parent.mkdir()
    git(tmp_path, "mv", old.name, "sub/rubric.md")
    git(tmp_path, "commit", "-qm", "move")
    new.write_text("one\n" * 20 + "two\n")

    found, reason = revisions(new)

    assert reason is None
    assert [r.subject for r in found] == ["first, with ünicode", "move", "not committed yet"]
    assert found[0].content == b"one\n" * 20
    (tmp_path / "stray.md").write_text("x")
    assert revisions(tmp_path / "stray.md") == ([], "git does not know the file yet")


def test_outside_a_repository_there_is_a_reason(tmp_path) -> None:
    (tmp_path / "rubric.md").write_text("x")

    found, reason = revisions(tmp_path / "rubric.md")

    assert found == []
    assert reason


def test_a_file_is_replaced_only_if_it_is_the_one_that_was_meant(tmp_path) -> None:
    import hashlib

    path, link = tmp_path / "rubric.md", tmp_path / "link.md"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    with pytest.raises(ConflictError):
        replace_file(path, "0" * 64, b"new")
    assert path.read_text() == "old"
    replace_file(link, hashlib.sha256(b"old").hexdigest(), b"new")
    assert (path.read_text(), link.is_symlink(), path.stat().st_mode & 0o777) == ("new", True, 0o640)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.md", "rubric.md"]
