"""The rows of a file: the objects of JSON lines, or a table's by its header, with their line numbers."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import orjson

from rubricator.errors import InputError
from rubricator.formats.content import Content


def rows(content: Content) -> Iterator[tuple[int, Any]]:
    """The rows of a table, or the objects of JSON lines; None for a line that is no object. A zip archive has none."""
    if content.is_zip:
        return iter(())
    return _json_rows(content.body) if content.delimiter is None else _table_rows(content.text, content.delimiter)


def _json_rows(body: bytes) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(io.BytesIO(body), start=1):
        if line.strip():
            yield number, _object(line)


def _object(line: bytes) -> Any:
    """The object that a line is. What the quick reader refuses (NaN, half a character) the patient one may take."""
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            return None
    return row if isinstance(row, dict) else None


def _table_rows(text: str, delimiter: str) -> Iterator[tuple[int, dict[str, Any]]]:
    reader = csv.DictReader(text.splitlines(keepends=True), delimiter=delimiter)
    try:
        for row in reader:
            yield reader.line_num, {key: value for key, value in row.items() if key is not None}
    except csv.Error as error:
        raise InputError(f"Line {reader.line_num} of the table can't be read: {error}.", hint="Check it.") from None
