"""From relevance to order: the floor, the collapse of copies, scope before relevance, and the cap per source."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rubricator.core.scope import SCOPES, Scope
from rubricator.memory.similarity import are_copies

Order = Literal["scope", "relevance"]

FLOOR: Final = 0.5
"""The relevance floor, as a share of the best candidate's relevance. Below it a passage is no candidate at all."""

_SCOPE_RANK = {scope: rank for rank, scope in enumerate(SCOPES)}
_UNDATED = dt.date.min


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that a retriever found, with what ranking needs to know of it.

    `root` is the position of its knowledge base among those that apply, the most specific first.
    """

    number: int
    relevance: float
    scope: Scope
    root: int
    date: dt.date | None
    source: str
    start: int
    sketch: bytes = b""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate in its final place, and its copies: near-duplicates that it stands for."""

    candidate: Candidate
    copies: tuple[Candidate, ...] = ()


def clear_floor(found: Iterable[tuple[float, int]], floor: float = FLOOR) -> list[tuple[float, int]]:
    """The (relevance, passage number) pairs that reach `floor` times the best relevance among them."""
    pairs = list(found)
    cut = floor * max((relevance for relevance, _ in pairs), default=0.0)
    return [pair for pair in pairs if pair[0] >= cut]


def rank(
    candidates: Iterable[Candidate], *, order: Order = "scope", limit: int = 10, per_source: int | None = 1
) -> list[Ranked]:
    """The best `limit` candidates in order; only passages that clear the floor are candidates.

    Copies collapse to the most specific scope and, within it, the newest date; then `order` is scope, then relevance
    (`scope`) or relevance alone. `per_source` is how many passages of one source may stand in the result (None: any
    number). Ties go to the newer, then by source and span, so that the order of the input never shows.
    """
    groups = _collapse(sorted(candidates, key=_by_relevance))
    if order == "scope":
        groups.sort(key=lambda group: (group.candidate.root, *_by_relevance(group.candidate)))
    else:
        groups.sort(key=lambda group: _by_relevance(group.candidate))
    return _capped(groups, per_source)[:limit]


def _by_relevance(candidate: Candidate) -> tuple[float, int, int, str, int]:
    age = -(candidate.date or _UNDATED).toordinal()
    # Rounded so that float noise, which varies with the engine's segments, neither makes nor breaks ties.
    return (-round(candidate.relevance, 4), age, candidate.root, candidate.source, candidate.start)


def _collapse(pool: Sequence[Candidate]) -> list[Ranked]:
    """Groups of copies, each under its most specific and newest member."""
    groups: list[list[Candidate]] = []
    where: dict[bytes, list[int]] = defaultdict(list)
    for candidate in pool:
        # A copy shares most of its smallest hashes, so only groups that share a third of the first eight are compared.
        keys = [candidate.sketch[at : at + 4] for at in range(4, min(len(candidate.sketch), 36), 4)]
        holding = [number for key in keys if key in where for number in where[key]]
        near = [number for number, count in Counter(holding).items() if 3 * count >= len(keys)] if holding else ()
        home = next((n for n in near if are_copies(groups[n][0].sketch, candidate.sketch)), None)
        if home is not None:
            groups[home].append(candidate)
            continue
        for key in keys:
            where[key].append(len(groups))
        groups.append([candidate])
    return [_represented(group) for group in groups]


def _represented(group: list[Candidate]) -> Ranked:
    if len(group) == 1:
        return Ranked(group[0])
    ordered = sorted(group, key=lambda c: (c.root, -(c.date or _UNDATED).toordinal(), *_by_relevance(c)))
    return Ranked(ordered[0], tuple(ordered[1:]))


def _capped(groups: list[Ranked], per_source: int | None) -> list[Ranked]:
    if per_source is None:
        return groups
    taken: dict[str, int] = defaultdict(int)
    kept = []
    for group in groups:
        source = group.candidate.source
        if taken[source] < per_source:
            taken[source] += 1
            kept.append(group)
    return kept
