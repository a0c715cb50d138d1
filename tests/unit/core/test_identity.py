"""Canonical JSON, tagged hashes and citation ids."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata

import pytest

from rubricator.core.identity import (
    CITATION_ID,
    canonical_json,
    citation_id,
    cited_ids,
    fingerprint,
    portable_path,
    tagged_hash,
    with_prefixes,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (0, "0"),
        (-1.5, "-1.5"),
        ("", '""'),
        ("Grüße 漢字 🙂", '"Grüße 漢字 🙂"'),
        ('"\\\n\t\0', '"\\"\\\\\\n\\t\\u0000"'),
        ("a/b", '"a/b"'),
        ([], "[]"),
        ((1, 2), "[1,2]"),
        ({}, "{}"),
        ({"b": 1, "a": [{"d": 1, "c": 2}]}, '{"a":[{"c":2,"d":1}],"b":1}'),
        ({"é": 1, "z": 2, "Z": 3, "": 4}, '{"":4,"Z":3,"z":2,"é":1}'),
        (10**30, "1" + "0" * 30),
    ],
)
def test_canonical_json_has_one_spelling(value, text) -> None:
    assert canonical_json(value) == text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), [float("nan")], {"a": float("inf")}])
def test_json_has_no_word_for_these(value) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_json(value)


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", object()])
def test_values_that_are_not_json_are_refused(value) -> None:
    with pytest.raises(TypeError):
        canonical_json(value)


def test_a_tagged_hash_is_sha_256_in_hexadecimal() -> None:
    assert re.fullmatch(r"[0-9a-f]{64}", tagged_hash("t", {"a": 1}))


def test_hashes_do_not_change_between_releases() -> None:
    # Ids stand in people's documents: these literals must never need an update.
    assert tagged_hash("kb", ["a", "b", 0]) == "6358fe72f6917e8072f28fbb71fdfd539052694568ad42b511805797147402a1"
    assert citation_id("kb", "x.knowledge-base/2026-04-24/call.txt", "Hello.") == "kb:a72c766b98"
    assert citation_id("rubric", "Acme QA/Politeness", "v-1\nBe polite.") == "rubric:fbb60dac90"
    assert fingerprint([("a", "1"), ("b", "2")]) == "d3e1aa317e336a457767fb4de61ca1894b9cfd32347d8b0664ae918a5e5dbf83"


def test_hashes_do_not_depend_on_the_process() -> None:
    code = "from rubricator.core.identity import tagged_hash; print(tagged_hash('t', {'b': 1, 'a': [2]}))"
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }

    assert printed == {tagged_hash("t", {"a": [2], "b": 1})}


def test_tags_keep_equal_values_apart() -> None:
    assert tagged_hash("a", 1) != tagged_hash("b", 1)
    assert tagged_hash("a", "b") != tagged_hash('a"b', "")


def test_lone_surrogates_can_be_hashed() -> None:
    assert tagged_hash("t", "\ud800") != tagged_hash("t", "\ud801")


@pytest.mark.parametrize(
    ("path", "portable"),
    [
        ("a/b.txt", "a/b.txt"),
        ("a\\b.txt", "a\\b.txt"),
        ("Re\u0301sume\u0301/x", "R\u00e9sum\u00e9/x"),
        ("ﬁ", "ﬁ"),
        ("", ""),
    ],
)
def test_paths_have_one_spelling(path, portable) -> None:
    assert portable_path(path) == portable
    assert portable_path(portable) == portable


@pytest.mark.parametrize("kind", ["rubric", "kb"])
def test_a_citation_id_is_its_kind_and_ten_hexadecimal_digits(kind) -> None:
    assert re.fullmatch(rf"{kind}:[0-9a-f]{{10}}", citation_id(kind, "a.txt", "text"))


def test_a_citation_id_is_the_same_whatever_the_unicode_form_of_its_path() -> None:
    composed = "Résumé.knowledge-base/2026-04-24/Größe.txt"
    ids = {citation_id("kb", unicodedata.normalize(form, composed), "text") for form in ("NFC", "NFD")}

    assert len(ids) == 1


def test_a_backslash_is_part_of_a_name_and_separates_nothing() -> None:
    assert citation_id("kb", "a\\b.txt", "text") != citation_id("kb", "a/b.txt", "text")


def test_a_citation_id_depends_on_kind_path_text_and_occurrence() -> None:
    ids = {
        citation_id("kb", "a", "text"),
        citation_id("rubric", "a", "text"),
        citation_id("kb", "b", "text"),
        citation_id("kb", "A", "text"),
        citation_id("kb", "a", "texts"),
        citation_id("kb", "a", "text\n"),
        citation_id("kb", "a", "text", 1),
        citation_id("kb", "a", "text", 2),
        citation_id("kb", "at", "ext"),
    }

    assert len(ids) == 9


def test_the_first_occurrence_is_the_default() -> None:
    assert citation_id("kb", "a", "text") == citation_id("kb", "a", "text", 0)


def test_ids_are_found_in_running_text_in_order_and_once() -> None:
    text = (
        "As [kb:0123456789] and (rubric:abcdef0123), kb:0123456789; see kb:aaaaaaaaaa.\n"
        "**rubric:bbbbbbbbbb**,kb:cccccccccc"
    )

    assert cited_ids(text) == [
        "kb:0123456789",
        "rubric:abcdef0123",
        "kb:aaaaaaaaaa",
        "rubric:bbbbbbbbbb",
        "kb:cccccccccc",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kb:012345678",
        "kb:01234567890",
        "kb:0123456789a",
        "kb:012345678G",
        "kb:0123456789Z",
        "kb:ABCDEF0123",
        "KB:0123456789",
        "kb: 0123456789",
        "xkb:0123456789",
        "_kb:0123456789",
        "ékb:0123456789",
        "kb;0123456789",
        "source:0123456789",
        "kb:０１２３４５６７８９",
    ],
)
def test_what_only_resembles_an_id_is_none(text) -> None:
    assert cited_ids(text) == []


def test_made_ids_are_found() -> None:
    made = [citation_id("kb", "a", str(n)) for n in range(50)]

    assert cited_ids(" ".join(made)) == made
    assert all(CITATION_ID.fullmatch(one) for one in made)


def test_a_fingerprint_does_not_depend_on_order_or_spelling() -> None:
    entries = [("b/x", "2"), ("Re\u0301", "1"), ("a", "3")]

    assert fingerprint(entries) == fingerprint(reversed([("b/x", "2"), ("R\u00e9", "1"), ("a", "3")]))


def test_a_fingerprint_follows_paths_and_content() -> None:
    prints = {
        fingerprint([]),
        fingerprint([("a", "1")]),
        fingerprint([("a", "2")]),
        fingerprint([("b", "1")]),
        fingerprint([("a", "1"), ("b", "1")]),
        fingerprint([("a", "b"), ("1", "1")]),
    }

    assert len(prints) == 6


def test_canonical_json_reads_back() -> None:
    value = {"a": [1, 2.5, None, True, "ü"], "b": {"c": []}}

    assert json.loads(canonical_json(value)) == value


IDS = ["rubric:0123456789", "kb:0123456789", "kb:abcdef0123", "rubric:fedcba9876"]


@pytest.mark.parametrize(
    ("value", "whole"),
    [
        ("abcdef0123", "kb:abcdef0123"),
        (["abcdef0123", {"a": "fedcba9876"}], ["kb:abcdef0123", {"a": "rubric:fedcba9876"}]),
        ("so it says [abcdef0123].", "so it says [kb:abcdef0123]."),
        ("kb:abcdef0123", "kb:abcdef0123"),
        ("rubric:abcdef0123", "rubric:abcdef0123"),
        ("0123456789", "0123456789"),
        ("aaaaaaaaaa", "aaaaaaaaaa"),
        ("abcdef01234", "abcdef01234"),
        ("xabcdef0123", "xabcdef0123"),
        ("ABCDEF0123", "ABCDEF0123"),
        ({"abcdef0123": 1, "b": None}, {"abcdef0123": 1, "b": None}),
    ],
    ids=["bare", "nested", "in prose", "whole", "wrong kind", "shared", "unknown", "longer", "in word", "case", "keys"],
)
def test_digits_of_one_given_id_get_its_prefix(value: object, whole: object) -> None:
    assert with_prefixes(value, IDS) == whole
