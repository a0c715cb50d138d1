"""Fences: whatever an untrusted text holds, it stays a quotation, and nothing in it goes unseen."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from rubricator.core.fence import FENCE, fenced, inline, quoted_lines, verbatim, visible, without_ids
from rubricator.core.identity import cited_ids


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_every_kind_of_line_end_becomes_one(end) -> None:
    assert visible(f"one{end}two") == "one\ntwo"
    assert quoted_lines(f"one{end}## Authority") == ["| one", "| ## Authority"]
    assert "\n" not in inline(f"one{end}two")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("plain é 政策", "plain é 政策"),
        ("tab\tstays", "tab\tstays"),
        ("a\x00b", "a⟦U+0000⟧b"),
        ("a\u202eb", "a⟦U+202E⟧b"),
        ("a\u200bb", "a⟦U+200B⟧b"),
        ("\ufeffa", "⟦U+FEFF⟧a"),
        ("a\U000e0041b", "a⟦U+E0041⟧b"),
        ("a\ud800b", "a⟦U+D800⟧b"),
        ("a\x1fb\x7f", "a⟦U+001F⟧b⟦U+007F⟧"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text, shown) -> None:
    assert visible(text) == shown


def test_every_control_and_format_character_is_written_out_but_tabs_line_ends_and_joiners() -> None:
    for character in map(chr, range(sys.maxunicode + 1)):
        if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and character not in "\t\u200c\u200d":
            assert character == "\n" or character not in visible(f"é{character}é{character}")


@pytest.mark.parametrize("text", ["❤️", "👩\u200d👩\u200d👧", "می\u200cخواهم", "1️⃣"])
def test_emoji_and_scripts_that_need_joiners_stay_as_they_are(text) -> None:
    assert visible(text) == text


def test_variation_selectors_that_can_carry_a_text_are_written_out_between_lines() -> None:
    assert visible("🙂\U000e0101\U000e01ef\n") == "🙂⟦U+E0101⟧⟦U+E01EF⟧\n"


def test_variation_selectors_that_can_carry_a_text_are_written_out_in_one_line() -> None:
    assert visible("🙂\U000e0101\U000e01ef") == "🙂⟦U+E0101⟧⟦U+E01EF⟧"


@pytest.mark.parametrize("character", ["\u3164", "\u115f", "\uffa0", "\u034f", "\u17b4", "\u2800"])
def test_blank_letters_and_marks_are_written_out(character) -> None:
    assert visible(f"a{character}b\n") == f"a⟦U+{ord(character):04X}⟧b\n"


@pytest.mark.parametrize("row", ["\ufe00\ufe0f\ufe01\ufe0e", "\u200c\u200d\u200d\u200c"])
def test_a_row_of_selectors_or_joiners_is_written_out(row) -> None:
    assert row not in visible(f"🙂{row}\n")


@pytest.mark.parametrize(
    "text",
    [
        "kb:0123456789",
        "rubric:abcdef0123",
        "[kb:0123456789]",
        "KB:0123456789",
        "Rubric:ABCDEF0123",
        "kb :0123456789",
        "kb: 0123456789",
        "kb\t:\t0123456789",
        "kb:\n0123456789",
        "kb:0123456789abcdef",
        "xkb:0123456789",
        "kb:kb:0123456789",
        "rubric:kb:0123456789",
        "kb:012345",
    ],
)
def test_nothing_reads_as_a_citation_id(text) -> None:
    broken = without_ids(text)

    assert broken != text
    assert "[:]" in broken
    assert not cited_ids(broken)
    assert not cited_ids(broken.casefold().replace(" ", ""))
    assert without_ids(broken) == broken


@pytest.mark.parametrize("text", ["", "kb: see below", "the rubric: read it", "kb:12", "sha:0123456789", "12:30"])
def test_ordinary_colons_stay(text) -> None:
    assert without_ids(text) == text


def test_a_hidden_character_cannot_hold_an_id_together() -> None:
    assert not cited_ids("\n".join(quoted_lines("kb\u200b:0123456789 kb:\u202e0123456789 k\u00adb:0123456789")))


@pytest.mark.parametrize("text", ["", "one", "\n\n", "~~~~\n```\n## Authority\n---\n> x", "   indented", "| table |"])
def test_every_quoted_line_has_the_prefix(text) -> None:
    lines = quoted_lines(text)

    assert len(lines) == text.count("\n") + 1
    assert all(line.startswith("| ") or line == "|" for line in lines)
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("marks", ["~~~~", "~" * 40, "````", "~~~~untrusted kb", " ~~~~"])
def test_a_fence_cannot_be_closed_from_within(marks) -> None:
    lines = fenced(f"before\n{marks}\nafter", "kb:0123456789").split("\n")

    assert lines[0] == f"{FENCE}untrusted kb:0123456789"
    assert lines[-1] == FENCE
    assert lines[1:-1] == ["| before", f"| {marks}".rstrip(), "| after"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a/b.md", "`a/b.md`"),
        ("  a b  ", "`a b`"),
        ("a`b``c", "`a'b''c`"),
        ("a\n## Authority", "`a ## Authority`"),
        ("kb:0123456789", "`kb[:]0123456789`"),
        ("a\u202eb", "`a⟦U+202E⟧b`"),
        ("x" * 300, f"`{'x' * 300}`"),
        ("x" * 301, f"`{'x' * 299}…`"),
    ],
)
def test_a_name_is_inline_code_on_one_line(name, code) -> None:
    assert inline(name) == code


@pytest.mark.parametrize("text", ["a\n", "a", "~~~~\nx\n~~~~\n", "~" * 9, "```\nx\n```\n", "| x\r\n~~~~~\r\n"])
def test_a_trusted_text_stands_verbatim_in_a_fence_that_it_cannot_close(text) -> None:
    block = verbatim(text, "rubric")
    opening, rest = block.split("\n", 1)
    mark = opening.removesuffix("rubric")

    assert set(mark) == {"~"}
    assert len(mark) >= len(FENCE)
    assert mark not in text
    assert rest == f"{text}{'' if text.endswith(chr(10)) else chr(10)}{mark}"
