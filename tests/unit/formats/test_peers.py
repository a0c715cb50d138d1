"""Each peer's rubric format, told from its content alone and read as its tool reads it."""

from __future__ import annotations

import json

import pytest
import yaml

from rubricator.core.rubric import Scale
from rubricator.errors import InputError, NoCriteriaError
from rubricator.formats.rubric_files import FORMATS, Reweight, Reword, edit_rubric, read_rubric

REQUIREMENTS = [
    {"weight": 10, "requirement": "Names the tide tables it used"},
    {"weight": -5, "name": "invented", "requirement": "Invents a harbour"},
]
POINTS = [
    {"criterion": "Asks how long the cough has lasted.", "points": 7, "tags": ["axis:context"]},
    {"criterion": "Prescribes a dose for a child.", "points": -8, "tags": []},
]
PROMETHEUS = {
    "criteria": "Does the reply keep the brand's voice?",
    "score1_description": "It does not.",
    "score3_description": "In parts.",
    "score5_description": "It does throughout.",
}
GEVAL = {
    "name": "Coherence",
    "criteria": "Coherence: the parts follow from each other.",
    "evaluation_steps": ["Read the text.", "Look for jumps.", "Look for loose ends."],
    "rubric": [{"score_range": [0, 2], "expected_outcome": "Loose."}],
}
MODELGRADED = {"polite": {"prompt": "Is it polite?\n{completion}", "choice_strings": ["Y", "N"],
                          "choice_scores": {"Y": 1.0, "N": 0.0}}}  # fmt: skip
MULTI = {
    "type": "multi",
    "name": "both",
    "graders": {
        "close_match": {"type": "text_similarity", "input": "{{a}}", "reference": "{{b}}", "evaluation_metric": "bleu"},
        "exact": {"type": "string_check", "operation": "eq", "input": "{{a}}", "reference": "{{b}}"},
    },
    "calculate_output": "0.25 * close_match + 0.75 * exact",
}
AURAONE = {
    "version": "auraone-rubric-v1",
    "rubric_id": "r1",
    "criteria": [
        {"criterion_id": "a", "label": "Sources", "description": "Names them.", "weight": 0.6,
         "anchors": [{"value": 0, "label": "none"}, {"value": 4, "label": "all"}]},
        {"criterion_id": "b", "label": "Order", "description": "First things first.", "weight": 0.4,
         "anchors": [{"value": 0, "label": "no"}, {"value": 4, "label": "yes"}]},
    ],
}  # fmt: skip
PLEXUS = {"name": "Greeting", "class": "LangGraphScore",
          "graph": [{"name": "classify", "system_message": "Was the caller greeted by name?"}]}  # fmt: skip
CONFIG = {
    "description": "Replies",
    "prompts": ["{{question}}"],
    "defaultTest": {"assert": [{"type": "llm-rubric", "metric": "Tone", "value": "Is kind.", "weight": 2}]},
    "tests": [
        {"vars": {"question": "one"}, "assert": [{"type": "is-json"}]},
        {"vars": {"question": "two"}, "assert": [
            {"type": "assert-set", "weight": 3, "assert": [
                {"type": "contains", "value": "a", "weight": 1}, {"type": "contains", "value": "b", "weight": 2}]}]},
    ],
}  # fmt: skip
INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"task": "guide", "created": "2026-01-02T03:04:05+00:00", "scorers": [
        {"name": "judge", "options": {"instructions": "Look for the answer."}}]},
    "samples": [{"id": 1, "epoch": 1, "input": "?", "output": {"choices": [{"message": {"content": "!"}}]},
                 "scores": {"judge": {"value": {"tone": 3, "depth": 5}}}}],
}  # fmt: skip

