"""Names become folders, folders apply to scores, and folders date their sources."""

from __future__ import annotations

import datetime as dt
import unicodedata

import pytest

from rubricator.core.scope import (
    SCOPES,
    Root,
    applicable_roots,
    collision_key,
    folder_name,
    is_prefix,
    looks_like_date,
    parse_date,
    same_name,
    source_date,
)
from rubricator.errors import InputError, NameRefusedError, RubricatorError

NFC = "R\u00e9sum\u00e9"
NFD = "Re\u0301sume\u0301"


# Names to folders


@pytest.mark.parametrize("character", '<>:"/\\|?*[]')
def test_each_forbidden_character_becomes_a_dash(character) -> None:
    assert folder_name(f"A{character}B") == "A-B"
    assert folder_name(f"A {character}{character} B") == "A -- B"


@pytest.mark.parametrize(
    "character",
    [
        "\0",
        "\t",
        "\n",
        "\r",
        "\x1b",
        "\x7f",
        "\x85",
        "\u00a0",
        "\u00ad",
        "\u200b",
        "\u202e",
        "\u2028",
        "\u3000",
        "\ud800",
    ],
)
def test_each_unprintable_character_becomes_a_dash(character) -> None:
    assert folder_name(f"A{character}B") == "A-B"


@pytest.mark.parametrize(
    "name",
    [
        "Agent Misrepresentation",
        "Hold (Transfer) - Part 1",
        "a,b;c=d+e!f@g#h$i%j^k&l~m`n'o{p}",
        "Größe 漢字 🙂",
        "v1.2",
        "A..B",
        ".hidden",
        "Ends with a dot.",
        "console",
        "scorecards",
        "my scorecard",
        NFC,
        NFD,
    ],
)
def test_other_names_stay_as_they_are(name) -> None:
    assert folder_name(name) == name


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("  Politeness  ", "Politeness"),
        ("\nPoliteness\n", "-Politeness-"),
        ("? Politeness ?", "- Politeness -"),
        ("Politeness .", "Politeness ."),
        ("../x", "..-x"),
        ("..\\x", "..-x"),
        ("/etc/passwd", "-etc-passwd"),
        ("C:\\Windows", "C--Windows"),
        ("a/../../b", "a-..-..-b"),
        ("~root/x", "~root-x"),
        ("/", "-"),
        ("\0", "-"),
    ],
)
def test_the_result_is_stripped_after_the_dashes_and_stays_one_folder(name, stem) -> None:
    assert folder_name(name) == stem


@pytest.mark.parametrize("name", ["", " ", "   ", ".", "..", "...", " . ", ".. ", ". .", " .. . "])
@pytest.mark.parametrize("what", ["score", "scorecard"])
def test_names_that_would_escape_are_refused(name, what) -> None:
    with pytest.raises(NameRefusedError, match="escape") as caught:
        folder_name(name, what=what)
    assert what in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("name", ["scorecard", "Scorecard", "SCORECARD", "  scorecard  "])
def test_a_score_named_as_the_scorecards_knowledge_base_is_refused(name) -> None:
    with pytest.raises(NameRefusedError, match="collides"):
        folder_name(name)


def test_a_scorecard_may_be_named_scorecard() -> None:
    assert folder_name("scorecard", what="scorecard") == "scorecard"


@pytest.mark.parametrize(
    "name",
    ["CON", "con", "Con", "PRN", "aux", "NUL", "COM1", "com9", "LPT1", "lpt9", "CON.txt", "CON.", "CON .a", " nul "],
)
@pytest.mark.parametrize("what", ["score", "scorecard"])
def test_windows_devices_are_refused(name, what) -> None:
    with pytest.raises(NameRefusedError, match="device"):
        folder_name(name, what=what)


@pytest.mark.parametrize("name", ["CONTACT", "COM0", "COM10", "LPT", "aux room", "my.CON", "CON:"])
def test_names_that_only_resemble_devices_are_allowed(name) -> None:
    assert folder_name(name) == name.replace(":", "-")


def test_a_refusal_is_bad_input() -> None:
    assert issubclass(NameRefusedError, InputError)
    assert issubclass(NameRefusedError, RubricatorError)
    assert (NameRefusedError.code, NameRefusedError.exit_code) == ("name_refused", 2)


# Names that are the same


