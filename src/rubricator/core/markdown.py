"""Where the headings of a Markdown text are, without those in code fences."""

from __future__ import annotations

import re

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*\r?\n?")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)", re.DOTALL)


def headings(text: str) -> list[tuple[int, str, int]]:
    """Where the ATX headings of a Markdown text start, with their words and levels; none inside a code fence."""
    found: list[tuple[int, str, int]] = []
    fence = ""
    start = 0
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        elif heading := _HEADING.fullmatch(line):
            found.append((start, heading[2], len(heading[1])))
        start += len(line)
    return found
