"""The composition root: settings in, wiring once, and one verb for everything that Rubricator does.

    workspace = Workspace.open()
    context = workspace.context("Support QA", "Refunds: Eligibility", query="who may waive the fee?")

Every interface (command line, web, MCP) is a thin layer over these verbs.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from rubricator.adapters import tree
from rubricator.adapters.authority_files import FileAuthority, read_record
from rubricator.adapters.demo_files import copy_demo
from rubricator.adapters.prepared import OpenCorpus, Prepared, PreparedCorpora, Progress
from rubricator.core.authority import Authority
from rubricator.core.identity import cited_ids
from rubricator.core.ports import AuthoritySource, Query, Window
from rubricator.core.scope import Root, folder_name, same_name
from rubricator.errors import InputError, NameRefusedError
from rubricator.memory.citation_check import CitationCheck, check_citations
from rubricator.memory.context import DEFAULT_BUDGET, CitationContext, build_context
from rubricator.memory.hits import Copy, Hit
from rubricator.memory.lint import Facts, Finding, lint
from rubricator.memory.query import DisputedItem, item_query, text_query
from rubricator.memory.ranking import FLOOR, Candidate, Order, Ranked, clear_floor, rank
from rubricator.memory.recent import Recent, recent_sources
from rubricator.settings import Settings

_CANDIDATES = 1000
"""How many passages the retriever is asked for: all that could matter after the floor, the scopes and the caps."""


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

    def to_json(self, query_id: str | None = None) -> dict[str, Any]:
        """The result as JSON."""
        hits = [hit.to_json() for hit in self.hits]
        return {"id": query_id, "query": self.query, "hits": hits, "diagnostics": list(self.diagnostics)}


@dataclass(frozen=True, slots=True)
class Prewarmed:
    """A prepared corpus, and how long it took to have it ready."""

    scorecard: str
    score: str
    prepared: Prepared
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """The outcome as JSON."""
        manifest = self.prepared.manifest
        return {
            "scorecard": self.scorecard,
            "score": self.score,
            "status": self.prepared.status,
            "key": manifest.key,
            "fingerprint": manifest.fingerprint,
            "retriever": manifest.retriever,
            "schema_version": manifest.schema_version,
            "corpus_path": str(self.prepared.corpus_path),
            "manifest_path": str(self.prepared.manifest_path),
            "sources": manifest.sources(),
            "files": manifest.files,
            "indexed": manifest.indexed,
            "passages": manifest.passages,
            "skipped": manifest.passed_over(),
            "prepared_at": manifest.prepared_at,
            "seconds": round(self.seconds, 3),
        }


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
        wanted = text_query(query, statistics) if isinstance(query, str) else item_query(query, statistics)
        window = options.window
        found = self._corpus.retriever.search(wanted, window=window, limit=_CANDIDATES)
        candidates = self._corpus.passages.candidates(clear_floor(found, options.floor))
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

    def recent(self, *, since: dt.date, until: dt.date) -> Recent:
        """The sources dated from `since` to `until`, newest first."""
        store = self._corpus.passages
        dated = ((s.passage, store.root(s).scope, s.date) for s in store.dated(since, until) if s.date)
        return Recent(since, until, recent_sources(dated), store.undated_sources())

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


class Workspace:
    """Everything that Rubricator does, over one set of settings."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @classmethod
    def open(cls, directory: Path | None = None, *, environment: Mapping[str, str] | None = None) -> Self:
        """The workspace at `directory` (default: the working directory), with settings from the environment."""
        return cls(Settings.from_environment(environment, directory=directory))

    @staticmethod
    def copy_demo(folder: Path) -> bool:
        """Copy the demo scorecard into `folder`; False where it is there already."""
        return copy_demo(folder)

    @cached_property
    def _corpora(self) -> PreparedCorpora:
        return PreparedCorpora(self.settings.cache_dir, _extractor)

    def scorecards(self) -> list[str]:
        """The names of the scorecards in the cache."""
        return tree.scorecards(self.settings.scorecard_cache_dir)

    def scores(self, scorecard: str) -> list[str]:
        """The names of a scorecard's scores: as their records give them, else their files' stems."""
        folder = tree.scorecard_folder(self.settings.scorecard_cache_dir, scorecard)
        return [self._score_name(folder, stem) for stem in tree.scores(folder)]

    def authority(self, scorecard: str, score: str) -> Authority:
        """The official rubric of a score. Raises AuthorityError where there is none."""
        return self._authority_source().resolve(scorecard, score)

    def paths(self, scorecard: str, score: str) -> dict[str, Any]:
        """Where everything of a score lies: its rubric, its knowledge bases by scope, its prepared corpus."""
        folder, stem, listing = self._list(scorecard, score)
        rubric, record = folder / f"{stem}{tree.RUBRIC_SUFFIX}", folder / f"{stem}{tree.RECORD_SUFFIX}"
        prepared = self._corpora.folder(folder.name, stem)
        return {
            "scorecard": scorecard,
            "score": score,
            "folder": str(folder),
            "rubric": str(rubric) if rubric.exists() else None,
            "record": str(record) if record.exists() else None,
            "roots": [_root_json(folder, root, n, listing) for n, root in enumerate(listing.roots)],
            "refused": [{"path": path, "reason": reason} for path, reason in listing.refused],
            "prepared": str(prepared),
            "prepared_exists": (prepared / "manifest.json").exists(),
        }

    def prewarm(
        self,
        scorecard: str,
        score: str,
        *,
        force: bool = False,
        progress: Progress | None = None,
        waiting: Callable[[], None] | None = None,
    ) -> Prewarmed:
        """Prepare a score's corpus, or find it prepared. `force` builds it anew."""
        started = time.perf_counter()
        folder, stem, listing = self._list(scorecard, score)
        prepared = self._corpora.prepare(folder.name, stem, listing, force=force, progress=progress, waiting=waiting)
        return Prewarmed(scorecard, score, prepared, time.perf_counter() - started)

    def memory(self, scorecard: str, score: str, *, progress: Progress | None = None) -> RubricMemory:
        """The memory of a score, prepared as need be and opened. Close it, or use it in a `with` statement."""
        prepared = self.prewarm(scorecard, score, progress=progress).prepared
        return RubricMemory(self._corpora.open(prepared), lambda: self.authority(scorecard, score))

    def context(
        self,
        scorecard: str,
        score: str,
        *,
        query: str | DisputedItem,
        options: SearchOptions | None = None,
        budget: int = DEFAULT_BUDGET,
    ) -> CitationContext:
        """The citation context for one query: the one call that an agent needs."""
        with self.memory(scorecard, score) as memory:
            return memory.context(query, options, budget=budget)

    def lint(self, scorecard: str, score: str | None = None, *, progress: Progress | None = None) -> list[Finding]:
        """What in a scorecard folder will surprise its owner; with `score`, only in what applies to that score."""
        folder = tree.scorecard_folder(self.settings.scorecard_cache_dir, scorecard)
        every = tree.scores(folder)
        stems = every if score is None else [tree.score_stem(folder, score)]
        bases = [*tree.knowledge_bases(folder)]
        files: dict[str, str] = {}
        skipped: dict[tuple[str, str], None] = {}
        for stem in stems:
            listing = tree.list_sources(folder, stem)
            prepared = self._corpora.prepare(folder.name, stem, listing, progress=progress)
            files |= self._corpora.digests(prepared)
            skipped |= dict.fromkeys((entry["path"], entry["reason"]) for entry in prepared.manifest.passed_over())
            if score is not None:
                bases = [root.name for root in listing.roots]
        with_rubric = [stem for stem in stems if (folder / f"{stem}{tree.RUBRIC_SUFFIX}").exists()]
        facts = Facts(
            scores=tuple(every),
            knowledge_bases=tuple(bases),
            files=tuple(files.items()),
            skipped=tuple(skipped),
            champions=tuple((stem, self._names_champion(folder, stem)) for stem in with_rubric),
            rubricless=tuple(stem for stem in stems if stem not in with_rubric),
            collisions=tuple(tree.collisions(folder)),
        )
        return lint(facts)

    def doctor(self) -> dict[str, Any]:
        """What is installed, where things are kept, what is missing and how to get it."""
        from rubricator.adapters import installation
        from rubricator.adapters.graphql import shown_url
        from rubricator.adapters.text import formats

        packages = installation.packages()
        settings = self.settings
        folders = {
            "scorecards": installation.folder_state(settings.scorecard_cache_dir),
            "prepared corpora": installation.folder_state(settings.cache_dir / "prepared"),
        }
        missing = [
            f"the extra {name}, for more file formats: {extra['install']}"
            for name, extra in packages["extras"].items()
            if not extra["installed"]
        ]
        if not folders["scorecards"]["exists"]:
            missing.append("the scorecard folder: set SCORECARD_CACHE_DIR, or try `rubricator demo`")
        if not folders["prepared corpora"]["writable"]:
            missing.append("a writable cache folder: set RUBRICATOR_CACHE_DIR")
        local = "local files (<Score>.md and <Score>.yaml)"
        return {
            "packages": packages,
            "formats": [
                {"name": f.name, "suffixes": f.suffixes, "extra": f.extra or None, "available": f.available}
                for f in formats()
            ],
            "folders": folders,
            "authority": f"Plexus at {shown_url(settings.plexus_api_url)}" if settings.plexus_api_url else local,
            "missing": missing,
        }

    def _authority_source(self) -> AuthoritySource:
        files = FileAuthority(self.settings.scorecard_cache_dir)
        if not self.settings.plexus_api_url:
            return files
        from rubricator.adapters.plexus import PlexusAuthority

        return PlexusAuthority(self.settings.plexus_api_url, self.settings.plexus_api_key, known_id=self._recorded_id)

    def _recorded_id(self, scorecard: str, score: str) -> str | None:
        """The id that the local record states for a score, if there is a local record."""
        try:
            folder = tree.scorecard_folder(self.settings.scorecard_cache_dir, scorecard)
            stem = tree.score_stem(folder, score)
        except InputError:
            return None
        found = read_record(folder / f"{stem}{tree.RECORD_SUFFIX}")[0].get("id")
        return None if found is None else str(found)

    def _list(self, scorecard: str, score: str) -> tuple[Path, str, tree.Listing]:
        folder = tree.scorecard_folder(self.settings.scorecard_cache_dir, scorecard)
        stem = tree.score_stem(folder, score, only_here=not self.settings.plexus_api_url)
        return folder, stem, tree.list_sources(folder, stem)

    @staticmethod
    def _score_name(folder: Path, stem: str) -> str:
        """A score's name as its record gives it, unless its files are not under that name."""
        name = read_record(folder / f"{stem}{tree.RECORD_SUFFIX}")[0].get("name")
        try:
            return name if isinstance(name, str) and same_name(folder_name(name), stem) else stem
        except NameRefusedError:
            return stem

    @staticmethod
    def _names_champion(folder: Path, stem: str) -> bool:
        return bool(read_record(folder / f"{stem}{tree.RECORD_SUFFIX}")[0].get("championVersionId"))


def _extractor() -> Any:
    from rubricator.adapters.text import Extractor

    return Extractor()


def _root_json(folder: Path, root: Root, number: int, listing: tree.Listing) -> dict[str, Any]:
    dates = [file.date for file in listing.files if file.root == number]
    dated = sorted(date for date in dates if date)
    return {
        "scope": root.scope,
        "root": root.name,
        "path": str(folder / root.name),
        "files": len(dates),
        "undated": len(dates) - len(dated),
        "earliest": dated[0].isoformat() if dated else None,
        "latest": dated[-1].isoformat() if dated else None,
    }
