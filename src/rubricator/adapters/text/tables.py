"""Tables as text: comma-, semicolon- or tab-separated values, one block a row.

A row is cited by itself, far from the head of its table. So each value is written with the name of its column.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Final

from rubricator.adapters.text.decode import UNDECODABLE, decode
from rubricator.adapters.text.draft import Draft
from rubricator.adapters.text.limits import Reading, UnreadableError
from rubricator.memory.document import Extraction

_DELIMITERS: Final = ",;\t|"
_SAMPLE_ROWS: Final = 50
_MAX_FIELD: Final = 10_000_000


def read(data: bytes, reading: Reading) -> Extraction:
    """Read a table of separated values."""
    decoded = decode(data)
    if decoded is None:
        raise UnreadableError(UNDECODABLE)
    draft = Draft(reading)
    add_rows(draft, _rows(decoded.text, reading.suffix))
    return Extraction((draft.document("text/csv", encoding=decoded.encoding),))


def add_rows(draft: Draft, rows: Iterator[list[str]]) -> None:
    """Add rows to a draft. The first is the head where it names columns; what stands above it is a caption."""
    head: list[str] = []
    for row in rows:
        cells = [" ".join(cell.split()) for cell in row]
        if not any(cells):
            continue
        if not head and _names_columns(cells):
            head = cells
            draft.add(" | ".join(cells), "table")
        elif not head:
            draft.add(" | ".join(cell for cell in cells if cell), "table", gap="\n")
        else:
            draft.add(_record(head, cells), "table", gap="\n")


def _names_columns(cells: list[str]) -> bool:
    """Whether a row names columns: at least two, most of them filled in, different, and none of them a number."""
    filled = [cell for cell in cells if cell]
    return (
        len(filled) > 1
        and len(filled) * 2 > len(cells)
        and len(set(filled)) == len(filled)
        and not any(_is_number(cell) for cell in filled)
        and max(map(len, filled)) <= 80  # noqa: PLR2004 - longer than any column's name
    )


def _is_number(cell: str) -> bool:
    return cell.strip("$€£%+- ").replace(",", "").replace(".", "").isdigit()


def _record(head: list[str], cells: list[str]) -> str:
    names = head + [""] * (len(cells) - len(head))
    pairs = zip(names, cells, strict=False)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def _rows(text: str, suffix: str) -> Iterator[list[str]]:
    csv.field_size_limit(_MAX_FIELD)
    delimiter = "\t" if suffix == ".tsv" else _delimiter(text)
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _delimiter(text: str) -> str:
    """The delimiter that cuts the first rows into the most columns, all into the same number."""

    def columns(delimiter: str) -> tuple[bool, int]:
        reader = csv.reader(io.StringIO(text[:200_000], newline=""), delimiter=delimiter)
        counts = [len(row) for row, _ in zip(reader, range(_SAMPLE_ROWS), strict=False) if row]
        width = min(counts, default=1)
        return width > 1 and len(set(counts[:-1] or counts)) == 1, width

    try:
        return max(_DELIMITERS, key=columns)
    except csv.Error:
        return ","
