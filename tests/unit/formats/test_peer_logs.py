"""Each peer's score log: artifacts, sub-scores and totals as its tool counts them, and texts where it has them."""

from __future__ import annotations

import io
import json

import pytest
from backports.zstd import zipfile

from rubricator.adapters.score_log_file import read_scores, texts_in_log
from rubricator.errors import InputError
from rubricator.formats.rubric_files import read_rubric
from rubricator.formats.score_logs import LOG_FORMATS


def component(score: float, **assertion: object) -> dict:
    return {"pass": score > 0, "score": score, "reason": "r", "assertion": assertion}


TONE = {"type": "llm-rubric", "metric": "Tone", "value": "Is kind.", "weight": 2}
PARTS = [{"type": "contains", "value": "a", "weight": 1}, {"type": "contains", "value": "b", "weight": 2}]
SET = {"type": "assert-set", "weight": 3, "assert": PARTS}
CHILDREN = [component(1, **PARTS[0]), component(0, **PARTS[1])]
PROMPTFOO = {
    "results": {
        "version": 3,
        "timestamp": "2026-03-01T10:00:00Z",
        "results": [
            {
                "testIdx": 0,
                "promptIdx": 1,
                "score": (2 * 0.5 + 3 * (1 / 3)) / 5,
                "vars": {"question": "one"},
                "response": {"output": "The answer."},
                "testCase": {"assert": [TONE, SET]},
                # promptfoo lists a set, and then its children once more
                "gradingResult": {
                    "score": (2 * 0.5 + 3 * (1 / 3)) / 5,
                    "componentResults": [
                        component(0.5, **TONE),
                        {"pass": False, "score": 1 / 3, "reason": "r", "componentResults": CHILDREN},
                        *CHILDREN,
                    ],
                },
            },
            {"testIdx": 1, "promptIdx": 0, "error": "timeout", "gradingResult": None},
            {
                "testIdx": 2,
                "promptIdx": 0,
                "score": 0.25,
                "gradingResult": {"score": 0.25, "namedScores": {"Tone": 0.25, "Odd": None}},
                "response": {"output": {"a": 1}},
            },
        ],
    }
}
CONFIG = {"prompts": ["x"], "tests": [{"assert": [TONE, SET]}]}


def sample(number: int, scores: dict, **more: object) -> dict:
    message = {"role": "assistant", "content": [{"type": "text", "text": f"answer {number}"}]}
    return {
        "id": number,
        "epoch": 1,
        "input": [{"role": "user", "content": "attachment://ab"}],
        "attachments": {"ab": "What is it?"},
        "output": {"choices": [{"message": message}]},
        "scores": scores,
        **more,
    }


EDIT = {"value": 0.5, "provenance": {"timestamp": "2026-02-03T00:00:00Z", "author": "o"}}
INSPECT = {
    "version": 2,
    "eval": {"task": "guide", "created": "2026-01-02T03:04:05+00:00", "scorers": [{"name": "judge"}]},
    "samples": [
        sample(1, {"judge": {"value": "C"}}),
        sample(2, {"judge": {"value": "P", "history": [EDIT]}}),
        sample(3, {"judge": {"value": float("nan")}}),
        sample(4, {"judge": {"value": {"tone": 3, "depth": "I", "gap": float("nan")}}}),
        sample(4, {"judge": {"value": "N"}}, epoch=2),
        sample(5, {}, error={"message": "died"}),
        sample(6, {"judge": {"value": True}, "overall": {"value": 0.7}}),
    ],
}
AUTORUBRIC = [
    {"item_idx": 0, "error": None, "report": {"score": 0.8, "criterion_reports": [
        {"name": "Sources", "requirement": "Names them", "weight": 10, "verdict": "MET"},
        {"requirement": "Is short", "weight": 5, "verdict": "UNMET"},
        {"requirement": "Unclear", "weight": 5, "verdict": "CANNOT_ASSESS"},
        {"name": "Level", "requirement": "How far", "multi_choice_verdict": {"value": 0.67, "na": False}},
    ]}},
    {"item_idx": 1, "error": None, "report": {"score": 0.5, "criterion_reports": [
        {"criterion": {"name": "Sources", "requirement": "Names them"}, "final_verdict": "UNMET"}]}},
    {"item_idx": 2, "error": "boom", "report": {"score": None}},
]  # fmt: skip
DEEPEVAL = {"testCases": [
    {"name": "t1", "input": "q", "actualOutput": "a", "metricsData": [
        {"name": "Tone", "score": 0.5}, {"name": "Depth", "score": 1.0}]},
    {"name": "t2", "input": "q", "actualOutput": "b", "metricsData": [{"name": "Tone", "score": None}]},
]}  # fmt: skip
HEALTHBENCH = {"score": 0.4, "metadata": {"example_level_metadata": [
    {"score": -0.14, "prompt_id": "p1", "prompt": [{"role": "user", "content": "Cough?"}],
     "completion": "See a doctor.",
     "rubric_items": [{"criterion": "Asks how long.", "points": 7, "criteria_met": True},
                      {"criterion": "Prescribes.", "points": -8, "criteria_met": True}]}]}}  # fmt: skip
