"""JSON, notebooks and XML."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from rubricator.memory.document import Extraction

Blocks = Callable[..., list[tuple[str, str]]]


def test_json_is_written_out_path_by_path(blocks: Blocks) -> None:
    value = {
        "name": "Tone",
        "big": 10**5000,
        "on": True,
        "off": None,
        "rules": [{"text": "be kind"}, {"text": "be brief"}],
    }
    text = json.dumps({**value, "big": 0}).replace(": 0", f": {'9' * 5000}")
    assert [found for _, found in blocks(text, "a.json")] == [
        f"name: Tone\nbig: {'9' * 5000}\non: true",
        "rules[0].text: be kind\nrules[1].text: be brief",
    ]


def test_json_lines_are_an_entry_each(blocks: Blocks) -> None:
    assert [found for _, found in blocks('{"a": 1.50}\n\n{"a": [2]}\n', "a.jsonl")] == ["a: 1.50", "a[0]: 2"]


def test_what_is_no_json_is_plain_text(read: Callable[..., Extraction]) -> None:
    assert read("{not json", "a.json").documents[0].text == "{not json"


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000])
def test_json_too_deep_to_parse_is_a_reason(reason: Callable[..., str], text: str) -> None:
    assert "nested too deeply" in reason(text, "a.json")


def test_a_notebook_is_its_cells(read: Callable[..., Extraction]) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "Prose\n"]},
        {"cell_type": "code", "source": "x = 1", "outputs": [{"text": "unseen"}]},
        "odd",
    ]
    (document,) = read(json.dumps({"nbformat": 4, "cells": cells}), "a.ipynb").documents
    assert document.title == "Title"
    assert [block.kind for block in document.blocks] == ["heading", "paragraph", "code"]


def test_a_feed_is_its_entries(blocks: Blocks) -> None:
    feed = """<?xml version="1.0" encoding="utf-8"?><rss><channel><title>News</title><item><title>First</title>
    <description>&lt;p&gt;One&lt;/p&gt;&lt;p&gt;Two&lt;/p&gt;</description></item></channel></rss>"""
    assert blocks(feed, "a.rss") == [
        ("heading", "News"),
        ("heading", "First"),
        ("paragraph", "description: One"),
        ("paragraph", "description: Two"),
    ]


def test_entities_that_multiply_are_no_danger(read: Callable[..., Extraction]) -> None:
    levels = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">{levels}]><x>&a11;</x>'
    assert len(read(bomb, "a.xml").documents[0].text) < 10_000


def test_broken_xml_is_plain_text(read: Callable[..., Extraction]) -> None:
    assert read("<a><b>words</a>", "a.xml").documents[0].text == "<a><b>words</a>"


def test_titles_within_other_xml_are_kept(blocks: Blocks) -> None:
    assert blocks("<shelf><book><title>Rules</title><year>2026</year></book></shelf>", "a.xml") == [
        ("paragraph", "title: Rules"),
        ("paragraph", "year: 2026"),
    ]
