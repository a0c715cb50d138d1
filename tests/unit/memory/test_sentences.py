"""Sentences: where they end, and that each stands in its text to the letter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricator.memory.sentences import sentences, statements


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One thing. Another thing.", ["One thing.", "Another thing."]),
        ("It costs $3.50 a day. Fine.", ["It costs $3.50 a day.", "Fine."]),
        ("Ask Dr. Amsel first, e.g. by mail. Then wait.", ["Ask Dr. Amsel first, e.g. by mail.", "Then wait."]),
        ("A line\nthat wraps on.", ["A line\nthat wraps on."]),
        ("- first item\n- [x] second item\n3. third item", ["first item", "second item", "third item"]),
        ("Ann: yes\nBob: no", ["Ann: yes", "Bob: no"]),
        ("一つ目です。二つ目です。", ["一つ目です。", "二つ目です。"]),
        ("> quoted words.\n> More of them.", ["quoted words.", "More of them."]),
        ("***\n\n---\n", []),
    ],
)
def test_where_sentences_end(text, found) -> None:
    assert [" ".join(s.replace("\n> ", " ").split()) for s in statements(text)] == [" ".join(s.split()) for s in found]


def test_headings_are_no_statements() -> None:
    found = sentences("# Limits\nThe limit is $5.\n\n## More\n\nNothing else.")

    assert [s.text for s in found if s.heading] == ["Limits", "More"]
    assert statements("# Limits\nThe limit is $5.\n\n## More\n\nNothing else.") == ["The limit is $5.", "Nothing else."]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=300))
def test_each_sentence_stands_in_its_text_in_order(text) -> None:
    end = 0
    for found in sentences(text):
        assert found.text == text[found.start : found.end]
        assert found.start >= end
        assert any(character.isalnum() for character in found.text)
        end = found.end