LANGFUSE = {"data": [
    {"traceId": "t1", "name": "tone", "value": 0.5, "dataType": "NUMERIC", "timestamp": "2026-01-01T00:00:00Z"},
    {"traceId": "t1", "name": "overall", "value": 0.9, "dataType": "NUMERIC", "timestamp": "2026-01-02T00:00:00Z"},
    {"traceId": "t2", "name": "label", "value": "good", "dataType": "CATEGORICAL"},
    {"traceId": "t3", "name": "ok", "value": 1, "dataType": "BOOLEAN"},
]}  # fmt: skip
LANGSMITH = [
    {"id": "r1", "inputs": {"q": "?"}, "outputs": {"a": "!"}, "end_time": "2026-01-01T00:00:00",
     "feedback_stats": {"correctness": {"n": 1, "avg": 1.0}, "tone": {"n": 2, "avg": 0.5}}},
    {"run": {"id": "r2"}, "evaluation_results": {"results": [{"key": "correctness", "score": 0}]}},
]  # fmt: skip
PHOENIX = (
    "context.span_id,attributes.input.value,attributes.output.value,eval.Tone.score,eval.Tone.label\ns1,q,a,0.5,meh\n"
)
MLFLOW = {"columns": ["inputs", "outputs", "relevance/v1/score", "relevance/v1/justification"],
          "data": [["q", "a", 4, "because"], ["q", "b", None, ""]]}  # fmt: skip

ASKED = "**Input**\n\nWhat is it?\n\n**Output**\n\n"
LOGS = {
    "promptfoo": (
        json.dumps(PROMPTFOO),
        "results.json",
        {
            "test 1, prompt 2": (0.4, {"Tone": 0.5, "contains: a": 1.0, "contains: b": 0.0}),
            "test 3, prompt 1": (0.25, {"Tone": 0.25}),
        },
        {
            "test 1, prompt 2": "**Input**\n\nquestion: one\n\n**Output**\n\nThe answer.",
            "test 3, prompt 1": '{\n  "a": 1\n}',
        },
        ["Entry 2 of the score log was passed over: it was not graded."],
    ),
    "inspect": (
        json.dumps(INSPECT),
        "log.json",
        {
            "sample 1": (1.0, {}),
            "sample 2": (0.5, {}),
            "sample 4": (1.5, {"tone": 3.0, "depth": 0.0}),
            "sample 4, epoch 2": (0.0, {}),
            "sample 6": (0.7, {"judge": 1.0}),
        },
        {f"sample {n}": f"{ASKED}answer {n[:1]}" for n in ("1", "2", "4", "4, epoch 2", "6")},
        ["Entry 3", "Entry 6", "The log gives no total", "1 of the scores were edited"],
    ),
    "autorubric": (
        "\n".join(map(json.dumps, AUTORUBRIC)),
        "items.jsonl",
        {
            "item 0": (0.8, {"Sources": 1.0, "Is short": 0.0, "Level": 0.67}),
            "item 1": (0.5, {"Sources": 0.0}),
        },
        {},
        ["Entry 3"],
    ),
    "deepeval": (
        json.dumps(DEEPEVAL),
        "run.json",
        {"t1": (0.75, {"Tone": 0.5, "Depth": 1.0})},
        {"t1": "**Input**\n\nq\n\n**Output**\n\na"},
        ["Entry 2", "The log gives no total"],
    ),
    "healthbench": (
        json.dumps(HEALTHBENCH),
        "allresults.json",
        {"p1": (-0.14, {"Asks how long": 1.0, "Prescribes": 1.0})},
        {"p1": "**Input**\n\nCough?\n\n**Output**\n\nSee a doctor."},
        [],
    ),
    "langfuse": (json.dumps(LANGFUSE), "scores.json", {"t1": (0.9, {"tone": 0.5}), "t3": (1.0, {})}, {}, []),
    "langsmith": (
        "\n".join(map(json.dumps, LANGSMITH)),
        "runs.jsonl",
        {"r1": (0.75, {"correctness": 1.0, "tone": 0.5}), "r2": (0.0, {})},
        {"r1": '**Input**\n\n{\n  "q": "?"\n}\n\n**Output**\n\n{\n  "a": "!"\n}'},
        ["The log gives no total"],
    ),
    "phoenix": (PHOENIX, "spans.csv", {"s1": (0.5, {})}, {"s1": "**Input**\n\nq\n\n**Output**\n\na"}, []),
    "mlflow": (json.dumps(MLFLOW), "eval_results_table.json", {"row 1": (4.0, {})},
               {"row 1": "**Input**\n\nq\n\n**Output**\n\na"}, ["Entry 2"]),
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_a_log_is_told_by_content_and_counted_as_its_tool_counts(name, tmp_path) -> None:
    text, filename, scored, texts, said = LOGS[name]
    path = tmp_path / filename
    path.write_text(text)

    log = read_scores(path)

    assert log.format == name
    found = {a: (pytest.approx(s.score), pytest.approx(dict(s.criteria))) for a, s in log.newest.items()}
    assert found == scored
    assert texts_in_log(path, None) == texts
    assert len(log.diagnostics) == len(said)
    for sentence, start in zip(log.diagnostics, said, strict=True):
        assert sentence.startswith(start)


def test_every_log_format_has_a_case() -> None:
    assert set(LOGS) == set(LOG_FORMATS)


def test_promptfoo_weights_and_sub_scores_give_promptfoo_totals(tmp_path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(PROMPTFOO))
    rubric = read_rubric(json.dumps(CONFIG).encode(), "config.json")
    scored = read_scores(path).newest["test 1, prompt 2"]
    assert rubric.total(rubric.by_id(scored.criteria)) == pytest.approx(scored.score)


def test_an_edited_score_has_the_time_of_the_edit(tmp_path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(INSPECT))
    newest = read_scores(path).newest
    assert newest["sample 2"].scored_at == "2026-02-03T00:00:00Z"
    assert newest["sample 1"].scored_at == "2026-01-02T03:04:05+00:00"


def archive(parts: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return out.getvalue()


def parts(samples: list) -> dict[str, bytes]:
    header = {key: value for key, value in INSPECT.items() if key != "samples"}
    files = {f"samples/{s['id']}_epoch_{s['epoch']}.json": json.dumps(s).encode() for s in samples}
    return {"header.json": json.dumps(header).encode(), **files}


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD])
def test_an_archive_reads_as_the_same_log_in_json(tmp_path, compression) -> None:
    whole, packed = tmp_path / "log.json", tmp_path / "log.eval"
    whole.write_text(json.dumps(INSPECT))
    packed.write_bytes(archive(parts(INSPECT["samples"]), compression))
    assert read_scores(packed) == read_scores(whole)
    assert texts_in_log(packed, None) == texts_in_log(whole, None)
    assert read_rubric(packed.read_bytes(), "log.eval").criteria == read_rubric(whole.read_bytes(), "log.json").criteria


