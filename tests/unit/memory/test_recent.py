"""What was added lately: one entry a source, in the order that it came."""

from __future__ import annotations

import datetime as dt
import json

from rubricator.memory.passages import Passage, Span
from rubricator.memory.recent import Recent, recent_sources

OLD, NEW = dt.date(2025, 1, 10), dt.date(2026, 2, 3)


def passage(number: int, source: str, text: str = "Some words. More words.", title: str = "") -> Passage:
    return Passage(f"kb:{number:010x}", source, text, Span(number, number + len(text), 1, 1), title=title)


def opening(text: str, title: str = "") -> str:
    (source,) = recent_sources([(passage(1, "a.md", text, title), "score", NEW)])
    return source.excerpt


def test_sources_keep_their_order_and_count_their_passages() -> None:
    sources = recent_sources(
        [
            (passage(1, "b.md", title="B"), "score", NEW),
            (passage(2, "b.md"), "score", NEW),
            (passage(3, "a.md"), "scorecard", OLD),
        ]
    )

    assert [(s.source, s.scope, s.date, s.passages) for s in sources] == [
        ("b.md", "score", NEW, 2),
        ("a.md", "scorecard", OLD, 1),
    ]
    assert sources[0].citation_id == "kb:0000000001"
    assert sources[0].title == "B"
    assert sources[0].excerpt == "Some words. More words."


def test_nothing_lately_is_an_empty_listing() -> None:
    assert recent_sources([]) == ()
    assert Recent(OLD, NEW, (), 0).to_json()["scope_counts"] == {"score": 0, "prefix": 0, "scorecard": 0}


def test_the_excerpt_is_the_first_words_that_are_not_the_title() -> None:
    assert opening("# Fees\n\nLate fees are waived.", "Fees") == "Late fees are waived."
    assert opening("Fees\n====\n\nLate fees are waived.", "Fees") == "Late fees are waived."
    assert opening("# Fees", "Fees") == "Fees"
    assert opening("", "Fees") == ""


def test_the_excerpt_leaves_out_the_headers_of_a_mail() -> None:
    mail = "From: Dana <dana@example.com>\nSubject: Fees\n\nLate fees are waived,\nfrom Monday on."
    assert opening(mail) == "Late fees are waived, from Monday on."


def test_a_long_excerpt_is_cut_at_a_word() -> None:
    cut = opening("waived " * 100)
    assert cut.endswith(" waived…")
    assert len(cut) <= 240


def test_the_listing_as_json_counts_scopes() -> None:
    sources = recent_sources(
        [
            (passage(1, "a.md"), "score", NEW),
            (passage(2, "b.md"), "scorecard", OLD),
            (passage(3, "c.md"), "scorecard", OLD),
        ]
    )

    value = Recent(OLD, NEW, sources, 4).to_json()

    assert json.loads(json.dumps(value)) == value
    assert (value["since"], value["until"], value["undated"]) == ("2025-01-10", "2026-02-03", 4)
    assert value["scope_counts"] == {"score": 1, "prefix": 0, "scorecard": 2}
    assert [source["date"] for source in value["sources"]] == ["2026-02-03", "2025-01-10", "2025-01-10"]
