"""The BM25 index: Tantivy behind the retriever port. The terms come from `memory.terms`; the engine only counts."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import tantivy

from rubricator.adapters.files import link_or_copy
from rubricator.core.ports import Query, Window
from rubricator.errors import StorageError

RETRIEVER_ID: Final = "bm25"
HEADING_REPEATS: Final = 3
"""A term of the headings above a passage counts this often on top of its place in the text."""

_WRITER_BYTES = 64 * 1024 * 1024
_MUTABLE = ("meta.json", ".managed.json")
_ANALYZER = "terms"


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One passage to index: its number, its terms, those of the headings above it, and its date."""

    number: int
    terms: Sequence[str]
    heading_terms: Sequence[str]
    date: dt.date | None


class Bm25Index:
    """An index on disk, opened for reading. Implements `Retriever` and `TermStatistics`.

    Relevance is BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009) with k1 = 1.2, b = 0.75,
    summed over the query's terms times their weights.
    """

    retriever_id = RETRIEVER_ID

    def __init__(self, path: Path) -> None:
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        with _storage_errors(path):
            try:
                self._index = _open(path)
                self._searcher = self._index.searcher()
            except ValueError:
                # Even a reader takes a lock file; where none can be made, a copy elsewhere is read.
                if os.access(path, os.W_OK):
                    raise
                self._copy = tempfile.TemporaryDirectory(prefix="rubricator-index-", ignore_cleanup_errors=True)
                for file in path.iterdir():
                    if file.is_file() and file.suffix != ".lock":
                        shutil.copyfile(file, Path(self._copy.name) / file.name)
                self._index = _open(Path(self._copy.name))
                self._searcher = self._index.searcher()

    def close(self) -> None:
        """Let go of what reading took."""
        if self._copy is not None:
            self._copy.cleanup()

    @property
    def passage_count(self) -> int:
        """The number of passages in the index."""
        return int(self._searcher.num_docs)

    def passages_with(self, term: str) -> int:
        """The number of passages that hold `term`."""
        return int(self._searcher.doc_freq("terms", term))

    def search(self, query: Query, *, window: Window = Window(), limit: int) -> list[tuple[float, int]]:  # noqa: B008
        """The best passages as (relevance, passage number), most relevant first."""
        if not query.terms:
            return []
        schema = self._index.schema
        clauses = [
            (
                tantivy.Occur.Should,
                tantivy.Query.boost_query(tantivy.Query.term_query(schema, "terms", term, "freq"), weight),
            )
            for term, weight in query.terms
        ]
        wanted = tantivy.Query.boolean_query(clauses)
        if window.bounded:
            inside = tantivy.Query.range_query(
                schema,
                "day",
                tantivy.FieldType.Unsigned,
                window.since.toordinal() if window.since else 1,
                window.until.toordinal() if window.until else dt.date.max.toordinal(),
            )
            wanted = tantivy.Query.boolean_query(
                [(tantivy.Occur.Must, wanted), (tantivy.Occur.Must, tantivy.Query.const_score_query(inside, 0.0))]
            )
        hits = self._searcher.search(wanted, limit, count=False).hits
        numbers = self._searcher.fast_field_values("number", [address for _, address in hits])
        return [(score, number) for (score, _), number in zip(hits, numbers, strict=True)]


def build_index(path: Path, entries: Iterable[IndexEntry]) -> None:
    """Write a new index into the empty or missing folder `path`."""
    with _storage_errors(path):
        path.mkdir(parents=True, exist_ok=True)
        index = _with_analyzer(tantivy.Index(_schema(), path=str(path)))
    _write(path, index, (), entries)


def update_index(old: Path, new: Path, removed: Iterable[int], entries: Iterable[IndexEntry]) -> None:
    """Write into `new` the index at `old` without the passages `removed` and with `entries`; `old` stays as it is."""
    with _storage_errors(new):
        new.mkdir(parents=True, exist_ok=True)
        for file in old.iterdir():
            # Segments are never changed once written, so both indexes may share them.
            if file.name in _MUTABLE:
                shutil.copyfile(file, new / file.name)
            elif not file.name.startswith(".tantivy"):
                link_or_copy(file, new / file.name)
        index = _open(new)
    _write(new, index, removed, entries)


def _write(path: Path, index: Any, removed: Iterable[int], entries: Iterable[IndexEntry]) -> None:
    with _storage_errors(path):
        # One thread, so that the same entries always give the same segments.
        writer = index.writer(_WRITER_BYTES, 1)
        for number in removed:
            # By query: `delete_documents_by_term` takes a Python number for a signed one, and finds nothing.
            writer.delete_documents_by_query(tantivy.Query.term_query(index.schema, "number", number))
    for entry in entries:
        document = tantivy.Document()
        document.add_unsigned("number", entry.number)
        document.add_unsigned("day", entry.date.toordinal() if entry.date else 0)
        document.add_text("terms", " ".join([*entry.terms, *(list(entry.heading_terms) * HEADING_REPEATS)]))
        with _storage_errors(path):
            writer.add_document(document)
    with _storage_errors(path):
        writer.commit()
        writer.wait_merging_threads()


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("number", stored=False, indexed=True, fast=True)
    builder.add_unsigned_field("day", stored=False, indexed=True, fast=True)
    builder.add_text_field("terms", stored=False, tokenizer_name=_ANALYZER, index_option="freq")
    return builder.build()


def _open(path: Path) -> Any:
    return _with_analyzer(tantivy.Index.open(str(path)))


def _with_analyzer(index: Any) -> Any:
    index.register_tokenizer(_ANALYZER, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    return index


@contextmanager
def _storage_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError, SystemError) as error:  # Tantivy reports every failure of the disk as ValueError
        raise StorageError(
            f"The index in {path} can't be used: {error}.",
            hint="Free some disk space, or prepare again with `rubricator memory prewarm --force`.",
        ) from error
