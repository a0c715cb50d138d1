"""Places in JSON text: where a value or a list item stands, so that it alone can be replaced."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from rubricator.errors import InputError
from rubricator.formats.edits import Path, Span, Wanted

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def replaced(text: str, filename: str, path: Path, key: str, new: Wanted) -> Span:
    """The span of `key` in the object at `path`, and its new value; where the key is missing, the span adds it."""
    start, _ = _place(text, filename, path)
    words = json.dumps(new, ensure_ascii=False) if isinstance(new, str) else new.words
    places = {name: span for name, span in _parts(text, start) if isinstance(name, str)}
    if key in places:
        return Span(*places[key], words)
    first = _after_space(text, start + 1)
    return Span(first, first, f"{json.dumps(key)}: {words}, ")


def removed(text: str, filename: str, path: Path) -> Span:
    """The span of the list item at `path`, with the comma that it leaves over."""
    *above, number = path
    spans = [span for _, span in _parts(text, _place(text, filename, tuple(above))[0])]
    assert isinstance(number, int)
    if number + 1 < len(spans):
        return Span(spans[number][0], spans[number + 1][0], "")
    return Span(spans[number - 1][1] if number else spans[number][0], spans[number][1], "")


def _place(text: str, filename: str, path: Path) -> tuple[int, int]:
    start = _after_space(text, 0)
    end = len(text)
    for step in path:
        found = [span for name, span in _parts(text, start) if name == step]
        if not found:
            raise InputError(f"{filename}: there is no {step!r} where the criterion stood.", hint="Read it again.")
        start, end = found[-1]  # of two equal keys, the last counts
    return start, end


def _parts(text: str, start: int) -> Iterator[tuple[str | int, tuple[int, int]]]:
    """The members of the object, or the items of the list, that starts at `start`, with their spans."""
    closing = {"{": "}", "[": "]"}.get(text[start])
    if closing is None:
        return
    at, number = _after_space(text, start + 1), 0
    while text[at] != closing:
        name: str | int = number
        if closing == "}":
            name, at = _DECODER.raw_decode(text, at)
            at = _after_space(text, _after_space(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        yield name, (at, end)
        number += 1
        at = _after_space(text, end)
        if text[at] == ",":
            at = _after_space(text, at + 1)


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
