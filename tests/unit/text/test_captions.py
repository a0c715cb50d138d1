"""Captions of recordings."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from rubricator.memory.document import Extraction, Place

Read = Callable[..., Extraction]
Blocks = Callable[..., list[tuple[str, str]]]

VTT = """WEBVTT - a call

NOTE not said

1
00:04.000 --> 00:11.500 align:start
<v.loud Marta Ilves>Right &amp; <i>good</i>.

01:00:11.500 --> 01:00:22.000
Tomasz Wilk: Ten calls.
All from January.
"""


def test_cues_have_times_and_speakers(read: Read) -> None:
    (document,) = read(VTT, "a.vtt").documents
    first, second = document.blocks
    assert document.text == "Right & good.\n\nTomasz Wilk: Ten calls.\nAll from January."
    assert first.place == Place(time_start=4.0, time_end=11.5, author="Marta Ilves")
    assert second.place == Place(time_start=3611.5, time_end=3622.0, author="Tomasz Wilk")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.srt", "1\n00:00:00,500 --> 00:00:07,000\nOne\n\n2\n00:00:07,000 --> 00:00:11,890\nTwo\n"),
        ("a.srt", "1\r\n00:00:00,500 --> 00:00:07,000\r\nOne\r\n2\r\n00:00:07,000 --> 00:00:11,890\r\nTwo\r\n"),
        ("a.sbv", "0:00:00.500,0:00:07.000\nOne\n\n0:00:07.000,0:00:11.890\nTwo\n"),
        ("a.vtt", "00:00.500 --> 00:07.000\nOne\n\n00:07.000 --> 00:11.890\nTwo"),
    ],
)
def test_all_three_formats_say_the_same(read: Read, name: str, text: str) -> None:
    (document,) = read(text, name).documents
    assert document.text == "One\n\nTwo"
    assert [(block.place.time_start, block.place.time_end) for block in document.blocks] == [(0.5, 7.0), (7.0, 11.89)]


def test_lines_that_roll_on_are_shown_once(blocks: Blocks) -> None:
    rolling = """WEBVTT

00:01.000 --> 00:02.000
so we

00:02.000 --> 00:03.000
so we
raised <00:02.500><c>it</c>

00:03.000 --> 00:04.000
raised it
"""
    assert blocks(rolling, "a.vtt") == [("cue", "so we"), ("cue", "raised it")]


def test_words_with_damaged_times_or_none_are_kept(blocks: Blocks) -> None:
    damaged = "00:00.500 --> 00:0x.000\nOne\n\n7\nTwo\n\n00:07.000 --> 00:08.000\nThree"
    assert [text for _, text in blocks(damaged, "a.srt")] == ["One", "Two", "Three"]


@pytest.mark.parametrize("text", ["some text", "1", "WEBVTT\n", "WEBVTT\n\nNOTE only this"])
def test_no_cues_is_a_reason(reason: Callable[..., str], text: str) -> None:
    assert reason(text, "a.vtt").startswith("no captions")
    assert reason("00:00.500 --> 00:07.000\n\n", "a.vtt") == "no text"


def test_captions_are_told_by_their_first_word(read: Read) -> None:
    assert read(VTT, "transcript").documents[0].media_type == "text/vtt"


@pytest.mark.parametrize("line", ["1" * 2_000_000, "<v." * 700_000, "<c" * 1_000_000, "Ann: " * 400_000])
def test_one_endless_line_takes_little_time(read: Read, line: str) -> None:
    started = time.monotonic()
    read(f"00:01.000 --> 00:02.000\n{line}\n{line}", "a.vtt")
    assert time.monotonic() - started < 5
