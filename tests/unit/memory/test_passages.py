"""Passages: whole blocks packed under their headings, cut only where one block alone is too long, cited stably."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from rubricator.core.identity import CITATION_ID
from rubricator.memory.document import NOWHERE, Block, BlockKind, Document, Place
from rubricator.memory.passages import CONVERSATION_CHARS, MAX_CHARS, Passage, passages, source_name

PATH = "Fees.knowledge-base/2026-02-03/a.md"


def document(*parts: tuple[BlockKind, str] | tuple[BlockKind, str, dict[str, Any]], between: str = "\n") -> Document:
    """A document of (kind, text, further facts of the block) in order."""
    text = ""
    blocks = []
    for kind, words, *facts in parts:
        text += between if text else ""
        blocks.append(Block(len(text), len(text) + len(words), kind, **(facts[0] if facts else {})))
        text += words
    return Document(text, tuple(blocks), "text/plain")


def texts(found: list[Passage]) -> list[str]:
    return [passage.text for passage in found]


def plain(text: str) -> Document:
    return Document(text, (Block(0, len(text)),), "text/plain")


H1, H2, H3 = {"level": 1}, {"level": 2}, {"level": 3}


def test_an_empty_document_has_no_passages() -> None:
    assert passages(Document("", (), "text/plain"), PATH) == []
    assert passages(Document("ignored", (), "text/plain"), PATH) == []


@pytest.mark.parametrize("blank", ["", " ", "\n\n", " \t\n" * 2000])
def test_a_blank_block_has_no_passages(blank) -> None:
    assert passages(plain(blank), PATH) == []


def test_one_block_is_one_passage_that_knows_where_it_stands() -> None:
    (only,) = passages(Document("\n\nLate fee.\n", (Block(2, 11),), "text/plain", title="Fees"), PATH)

    assert only.text == "Late fee."
    assert (only.span.start, only.span.end, only.span.line_start, only.span.line_end) == (2, 11, 3, 3)
    assert only.span.place == NOWHERE
    assert (only.source, only.title, only.heading, only.quoted) == (PATH, "Fees", (), False)
    assert CITATION_ID.fullmatch(only.citation_id)
    assert only.citation_id.startswith("kb:")


def test_short_blocks_are_packed_together() -> None:
    found = passages(document(("paragraph", "One."), ("list", "- two"), ("table", "| 3 |"), ("code", "four")), PATH)

    assert texts(found) == ["One.\n- two\n| 3 |\nfour"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\nb\nc", (1, 3)),
        ("a\r\nb", (1, 2)),
        ("a\rb", (1, 2)),
        ("a\r\r\nb\n\n", (1, 4)),
        ("a\u2028b\x0bc\x85d", (1, 1)),
    ],
)
def test_lines_are_counted_as_editors_count_them(text, lines) -> None:
    (only,) = passages(plain(text), PATH)

    assert (only.span.line_start, only.span.line_end) == lines


# Headings


def test_a_heading_starts_a_passage_and_stays_with_its_text() -> None:
    found = passages(
        document(("heading", "# A", H1), ("paragraph", "one"), ("heading", "# B", H1), ("paragraph", "two")), PATH
    )

    assert [(passage.text, passage.heading) for passage in found] == [("# A\none", ("A",)), ("# B\ntwo", ("B",))]


def test_headings_in_a_row_stay_together() -> None:
    (only,) = passages(document(("heading", "# A", H1), ("heading", "## B ##", H2), ("paragraph", "one")), PATH)

    assert only.text == "# A\n## B ##\none"
    assert only.heading == ("A", "B")


def test_a_heading_ends_those_of_its_level_and_below() -> None:
    found = passages(
        document(
            ("paragraph", "zero"),
            ("heading", "A\n===", H1),
            ("paragraph", "one"),
            ("heading", "### C", H3),
            ("paragraph", "two"),
            ("heading", "## B", H2),
            ("paragraph", "three"),
            ("heading", "# D", H1),
            ("paragraph", "four"),
        ),
        PATH,
    )

    assert [passage.heading for passage in found] == [(), ("A",), ("A", "C"), ("A", "B"), ("D",)]


def test_a_heading_at_the_end_is_a_passage_too() -> None:
    assert texts(passages(document(("paragraph", "one"), ("heading", "# A", H1)), PATH)) == ["one", "# A"]


def test_a_very_long_heading_is_cut_like_any_text_and_shortened_in_the_path() -> None:
    long = "# " + "word " * 2000

    found = passages(document(("heading", long, H1), ("paragraph", "one")), PATH)

    assert len(found) > 1
    assert all(len(passage.text) <= MAX_CHARS for passage in found)
    assert len(found[-1].heading[0]) <= 200


@pytest.mark.parametrize("below", [("quote", "> old"), ("paragraph", "new", {"place": Place(page=2)})])
def test_a_heading_is_not_left_alone(below) -> None:
    heading = ("heading", "# A", {"level": 1, "place": Place(page=1)})

    (only,) = passages(document(heading, below), PATH)

    assert only.text == f"# A\n{below[1]}"
    assert only.quoted == (below[0] == "quote")


def test_a_heading_is_not_left_alone_above_a_long_turn() -> None:
    turn = ("message", "x" * 2 * CONVERSATION_CHARS, {"place": Place(message=1)})

    assert len(passages(document(("heading", "# " + "A" * CONVERSATION_CHARS, H1), turn), PATH)) == 1


# Pages, quotes, conversation


def test_a_page_ends_a_passage() -> None:
    one, two = {"place": Place(page=1)}, {"place": Place(page=2)}

    found = passages(document(("paragraph", "a", one), ("paragraph", "b", one), ("paragraph", "c", two)), PATH)

    assert [(passage.text, passage.span.place.page) for passage in found] == [("a\nb", 1), ("c", 2)]


def test_quoted_history_is_kept_apart_and_marked() -> None:
    found = passages(document(("paragraph", "new"), ("quote", "> old"), ("quote", "> older"), ("paragraph", "x")), PATH)

    assert [(passage.text, passage.quoted) for passage in found] == [
        ("new", False),
        ("> old\n> older", True),
        ("x", False),
    ]


def test_a_question_stays_with_its_answer() -> None:
    found = passages(
        document(
            ("message", "May I?", {"place": Place(message=1, author="Dana", sent_at="2026-01-01")}),
            ("message", "Yes.", {"place": Place(message=2, author="Lee", sent_at="2026-01-02")}),
        ),
        PATH,
    )

    assert texts(found) == ["May I?\nYes."]
    assert found[0].span.place == Place(message=1, sent_at="2026-01-01")


def test_messages_of_one_author_keep_the_author() -> None:
    place = {"place": Place(message=1, author="Dana")}

    (only,) = passages(document(("message", "a", place), ("message", "b", place)), PATH)

    assert only.span.place.author == "Dana"


def test_conversation_is_cut_between_turns_once_it_is_long_enough() -> None:
    turns = [("message", f"{n} " + "x" * 100, {"place": Place(message=n)}) for n in range(1, 31)]

    found = passages(document(*turns), PATH)

    assert all(CONVERSATION_CHARS <= len(passage.text) <= 2 * CONVERSATION_CHARS for passage in found[:-1])
    assert "\n".join(texts(found)) == document(*turns).text


def test_cues_last_from_the_first_to_the_last() -> None:
    cues = [("cue", f"cue {n}", {"place": Place(time_start=n, time_end=n + 0.5)}) for n in range(3)]

    (only,) = passages(document(*cues), PATH)

    assert (only.span.place.time_start, only.span.place.time_end) == (0, 2.5)


# Size


def test_blocks_are_never_packed_beyond_the_limit() -> None:
    found = passages(document(*[("paragraph", "x" * 1000)] * 5), PATH)

    assert [len(passage.text) for passage in found] == [2001, 2001, 1000]


def test_a_block_that_just_fits_is_whole() -> None:
    assert texts(passages(plain("x" * MAX_CHARS), PATH)) == ["x" * MAX_CHARS]
    assert len(passages(plain("x" * (MAX_CHARS + 1)), PATH)) == 2


def test_a_block_that_is_too_long_alone_is_cut_at_the_last_line_end() -> None:
    found = passages(plain("A sentence. And\r\n" * 400), PATH)

    assert len(found) > 2
    assert all(passage.text.endswith("\r\n") for passage in found)
    assert all(passage.text.startswith("A sentence") for passage in found)


def test_a_line_end_of_two_characters_is_not_cut_in_two() -> None:
    text = "word " * (MAX_CHARS // 5 - 1) + "word" + "\r\n" + "more " * 100

    assert text.index("\r") == MAX_CHARS - 1
    assert not any(passage.text.startswith("\n") for passage in passages(plain(text), PATH))


@pytest.mark.parametrize("end", [". ", '." ', "?) ", "! ", "… ", "。 "])
def test_without_line_ends_a_long_block_is_cut_after_a_sentence(end) -> None:
    sentence = f"Some words of it{end}"

    found = passages(plain(sentence * 400), PATH)

    assert len(found) > 2
    assert all(passage.text.endswith(end) and passage.text.startswith("Some") for passage in found)


def test_a_long_block_of_chinese_is_cut_after_a_sentence() -> None:
    assert all(text.endswith("。") for text in texts(passages(plain("客户每次都必须先付款。" * 1000), PATH)))


def test_without_sentences_a_long_block_is_cut_between_words() -> None:
    found = passages(plain("words " * 1000), PATH)

    assert all(passage.text.startswith("words ") and passage.text.endswith(" ") for passage in found)


def test_without_words_a_long_block_is_cut_at_the_limit() -> None:
    assert [len(text) for text in texts(passages(plain("x" * 5000), PATH))] == [MAX_CHARS, MAX_CHARS, 200]


def test_the_pieces_of_a_block_have_its_place() -> None:
    place = Place(page=4, message=2, author="Dana")

    found = passages(document(("message", "x" * 5000, {"place": place})), PATH)

    assert {passage.span.place for passage in found} == {place}


# Handles


def test_the_same_text_twice_in_a_source_has_two_handles() -> None:
    found = passages(
        document(*[("heading", "# A", H1), ("paragraph", "one")] * 3),
        PATH,
    )

    assert texts(found) == ["# A\none"] * 3
    assert len({passage.citation_id for passage in found}) == 3


def test_an_edit_further_up_leaves_a_handle_as_it_was() -> None:
    before = passages(document(("paragraph", "old"), ("heading", "# A", H1), ("paragraph", "one")), PATH)
    after = passages(
        document(("paragraph", "new and longer"), ("paragraph", "more"), ("heading", "# A", H1), ("paragraph", "one")),
        PATH,
    )

    assert before[-1].citation_id == after[-1].citation_id
    assert before[0].citation_id != after[0].citation_id


def test_a_handle_depends_on_the_source_but_not_on_the_form_of_its_name() -> None:
    name = "Fees.knowledge-base/Müller/é.md"
    handles = {
        form: passages(plain("one"), unicodedata.normalize(form, name))[0].citation_id for form in ("NFC", "NFD")
    }

    assert handles["NFC"] == handles["NFD"]
    assert passages(plain("one"), "Fees.knowledge-base/other.md")[0].citation_id != handles["NFC"]


def test_a_part_is_named_within_its_file() -> None:
    part = Document("one", (Block(0, 3),), "text/plain", part="notes.txt")

    assert source_name(PATH, "") == PATH
    assert passages(part, PATH)[0].source == f"{PATH}!/notes.txt"
    assert passages(part, PATH)[0].citation_id != passages(plain("one"), PATH)[0].citation_id
