"""Edits in place: whatever the file looks like, an edit touches its own place and nothing else, and can be undone."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.edits import nothing_else_changed

from rubricator.core.rubric import criterion_id
from rubricator.errors import InputError
from rubricator.formats.rubric_files import Retire, Reweight, Reword, changed, edit_rubric, read_rubric, undo
from rubricator.formats.vault_rubric import write

NAMES = ["Hook", "Clear words", "Depth & sources", "Tone, kind", "Größe", "数字", "Numbers (all)"]
WEIGHTS = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 10.0, 0.1, 7.75])
BLOCKS = [
    "Plain text of the criterion.",
    "```\n## not a heading\n- weight: 9\n```",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "### A smaller heading\n\n- weight of evidence: high\n- item",
    "> quoted\n> - weight: 3",
    "Text with trailing spaces  \nand *stars*, `code`, [link](x).",
    "~~~markdown\n# no\n~~~",
    "1. one\n2. two\n\n   deeper",
]


@st.composite
def markdown(draw) -> bytes:
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True))
    parts = []
    if draw(st.booleans()):
        parts.append("---\nname: x\nscale: [1, 5]\naggregate: weighted_mean  # a comment\n---\n")
    if draw(st.booleans()):
        parts.append("# Title\n\nIntro with a\n- weight: 4\n- list\n\n")
    for name in names:
        closing = draw(st.sampled_from(["", " ##", " #"]))
        parts.append(f"##{draw(st.sampled_from([' ', '  ']))}{name}{closing}\n")
        parts.append(draw(st.sampled_from(["", "\n"])))
        items = (
            [f"- weight: {draw(WEIGHTS)}{draw(st.sampled_from(['', '  ', '  # why']))}\n"]
            if draw(st.booleans())
            else []
        )
        items += ["* added: 2026-01-02\n"] if draw(st.booleans()) else []
        items += ["- Source: kb:0123456789, the meeting\n"] if draw(st.booleans()) else []
        parts += draw(st.permutations(items))
        parts.append(draw(st.sampled_from(["", "\n", "\n\n"])))
        parts.append("\n\n".join(draw(st.lists(st.sampled_from(BLOCKS), max_size=3))))
        parts.append(draw(st.sampled_from(["\n", "\n\n", "\n\n\n"])))
    text = "".join(parts)
    if draw(st.booleans()):
        text = text.rstrip("\n")
    bom = draw(st.sampled_from(["", "\ufeff"]))
    return (bom + text.replace("\n", newline)).encode()


@st.composite
def yaml(draw) -> bytes:
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    names = draw(
        st.lists(st.sampled_from(["Hook", "Depth", "Kind tone", "Größe"]), min_size=1, max_size=4, unique=True)
    )
    lines = ["# a rubric", "name: x", "scale: [1, 5]   # of five", "usual: &usual 2", "criteria:"]
    indent = draw(st.sampled_from(["", "  "]))
    for name in names:
        weight = draw(st.sampled_from(["", "1", "2.5", "*usual", "3   # much", '"4"']))
        if draw(st.integers(0, 4)) == 0:
            shown = f", weight: {weight.partition('#')[0].strip()}" if weight else ""
            lines.append(f"{indent}- {{name: {name}{shown}, text: 'flow # text'}}")
            continue
        lines.append(f"{indent}- name: {name}  # the name")
        fields = [f"weight: {weight}"] if weight else []
        fields += ["added: 2026-02-03"] if draw(st.booleans()) else []
        text = draw(
            st.sampled_from(
                [
                    "text: plain words",
                    "text: |\n      First line.\n\n      Second: line.",
                    'text: "quoted # words"',
                    "text: >-\n      folded\n      words",
                ]
            )
        )
        lines += [f"{indent}  {item}" for item in draw(st.permutations([*fields, text]))]
        if draw(st.booleans()):
            lines.append(f"{indent}  # a comment between")
    lines += draw(st.sampled_from([[], ["# the end"], ["other: 1"]]))
    text = "\n".join(lines) + draw(st.sampled_from(["", "\n"]))
    return text.replace("\n", newline).encode()


FILES = st.one_of(st.tuples(st.just("rubric.md"), markdown()), st.tuples(st.just("rubric.yaml"), yaml()))


@settings(max_examples=400, deadline=None)
@given(FILES, st.data())
def test_an_edit_and_its_revert_give_back_the_identical_file(file, data) -> None:
    name, raw = file
    rubric = read_rubric(raw, name)
    ids = [c.id for c in rubric.criteria]
    picked = data.draw(st.lists(st.sampled_from(ids), min_size=1, max_size=2, unique=True))
    wanted = []
    for key in picked:
        kinds = ["reweight", "reword"] + (["retire"] if len(ids) > len(picked) else [])
        kind = data.draw(st.sampled_from(kinds))
        if kind == "reweight":
            wanted.append(Reweight(key, data.draw(WEIGHTS)))
        elif kind == "reword":
            wanted.append(
                Reword(key, data.draw(st.sampled_from(["New words.", "Two\n\nparagraphs: with #marks", "ä “ö” 字"])))
            )
        else:
            wanted.append(Retire(key))
    try:
        edited = edit_rubric(raw, name, wanted)
    except InputError:
        assume(name == "rubric.yaml")  # a flow list or a shared anchor is refused, never damaged
        return

    expected = rubric
    for change in wanted:
        expected = changed(expected, change)
    assert read_rubric(edited.content, name).version == expected.version
    assert undo(edited.content, edited.edits, name) == raw
    nothing_else_changed(raw, edited)


@settings(max_examples=200, deadline=None)
@given(markdown())
def test_a_written_rubric_reads_as_it_was(raw) -> None:
    rubric = read_rubric(raw, "rubric.md")

    again = read_rubric(write(rubric).encode(), "rubric.md")

    assert [(c.name, c.weight, c.added, c.source, c.text) for c in again.criteria] == [
        (c.name, c.weight, c.added, c.source, c.text) for c in rubric.criteria
    ]
    assert again.version == rubric.version


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_a_rubric_or_a_clear_error(text) -> None:
    for name in ("rubric.md", "rubric.yaml"):
        try:
            rubric = read_rubric(text.encode("utf-8", "surrogatepass"), name)
        except InputError:
            continue
        assert rubric.criteria


@pytest.mark.parametrize("name", NAMES)
def test_a_criterion_is_found_by_its_name_and_its_id(name) -> None:
    rubric = read_rubric(f"## {name}\ntext\n".encode(), "rubric.md")

    assert rubric.criterion(name) is rubric.criterion(criterion_id(name)) is rubric.criteria[0]
