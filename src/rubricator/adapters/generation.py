"""Writes one generation of a prepared corpus: all files anew, or the last generation with what changed."""

from __future__ import annotations

import hashlib
import shutil
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final, Protocol

from rubricator.adapters import biblicus_corpus as biblicus
from rubricator.adapters.biblicus_corpus import CorpusItem
from rubricator.adapters.bm25 import IndexEntry, build_index, update_index
from rubricator.adapters.manifest import FileRecord
from rubricator.adapters.passage_store import PassageWriter
from rubricator.adapters.tree import Listing, RawFile
from rubricator.core.scope import Root
from rubricator.memory.document import Extraction
from rubricator.memory.passages import Passage, passages
from rubricator.memory.similarity import sketch
from rubricator.memory.terms import terms


class FileExtractor(Protocol):
    """Turns a raw file into documents. It never raises for a file's content."""

    @property
    def signature(self) -> str:
        """What its answers depend on besides the file: another signature, another answer."""
        ...

    @property
    def max_bytes(self) -> int:
        """The size of the largest file that it reads."""
        ...

    def read(self, data: bytes, name: str) -> Extraction:
        """The documents in a file called `name` with this content."""
        ...

    def close(self) -> None:
        """Let go of what reading took; the next `read` takes it again."""
        ...


CATALOG: Final = "catalog.json"
_PENDING_WRITES: Final = 64
_SMALL: Final = 2_000
_LARGE_SHARE: Final = 0.1
# Passages removed from an index still count in its statistics until segments merge. So a small index, or one of which
# much changes, is written anew: then an update ranks exactly as a fresh build does.


@dataclass(frozen=True, slots=True)
class Last:
    """The generation that an update starts from: its folder, and the records of the files that it was made from."""

    folder: Path
    records: Mapping[str, FileRecord]


def build_generation(
    target: Path,
    corpus: Path,
    last: Last | None,
    listing: Listing,
    current: Mapping[str, FileRecord | None],
    *,
    extractor: FileExtractor,
    now: str,
    progress: Callable[[int, int], None] | None,
) -> tuple[list[FileRecord], int]:
    """Write into `target` the index, the passages and the catalog of the files in `listing`, and into `corpus` copies.

    `current` are the records of `last` that still hold. What `last` needs in `corpus` is left as it is. Returns the
    new records and the number of passages.
    """
    target.mkdir(parents=True)
    outdated = [] if last is None else [r for path, r in last.records.items() if current.get(path) is None]
    if last is not None:
        shutil.copyfile(last.folder / "passages.sqlite", target / "passages.sqlite")
    store = PassageWriter(target / "passages.sqlite")
    removed = store.remove(record.path for record in outdated)
    for path, record in current.items():
        if last is not None and record is not None and record.root != last.records[path].root:
            store.set_root(path, record.root)
    taken = set() if last is None else {record.stored for record in last.records.values()}
    maker = _Maker(corpus, taken, listing.roots, store, extractor, now)
    made: dict[str, FileRecord] = {}
    fresh = [file for file in listing.files if current[file.path] is None]

    def entries() -> Iterator[IndexEntry]:
        for done, file in enumerate(fresh):
            if progress:
                progress(done, len(fresh))
            made[file.path], added = maker.add(file)
            yield from added
        if progress:
            progress(len(fresh), len(fresh))

    kept = store.count()
    try:
        if last is None:
            build_index(target / "index", entries())
        elif kept <= _SMALL or len(removed) > _LARGE_SHARE * kept:
            build_index(target / "index", chain(list(_entries_of(store)), entries()))
        else:
            update_index(last.folder / "index", target / "index", removed, entries())
    finally:
        maker.finish()
    count = store.count()
    store.close()
    biblicus.write_catalog(
        corpus,
        target / CATALOG,
        last=last.folder / CATALOG if last else None,
        gone=(record.path for record in outdated),
        made=(_item(record, listing.roots[record.root]) for record in made.values() if record.stored),
    )
    return [current[file.path] or made[file.path] for file in listing.files], count