FILES = {
    "autorubric": (REQUIREMENTS, [("Names the tide tables it used", 10), ("invented", -5)], Scale(0, 1), "points"),
    "healthbench": (
        POINTS,
        [("Asks how long the cough has lasted", 7), ("Prescribes a dose for a child", -8)],
        Scale(0, 1),
        "points",
    ),
    "prometheus": (PROMETHEUS, [("Does the reply keep the brand's voice?", 1)], Scale(1, 5), "weighted_mean"),
    "deepeval": (
        GEVAL,
        [("Read the text", 1), ("Look for jumps", 1), ("Look for loose ends", 1)],
        Scale(0, 1),
        "weighted_mean",
    ),
    "openai_modelgraded": (MODELGRADED, [("polite", 1)], Scale(0, 1), "weighted_mean"),
    "openai_grader": (MULTI, [("close_match", 1), ("exact", 1)], Scale(0, 1), "formula"),
    "rubric_spec": (AURAONE, [("Sources", 0.6), ("Order", 0.4)], Scale(0, 4), "weighted_mean"),
    "plexus": (PLEXUS, [("classify", 1)], None, "weighted_mean"),
    "promptfoo": (
        CONFIG,
        [("Tone", 2), ("is-json", 1), ("contains: a", 1), ("contains: b", 2)],
        Scale(0, 1),
        "weighted_mean",
    ),
    "inspect": (INSPECT, [("tone", 1), ("depth", 1)], None, "weighted_mean"),
    "vault_yaml": (
        {"name": "x", "scale": [1, 5], "criteria": [{"name": "Hook", "weight": 2, "text": "Pulls."}]},
        [("Hook", 2)],
        Scale(1, 5),
        "weighted_mean",
    ),
}


@pytest.mark.parametrize("as_yaml", [False, True], ids=["json", "yaml"])
@pytest.mark.parametrize("name", FILES)
def test_a_peer_is_told_by_content_and_read_as_its_tool_reads_it(name, as_yaml) -> None:
    if (name, as_yaml) == ("inspect", True):
        return  # Inspect writes no YAML
    value, criteria, scale, aggregate = FILES[name]
    raw = yaml.safe_dump(value, sort_keys=False).encode() if as_yaml else json.dumps(value).encode()

    rubric = read_rubric(raw, "some.yaml" if as_yaml else "some.json")

    assert rubric.format == name
    assert [(c.name, c.weight) for c in rubric.criteria] == criteria
    assert (rubric.scale, rubric.aggregate) == (scale, aggregate)
    assert read_rubric(raw, "some.yaml" if as_yaml else "some.json", format=name) == rubric


def test_every_structured_format_has_a_case() -> None:
    assert set(FILES) | {"vault", "markdown"} == set(FORMATS)


def test_totals_are_those_of_the_tools() -> None:
    config = read_rubric(json.dumps(CONFIG).encode(), "c.json")
    # a set of weight 3 counts as one entry with the total of its children: (2*1 + 3*(1*1 + 2*0)/3) / (2+3)
    assert config.total({"tone": 1, "contains-a": 1, "contains-b": 0}) == pytest.approx((2 + 1) / 5)
    multi = read_rubric(json.dumps(MULTI).encode(), "c.json")
    assert multi.total({"close-match": 0.4, "exact": 1}) == pytest.approx(0.25 * 0.4 + 0.75)
    points = read_rubric(json.dumps(POINTS).encode(), "c.json")
    assert points.total(points.by_id({c.name: 1 for c in points.criteria})) == pytest.approx((7 - 8) / 7)


def test_what_a_format_says_of_a_criterion_is_its_text() -> None:
    assert "- 3: In parts." in read_rubric(json.dumps(PROMETHEUS).encode(), "p.json").criteria[0].text
    assert "- 4: all" in read_rubric(json.dumps(AURAONE).encode(), "p.json").criteria[0].text
    assert read_rubric(json.dumps(INSPECT).encode(), "p.json").criteria[0].text == "instructions: Look for the answer."
    assert "eq" in read_rubric(json.dumps(MULTI).encode(), "p.json").criteria[1].text


def test_two_weights_and_two_texts_under_one_metric_are_said() -> None:
    tests = [
        {"assert": [{"type": "llm-rubric", "metric": "Tone", "value": "Kind.", "weight": 2}]},
        {"assert": [{"type": "llm-rubric", "metric": "Tone", "value": "Warm.", "weight": 3}]},
        {"assert": [{"type": "contains", "metric": "Both", "value": x} for x in "ab"]},
    ]
    raw = json.dumps({"prompts": ["x"], "tests": tests}).encode()
    rubric = read_rubric(raw, "c.json")
    assert [(c.name, c.weight, c.text) for c in rubric.criteria] == [
        ("Tone", 2, "Kind.\n\nWarm."),
        ("Both", 2, "a\n\nb"),
    ]
    assert "more than one weight" in rubric.notes[0]
    assert "more than once in one test" in rubric.notes[1]
    for change in (Reword("tone", "New."), Reweight("both", 1)):
        with pytest.raises(InputError, match="of its own"):
            edit_rubric(raw, "c.json", [change])


def test_a_configuration_inside_results_is_read_and_never_edited() -> None:
    raw = json.dumps({"config": CONFIG, "results": {"results": []}}).encode()
    assert read_rubric(raw, "results.json").criteria[0].name == "Tone"
    with pytest.raises(InputError, match="weight"):
        edit_rubric(raw, "results.json", [Reweight("tone", 1)])


