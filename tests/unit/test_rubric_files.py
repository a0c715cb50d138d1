"""Rubric files and score logs by themselves, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.evaluators import drifted_rows, write_evaluator

from rubricator import Workspace
from rubricator.interfaces.cli import main

RUBRIC = "evaluators/letters/rubric.md"


def run(*args: object, code: int = 0) -> str:
    done = CliRunner().invoke(main, [str(a) for a in args])
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture
def letters(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_evaluator(tmp_path, drifted_rows())


def test_the_scores_under_a_pass_are_not_shown_before_the_ranking(letters) -> None:
    log = letters / "scores.jsonl"
    assert json.loads(run("scores", "show", log, "--json"))["artifacts"] == 17
    session = Workspace.open().calibration.start("letters", seed=1)["session"]
    refused = run("scores", "show", Path("evaluators/letters/../letters/scores.jsonl"), code=3)
    assert f"scores.jsonl is the score log of {session}, whose ranking is not committed." in refused
    assert "artifacts/" not in refused
    Workspace.open().calibration.open_pass(session).decline()
    assert "17 artifacts" in run("scores", "show", log)


def test_a_rubric_is_shown_linted_and_converted(letters) -> None:
    rubric = letters / "rubric.md"
    assert "Numbers  (weight 4)" in run("rubric", "show", rubric)
    assert "no-anchors: “Hook”" in run("rubric", "lint", rubric)
    run("rubric", "lint", rubric, "--check", code=1)
    told = json.loads(run("rubric", "convert", rubric, "--to", "autorubric", "--json"))
    assert "weight: 4" in told["text"]
    assert told["not_kept"]
    run("rubric", "convert", rubric, "--to", "vault", "-o", "new.md")
    assert (
        json.loads(run("rubric", "show", "new.md", "--json"))["version"]
        == json.loads(run("rubric", "show", rubric, "--json"))["version"]
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("show", "none.md"), "can't be read"),
        (("show", "evaluators"), "can't be read"),
        (("convert", RUBRIC, "--to", "excel"), "no format that is written"),
        (("convert", RUBRIC, "--to", "vault", "-o", RUBRIC), "is there already"),
        (("convert", RUBRIC, "--to", "vault", "-o", "no/where.md"), "can't be written"),
    ],
)  # fmt: skip
def test_what_can_not_be_done_is_said(letters, args, said) -> None:
    assert said in run("rubric", *args, code=2)
