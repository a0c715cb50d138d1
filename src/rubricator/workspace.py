"""The composition root: settings in, wiring once, and one verb for everything that Rubricator does.

    workspace = Workspace.open()
    context = workspace.context("Support QA", "Refunds: Eligibility", query="who may waive the fee?")

Every interface (command line, web, MCP) is a thin layer over these verbs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from rubricator.adapters import tree
from rubricator.adapters.authority_files import FileAuthority, read_record
from rubricator.adapters.demo_files import copy_demo
from rubricator.adapters.pack_files import PackFiles
from rubricator.adapters.prepared import Prepared, PreparedCorpora, Progress
from rubricator.core.authority import Authority
from rubricator.core.ports import AuthoritySource
from rubricator.core.scope import KNOWLEDGE_BASE, Root, folder_name, same_name
from rubricator.errors import InputError, NameRefusedError, RubricatorError
from rubricator.memory.context import DEFAULT_BUDGET, CitationContext
from rubricator.memory.lint import Facts, Finding, lint
from rubricator.memory.pack import EvidencePack
from rubricator.memory.query import DisputedItem
from rubricator.rubric_memory import RubricMemory, SearchOptions
from rubricator.settings import Settings

if TYPE_CHECKING:  # it brings NumPy, which rubric memory can do without
    from rubricator.inference.runner import Inference
    from rubricator.rubric_calibration import RubricCalibration


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


class Workspace:
    """Everything that Rubricator does, over one set of settings."""

    def __init__(self, settings: Settings, *, directory: Path | None = None) -> None:
        self.settings = settings
        self.directory = directory or Path()

    @classmethod
    def open(cls, directory: Path | None = None, *, environment: Mapping[str, str] | None = None) -> Self:
        """The workspace at `directory` (default: the working directory), with settings from the environment."""
        return cls(Settings.from_environment(environment, directory=directory), directory=directory)

    @staticmethod
    def copy_demo(folder: Path) -> bool:
        """Copy the demo scorecard into `folder`; False where it is there already."""
        return copy_demo(folder)

    @staticmethod
    def copy_demo_evaluator(folder: Path) -> bool:
        """Copy the demo evaluator into `folder`, with a history; False where it is there already."""
        from rubricator.adapters.demo_evaluator import copy_demo_evaluator

        return copy_demo_evaluator(folder)

    @cached_property
    def calibration(self) -> RubricCalibration:
        """The evaluators of this workspace and their passes."""
        from rubricator.rubric_calibration import RubricCalibration

        return RubricCalibration(self.directory.absolute(), self.settings.scorecard_cache_dir)

    @staticmethod
    def audit(
        table: Path,
        *,
        owner: str,
        machine: str,
        criteria: Sequence[str] = (),
        weights: Sequence[float] = (),
        group: str = "",
        seed: int = 0,
    ) -> dict[str, Any]:
        """Agreement over the labels in a CSV or JSONL table; they were not made blind, and the result says so."""
        from rubricator.adapters.score_log_file import read_rows
        from rubricator.calibration.audit import audit, read_table

        rows = read_table(
            read_rows(table), owner=owner, machine=machine, criteria=criteria, weights=weights, group=group
        )
        return audit(rows, seed=seed)

    def explain(self, session: str) -> dict[str, Any]:
        """The report of a pass with each driver's origin: from the rubric's history, and from the memory beside it.

        A driver's `memory` are the passages of the rubric's knowledge bases that speak of it, with their citations;
        empty where there are none. Where they can't be searched, the report stands and its `diagnostics` say why.
        """
        told = self.calibration.explain(session)
        places = self.calibration.evaluators()["evaluators"]
        rubric = next((Path(place["rubric"]) for place in places if place["name"] == told["evaluator"]), None)
        try:
            remembered = [] if rubric is None else self._remembered(rubric, [_about(d) for d in told["drivers"]])
        except RubricatorError as error:
            note = f"What the knowledge bases say of the drivers can't be told: {error.message}"
            told, remembered = {**told, "diagnostics": [*told["diagnostics"], note]}, []
        memory = remembered or [[] for _ in told["drivers"]]
        return {**told, "drivers": [{**d, "memory": own} for d, own in zip(told["drivers"], memory, strict=True)]}

    def _remembered(self, rubric: Path, wanted: Sequence[str]) -> list[list[dict[str, Any]]]:
        """For each text, the passages of the knowledge bases beside a rubric that speak of it."""
        folder = rubric.parent
        if not wanted or not any(folder.glob(f"*{KNOWLEDGE_BASE}")):
            return []
        beside = Workspace(replace(self.settings, scorecard_cache_dir=folder.parent, plexus_api_url=""))
        options = SearchOptions(limit=3)
        with beside.memory(folder.name, rubric.stem) as memory:
            return [[hit.to_json() for hit in memory.search(text, options).hits] for text in wanted]

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

    def pack(
        self,
        scorecard: str,
        score: str,
        item: DisputedItem,
        *,
        options: SearchOptions | None = None,
        inference: Inference | None = None,
    ) -> EvidencePack:
        """The evidence pack of one disputed item. Without `inference` no model is asked."""
        with self.memory(scorecard, score) as memory:
            return memory.pack(item, options, inference=inference)

    @property
    def packs(self) -> PackFiles:
        """The evidence packs that were kept for their pages."""
        return PackFiles(self.settings.cache_dir / "packs")

    def inference(
        self,
        *,
        answerer: str | None = None,
        model: str | None = None,
        answers: Mapping[str, Any] | None = None,
        cache: bool = True,
    ) -> Inference | None:
        """The way to ask that the settings, or the arguments over them, name; None where nobody is to be asked.

        `answers` are the host agent's, by request. Raises InputError for an answerer that doesn't exist.
        """
        from rubricator.adapters.answerers import inference

        folder = self.settings.cache_dir / "answers" if cache else None
        return inference(self.settings.model.over(answerer=answerer, model=model), folder, answers)

    def answerer(self) -> dict[str, Any]:
        """Who is asked where the settings decide: {"answerer", "model", "where", "key"}, without the key itself."""
        from rubricator.adapters.answerers import described

        return described(self.settings.model)

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
            f"the extra {name}, for {extra['for']}: {extra['install']}"
            for name, extra in packages["extras"].items()
            if not extra["installed"]
        ]
        if not folders["scorecards"]["exists"]:
            missing.append("the scorecard folder: set SCORECARD_CACHE_DIR, or try `rubricator demo`")
        if not folders["prepared corpora"]["writable"]:
            missing.append("a writable cache folder: set RUBRICATOR_CACHE_DIR")
        answerer = self.answerer()
        if answerer["where"] and not answerer["model"]:
            missing.append(f"a model for the answerer {answerer['answerer']}: set RUBRICATOR_MODEL")
        local = "local files (<Score>.md and <Score>.yaml)"
        return {
            "packages": packages,
            "formats": [
                {"name": f.name, "suffixes": f.suffixes, "extra": f.extra or None, "available": f.available}
                for f in formats()
            ],
            "folders": folders,
            "authority": f"Plexus at {shown_url(settings.plexus_api_url)}" if settings.plexus_api_url else local,
            "answerer": answerer,
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


def _about(driver: Mapping[str, Any]) -> str:
    """What to ask rubric memory about a criterion."""
    return f"{driver['criterion']}. {driver['quote']}"


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
