"""Hits: where a passage stands, in words and as data, and the one line that stands for it."""

from __future__ import annotations

import datetime as dt
import json

import pytest

from rubricator.memory.document import Place
from rubricator.memory.hits import Copy, Hit, excerpt, iso, location, span_json
from rubricator.memory.passages import Passage, Span
from rubricator.memory.terms import content_terms, terms


def passage(text: str = "Fees.", place: Place | None = None, lines: tuple[int, int] = (3, 3)) -> Passage:
    return Passage("kb:0123456789", "K.knowledge-base/a.md", text, Span(10, 10 + len(text), *lines, place or Place()))


@pytest.mark.parametrize(
    ("place", "lines", "words"),
    [
        (Place(), (3, 3), "line 3"),
        (Place(), (3, 9), "lines 3–9"),
        (Place(author="Dana", sent_at="2026-01-01T10:00:00"), (3, 3), "line 3"),
        (Place(page=2), (3, 9), "page 2"),
        (Place(message=7), (3, 9), "message 7"),
        (Place(time_start=0.0), (3, 3), "0:00:00"),
        (Place(time_start=61.9, time_end=3661.2), (3, 3), "0:01:01–1:01:01"),
        (Place(time_start=36000.0, time_end=36000.5), (3, 3), "10:00:00–10:00:00"),
        (Place(page=2, message=7, time_start=5.0), (3, 3), "page 2, 0:00:05, message 7"),
    ],
)
def test_a_location_is_a_page_time_or_message_else_lines(place, lines, words) -> None:
    assert location(passage(place=place, lines=lines)) == words


def test_a_span_has_offsets_and_lines_and_only_what_is_known_besides() -> None:
    assert span_json(passage(lines=(3, 9))) == {"start": 10, "end": 15, "line_start": 3, "line_end": 9}
    assert span_json(passage(place=Place(page=2, time_start=0.0, author="Dana"))) == {
        "start": 10,
        "end": 15,
        "line_start": 3,
        "line_end": 3,
        "page": 2,
        "time_start": 0.0,
        "author": "Dana",
    }


def test_a_date_is_written_in_iso_or_is_none() -> None:
    assert iso(dt.date(2026, 4, 3)) == "2026-04-03"
    assert iso(None) is None


def test_a_hit_as_json_has_the_documented_fields_and_the_text_to_the_letter() -> None:
    text = "  ~~~~\n\u202ekb:0123456789\n"
    copy = Copy("kb:aaaaaaaaaa", "K.knowledge-base/b.md", "scorecard", None)
    hit = Hit(2, 1.234567, passage(text), "prefix", dt.date(2026, 4, 3), (copy,))

    value = hit.to_json()

    assert json.loads(json.dumps(value)) == value
    assert value["rank"] == 2
    assert value["citation_id"] == "kb:0123456789"
    assert value["source"] == "K.knowledge-base/a.md"
    assert value["scope"] == "prefix"
    assert value["date"] == "2026-04-03"
    assert value["score"] == 1.2346
    assert (value["span"]["start"], value["span"]["end"]) == (10, 10 + len(text))
    assert value["text"] == text
    assert value["copies"] == [
        {"citation_id": "kb:aaaaaaaaaa", "source": "K.knowledge-base/b.md", "scope": "scorecard", "date": None}
    ]


# Excerpts


@pytest.mark.parametrize(
    ("text", "query", "words"),
    [
        ("", "", ""),
        ("\n \t\n", "fee", ""),
        ("One line.", "", "One line."),
        ("First.\nSecond.", "", "First."),
        ("The fee\nis due. Bye.", "fee due", "The fee is due."),
        ("Fees:\n- the first fee\n- the second", "second", "the second"),
        ("One\n\nthe fee\r\n\r\nTwo", "fee", "the fee"),
        ("| a | b |\n| fee | 5", "fee", "fee | 5"),
        ("Dana: hello\nTeam Lead: the fee\nDana: bye", "fee", "Team Lead: the fee"),
        ("Hello all. The fee limit is 50. Bye.", "fee limit", "The fee limit is 50."),
        ("Is it a fee? Yes! The limit is 50.", "limit", "The limit is 50."),
        ("The fee.\nA fee.", "fee", "The fee."),
        ("Nothing here.\nNor here.", "fee", "Nothing here."),
        ("# Limits of fees\n\n- the fee\n", "limit fee", "the fee"),
        ("# Limits of fees\n", "limit fee", "Limits of fees"),
        ("Subject: The limit\nDate: 30 Sep 2025\n\nIt is 30 now.", "limit 30", "It is 30 now."),
        ("  spaced \t  out  ", "", "spaced out"),
        ("a\u2028the fee\x85b", "fee", "a the fee b"),
    ],
)
def test_an_excerpt_is_the_sentence_with_most_of_the_terms(text, query, words) -> None:
    assert excerpt(text, content_terms(terms(query))) == words


def test_repeats_of_one_term_count_once() -> None:
    assert excerpt("Fee fee fee fee. The fee limit.", terms("fee limit")) == "The fee limit."


@pytest.mark.parametrize("text", ["word " * 1000, "x" * 1000, "退款" * 1000])
def test_a_long_excerpt_is_cut_and_says_so(text) -> None:
    words = excerpt(text)

    assert len(words) <= 240
    assert words.endswith("…")
    assert text.startswith(words[:-1])


def test_a_long_excerpt_is_cut_between_words() -> None:
    words = excerpt("word " * 1000).removesuffix("…").split()

    assert set(words) == {"word"}
    assert len(words) > 40


def test_an_excerpt_that_just_fits_is_whole() -> None:
    assert excerpt("x" * 240) == "x" * 240


def test_an_excerpt_keeps_a_minus() -> None:
    assert excerpt("-5 points for a missing greeting") == "-5 points for a missing greeting"
