"""Fences for untrusted text: whatever a source says, it stays quotation.

Every quoted line starts with `| `, so no line of a source can be a closing fence, a heading or an instruction at the
start of a line, whatever it contains. What can't be seen (bidirectional and other control characters) is written out,
and what looks like a citation id is broken, so that the only ids in a context are its own.
"""

from __future__ import annotations

import re
from typing import Final

FENCE: Final = "~~~~"
LINE_PREFIX: Final = "| "

_LINE_ENDS = re.compile("\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
_ID_LIKE = re.compile(r"(?i)(rubric|kb)(\s*):(?=\s*[0-9a-f]{6})")
_HIDDEN = re.compile(
    # Control and format characters, lone surrogates, and letters and marks that show nothing.
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb"
    "\ud800-\udfff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
    # Joiners and emoji selectors, which are part of some spellings, where they are part of none: they can carry a text.
    "|(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]"
    r"|(?:(?<=[^\W\d_])|(?<![^\s" + "\u200c\u200d\ufe0e\ufe0f])|^)[\ufe0e\ufe0f]"
)
_NAME_LENGTH = 300


def visible(text: str) -> str:
    """`text` with one kind of line ending, and every character that can't be seen written out, as `⟦U+202E⟧`.

    Joiners stay within words of scripts other than Latin, and selectors after symbols: there they are spelling.
    """
    return _HIDDEN.sub(lambda match: f"⟦U+{ord(match.group()):04X}⟧", _LINE_ENDS.sub("\n", text))


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
    line = one_line(text)
    if len(line) > _NAME_LENGTH:
        line = line[: _NAME_LENGTH - 1] + "…"
    return f"`{line}`"


def one_line(text: str) -> str:
    """A text of ours that may carry words from a source, such as a note: one line, without marks or ids of its own."""
    return without_ids(visible(text)).replace("\n", " ").replace("`", "'").strip()


def verbatim(text: str, label: str) -> str:
    """A trusted text, unchanged, in a fence longer than any run of tildes that it holds."""
    longest = max((len(run) for run in re.findall("~+", text)), default=0)
    fence = "~" * max(len(FENCE), longest + 1)
    return f"{fence}{label}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"
