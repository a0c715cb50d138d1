"""Tokens: a stated rule of arithmetic, the same everywhere."""

from __future__ import annotations

import pytest

from rubricator.memory.tokens import BYTES_PER_TOKEN, count_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("é", 1), ("ééé", 2), ("政策", 2), ("🙂", 1), ("\ud800", 1)],
)
def test_tokens_are_utf8_bytes_over_four_rounded_up(text, tokens) -> None:
    assert count_tokens(text) == tokens


def test_a_long_text_is_counted_to_the_token() -> None:
    assert count_tokens("x" * 1_000_001) == 250_001
    assert BYTES_PER_TOKEN == 4
