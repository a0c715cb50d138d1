"""Prepared corpora: built once, updated by what changed, published at a stroke.

    <cache>/prepared/<key>/
        manifest.json          what is published, and which generation holds it; replaced atomically
        c000001/               the Biblicus corpus; its catalog is replaced atomically
        g000007/               one generation: never changed once published
            index/             the BM25 index
            passages.sqlite
            files.json         one record a raw file
            catalog.json       the catalog that the Biblicus corpus shows for it

A reader follows the manifest to a whole generation. A build writes the next one beside it, and new copies beside those
in force, and then replaces the manifest; so a killed build leaves the last one in force, and some rubbish, which the
next build removes. What is left to do after the manifest is replaced is listed in the generation, and done by whoever
comes next.
"""

from __future__ import annotations

import datetime as dt
import gc
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, Self

from filelock import FileLock, Timeout

from rubricator.adapters import biblicus_corpus as biblicus
from rubricator.adapters.bm25 import RETRIEVER_ID, Bm25Index
from rubricator.adapters.files import content_digest, replace_atomically
from rubricator.adapters.generation import FileExtractor, Last, build_generation
from rubricator.adapters.manifest import (
    FILES,
    MANIFEST,
    SCHEMA_VERSION,
    FileRecord,
    Manifest,
    cache_key,
    content_fingerprint,
    is_untouched,
    read_rows,
    records_of,
    write_records,
)
from rubricator.adapters.passage_store import PassageStore
from rubricator.adapters.publication import TO_REMOVE, clean, next_number, settle, sizes
from rubricator.adapters.tree import Listing, RawFile
from rubricator.errors import ServiceError, StorageError

Status = Literal["built", "updated", "reused"]
Progress = Callable[[int, int], None]
"""Called with how many files are done, and of how many."""

_RACY_NS: Final = 2_000_000_000
"""A file changed this shortly before it was read could change again without its time stamp telling."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A published corpus and how it came about."""

    status: Status
    folder: Path
    manifest: Manifest

    @property
    def generation(self) -> Path:
        """The folder of the generation in force."""
        return self.folder / self.manifest.generation

    @property
    def corpus_path(self) -> Path:
        """The folder of the Biblicus corpus."""
        return self.folder / self.manifest.corpus

    @property
    def manifest_path(self) -> Path:
        """The manifest file."""
        return self.folder / MANIFEST


