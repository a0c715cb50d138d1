"""Edits in peers' files: whatever the layout, an edit touches its own place and nothing else, and can be undone."""

from __future__ import annotations

import json

import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.edits import nothing_else_changed

from rubricator.errors import InputError
from rubricator.formats.rubric_files import Retire, Reweight, Reword, changed, edit_rubric, read_rubric, undo
from rubricator.formats.writing import WRITERS, write_rubric

WORDS = st.sampled_from(
    ["Names its sources", "Is kind: always", "“Schön” 字", 'says "yes"', "a\nb", "# no comment", "x: y"]
)
WEIGHT = st.sampled_from([0.25, 1, 2.5, 7, -3])


@st.composite
def values(draw):
    """A rubric as promptfoo, autorubric, HealthBench or the vault keep it, by format."""
    texts = draw(st.lists(WORDS, min_size=1, max_size=5, unique=True))
    weights = [draw(WEIGHT) for _ in texts]
    kind = draw(st.sampled_from(["promptfoo", "autorubric", "healthbench", "vault_yaml"]))
    extra = draw(st.sampled_from([{}, {"note": "kept"}]))
    pairs = list(zip(texts, weights, strict=True))
    if kind == "promptfoo":
        asserts = [{"type": "llm-rubric", "value": t, "weight": w, **extra} for t, w in pairs]
        split = draw(st.integers(0, len(asserts)))
        return kind, {
            "prompts": ["p"],
            "defaultTest": {"assert": asserts[:split]},
            "tests": [
                {"vars": {"a": 1}, "assert": asserts[split:]},
                *([{"assert": asserts[split:]}] * draw(st.integers(0, 1))),
            ],
        }
    if kind == "autorubric":
        entries = [{"requirement": t, "weight": w, **extra} for t, w in pairs]
        return kind, draw(st.sampled_from([entries, {"rubric": entries}, {"sections": [{"criteria": entries}]}]))
    if kind == "healthbench":
        entries = [{"criterion": t, "points": w, "tags": [], **extra} for t, w in pairs]
        return kind, draw(st.sampled_from([entries, {"rubrics": entries, **extra}]))
    return kind, {"criteria": [{"name": f"c{n}", "text": t, "weight": w, **extra} for n, (t, w) in enumerate(pairs)]}


@st.composite
def files(draw):
    kind, value = draw(values())
    if draw(st.booleans()):
        text = json.dumps(
            value, indent=draw(st.sampled_from([None, 2, "\t"])), ensure_ascii=draw(st.booleans()),
            separators=draw(st.sampled_from([None, (",", ":")])),
        )  # fmt: skip
        name = "file.json"
    else:
        text = yaml.safe_dump(
            value, sort_keys=draw(st.booleans()), allow_unicode=draw(st.booleans()),
            default_flow_style=draw(st.sampled_from([None, False, True])), width=draw(st.sampled_from([20, 1000])),
        )  # fmt: skip
        text = draw(st.sampled_from(["", "# by hand\n"])) + text + draw(st.sampled_from(["", "# the end\n"]))
        name = "file.yaml"
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return kind, name, text.replace("\n", newline).encode()


@settings(max_examples=500, deadline=None)
@given(files(), st.data())
def test_an_edit_and_its_revert_give_back_the_identical_file(file, data) -> None:
    kind, name, raw = file
    rubric = read_rubric(raw, name)
    assert rubric.format == kind
    key = data.draw(st.sampled_from([c.id for c in rubric.criteria]))
    change = data.draw(st.sampled_from([Reweight(key, 0.5), Reword(key, "New words:\n\nin “two” parts"), Retire(key)]))
    assume(len(rubric.criteria) > 1 or not isinstance(change, Retire))
    try:
        edited = edit_rubric(raw, name, [change], format=kind)
    except InputError:
        assume(isinstance(change, Retire) and name == "file.yaml")  # a flow list in YAML can't be cut
        return
    again, wanted = read_rubric(edited.content, name, format=kind), changed(rubric, change)
    assert [(c.weight, c.text) for c in again.criteria] == [(c.weight, c.text) for c in wanted.criteria]
    if not isinstance(change, Reword):  # a criterion that is named after its text has another name now
        assert again.version == wanted.version
    assert undo(edited.content, edited.edits, name) == raw
    nothing_else_changed(raw, edited)


@settings(max_examples=150, deadline=None)
@given(files(), st.sampled_from(sorted(WRITERS)))
def test_a_converted_rubric_keeps_weights_and_texts(file, to) -> None:
    _, name, raw = file
    rubric = read_rubric(raw, name)
    text, _ = write_rubric(rubric, to)
    again = read_rubric(text.encode(), "new.md" if to == "vault" else "new.yaml", format=to)
    assert [c.weight for c in again.criteria] == [c.weight for c in rubric.criteria]
    texts = [" ".join(c.text.split()).removeprefix("\\") for c in again.criteria]  # no line may start a heading
    assert texts == [" ".join(c.text.split()) for c in rubric.criteria]
