"""Plain text and Markdown."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from rubricator.adapters.text.plain import blocks as scan
from rubricator.adapters.text.plain import is_turn
from rubricator.memory.document import Extraction

Blocks = Callable[..., list[tuple[str, str]]]

MARKDOWN = """---
owner: Marta
---
# Refunds

One paragraph
in two lines.

Limits
------
- first
- second
  goes on

- third

| a | b |
|---|---|
| 1 | 2 |

```
# no heading

code
```
Marta: I said so.
Bo Lee: And I
agreed.
"""


def test_markdown_is_cut_into_blocks(blocks: Blocks) -> None:
    assert blocks(MARKDOWN, "notes.md") == [
        ("code", "---\nowner: Marta\n---"),
        ("heading", "# Refunds"),
        ("paragraph", "One paragraph\nin two lines."),
        ("heading", "Limits\n------"),
        ("list", "- first\n- second\n  goes on\n\n- third"),
        ("table", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("code", "```\n# no heading\n\ncode\n```"),
        ("paragraph", "Marta: I said so."),
        ("paragraph", "Bo Lee: And I\nagreed."),
    ]


def test_the_text_is_the_file(read: Callable[..., Extraction]) -> None:
    raw = "\ufeff" + MARKDOWN.replace("\n", "\r\n")
    (document,) = read(raw, "notes.md").documents
    assert document.text == raw[1:]
    assert document.title == "Refunds"
    assert document.encoding == "utf-8"


def test_levels_of_headings() -> None:
    text = "# one\n### three\nunder one\n===\n"
    assert [(block.kind, block.level) for block in scan(text)] == [("heading", 1), ("heading", 3), ("heading", 1)]


def test_a_hash_begins_no_heading_outside_markdown(blocks: Blocks) -> None:
    assert blocks("# comment\nkey: value\n", "config.yaml") == [("paragraph", "# comment"), ("paragraph", "key: value")]


def test_a_log_is_cut_at_its_entries(blocks: Blocks) -> None:
    log = "2026-04-01 10:04:01 started\n  with a detail\n2026-04-01 10:04:02 ended\n"
    assert [text for _, text in blocks(log, "a.log")] == [
        "2026-04-01 10:04:01 started\n  with a detail",
        "2026-04-01 10:04:02 ended",
    ]


@pytest.mark.parametrize(
    "line", ["Marta: yes", "[10:04] Bo Lee: no", "**Ann-Sofie:** so", "Bo Lee (10:04): hm", "10:04 x"]
)
def test_turns_of_speech(line: str) -> None:
    assert is_turn(line)


@pytest.mark.parametrize(
    "line", ["a sentence without", "https://example.com", "This is a long sentence with much in it: so"]
)
def test_what_is_no_turn(line: str) -> None:
    assert not is_turn(line)


def test_an_open_fence_ends_with_the_file(blocks: Blocks) -> None:
    assert blocks("```\nnever closed\n", "a.md") == [("code", "```\nnever closed")]


@pytest.mark.parametrize("content", ["", " \n\t\r\n", "\ufeff\n", "---\n\n***\n"])
def test_nothing_but_white_space_or_rules_is_no_text(reason: Callable[..., str], content: str) -> None:
    assert reason(content, "a.md") == "no text"


def test_what_is_no_text_is_named_by_its_suffix(reason: Callable[..., str]) -> None:
    assert reason(b"\0\1\2\3", "photo.png") == "not a text format this version reads (.png)"
    assert "save it as UTF-8" in reason(b"\xff\xfe\xfd", "notes.txt")


@pytest.mark.parametrize("line", ["a" * 5_000_000, "- " * 2_500_000 + "a", "word: " * 800_000, "* " * 2_500_000 + "b"])
def test_one_endless_line_takes_little_time(line: str) -> None:
    started = time.monotonic()
    assert list(scan(line))
    assert time.monotonic() - started < 5