class OpenCorpus:
    """A published corpus, open for retrieval."""

    def __init__(self, prepared: Prepared) -> None:
        self.manifest = prepared.manifest
        self.retriever = Bm25Index(prepared.generation / "index")
        self.passages = PassageStore(prepared.generation / "passages.sqlite", prepared.manifest.roots)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the index and the passages."""
        self.retriever.close()
        self.passages.close()


class PreparedCorpora:
    """The prepared corpora under one cache folder."""

    def __init__(self, cache_dir: Path, extractor: Callable[[], FileExtractor]) -> None:
        self._folder = cache_dir / "prepared"
        self._make_extractor = extractor
        self._extractor: FileExtractor | None = None

    def folder(self, scorecard: str, score: str) -> Path:
        """Where the corpus of a score is, or will be."""
        return self._folder / cache_key(scorecard, score, RETRIEVER_ID)

    def prepare(
        self,
        scorecard: str,
        score: str,
        listing: Listing,
        *,
        force: bool = False,
        progress: Progress | None = None,
        waiting: Callable[[], None] | None = None,
    ) -> Prepared:
        """The corpus of the files in `listing`: reused when nothing changed, else built or updated and published.

        Processes that prepare the same score at once build it once; `waiting` is called when another one is at it.
        Raises StorageError where the cache can't be written.
        """
        folder = self.folder(scorecard, score)
        if not force and (reused := self._reuse(folder, listing)):
            return reused
        with _storage_errors(folder):
            self._make_folder(folder)
            with _lock(folder / ".lock", waiting):
                settle(folder)
                if not force and (reused := self._reuse(folder, listing)):
                    return reused  # another process built it meanwhile
                with _without_collection():
                    try:
                        return self._build(folder, scorecard, score, listing, force=force, progress=progress)
                    except (ValueError, StorageError):
                        if force or not self._published(folder):
                            raise
                        # What the update started from may be damaged: it is derived, so it is made anew.
                        return self._build(folder, scorecard, score, listing, force=True, progress=progress)

    def open(self, prepared: Prepared) -> OpenCorpus:
        """Open a published corpus; where a newer one has replaced it meanwhile, that one."""
        for _ in range(5):
            try:
                return OpenCorpus(prepared)
            except StorageError:
                newer = Manifest.read(prepared.folder)
                if newer is None or newer.generation == prepared.manifest.generation:
                    raise
                prepared = replace(prepared, manifest=newer)
        return OpenCorpus(prepared)

    @staticmethod
    def digests(prepared: Prepared) -> dict[str, str]:
        """The content digest of every raw file that a corpus was made from, by path."""
        rows = read_rows(prepared.generation / FILES) or {}
        return {path: record.digest for path, record in records_of(rows).items()}

    @property
    def extractor(self) -> FileExtractor:
        """The extractor, made when it is first needed."""
        if self._extractor is None:
            self._extractor = self._make_extractor()
        return self._extractor

    def _reuse(self, folder: Path, listing: Listing) -> Prepared | None:
        """The published corpus, if it was made from exactly these files."""
        last = self._published(folder)
        if last is None or (last.manifest.roots, last.manifest.refused) != (listing.roots, listing.refused):
            return None
        rows = read_rows(last.generation / FILES)
        if rows is None or len(rows) != len(listing.files):
            return None
        if not is_untouched(rows, listing):
            current = _current_records(listing, records_of(rows))
            kept = [record for record in current.values() if record is not None]
            if len(kept) < len(current):
                return None
            # Time stamps moved but contents didn't: remember the new ones, if the cache can be written.
            now = time.time_ns()
            with suppress(OSError):
                replace_atomically(last.generation / FILES, write_records(_unsettled(r, now) for r in kept))
        return last

    def _published(self, folder: Path) -> Prepared | None:
        """The corpus that the manifest names, if it is whole, settled, and made by extractors like today's."""
        manifest = Manifest.read(folder)
        if manifest is None or manifest.extractor != self.extractor.signature:
            return None
        found = Prepared("reused", folder, manifest)
        if sizes(found.generation) != manifest.parts or not biblicus.is_corpus(found.corpus_path):
            return None
        return None if (found.generation / TO_REMOVE).exists() else found

    def _build(
        self, folder: Path, scorecard: str, score: str, listing: Listing, *, force: bool, progress: Progress | None
    ) -> Prepared:
        published = self._published(folder)
        start = None
        if published is not None and not force:
            rows = read_rows(published.generation / FILES)
            start = None if rows is None else Last(published.generation, records_of(rows))
        clean(folder, start)
        number = next_number(folder)
        target = folder / f"g{number:06d}"
        corpus = published.corpus_path if published and start else folder / f"c{number:06d}"
        started_ns = time.time_ns()
        now = dt.datetime.now(dt.UTC).isoformat(timespec="microseconds")
        current = _current_records(listing, start.records if start else {})
        try:
            records, passages = build_generation(
                target, corpus, start, listing, current, extractor=self.extractor, now=now, progress=progress
            )
            parts = sizes(target)
            settled = write_records(_unsettled(record, started_ns) for record in records)
            replace_atomically(target / FILES, settled)
            in_force = {record.stored for record in records}
            before = start.records.values() if start else ()
            gone = [record.stored for record in before if record.stored and record.stored not in in_force]
            replace_atomically(target / TO_REMOVE, json.dumps(gone))
            manifest = _manifest(
                folder.name, scorecard, score, self.extractor.signature, (target.name, corpus.name), listing, records,
                passages, now, parts,
            )  # fmt: skip
            replace_atomically(folder / MANIFEST, json.dumps(manifest.to_json(), indent=2, ensure_ascii=False) + "\n")
        except BaseException:
            clean(folder, start)
            raise
        finally:
            self.extractor.close()
        settle(folder)
        return Prepared("updated" if start else "built", folder, manifest)

    def _make_folder(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = self._folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("# Working copies of knowledge bases: derived, and never to be committed.\n*\n")


def _current_records(listing: Listing, records: Mapping[str, FileRecord]) -> dict[str, FileRecord | None]:
    """For each file, its record, with its place and time stamp of now, if its content is what it was, else None.

    Size and time stamp decide where they are the same; where only they differ, the content does.
    """
    current: dict[str, FileRecord | None] = {}
    for file in listing.files:
        record = records.get(file.path)
        if record is None:
            current[file.path] = None
        elif (record.size, record.mtime_ns) == (file.size, file.mtime_ns):
            current[file.path] = record if record.root == file.root else replace(record, root=file.root)
        elif _digest(file, record) == record.digest:
            current[file.path] = replace(record, root=file.root, size=file.size, mtime_ns=file.mtime_ns)
        else:
            current[file.path] = None
    return current


def _digest(file: RawFile, record: FileRecord) -> str:
    """The digest of a file's content now, in the manner of its record."""
    if record.digest.startswith("size:"):
        return f"size:{file.size}"
    try:
        return content_digest(file.absolute)
    except OSError:
        return "unreadable"


def _unsettled(record: FileRecord, started_ns: int) -> FileRecord:
    """A record whose time stamp can't be trusted to tell the next change gets one that never matches."""
    return replace(record, mtime_ns=-1) if started_ns - record.mtime_ns < _RACY_NS else record


def _manifest(
    key: str,
    scorecard: str,
    score: str,
    signature: str,
    folders: tuple[str, str],
    listing: Listing,
    records: list[FileRecord],
    passages: int,
    now: str,
    parts: dict[str, int],
) -> Manifest:
    by_root = [0] * len(listing.roots)
    for record in records:
        by_root[record.root] += 1
    skipped = [(_part(r.path, part), reason) for r in records for part, reason in r.skipped]
    return Manifest(
        key=key,
        scorecard=scorecard,
        score=score,
        retriever=RETRIEVER_ID,
        schema_version=SCHEMA_VERSION,
        extractor=signature,
        fingerprint=content_fingerprint(records),
        generation=folders[0],
        corpus=folders[1],
        roots=listing.roots,
        files_by_root=tuple(by_root),
        files=len(records),
        indexed=sum(bool(record.stored) for record in records),
        passages=passages,
        refused=listing.refused,
        skipped=tuple(skipped),
        prepared_at=now,
        parts=parts,
    )


def _part(path: str, part: str) -> str:
    return f"{path}!/{part}" if part else path


@contextmanager
def _lock(path: Path, waiting: Callable[[], None] | None) -> Iterator[None]:
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0.05)
    except Timeout:
        if waiting:
            waiting()
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _without_collection() -> Iterator[None]:
    """A build makes millions of objects and no cycles: looking for cycles takes a fifth of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def _storage_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except ServiceError:
        raise
    except OSError as error:
        raise StorageError(
            f"The prepared corpus in {folder} can't be written: {error.strerror or error}.",
            hint="Free some disk space or make the folder writable, or set RUBRICATOR_CACHE_DIR to another place. "
            "The last corpus, if there was one, is as it was.",
        ) from error
