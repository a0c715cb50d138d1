"""Tables with a header, as rows by column."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

from rubricator.errors import InputError


def table_rows(text: str, delimiter: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a table with a header, as mappings with their line numbers."""
    reader = csv.DictReader(text.splitlines(keepends=True), delimiter=delimiter)
    try:
        for row in reader:
            yield reader.line_num, {key: value for key, value in row.items() if key is not None}
    except csv.Error as error:
        raise InputError(f"Line {reader.line_num} of the table can't be read: {error}.", hint="Check it.") from None