def test_names_are_the_same_whatever_their_unicode_form() -> None:
    assert NFC != NFD
    assert same_name(NFC, NFD)
    assert same_name(unicodedata.normalize("NFD", "한국어"), "한국어")


@pytest.mark.parametrize(("one", "other"), [("a", "A"), ("a", "a "), ("a", "a."), ("ﬁ", "fi"), ("e", "é")])
def test_names_that_differ_in_anything_else_are_not_the_same(one, other) -> None:
    assert not same_name(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("A", "a"), (NFC, NFD), ("a", "a."), ("a", "a . ."), ("Straße", "STRASSE"), ("ﬁ", "FI"), ("Ａ", "a")],
)
def test_names_collide_in_case_unicode_form_and_trailing_dots(one, other) -> None:
    assert collision_key(one) == collision_key(other)


@pytest.mark.parametrize(("one", "other"), [("a", "b"), ("a", "a b"), ("a", ".a"), ("e", "é"), ("a", "a-")])
def test_other_names_do_not_collide(one, other) -> None:
    assert collision_key(one) != collision_key(other)


# Prefixes


@pytest.mark.parametrize(
    ("stem", "score"),
    [
        ("Agent", "Agent Misrepresentation"),
        ("Agent", "Agent-Misrepresentation"),
        ("Agent", "Agent(2)"),
        ("Agent", "Agent (2)"),
        ("Agent Mis", "Agent Mis - Part"),
        ("Agent -", "Agent - Part"),
        ("Agent -", "Agent -Part"),
        ("Agent (", "Agent (2)"),
        ("Agent-", "Agent-Part"),
        (NFC, f"{NFD} long"),
        (NFD, f"{NFC} long"),
        ("A", "A B"),
    ],
)
def test_a_leading_part_that_ends_at_a_boundary_is_a_prefix(stem, score) -> None:
    assert is_prefix(stem, score)


@pytest.mark.parametrize(
    ("stem", "score"),
    [
        ("Agent", "Agents Misrepresentation"),
        ("Agent", "Agent_Misrepresentation"),
        ("Agent", "Agent.Misrepresentation"),
        ("Agent", "Agent)"),
        ("Agent", "Agent\u2013Part"),
        ("agent", "Agent Misrepresentation"),
        ("Misrepresentation", "Agent Misrepresentation"),
        ("Agent Misrepresentation", "Agent"),
        ("Agent", "Agent"),
        (NFC, NFD),
        ("", "Agent"),
        ("", " Agent"),
        ("scorecard", "scorecard - extra"),
        ("e", "e\u0301 long"),
        ("Re", f"{NFD} long"),
    ],
)
def test_anything_else_is_no_prefix(stem, score) -> None:
    assert not is_prefix(stem, score)


def kb(*stems: str) -> list[str]:
    return [f"{stem}.knowledge-base" for stem in stems]


def test_all_roots_that_apply_are_combined_in_scope_order_the_longest_prefix_first() -> None:
    names = kb("scorecard", "Agent", "Agent Mis (a) - b", "Agent Mis", "Agent Mis (a)", "Other", "Agents")

    assert applicable_roots(names, "Agent Mis (a) - b") == [
        Root("score", "Agent Mis (a) - b.knowledge-base"),
        Root("prefix", "Agent Mis (a).knowledge-base"),
        Root("prefix", "Agent Mis.knowledge-base"),
        Root("prefix", "Agent.knowledge-base"),
        Root("scorecard", "scorecard.knowledge-base"),
    ]


def test_the_order_does_not_depend_on_the_order_of_the_names() -> None:
    names = kb("scorecard", "A", "A -", "A B", "A B-", "A B-C")

    assert applicable_roots(names, "A B-C") == applicable_roots(reversed(names), "A B-C")


def test_roots_are_overlays_and_no_fallbacks() -> None:
    assert applicable_roots([], "Agent") == []
    assert [root.scope for root in applicable_roots(kb("scorecard"), "Agent")] == ["scorecard"]
    assert [root.scope for root in applicable_roots(kb("Agent"), "Agent")] == ["score"]
    assert [root.scope for root in applicable_roots(kb("Agent"), "Agent x")] == ["prefix"]


