"""Separated values."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Blocks = Callable[..., list[tuple[str, str]]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'month,"credits, given"\nMay,860\n'),
        ("a.csv", "month;credits, given\r\nMay;860\r\n"),
        ("a.tsv", "month\tcredits, given\nMay\t860\n"),
        ("a.csv", "month|credits, given\nMay|860"),
    ],
)
def test_a_row_names_its_columns(blocks: Blocks, name: str, text: str) -> None:
    assert blocks(text, name) == [("table", "month | credits, given"), ("table", "month: May; credits, given: 860")]


def test_a_caption_above_the_head_is_kept(blocks: Blocks) -> None:
    rows = blocks("Goodwill,,\nteam,city,cups\nBlues,STL,1\nwide,,,4\n", "a.csv")
    assert [text for _, text in rows] == [
        "Goodwill",
        "team | city | cups",
        "team: Blues; city: STL; cups: 1",
        "team: wide; 4",
    ]


def test_a_table_without_a_head_keeps_its_values(blocks: Blocks) -> None:
    assert [text for _, text in blocks("1,2\n3,4\n", "a.csv")] == ["1 | 2", "3 | 4"]


def test_one_column_and_quoted_lines(blocks: Blocks) -> None:
    assert [text for _, text in blocks('"one\ntwo"\nthree\n', "a.csv")] == ["one two", "three"]


def test_an_unclosed_quote_is_survived(blocks: Blocks) -> None:
    assert blocks('a,b\n"never closed,1\n2,3', "a.csv")
