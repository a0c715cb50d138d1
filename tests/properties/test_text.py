"""Text extraction: whatever a file holds, it is read or passed over, and its blocks are sound."""

from __future__ import annotations

import codecs

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rubricator.adapters.text import SUPPORTED, Limits, registry
from rubricator.adapters.text.decode import decode
from rubricator.adapters.text.limits import Reading
from rubricator.adapters.text.plain import blocks
from rubricator.adapters.text.quotes import regions
from rubricator.memory.document import Extraction

SUFFIXES = [suffix for each in SUPPORTED for suffix in each.suffixes if suffix.startswith(".")] + ["", ".xyz"]
SEEDS = [
    b"%PDF-1.4\n",
    b"PK\x03\x04",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"{\\rtf1 ",
    b"WEBVTT\n\n00:01.000 --> 00:02.000\n",
    b"From: a\nSubject: b\n\n",
    b"From a 2020\nFrom: b\n\n",
    b"Content-Type: multipart/mixed; boundary=b\n\n--b\n",
    b"On 1 May 10:00 a wrote:\n",
    b"<html><table><tr><td>",
    b"<?xml version='1.0'?><a>",
    b'{"a": [',
    b"a;b\n1;2\n",
    b"# h\n\n- a\n",
]
MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

texts = st.text(
    st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cc", "Cs", "Cn"])
    | st.sampled_from("\n\r\t")
)
lines = st.lists(
    st.sampled_from(["# a", "===", "---", "- x", "  y", "", " ", "```", "| a |", "Ann: b", "1. z", "> q", "~~~", "\t"])
    | st.text(max_size=20)
).map("\n".join)


def sound(extraction: Extraction) -> None:
    assert extraction.documents or extraction.skipped
    assert all(skip.reason for skip in extraction.skipped)
    for document in extraction.documents:
        document.text.encode()
        position = 0
        for block in document.blocks:
            assert position <= block.start < block.end <= len(document.text)
            assert document.text[block.start : block.end].strip()
            position = block.end


@RELAXED
@given(st.sampled_from(SUFFIXES), st.sampled_from([b"", *SEEDS]), st.binary(max_size=400) | texts.map(str.encode))
def test_no_content_is_too_strange(suffix: str, seed: bytes, data: bytes) -> None:
    name = f"file{suffix}"
    extraction = registry.read(seed + data, Reading.of_file(name, Limits()))
    sound(extraction)
    assert extraction == registry.read(seed + data, Reading.of_file(name, Limits()))


@given(texts, st.sampled_from(sorted(MARKS)))
def test_text_with_a_mark_comes_back_as_it_was(text: str, encoding: str) -> None:
    decoded = decode(MARKS[encoding] + text.encode(encoding))
    assert decoded is not None
    assert (decoded.text, decoded.encoding) == (text, encoding)


@given(lines, st.booleans())
def test_blocks_of_text_cover_all_that_is_said(text: str, markdown: bool) -> None:
    position = 0
    for block in blocks(text, markdown=markdown):
        assert position <= block.start < block.end
        assert not any(char.isalnum() for char in text[position : block.start])
        position = block.end
    assert not any(char.isalnum() for char in text[position:])


@given(lines | texts, st.booleans())
def test_no_line_of_mail_is_lost(text: str, is_forward: bool) -> None:
    found = [
        line for region in regions(text, is_forward=is_forward) for line in region.text.split("\n") if line.strip()
    ]
    assert found == [line for line in text.split("\n") if line.strip()]