class _Maker:
    """Adds one raw file after another to a generation."""

    def __init__(
        self,
        corpus: Path,
        taken: set[str],
        roots: tuple[Root, ...],
        store: PassageWriter,
        extractor: FileExtractor,
        now: str,
    ) -> None:
        self._corpus = corpus
        self._taken = taken
        self._roots = roots
        self._store = store
        self._extractor = extractor
        self._now = now
        self._writer = ThreadPoolExecutor(1, "corpus-writer")
        self._writing: deque[Future[None]] = deque()

    def add(self, file: RawFile) -> tuple[FileRecord, list[IndexEntry]]:
        """Read, extract, cut and store one file. A file that can't be read costs only itself."""
        record = FileRecord(
            file.path,
            file.root,
            file.size,
            file.mtime_ns,
            digest=f"size:{file.size}",
            date=file.date.isoformat() if file.date else None,
            prepared_at=self._now,
        )
        if file.size > self._extractor.max_bytes:
            limit = self._extractor.max_bytes
            reason = f"{_mebibytes(file.size)}, over the limit of {_mebibytes(limit)} for one file; split it"
            return replace(record, skipped=(("", reason),)), []
        try:
            with open(file.absolute, "rb") as raw:  # noqa: PTH123 - the name may be no text
                content = raw.read(file.size + 1)  # one that grows meanwhile is read again next time
        except OSError as error:
            return replace(record, digest="unreadable", skipped=(("", f"can't be read: {error.strerror}"),)), []
        digest = hashlib.sha256(content).hexdigest()
        extraction = self._extractor.read(content, file.path.rpartition("/")[2])
        skipped = tuple((skip.part, skip.reason) for skip in extraction.skipped)
        entries = self._store_passages(file, extraction)
        if not entries:
            return replace(record, digest=digest, skipped=skipped or (("", "no text"),)), []
        main = extraction.documents[0]
        stored = biblicus.stored_path(file.path, digest, self._taken)
        copy, stored = biblicus.readable_copy(content, stored, main.encoding)
        self._taken.add(stored)
        record = replace(
            record,
            digest=digest,
            stored=stored,
            title=main.title,
            source_uri=Path(file.absolute).absolute().as_uri(),
            copy_sha256=digest if copy is content else hashlib.sha256(copy).hexdigest(),
            copy_size=len(copy),
            skipped=skipped,
        )
        self._write(_item(record, self._roots[record.root]), copy)
        return record, entries

    def _write(self, item: CorpusItem, content: bytes) -> None:
        """Have a copy written while the next file is read: making files is mostly waiting for the system."""
        self._writing.append(self._writer.submit(biblicus.write_item, self._corpus, item, content))
        while len(self._writing) > _PENDING_WRITES:
            self._writing.popleft().result()

    def finish(self) -> None:
        """Wait for the copies. Raises OSError where one could not be written."""
        try:
            while self._writing:
                self._writing.popleft().result()
        finally:
            self._writer.shutdown(cancel_futures=True)

    def _store_passages(self, file: RawFile, extraction: Extraction) -> list[IndexEntry]:
        entries: list[IndexEntry] = []
        for document in extraction.documents:
            found = passages(document, file.path)
            analysed = [terms(passage.text) for passage in found]
            sketches = [sketch(passage_terms) for passage_terms in analysed]
            numbers = self._store.add(file.path, file.root, file.date, found, sketches)
            entries.extend(
                IndexEntry(number, passage_terms, _heading_terms(passage), file.date)
                for number, passage, passage_terms in zip(numbers, found, analysed, strict=True)
            )
        return entries


def _entries_of(store: PassageWriter) -> Iterator[IndexEntry]:
    for stored in store.all():
        yield IndexEntry(stored.number, terms(stored.passage.text), _heading_terms(stored.passage), stored.date)


def _heading_terms(passage: Passage) -> list[str]:
    """The terms of the headings above a passage, or of its source's title where there is no heading."""
    return terms(" ".join(passage.heading) or passage.title)


def _item(record: FileRecord, root: Root) -> CorpusItem:
    return CorpusItem(
        path=record.path,
        stored=record.stored,
        source_uri=record.source_uri,
        root=root,
        date=record.date,
        title=record.title,
        sha256=record.digest,
        copy_sha256=record.copy_sha256,
        copy_size=record.copy_size,
        prepared_at=record.prepared_at,
    )


def _mebibytes(size: int) -> str:
    return f"{size / (1 << 20):,.0f} MiB"
