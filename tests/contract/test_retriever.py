"""The retriever port: one suite for the real index and for a fake that any test can hold in memory."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from rubricator.adapters.bm25 import Bm25Index, IndexEntry, build_index, update_index
from rubricator.core.ports import Query, Retriever, Window
from rubricator.memory.query import text_query
from rubricator.memory.terms import terms

DAY = dt.date(2025, 6, 1)
ENTRIES = [
    IndexEntry(1, terms("the waiver limit is 25 dollars"), [], dt.date(2025, 1, 1)),
    IndexEntry(2, terms("waiver waiver limit limit, said twice"), [], DAY),
    IndexEntry(3, terms("nothing about it"), terms("waiver limit"), None),
    IndexEntry(4, terms("parking and lunch"), [], dt.date(2026, 1, 1)),
]


class FakeRetriever:
    """Counts matching terms: enough of a retriever to test what stands above one."""

    retriever_id = "fake"

    def __init__(self, entries: Sequence[IndexEntry]) -> None:
        self._entries = entries

    @property
    def passage_count(self) -> int:
        return len(self._entries)

    def passages_with(self, term: str) -> int:
        return sum(term in entry.terms or term in entry.heading_terms for entry in self._entries)

    def search(self, query: Query, *, window: Window, limit: int) -> list[tuple[float, int]]:
        found = []
        for entry in self._entries:
            held = [*entry.terms, *entry.heading_terms]
            relevance = sum(weight * held.count(term) for term, weight in query.terms)
            since, until = window.since or dt.date.min, window.until or dt.date.max
            inside = entry.date is not None and since <= entry.date <= until if window.bounded else True
            if relevance and inside:
                found.append((relevance, entry.number))
        return sorted(found, key=lambda pair: -pair[0])[:limit]


Make = Callable[[Sequence[IndexEntry]], Retriever]


@pytest.fixture(params=["bm25", "fake"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    def bm25(entries: Sequence[IndexEntry]) -> Retriever:
        build_index(tmp_path / "index", entries)
        return Bm25Index(tmp_path / "index")

    return bm25 if request.param == "bm25" else FakeRetriever


def query(text: str) -> Query:
    return Query(text, tuple((term, 1.0) for term in terms(text)))


def numbers(retriever: Retriever, text: str, window: Window | None = None, limit: int = 10) -> list[int]:
    return [number for _, number in retriever.search(query(text), window=window or Window(), limit=limit)]


def test_it_has_an_id(make: Make) -> None:
    assert make(ENTRIES).retriever_id


def test_only_passages_that_hold_a_term_are_found_most_relevant_first(make: Make) -> None:
    found = make(ENTRIES).search(query("waiver limit"), window=Window(), limit=10)
    assert {number for _, number in found} == {1, 2, 3}
    relevances = [relevance for relevance, _ in found]
    assert relevances == sorted(relevances, reverse=True)
    assert all(relevance > 0 for relevance in relevances)


def test_the_limit_keeps_the_best(make: Make) -> None:
    retriever = make(ENTRIES)
    assert numbers(retriever, "waiver limit", limit=1) == numbers(retriever, "waiver limit")[:1]


def test_a_window_leaves_out_other_days_and_undated_passages(make: Make) -> None:
    retriever = make(ENTRIES)
    assert numbers(retriever, "waiver limit", Window(since=DAY)) == [2]
    assert numbers(retriever, "waiver limit", Window(until=dt.date(2025, 5, 31))) == [1]
    assert numbers(retriever, "waiver limit", Window(DAY, DAY)) == [2]
    assert numbers(retriever, "waiver limit", Window(since=dt.date(2027, 1, 1))) == []


def test_a_heavier_term_counts_more(make: Make) -> None:
    retriever = make(ENTRIES)
    heavy = Query("", (("park", 5.0), ("waiver", 0.1)))
    assert [number for _, number in retriever.search(heavy, window=Window(), limit=1)] == [4]


def test_no_terms_and_unknown_terms_find_nothing(make: Make) -> None:
    retriever = make(ENTRIES)
    assert list(retriever.search(Query("", ()), window=Window(), limit=10)) == []
    assert numbers(retriever, "zebra") == []


def test_an_empty_index_finds_nothing(make: Make) -> None:
    assert numbers(make([]), "waiver") == []


@pytest.mark.parametrize("make", ["bm25"], indirect=True)
def test_term_statistics_choose_the_terms_of_a_query(make: Make) -> None:
    retriever = make(ENTRIES)
    assert isinstance(retriever, Bm25Index)
    assert retriever.passage_count == 4
    assert retriever.passages_with("waiver") == 3
    assert [term for term, _ in text_query("zebra parking waiver", retriever).terms] == ["park", "waiver"]


def test_an_update_leaves_the_old_index_as_it_was(tmp_path: Path) -> None:
    build_index(tmp_path / "old", ENTRIES)
    old = Bm25Index(tmp_path / "old")
    update_index(tmp_path / "old", tmp_path / "new", [1, 2], [IndexEntry(9, terms("a new waiver"), [], DAY)])
    assert sorted(numbers(old, "waiver")) == [1, 2, 3]
    assert sorted(numbers(Bm25Index(tmp_path / "old"), "waiver")) == [1, 2, 3]
    assert sorted(numbers(Bm25Index(tmp_path / "new"), "waiver")) == [3, 9]
