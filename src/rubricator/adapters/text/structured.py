"""JSON, JSON lines and notebooks: every value on a line of its own, under its path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rubricator.adapters.text import plain, slack
from rubricator.adapters.text.decode import UNDECODABLE, Decoded, decode
from rubricator.adapters.text.draft import Draft
from rubricator.adapters.text.limits import Reading, UnreadableError
from rubricator.memory.document import Extraction


def read(data: bytes, reading: Reading) -> Extraction:
    """Read JSON of any shape. What is no JSON after all is read as plain text."""
    decoded = decode(data)
    if decoded is None:
        raise UnreadableError(UNDECODABLE)
    try:
        values = _parsed(decoded.text, lines=reading.suffix in {".jsonl", ".ndjson"})
    except ValueError:
        return _as_plain(decoded, reading)
    if len(values) == 1:
        value = values[0]
        if slack.is_channel_day(value):
            return slack.read_channel_day(value, reading)
        if isinstance(value, dict) and isinstance(value.get("cells"), list) and "nbformat" in value:
            return _notebook(value, decoded, reading)
    draft = Draft(reading)
    for value in values:
        for entry in _entries(value, numbered=len(values) == 1):
            draft.add("\n".join(entry))
    return Extraction((draft.document("application/json", encoding=decoded.encoding),))


def _as_plain(decoded: Decoded, reading: Reading) -> Extraction:
    return Extraction((plain.document(decoded, reading),))


def _parsed(text: str, *, lines: bool) -> list[Any]:
    """The values in `text`. Numbers stay as they are written."""
    chunks = [line for line in text.splitlines() if line.strip()] if lines else [text]
    return [json.loads(chunk, parse_int=str, parse_float=str, parse_constant=str) for chunk in chunks]


def _entries(value: Any, *, numbered: bool) -> Iterator[list[str]]:
    """The entries of a value, each as its lines: what stands at the top of it, in its own order."""
    if numbered and isinstance(value, list):
        for number, item in enumerate(value):
            yield list(_lines(item, f"[{number}]"))
    elif numbered and isinstance(value, dict):
        plain_lines: list[str] = []
        for key, item in value.items():
            if isinstance(item, (dict, list)):
                yield plain_lines
                plain_lines = []
                yield list(_lines(item, key))
            else:
                plain_lines += _lines(item, key)
        yield plain_lines
    else:
        yield list(_lines(value, ""))


def _lines(value: Any, path: str) -> Iterator[str]:
    """Every plain value below `value` as `path: value`. Not recursive, for data may nest deeply."""
    pending = [(path, value)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, dict):
            pending += [(f"{path}.{key}" if path else str(key), item) for key, item in reversed(value.items())]
        elif isinstance(value, list):
            pending += [(f"{path}[{at}]", item) for at, item in reversed(list(enumerate(value)))]
        elif value is not None and value != "":
            shown = str(value).lower() if isinstance(value, bool) else str(value)
            yield f"{path}: {shown}" if path else shown


def _notebook(value: dict[str, Any], decoded: Decoded, reading: Reading) -> Extraction:
    """A notebook's cells: prose with its own headings, and code. What the code printed is left out."""
    draft = Draft(reading)
    for cell in value["cells"]:
        if not isinstance(cell, dict):
            continue
        source = cell.get("source")
        text = "".join(map(str, source)) if isinstance(source, list) else str(source or "")
        if cell.get("cell_type") == "markdown":
            for block in plain.blocks(text):
                draft.add(text[block.start : block.end], block.kind, level=block.level)
        else:
            draft.add(text, "code")
    return Extraction((draft.document("application/x-ipynb+json", encoding=decoded.encoding),))
