"""Properties of the core that hold for any text, name or date."""

from __future__ import annotations

import datetime as dt
import json
import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from rubricator.core.authority import Authority, make_authority
from rubricator.core.identity import (
    CITATION_ID,
    canonical_json,
    citation_id,
    cited_ids,
    fingerprint,
    portable_path,
    tagged_hash,
)
from rubricator.core.scope import (
    SCOPES,
    applicable_roots,
    collision_key,
    folder_name,
    is_prefix,
    looks_like_date,
    parse_date,
    same_name,
    source_date,
)
from rubricator.errors import AuthorityError, NameRefusedError

any_text = st.text(st.characters())
surrogates_too = st.text(st.characters(exclude_categories=()))
accented = st.text(st.characters(codec="utf-8") | st.sampled_from("éöñ가\u0301\u0308Åﬁ"), min_size=1)

markdown = st.lists(
    st.sampled_from(
        [
            "# A",
            "## B ##",
            "#",
            "#x",
            "```",
            "````",
            "~~~",
            "```py",
            "   # C",
            "    # D",
            "text",
            "",
            " ",
            "\r",
            "\t# E",
        ]
    )
    | any_text,
    max_size=20,
).flatmap(
    lambda lines: st.lists(st.sampled_from(["\n", "\r\n", "\r", "\n\n"]), min_size=len(lines), max_size=len(lines)).map(
        lambda ends: "".join(line + end for line, end in zip(lines, ends, strict=True))
    )
)

words = st.text("abAB1 -(_.", max_size=8)
names = (
    words | st.text("ab -(é\u0301", max_size=8) | st.sampled_from(["scorecard", "Agent", "Agent Mis", "Agent (a) - b"])
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | surrogates_too,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(surrogates_too, inner, max_size=4),
    max_leaves=12,
)


def authority(rubric: str) -> Authority:
    return Authority("Acme QA", "Politeness", "v-1", rubric, "Politeness.md")


# Sections


@given(markdown | surrogates_too)
@example("```\n# x\n```\n# y")
@example("\ufeff# A\n")
@example(" \n\n")
def test_sections_joined_give_the_rubric_back(rubric) -> None:
    assume(rubric)
    sections = authority(rubric).sections()

    assert "".join(section.text for section in sections) == rubric
    assert all(section.text for section in sections)


@given(markdown | surrogates_too)
def test_sections_have_different_handles(rubric) -> None:
    assume(rubric)
    sections = authority(rubric).sections()

    assert len({section.citation_id for section in sections}) == len(sections)
    assert authority(rubric).citation_id not in {section.citation_id for section in sections}


@given(markdown)
def test_each_section_but_the_first_begins_with_its_heading(rubric) -> None:
    assume(rubric)
    sections = authority(rubric).sections()

    for section in sections[1:]:
        assert 1 <= section.level <= 6
        assert section.text.lstrip(" ").startswith("#" * section.level)
        assert section.heading
        assert section.heading in section.text.split("\n", 1)[0]
    for section in sections[:1]:
        assert section.heading in section.text.strip("\n")


@given(st.lists(st.sampled_from(["# x", "## y", "text", "", "#"]), max_size=8))
def test_nothing_inside_a_plain_fence_is_a_heading(lines) -> None:
    rubric = "\n".join(["# Before", "```", *lines, "```", "# After"])

    assert [section.heading for section in authority(rubric).sections()] == ["Before", "After"]


# Versions and champions


@given(markdown | any_text, st.none() | any_text | st.integers(), st.none() | any_text | st.integers())
def test_only_the_known_champion_goes_without_a_diagnostic(rubric, version, champion) -> None:
    record = {"version": version, "championVersionId": champion}
    try:
        made = make_authority(scorecard="A", score="B", rubric=rubric, source="B.md", metadata=record)
    except AuthorityError:
        assert not rubric.strip()
        return

    assert rubric.strip()
    assert made.rubric == rubric
    assert made.score_version_id
    assert made.champion == (not made.diagnostics)
    stated = "" if champion is None else str(champion).strip()
    assert not made.champion or made.score_version_id == stated


# Names


@given(surrogates_too | names)
@example("../x")
@example("CON")
@example(" .. ")
def test_a_folder_name_is_one_harmless_folder_or_refused(name) -> None:
    try:
        stem = folder_name(name)
    except NameRefusedError:
        return

    assert stem
    assert stem == stem.strip()
    assert stem.isprintable()
    assert not set(stem) & set('<>:"/\\|?*[]')
    assert stem.strip(".")
    assert stem.casefold() != "scorecard"
    assert stem.encode("utf-8")
    assert folder_name(stem) == stem


@given(surrogates_too)
def test_a_sanitised_name_differs_only_where_it_must(name) -> None:
    assume(name == name.strip())
    try:
        stem = folder_name(name)
    except NameRefusedError:
        return

    assert len(stem) == len(name)
    for before, after in zip(name, stem, strict=True):
        assert after == before or (after == "-" and (before in '<>:"/\\|?*[]' or not before.isprintable()))


@given(accented)
def test_names_in_two_unicode_forms_are_the_same_and_collide(name) -> None:
    composed, decomposed = unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name)

    assert same_name(composed, decomposed)
    assert collision_key(composed) == collision_key(decomposed)


