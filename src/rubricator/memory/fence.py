"""Fences for untrusted text: whatever a source says, it stays quotation.

Every quoted line starts with `| `, so no line of a source can be a closing fence, a heading or an instruction at the
start of a line, whatever it contains. What can't be seen (bidirectional and other control characters) is written out,
and what looks like a citation id is broken, so that the only ids in a context are its own.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

FENCE: Final = "~~~~"
LINE_PREFIX: Final = "| "

_LINE_ENDS = re.compile("\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
_ID_LIKE = re.compile(r"(?i)(rubric|kb)(\s*):(?=\s*[0-9a-f]{6})")
_JOINERS = frozenset("\u200c\u200d")  # emoji and several scripts are spelt with them
_NAME_LENGTH = 300


def visible(text: str) -> str:
    """`text` with one kind of line ending, and every character that can't be seen written out, as `⟦U+202E⟧`."""
    unified = _LINE_ENDS.sub("\n", text)
    if unified.isprintable():
        return unified
    return "".join(c if c in "\n\t" or not _hidden(c) else f"⟦U+{ord(c):04X}⟧" for c in unified)


def _hidden(character: str) -> bool:
    if "\U000e0100" <= character <= "\U000e01ef":  # variation selectors that can smuggle a text into an emoji
        return True
    return unicodedata.category(character) in {"Cc", "Cf", "Cs"} and character not in _JOINERS


def without_ids(text: str) -> str:
    """`text` in which nothing reads as a citation id: `kb:0123456789` becomes `kb[:]0123456789`."""
    return _ID_LIKE.sub(r"\1\2[:]", text)


def quoted_lines(text: str) -> list[str]:
    """The lines of an untrusted text, each safe to stand inside a fence."""
    return [f"{LINE_PREFIX}{line}".rstrip() for line in without_ids(visible(text)).split("\n")]


def fenced(text: str, label: str) -> str:
    """An untrusted text as a fenced quotation under a label of our own."""
    return "\n".join([f"{FENCE}untrusted {label}", *quoted_lines(text), FENCE])


def inline(text: str) -> str:
    """An untrusted name (a path, a title) as inline code on one line, shortened where it is absurdly long."""
    line = without_ids(visible(text)).replace("\n", " ").replace("`", "'").strip()
    if len(line) > _NAME_LENGTH:
        line = line[: _NAME_LENGTH - 1] + "…"
    return f"`{line}`"


def verbatim(text: str, label: str) -> str:
    """A trusted text, unchanged, in a fence longer than any run of tildes that it holds."""
    longest = max((len(run) for run in re.findall("~+", text)), default=0)
    fence = "~" * max(len(FENCE), longest + 1)
    return f"{fence}{label}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"
