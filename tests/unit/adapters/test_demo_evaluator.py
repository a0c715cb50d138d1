"""The demo evaluator holds what its story promises."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from rubricator.adapters.demo_evaluator import NAME, copy_demo_evaluator
from rubricator.adapters.evaluators import discover
from rubricator.adapters.score_log_file import read_scores
from rubricator.calibration.packet import words
from rubricator.calibration.sampling import sample, top_band
from rubricator.calibration.score_range import repeatability, score_range
from rubricator.errors import InputError

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def demo(tmp_path):
    assert copy_demo_evaluator(tmp_path / "demo")
    place = discover(tmp_path / "demo", tmp_path).find(NAME)
    return place, place.read(place.rubric_path.read_bytes()), read_scores(place.scores_path)


def test_totals_are_what_weights_and_sub_scores_give(demo) -> None:
    _, rubric, log = demo

    for scoring in log.newest.values():
        assert rubric.total(rubric.by_id(scoring.criteria)) == pytest.approx(scoring.score, abs=1e-4)


def test_every_artifact_is_prose_of_one_to_three_hundred_words(demo) -> None:
    place, _, log = demo

    for artifact in log.newest:
        assert 100 <= words((place.base / artifact).read_text(encoding="utf-8")) <= 300, artifact


def test_the_scores_are_spread_and_some_were_given_twice(demo) -> None:
    _, rubric, log = demo

    assert not score_range([s.score for s in log.newest.values()], rubric.scale).compressed
    assert top_band(log, rubric.scale, 5).size >= 8
    assert repeatability(log).artifacts >= 3


def test_nearly_every_sample_holds_an_inversion_that_the_drifted_criterion_makes(demo) -> None:
    _, rubric, log = demo
    sound = rubric.without(["concrete-numbers"])
    held = 0
    for seed in range(200):
        chosen = sample(top_band(log, rubric.scale, 5), log, rubric, 5, seed, "stratified", lambda _: None).artifacts
        values = [(sound.total(sound.by_id(log.newest[a].criteria)), log.newest[a].score) for a in chosen]
        held += any(a[0] > b[0] and a[1] < b[1] for a in values for b in values)
    assert held >= 190


def test_the_rubric_has_its_history(demo) -> None:
    place, _, _ = demo
    log = subprocess.run(
        ["git", "-C", str(place.base), "log", "--format=%cs %s", "--reverse", "--", "rubric.md"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()

    assert len(log) == 5
    assert log[0].startswith("2025-11-10 ")
    assert log[-1].startswith("2026-08-27 Count concrete numbers four times")


def test_a_second_copy_leaves_it_alone_and_a_strange_folder_is_refused(tmp_path) -> None:
    assert copy_demo_evaluator(tmp_path / "demo")
    rubric = tmp_path / "demo" / "evaluators" / NAME / "rubric.md"
    rubric.write_text("mine")
    assert copy_demo_evaluator(tmp_path / "demo") is False
    assert rubric.read_text() == "mine"
    (tmp_path / "strange").mkdir()
    (tmp_path / "strange" / "file").write_text("x")
    with pytest.raises(InputError, match="not the demo"):
        copy_demo_evaluator(tmp_path / "strange")
