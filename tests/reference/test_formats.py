"""Real files of other tools: each is read as its own tool reads it, or refused with what it is.

promptfoo: `results.json` is a run of promptfoo 0.121.20, and its totals stand in it. Inspect: logs of its own test
suite; accuracies are those that Inspect recorded in `results.scores`.
"""

from __future__ import annotations

import json
import statistics
import zipfile
from pathlib import Path

import pytest

from rubricator.adapters.score_log_file import read_scores, texts_in_log
from rubricator.errors import InputError
from rubricator.formats.rubric_files import read_rubric

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "formats"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the files of other tools are not here")
FILES = (
    [p for p in sorted(FOLDER.rglob("*")) if p.suffix in {".json", ".eval", ".yaml", ".csv", ".md"}]
    if FOLDER.is_dir()
    else []
)
FILES = [path for path in FILES if not path.name.startswith("LICENSE")]
NEITHER = {
    "goldens.csv": "DeepEval's goldens",
    "goldens.json": "DeepEval's goldens",
    "results.csv": "promptfoo's CSV export",
    "schemas.md": "describes data",
    "test-modelgraded.yaml": "OpenAI's registry of evals",
    "test-modelgraded-battle.yaml": "OpenAI's registry of evals",
    "test-modelgraded-generated.yaml": "OpenAI's registry of evals",
    "score_legacy_format.yaml": "the configuration of a Plexus score",
    "score_with_deepgram_input.yaml": "the configuration of a Plexus score",
    "score_with_processors_only.yaml": "the configuration of a Plexus score",
    "score_with_text_file_input.yaml": "the configuration of a Plexus score",
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_file_is_a_rubric_or_is_refused_with_what_it_is(path) -> None:
    if path.name in NEITHER:
        with pytest.raises(InputError, match=NEITHER[path.name]):
            read_rubric(path.read_bytes(), path.name)
        return
    rubric = read_rubric(path.read_bytes(), path.name)
    assert rubric.criteria
    assert rubric.format == {"openai-evals": "openai_modelgraded"}.get(path.parent.name, path.parent.name)


def recorded(path: Path) -> dict:
    if path.suffix == ".json":
        return json.loads(path.read_text())
    with zipfile.ZipFile(path) as file:
        samples = [json.loads(file.read(name)) for name in file.namelist() if name.startswith("samples/")]
        return {**json.loads(file.read("header.json")), "samples": samples}


@pytest.mark.parametrize("path", [p for p in FILES if p.parent.name == "inspect"], ids=lambda path: path.name[-30:])
def test_an_inspect_log_counts_as_inspect_counted(path) -> None:
    log, whole = read_scores(path), recorded(path)
    assert len(log.newest) == whole["results"]["completed_samples"]
    assert set(texts_in_log(path, None)) == set(log.newest)
    accuracy = whole["results"]["scores"][0]["metrics"]["accuracy"]["value"]
    assert statistics.fmean(s.score for s in log.newest.values()) == pytest.approx(accuracy)


def test_promptfoo_results_have_promptfoo_figures() -> None:
    path = FOLDER / "promptfoo" / "results.json"
    log, whole = read_scores(path), json.loads(path.read_text())
    rows = whole["results"]["results"]
    assert [s.score for s in log.newest.values()] == [row["score"] for row in rows]
    assert [len(s.criteria) for s in log.newest.values()] == [
        len(row["gradingResult"]["componentResults"]) for row in rows
    ]
    assert (
        sum(v == 1 for s in log.newest.values() for v in s.criteria.values())
        == (whole["results"]["prompts"][0]["metrics"]["assertPassCount"])
    )
    rubric = read_rubric((path.parent / "promptfooconfig.yaml").read_bytes(), "promptfooconfig.yaml")
    for scoring in log.newest.values():
        assert set(scoring.criteria) == {c.name for c in rubric.criteria}
        assert rubric.total(rubric.by_id(scoring.criteria)) == pytest.approx(scoring.score)
