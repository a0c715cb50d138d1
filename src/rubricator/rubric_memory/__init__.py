"""The memory of one score, open for questions: search, citation context, recent sources, citation checks."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from rubricator.adapters.prepared import OpenCorpus
from rubricator.core.authority import Authority
from rubricator.core.identity import cited_ids
from rubricator.core.ports import Query, Window
from rubricator.errors import InputError
from rubricator.memory.citation_check import CitationCheck, check_citations
from rubricator.memory.context import DEFAULT_BUDGET, CitationContext, build_context
from rubricator.memory.extractive import extract
from rubricator.memory.gate import agenda, gate
from rubricator.memory.hits import Copy, Hit
from rubricator.memory.pack import EvidencePack, build_pack
from rubricator.memory.passages import Passage
from rubricator.memory.query import DisputedItem, item_query, text_query
from rubricator.memory.ranking import FLOOR, Candidate, Order, Ranked, clear_floor, rank
from rubricator.memory.recent import Recent, recent_sources

if TYPE_CHECKING:  # it brings pydantic, which retrieval can do without
    from rubricator.inference.runner import Inference

_FEW, _MANY = 200, 5000


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to search. `limit` is the number of hits, `per_source` of hits from one source (None: any number).

    `since` and `until` bound the sources' dates, both days included. `as_of` asks what was known on that day. Each of
    them leaves out undated sources. `floor` is the relevance floor as a share of the best hit's relevance.
    """

    order: Order = "scope"
    limit: int = 10
    per_source: int | None = 1
    since: dt.date | None = None
    until: dt.date | None = None
    as_of: dt.date | None = None
    floor: float = FLOOR

    def __post_init__(self) -> None:
        counts = {"limit": self.limit, "per_source": 1 if self.per_source is None else self.per_source}
        for name, value in counts.items():
            if value < 1:
                raise InputError(f"{name} is {value}; it must be at least 1.", hint="per_source=None sets no bound.")
        if self.order not in {"scope", "relevance"}:
            raise InputError(f"order is {self.order!r}.", hint="It is `scope` or `relevance`.")

    @property
    def window(self) -> Window:
        """The dates that count."""
        ends = [day for day in (self.until, self.as_of) if day is not None]
        return Window(self.since, min(ends) if ends else None)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits of one query, in order, and what the asker should know about them."""

    query: str
    hits: tuple[Hit, ...]
    diagnostics: tuple[str, ...] = ()

    def to_json(self, query_id: Any = None) -> dict[str, Any]:
        """The result as JSON."""
        hits = [hit.to_json() for hit in self.hits]
        return {"id": query_id, "query": self.query, "hits": hits, "diagnostics": list(self.diagnostics)}


class RubricMemory:
    """The memory of one score, prepared and open: the object to keep for many queries.

    It answers from the corpus as it was when it was opened.
    """

    def __init__(self, corpus: OpenCorpus, authority: Callable[[], Authority]) -> None:
        self._corpus = corpus
        self._resolve = authority

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the corpus."""
        self._corpus.close()

    @cached_property
    def authority(self) -> Authority:
        """The official rubric. Raises AuthorityError where there is none."""
        return self._resolve()

    def search(self, query: str | DisputedItem, options: SearchOptions = SearchOptions()) -> SearchResult:
        """The passages that bear on a text or a disputed item, in order."""
        statistics = self._corpus.retriever
        if not isinstance(query, str | DisputedItem):
            raise InputError(f"A query is a text or a DisputedItem, not {type(query).__name__}.")
        wanted = text_query(query, statistics) if isinstance(query, str) else item_query(query, statistics)
        window = options.window
        candidates = self._corpus.passages.candidates(self._found(wanted, window, options.floor))
        ranked = rank(candidates, order=options.order, limit=options.limit, per_source=options.per_source)
        return SearchResult(wanted.text, self._hits(ranked), self._diagnostics(wanted, window))

    def context(
        self,
        query: str | DisputedItem,
        options: SearchOptions | None = None,
        *,
        budget: int = DEFAULT_BUDGET,
    ) -> CitationContext:
        """The citation context for a text or a disputed item, within `budget` tokens.

        Raises AuthorityError where the score has no official rubric.
        """
        authority = self.authority
        options = options or SearchOptions(limit=12)
        result = self.search(query, options)
        notes = list(result.diagnostics)
        if options.as_of:
            notes.append(f"Knowledge as of {options.as_of}; the rubric is the one in force now.")
        return build_context(authority, result.hits, query=result.query, budget=budget, diagnostics=notes)

    def pack(
        self, item: DisputedItem, options: SearchOptions | None = None, *, inference: Inference | None = None
    ) -> EvidencePack:
        """The evidence pack of a disputed item: by a model where there is one to ask, else by stated signals alone.

        Raises AuthorityError where the score has no official rubric, AnswerError where the model gives no answer that
        can be used.
        """
        authority = self.authority
        found = self.search(item, options or SearchOptions(limit=12))
        if inference is None:
            synthesis = extract(item, authority, found.hits)
        else:
            from rubricator.rubric_memory.by_model import synthesize

            synthesis = synthesize(item, authority, found.hits, inference)
        return build_pack(item, authority, found.hits, synthesis, found.diagnostics)

    def gate(
        self,
        questions: Sequence[str],
        options: SearchOptions | None = None,
        *,
        inference: Inference | None = None,
    ) -> dict[str, Any]:
        """The questions to experts with what becomes of each, and the agenda: {"questions", "agenda", "counts"}.

        What arithmetic can't settle is put to a model where there is one to ask. Raises as `pack` does.
        """
        authority = self.authority
        found = [self.search(question, options or SearchOptions(limit=12)).hits for question in questions]
        gated = gate(questions, authority, found)
        unsettled = [n for n, g in enumerate(gated) if g.status in {"true_open_question", "partially_answered"}]
        if inference is not None and unsettled:
            from rubricator.rubric_memory.by_model import regate

            judged = regate([gated[n] for n in unsettled], [found[n] for n in unsettled], authority, inference)
            gated = [next((j for j in judged if j.number == g.number), g) for g in gated]
        return {
            "score_version_id": authority.score_version_id,
            **agenda(gated),
            "inference": inference.records if inference is not None else [],
            "diagnostics": list(authority.diagnostics),
        }

    def recent(self, *, since: dt.date, until: dt.date) -> Recent:
        """The sources dated from `since` to `until`, newest first."""
        Window(since, until)  # refuses ends the wrong way round
        store = self._corpus.passages
        dated = ((s.passage, store.root(s).scope, s.date) for s in store.dated(since, until) if s.date)
        return Recent(since, until, recent_sources(dated), store.undated_sources())

    def cited_source(self, citation_id: str) -> list[Passage]:
        """All passages of the source that a citation stands in, in the order of its text; empty for an unknown id."""
        found = self._corpus.passages.cited([citation_id]).get(citation_id)
        if not found:
            return []
        return [stored.passage for stored in self._corpus.passages.of_source(found[0].passage.source)]

    def check_citations(self, answer: str, offered: Iterable[str] | None = None) -> CitationCheck:
        """Check the citation ids and quotations in `answer`; `offered` are the ids that its author was given."""
        wanted = [*cited_ids(answer), *(offered or ())]
        known = {
            citation: "\n".join(stored.passage.text for stored in found)
            for citation, found in self._corpus.passages.cited(wanted).items()
        }
        if any(citation.startswith("rubric:") for citation in wanted):
            known[self.authority.citation_id] = self.authority.rubric
            known |= {section.citation_id: section.text for section in self.authority.sections()}
        return check_citations(answer, known, None if offered is None else list(offered))

    def _found(self, query: Query, window: Window, floor: float) -> list[tuple[float, int]]:
        """All passages that clear the floor: few are asked for first, and many where those did not reach down to it."""
        found = self._corpus.retriever.search(query, window=window, limit=_FEW)
        if len(found) == _FEW and found[-1][0] >= floor * found[0][0]:
            found = self._corpus.retriever.search(query, window=window, limit=_MANY)
        return clear_floor(found, floor)

    def _hits(self, ranked: list[Ranked]) -> tuple[Hit, ...]:
        store = self._corpus.passages
        stored = store.get(c.number for r in ranked for c in (r.candidate, *r.copies))

        def copy(candidate: Candidate) -> Copy:
            return Copy(stored[candidate.number].passage.citation_id, candidate.source, candidate.scope, candidate.date)

        return tuple(
            Hit(
                place,
                item.candidate.relevance,
                stored[item.candidate.number].passage,
                item.candidate.scope,
                item.candidate.date,
                tuple(copy(candidate) for candidate in item.copies),
            )
            for place, item in enumerate(ranked, start=1)
        )

    def _diagnostics(self, query: Query, window: Window) -> tuple[str, ...]:
        notes = []
        if not self._corpus.retriever.passage_count:
            notes.append("The knowledge bases of this score hold no passages.")
        elif not query.terms:
            notes.append("No passage holds any of the words asked for.")
        if window.bounded and (undated := self._corpus.passages.undated_sources()):
            notes.append(f"{undated} undated sources were left out: nothing says when they were known.")
        return tuple(notes)