@pytest.mark.parametrize(
    "name",
    [
        "Agent",
        "Agent.yaml",
        "Agent.knowledge-base.bak",
        "Agent.Knowledge-Base",
        "knowledge-base",
        ".knowledge-base",
        "",
    ],
)
def test_folders_that_are_no_knowledge_base_do_not_apply(name) -> None:
    assert applicable_roots([name], "Agent") == []


def test_a_score_folder_in_another_unicode_form_applies() -> None:
    assert applicable_roots(kb(NFD), NFC) == [Root("score", f"{NFD}.knowledge-base")]


@pytest.mark.parametrize("stem", ["Scorecard", "SCORECARD", "scorecard "])
def test_only_scorecard_to_the_letter_is_the_scorecards(stem) -> None:
    assert applicable_roots(kb(stem), "Agent") == []


def test_the_longest_prefix_comes_first_whatever_its_unicode_form() -> None:
    short, long = NFD, f"{NFC} A"

    roots = applicable_roots(kb(short, long), f"{NFC} A B")

    assert [root.stem for root in roots] == [long, short]


def test_a_root_knows_its_stem() -> None:
    assert Root("prefix", "A.B.knowledge-base").stem == "A.B"
    assert Root("score", "X.knowledge-base.knowledge-base").stem == "X.knowledge-base"


def test_the_scopes_are_in_the_order_of_citations() -> None:
    assert SCOPES == ("score", "prefix", "scorecard")


# Dates


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2026-04-24", dt.date(2026, 4, 24)),
        ("2024-02-29", dt.date(2024, 2, 29)),
        ("0001-01-01", dt.date(1, 1, 1)),
        ("9999-12-31", dt.date(9999, 12, 31)),
    ],
)
def test_real_dates(text, date) -> None:
    assert parse_date(text) == date


NOT_DATES = [
    "2026-02-30",
    "2026-02-29",
    "2026-13-01",
    "2026-00-10",
    "2026-04-00",
    "0000-01-01",
    "2026-4-24",
    "26-04-24",
    "20260424",
    "2026-04",
    "2026-W17-5",
    "2026-115",
    "2026/04/24",
    "2026_04_24",
    " 2026-04-24",
    "2026-04-24 ",
    "2026-04-24\n",
    "2026-04-24 call",
    "2026-04-24T00:00",
    "-2026-04-24",
    "２０２６-０４-２４",
    "٢٠٢٦-٠٤-٢٤",
    "2026‐04‐24",
    "unknown-date",
    "",
]


@pytest.mark.parametrize("text", NOT_DATES)
def test_everything_else_is_no_date(text) -> None:
    assert parse_date(text) is None
    assert source_date([text]) is None


@pytest.mark.parametrize(
    ("folders", "date"),
    [
        ([], None),
        (["calls"], None),
        (["unknown-date"], None),
        (["unknown-date", "calls"], None),
        (["2026-04-24"], dt.date(2026, 4, 24)),
        (["2026-04-24", "attachments", "deep"], dt.date(2026, 4, 24)),
        (["2025-01-01", "2026-04-24"], dt.date(2026, 4, 24)),
        (["2026-04-24", "2025-01-01"], dt.date(2025, 1, 1)),
        (["2025-01-01", "calls", "2026-04-24", "x"], dt.date(2026, 4, 24)),
        (["2026-04-24", "2026-02-30"], dt.date(2026, 4, 24)),
        (["unknown-date", "2026-04-24"], dt.date(2026, 4, 24)),
    ],
)
def test_the_nearest_dated_folder_dates_a_source(folders, date) -> None:
    assert source_date(folders) == date


@pytest.mark.parametrize(
    "folder",
    [
        "2026-4-24",
        "2026-02-30",
        "2026-04-24 call",
        "call 2026-04-24",
        "2026_04_24",
        "2026.04.24",
        "24.04.2026",
        "4-24-2026",
        "20260424",
        "２０２６-０４-２４",
        "2026-13-01",
    ],
)
def test_folders_that_were_meant_as_dates(folder) -> None:
    assert looks_like_date(folder)


@pytest.mark.parametrize(
    "folder", ["2026-04-24", "unknown-date", "", "calls", "2026", "2026-04", "v1.2.3", "call 20260424", "12026-04-24"]
)
def test_folders_that_are_dates_or_were_not_meant_so(folder) -> None:
    assert not looks_like_date(folder)