def test_a_damaged_or_swollen_sample_costs_only_itself(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("rubricator.formats.inspect_log._MOST_PART", 5000)
    files = parts(INSPECT["samples"][:2])
    files["samples/7_epoch_1.json"] = b"{not json"
    files["samples/8_epoch_1.json"] = b" " * 6000 + b"{}"
    path = tmp_path / "log.eval"
    path.write_bytes(archive(files))
    log = read_scores(path)
    assert sorted(log.newest) == ["sample 1", "sample 2"]
    assert [d for d in log.diagnostics if "can't be read" in d] == [
        "Entry 3 of the score log was passed over: it can't be read.",
        "Entry 4 of the score log was passed over: it can't be read.",
    ]


def test_an_archive_that_would_unpack_without_end_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("rubricator.formats.inspect_log._MOST_WHOLE", 1000)
    path = tmp_path / "log.eval"
    path.write_bytes(archive(parts(INSPECT["samples"])))
    with pytest.raises(InputError, match="unpacks to more"):
        read_scores(path)


@pytest.mark.parametrize(
    ("name", "raw", "said"),
    [
        ("a.eval", b"PK\x03\x04 no archive", "damaged archive"),
        ("a.json", b'{"a": 1}', "no score log"),
        ("a.json", b"[[[[", "can't be read as JSON"),
        ("a.csv", b"Description,Status,Score,Named Scores\nx,PASS,1.0,\n", "promptfoo's CSV"),
        ("a.csv", b"id,points\nx,3\n", "mapping of columns"),
        ("a.json", b'{"results": {"results": [1, "2"]}}', "no line that can be used"),
        ("a.json", b'{"eval": {"task": "x"}, "samples": 3}', "wrong kind"),
    ],
)
def test_what_is_no_log_is_refused_with_what_it_is(tmp_path, name, raw, said) -> None:
    path = tmp_path / name
    path.write_bytes(raw)
    with pytest.raises(InputError, match=said):
        read_scores(path)


def test_a_format_can_be_forced_and_an_unknown_one_is_named(tmp_path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(DEEPEVAL))
    assert read_scores(path, format="deepeval").format == "deepeval"
    with pytest.raises(InputError, match="no score-log format"):
        read_scores(path, format="excel")
