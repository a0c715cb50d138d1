"""Relevance against the formula as published.

Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", Foundations and Trends in Information
Retrieval 3(4), 2009, equation 3.15, with k1 = 1.2 and b = 0.75, and the inverse document frequency of Lucene, which
adds one within the logarithm so that it is never negative.
"""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

from rubricator.adapters.bm25 import HEADING_REPEATS, Bm25Index, IndexEntry, build_index
from rubricator.core.ports import Query, Window

K1, B = 1.2, 0.75
TEXTS = {
    1: ["waiver", "limit", "fee"],
    2: ["waiver", "waiver", "fee", "manager", "note", "call"],
    3: ["limit", "call", "agent", "greet", "name", "note", "refund", "fee"],
    4: ["refund"],
}


def bm25(query: list[tuple[str, float]], texts: dict[int, list[str]]) -> dict[int, float]:
    average = sum(len(text) for text in texts.values()) / len(texts)
    scores: Counter[int] = Counter()
    for term, weight in query:
        holding = sum(term in text for text in texts.values())
        idf = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for number, text in texts.items():
            frequency = text.count(term)
            if frequency:
                length = K1 * (1 - B + B * len(text) / average)
                scores[number] += weight * idf * frequency * (K1 + 1) / (frequency + length)  # type: ignore[assignment]
    return dict(scores)


@pytest.mark.parametrize(
    "query", [[("waiver", 1.0)], [("fee", 1.0), ("note", 1.0)], [("waiver", 2.0), ("limit", 0.5), ("refund", 1.0)]]
)
def test_relevance_is_bm25(query: list[tuple[str, float]], tmp_path: Path) -> None:
    build_index(tmp_path, [IndexEntry(number, text, [], None) for number, text in TEXTS.items()])
    found = Bm25Index(tmp_path).search(Query("", tuple(query)), window=Window(), limit=10)
    assert {number: relevance for relevance, number in found} == pytest.approx(bm25(query, TEXTS), rel=1e-5)


def test_a_heading_term_counts_as_so_many_words_of_the_text(tmp_path: Path) -> None:
    build_index(tmp_path, [IndexEntry(n, text, ["waiver"] if n == 4 else [], None) for n, text in TEXTS.items()])
    found = Bm25Index(tmp_path).search(Query("", (("waiver", 1.0),)), window=Window(), limit=10)
    texts = TEXTS | {4: [*TEXTS[4], *["waiver"] * HEADING_REPEATS]}
    assert {number: relevance for relevance, number in found} == pytest.approx(bm25([("waiver", 1.0)], texts), rel=1e-5)
