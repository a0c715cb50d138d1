"""From an asker's words, or a disputed item, to a query: which terms count, and how much."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from rubricator.core.ports import Query
from rubricator.errors import InputError
from rubricator.memory.terms import words_of

MAX_TERMS: Final = 32
"""A query has at most this many terms: those that tell passages apart best."""

ITEM_FIELDS: Final[Mapping[str, float]] = {
    "feedback_comment": 3.0,
    "model_explanation": 2.0,
    "text": 1.0,
    "model_value": 0.5,
    "feedback_value": 0.5,
}
"""The parts of a disputed item, with their weights: what the two sides argue about outweighs what the item tells."""


class TermStatistics(Protocol):
    """How often terms occur: what term selection asks of an index."""

    @property
    def passage_count(self) -> int:
        """The number of passages."""
        ...

    def passages_with(self, term: str) -> int:
        """The number of passages that hold `term`."""
        ...


@dataclass(frozen=True, slots=True)
class DisputedItem:
    """An item on which the evaluator and a person disagree. Fields that are not known are empty."""

    text: str
    model_value: str = ""
    model_explanation: str = ""
    feedback_value: str = ""
    feedback_comment: str = ""
    item_id: str = ""

    @classmethod
    def from_json(cls, value: object) -> DisputedItem:
        """An item from parsed JSON with the keys of ITEM_FIELDS and `id`; others are ignored.

        Raises InputError when it is no object, or holds no text in any field.
        """
        if not isinstance(value, dict):
            raise InputError("A disputed item must be a JSON object.", hint=f"Its keys are {', '.join(ITEM_FIELDS)}.")
        fields = {name: _plain(value.get(name)) for name in ITEM_FIELDS}
        if not any(text.strip() for text in fields.values()):
            raise InputError("The disputed item holds no text.", hint=f"Fill at least one of {', '.join(ITEM_FIELDS)}.")
        return cls(**fields, item_id=_plain(value.get("id")))


def _plain(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else str(value)


def text_query(text: str, statistics: TermStatistics) -> Query:
    """A query from any text, of any length. Terms that no passage holds are left out, repeats weigh more."""
    return Query(text, _select(Counter(words_of(text)), statistics))


def item_query(item: DisputedItem, statistics: TermStatistics) -> Query:
    """A query from a disputed item, by choosing the terms that tell passages apart, not by pasting everything."""
    weights: Counter[str] = Counter()
    for name, weight in ITEM_FIELDS.items():
        for term, count in Counter(words_of(getattr(item, name))).items():
            weights[term] += weight * math.sqrt(count)  # type: ignore[assignment]
    text = "\n".join(part for name in ITEM_FIELDS if (part := getattr(item, name).strip()))
    return Query(text, _select(weights, statistics))


def _select(weights: Mapping[str, float], statistics: TermStatistics) -> tuple[tuple[str, float], ...]:
    """The MAX_TERMS terms of most weight times inverse document frequency (as in BM25), heaviest first."""
    total = statistics.passage_count
    scored: list[tuple[float, str, float]] = []
    for term, weight in _frequent_first(weights):
        holding = statistics.passages_with(term)
        if holding:
            idf = math.log(1 + (total - holding + 0.5) / (holding + 0.5))
            scored.append((weight * idf, term, float(weight)))
    scored.sort(key=lambda entry: (-entry[0], entry[1]))
    return tuple((term, weight) for _, term, weight in scored[:MAX_TERMS])


def _frequent_first(weights: Mapping[str, float]) -> Iterable[tuple[str, float]]:
    """At most 2,000 terms, so that a pasted book costs no more than a long letter."""
    if len(weights) <= 2000:  # noqa: PLR2004
        return weights.items()
    return sorted(weights.items(), key=lambda entry: (-entry[1], entry[0]))[:2000]