@given(names, names)
def test_a_prefix_is_a_leading_part_that_ends_at_a_boundary(stem, score) -> None:
    composed, whole = unicodedata.normalize("NFC", stem), unicodedata.normalize("NFC", score)
    rest = whole.removeprefix(composed)
    expected = (
        composed not in {"", "scorecard", whole}
        and whole.startswith(composed)
        and (rest[0] in " -(" or composed[-1] in " -(")
    )

    assert is_prefix(stem, score) == expected


@given(names, st.sampled_from([" ", "-", "("]), names)
def test_a_stem_before_a_boundary_is_a_prefix(stem, boundary, rest) -> None:
    assume(stem and stem != "scorecard")

    assert is_prefix(stem, f"{stem}{boundary}{rest}")


@given(st.lists(names.map("{}.knowledge-base".format) | names, unique=True), words, st.randoms(use_true_random=False))
def test_roots_come_in_scope_order_whatever_the_order_of_folders(folders, score, random) -> None:
    roots = applicable_roots(folders, score)
    shuffled = list(folders)
    random.shuffle(shuffled)

    assert applicable_roots(shuffled, score) == roots
    assert {root.name for root in roots} <= set(folders)
    order = [SCOPES.index(root.scope) for root in roots]
    assert order == sorted(order)
    lengths = [len(root.stem) for root in roots if root.scope == "prefix"]
    assert lengths == sorted(lengths, reverse=True)
    assert all(is_prefix(root.stem, score) for root in roots if root.scope == "prefix")
    assert all(root.stem == "scorecard" for root in roots if root.scope == "scorecard" and score != "scorecard")


# Dates


@given(st.dates())
def test_every_date_is_read_back_from_its_folder(date) -> None:
    assert parse_date(date.isoformat()) == date
    assert not looks_like_date(date.isoformat())


@given(st.text("0123456789-") | surrogates_too | st.from_regex(r"\d{4}-\d{2}-\d{2}", fullmatch=True))
def test_a_folder_is_a_date_only_when_it_is_spelled_as_that_date(text) -> None:
    date = parse_date(text)

    assert date is None or date.isoformat() == text


@given(st.from_regex(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}", fullmatch=True))
def test_what_has_the_shape_of_a_date_is_one_or_looks_like_one(text) -> None:
    assert (parse_date(text) is None) == looks_like_date(text)


@given(st.lists(st.dates().map(dt.date.isoformat) | st.sampled_from(["unknown-date", "2026-02-30", "calls"])))
def test_the_nearest_dated_folder_wins(folders) -> None:
    dates = [date for folder in folders if (date := parse_date(folder))]

    assert source_date(folders) == (dates[-1] if dates else None)


# Identity


@given(json_values)
def test_canonical_json_reads_back_and_is_stable(value) -> None:
    text = canonical_json(value)

    assert json.loads(text) == value
    assert canonical_json(json.loads(text)) == text


@given(st.dictionaries(any_text, st.integers()), st.randoms(use_true_random=False))
def test_canonical_json_does_not_depend_on_the_order_of_keys(value, random) -> None:
    keys = list(value)
    random.shuffle(keys)
    reordered = {key: value[key] for key in keys}

    assert canonical_json(reordered) == canonical_json(value)
    assert tagged_hash("t", reordered) == tagged_hash("t", value)


@given(json_values, json_values)
def test_different_values_have_different_hashes(one, other) -> None:
    assert (tagged_hash("t", one) == tagged_hash("t", other)) == (canonical_json(one) == canonical_json(other))


@given(accented, surrogates_too, st.integers(0, 10**6), st.sampled_from(["rubric", "kb"]))
def test_a_citation_id_is_found_again_and_ignores_the_unicode_form_of_the_path(path, text, occurrence, kind) -> None:
    handles = {citation_id(kind, unicodedata.normalize(form, path), text, occurrence) for form in ("NFC", "NFD")}

    assert len(handles) == 1
    (handle,) = handles
    assert CITATION_ID.fullmatch(handle)
    assert cited_ids(f"As {handle}, and [{handle}].") == [handle]


@given(surrogates_too)
def test_a_portable_path_is_its_own(path) -> None:
    portable = portable_path(path)

    assert portable_path(portable) == portable
    assert portable.count("/") == path.count("/")


@given(st.lists(st.tuples(accented, st.text("0123456789abcdef"))), st.randoms(use_true_random=False))
def test_a_fingerprint_ignores_order_and_spelling(entries, random) -> None:
    other = [(unicodedata.normalize("NFD", path), digest) for path, digest in entries]
    random.shuffle(other)

    assert fingerprint(other) == fingerprint(entries)


@given(st.lists(st.tuples(st.text("ab/"), st.text("01")), unique=True), st.tuples(st.text("ab/"), st.text("01")))
def test_a_fingerprint_follows_every_entry(entries, more) -> None:
    assume(more not in entries)

    assert fingerprint([*entries, more]) != fingerprint(entries)


@pytest.mark.parametrize("size", [200_000])
def test_sections_of_a_large_rubric(size) -> None:
    rubric = "word " * size

    assert [section.text for section in authority(rubric).sections()] == [rubric]
