"""The authority: which version it is, whether it is the champion, and how its rubric is cited by sections."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from typing import Any

import pytest

from rubricator.core.authority import Authority, Section, make_authority
from rubricator.errors import AuthorityError, RefusedError


def authority(rubric: str, *, version: str = "v-1", scorecard: str = "Acme QA", score: str = "Politeness") -> Authority:
    return Authority(scorecard, score, version, rubric, "Politeness.md")


def made(metadata: dict[str, Any], *, rubric: str = "Be polite.", diagnostics: tuple[str, ...] = ()) -> Authority:
    return make_authority(
        scorecard="Acme QA",
        score="Politeness",
        rubric=rubric,
        source="Politeness.md",
        metadata=metadata,
        diagnostics=diagnostics,
    )


def headings(rubric: str) -> list[tuple[int, str]]:
    return [(section.level, section.heading) for section in authority(rubric).sections()]


# Versions and champions


@pytest.mark.parametrize(
    ("metadata", "version", "champion", "told"),
    [
        ({"version": "v-1", "championVersionId": "v-1"}, "v-1", True, None),
        ({"version": " v-1 ", "championVersionId": "v-1\n"}, "v-1", True, None),
        ({"version": 7, "championVersionId": "7"}, "7", True, None),
        ({"version": 0, "championVersionId": 0}, "0", True, None),
        ({"version": dt.date(2026, 4, 24), "championVersionId": "2026-04-24"}, "2026-04-24", True, None),
        ({"championVersionId": "v-1"}, "v-1", True, None),
        ({"version": "", "championVersionId": "v-1"}, "v-1", True, None),
        ({"version": None, "championVersionId": "v-1"}, "v-1", True, None),
        ({"version": "v-1", "championVersionId": "v-2"}, "v-1", False, "the active version is v-2"),
        ({"version": "V-1", "championVersionId": "v-1"}, "V-1", False, "the active version is v-1"),
        ({"version": "v-1"}, "v-1", False, "no championVersionId"),
        ({"version": "v-1", "championVersionId": " "}, "v-1", False, "no championVersionId"),
        ({"version": "v-1", "championVersionId": None}, "v-1", False, "no championVersionId"),
        ({}, "unversioned", False, "no championVersionId"),
        ({"id": "s-1", "parent": "v-0"}, "unversioned", False, "no championVersionId"),
    ],
)
def test_versions_and_champions(metadata, version, champion, told) -> None:
    result = made(metadata)

    assert result.score_version_id == version
    assert result.champion is champion
    assert result.metadata == metadata
    if told is None:
        assert result.diagnostics == ()
    else:
        assert len(result.diagnostics) == 1
        assert told in result.diagnostics[0]


def test_a_version_that_is_not_the_champion_names_both() -> None:
    (note,) = made({"version": "v-1", "championVersionId": "v-2"}).diagnostics

    assert "v-1" in note
    assert "v-2" in note


def test_diagnostics_that_came_along_are_kept_and_come_first() -> None:
    result = made({"version": "v-1", "championVersionId": "v-2"}, diagnostics=("From the disk.",))

    assert result.diagnostics[0] == "From the disk."
    assert len(result.diagnostics) == 2


@pytest.mark.parametrize("rubric", ["", " ", "\n", "\r\n\t \f\v", "\u00a0\u2028\u3000"])
def test_an_empty_rubric_is_refused(rubric) -> None:
    with pytest.raises(AuthorityError, match=re.escape("Acme QA / Politeness is empty (Politeness.md)")) as caught:
        made({"version": "v-1", "championVersionId": "v-1"}, rubric=rubric)
    assert caught.value.hint
    assert isinstance(caught.value, RefusedError)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("rubric", ["x", "\n x \n", "0", "# H", "\u200bx"])
def test_a_rubric_is_kept_to_the_letter(rubric) -> None:
    assert made({}, rubric=rubric).rubric == rubric


def test_an_authority_can_not_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        made({}).rubric = "Anything goes."


# The handle of the whole


def test_the_handle_is_a_rubric_citation() -> None:
    assert re.fullmatch(r"rubric:[0-9a-f]{10}", authority("Be polite.").citation_id)


def test_the_handle_follows_version_and_text_only() -> None:
    one = authority("Be polite.")

    assert (
        one.citation_id == dataclasses.replace(one, source="elsewhere", champion=False, metadata={"a": 1}).citation_id
    )
    others = {
        authority("Be polite!").citation_id,
        authority("Be polite.", version="v-2").citation_id,
    }
    assert len(others | {one.citation_id}) == 3


def test_the_handle_does_not_depend_on_the_unicode_form_of_the_names() -> None:
    assert (
        authority("x", score="R\u00e9sum\u00e9").citation_id == authority("x", score="Re\u0301sume\u0301").citation_id
    )


def test_the_handle_does_not_depend_on_how_the_score_was_asked_for() -> None:
    # Both find `Hold-Transfer.md`: one rubric, one location.
    assert authority("x", score="Hold/Transfer").citation_id == authority("x", score="Hold-Transfer").citation_id


# Sections


def test_sections_are_cut_at_headings_of_every_level() -> None:
    rubric = "Intro.\n\n# One\na\n## Two ##\nb\n###### Six\nc"
    sections = authority(rubric).sections()

    assert [(s.level, s.heading, s.text) for s in sections] == [
        (0, "", "Intro.\n\n"),
        (1, "One", "# One\na\n"),
        (2, "Two", "## Two ##\nb\n"),
        (6, "Six", "###### Six\nc"),
    ]


def test_blank_lines_before_the_first_heading_belong_to_it() -> None:
    (section,) = authority("\n \n# One\na\n").sections()

    assert (section.heading, section.text) == ("One", "\n \n# One\na\n")


def test_a_rubric_without_headings_is_one_section() -> None:
    (section,) = authority("Be polite.\n").sections()

    assert (section.heading, section.level, section.text) == ("", 0, "Be polite.\n")


def test_a_heading_alone_is_a_section() -> None:
    assert headings("# One\n# Two\n## Three") == [(1, "One"), (1, "Two"), (2, "Three")]


def test_an_empty_rubric_has_no_sections() -> None:
    assert authority("").sections() == []


@pytest.mark.parametrize(
    ("line", "level", "heading"),
    [
        ("# One", 1, "One"),
        ("   # One", 1, "One"),
        ("#\tOne", 1, "One"),
        ("#    One   ", 1, "One"),
        ("# One #", 1, "One"),
        ("# One ####", 1, "One"),
        ("# One\r", 1, "One"),
        ("## One ## \r", 2, "One"),
        ("# 1. `code` & *stars*", 1, "1. `code` & *stars*"),
        ("# Größe 漢字", 1, "Größe 漢字"),
        ("# # One", 1, "# One"),
    ],
)
def test_lines_that_are_headings(line, level, heading) -> None:
    assert headings(f"a\n{line}\nb\n") == [(0, ""), (level, heading)]


@pytest.mark.parametrize(
    "line", ["#One", "#", "#hashtag", "####### Seven", "    # code", "\t# code", "a # b", "\\# a", "> # q"]
)
def test_lines_that_are_no_headings(line) -> None:
    assert headings(f"a\n\n{line}\n\nb\n") == [(0, "")]


@pytest.mark.parametrize(
    "fenced",
    [
        "```\n# no\n```",
        "```python\n# no\n```",
        "~~~\n# no\n~~~",
        "   ```\n   # no\n   ```",
        "`````\n# no\n`````",
        "```\r\n# no\r\n```\r",
        "```\n```\n\n```\n# no\n```",
    ],
)
def test_comments_in_fenced_code_are_no_headings(fenced) -> None:
    assert headings(f"# One\n{fenced}\n# Two\n") == [(1, "One"), (1, "Two")]


@pytest.mark.parametrize(
    ("rubric", "expected"),
    [
        pytest.param("# One\n```\n~~~\n# no\n```\n# Two\n", ["One", "Two"], id="another-character"),
        pytest.param("# One\n````\n```\n# no\n```\n````\n# Two\n", ["One", "Two"], id="a-shorter-fence-inside"),
        pytest.param("# One\n```\n```python\n# no\n```\n# Two\n", ["One", "Two"], id="an-info-string-ends-nothing"),
        pytest.param("# One\n``` `a` ```\n# Two\n```\n# no\n```\n", ["One", "Two"], id="inline-code-is-no-fence"),
        pytest.param("# One\n```\n# no\n", ["One"], id="a-fence-without-an-end"),
    ],
)
def test_fences_are_those_of_commonmark(rubric, expected) -> None:
    assert [heading for _, heading in headings(rubric)] == expected


def test_a_heading_may_end_in_a_hash() -> None:
    assert headings("# Use of C#\n") == [(1, "Use of C#")]


def test_equal_sections_have_different_handles() -> None:
    sections = authority("# A\nx\n# B\n# A\nx\n# A\nx\n").sections()

    assert [section.text for section in sections].count("# A\nx\n") == 3
    assert len({section.citation_id for section in sections}) == 4


def test_an_edit_further_up_leaves_a_sections_handle_as_it_was() -> None:
    before = authority("# A\nx\n# B\ny\n").sections()
    after = authority("Intro.\n# A\nchanged\n# New\n# B\ny\n").sections()

    assert before[-1] == after[-1]
    assert before[0].citation_id not in {section.citation_id for section in after}


def test_a_section_is_cited_as_rubric_and_apart_from_the_whole() -> None:
    whole = authority("# A\nx\n")
    (section,) = whole.sections()

    assert re.fullmatch(r"rubric:[0-9a-f]{10}", section.citation_id)
    assert section.citation_id != whole.citation_id
    assert section == Section(section.citation_id, "A", 1, "# A\nx\n")


def test_a_sections_handle_follows_the_version() -> None:
    handles = {authority("# A\n", **other).sections()[0].citation_id for other in ({}, {"version": "v-2"})}

    assert len(handles) == 2