def test_what_is_only_read_is_not_edited() -> None:
    raw = json.dumps(INSPECT).encode()
    with pytest.raises(InputError, match="read, and not written"):
        edit_rubric(raw, "log.json", [Reweight("tone", 0.5)])


MARKDOWN = {
    "table": (
        ("# Essays\n\n| Criterion | Weight | What it means |\n|---|---|---|\n| Thesis | 40% | Stated early. |\n"
        "| **Evidence** | 60% | Quoted. |\n"),
        [("Thesis", 40, "Stated early."), ("Evidence", 60, "Quoted.")],
    ),
    "list with weights": (
        "## How we grade\n\n1. **Thesis** (30%): stated early\n2. **Evidence** [2 points]: quoted\n\n   and dated\n",
        [("Thesis", 30, "stated early"), ("Evidence", 2, "quoted\n\n   and dated")],
    ),
    "list under a heading": (
        "# Notes\n\n- a note\n- another\n- a third\n\n## Criteria\n\n- [ ] Accuracy: says what is so\n- Is short\n",
        [("Accuracy", 1, "says what is so"), ("Is short", 1, "Is short")],
    ),
    "headings": (
        "# Rubric\n\n### Thesis (weight: 2)\n\nStated early.\n\n### Evidence\n\nQuoted.\n",
        [("Thesis", 2, "Stated early."), ("Evidence", 1, "Quoted.")],
    ),
    "longest list": (
        "Good answers:\n\n* are short\n* are true\n",
        [("are short", 1, "are short"), ("are true", 1, "are true")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", MARKDOWN)
def test_markdown_of_any_form_is_read_and_what_was_guessed_is_said(shape) -> None:
    text, criteria = MARKDOWN[shape]

    rubric = read_rubric(text.encode(), "how-we-grade.md")

    assert rubric.format == "markdown"
    assert [(c.name, c.weight, c.text) for c in rubric.criteria] == criteria
    assert "taken for criteria" in rubric.notes[0]


def test_a_scale_in_the_text_is_read_and_said() -> None:
    rubric = read_rubric(b"Each is scored from 1 to 10.\n\n- **A**: x\n- **B**: y\n", "r.md")
    assert rubric.scale == Scale(1, 10)
    assert "1 to 10" in " ".join(rubric.notes)


def test_markdown_without_criteria_says_what_to_write() -> None:
    with pytest.raises(NoCriteriaError, match="no criterion"):
        read_rubric(b"Just a sentence.\n", "r.md")


STRANGERS = {
    "promptfoo's CSV": (b"Description,Status,Score,Named Scores\n", "r.csv", "promptfoo's CSV export"),
    "goldens": (b'[{"input": "a", "expected_output": "b"}]', "g.json", "goldens"),
    "a registry": (b"joke:\n  id: x\n  metrics: [accuracy]\n", "r.yaml", "registry of evals"),
    "results without a configuration": (b'{"results": {"results": []}}', "r.json", "a score log, and no rubric"),
    "some mapping": (b'{"a": 1, "b": 2}', "r.json", "the keys a, b"),
    "some list": (b'[{"a": 1}]', "r.json", "entries with the keys a"),
    "a number": (b"7", "r.json", "no mapping"),
    "a zip": (b"PK\x05\x06" + bytes(18), "r.md", "no rubric format|has no criterion"),
    "a score without a prompt": (b"name: a\nclass: X\n", "r.yaml", "has no prompt"),
}


@pytest.mark.parametrize("case", STRANGERS)
def test_a_file_that_is_none_is_refused_with_what_it_is(case) -> None:
    raw, name, said = STRANGERS[case]
    with pytest.raises(InputError, match=said):
        read_rubric(raw, name)


def test_an_unknown_format_names_those_there_are() -> None:
    with pytest.raises(InputError, match="no rubric format") as raised:
        read_rubric(b"## A\n", "r.md", format="excel")
    assert "healthbench" in raised.value.hint


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"vault", "markdown"}))
@pytest.mark.parametrize(
    "raw", [b"[]", b"{}", b"3", b'"x"', b"null", b'[{"criteria": 3}]', b'{"criteria": [3]}', b"[[1]]"]
)
def test_a_forced_format_on_the_wrong_file_is_a_clear_error(name, raw) -> None:
    with pytest.raises(InputError):
        read_rubric(raw, "x.json", format=name)
