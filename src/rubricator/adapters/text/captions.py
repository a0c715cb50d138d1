"""Captions of recordings: WebVTT, SubRip and SBV, one block a cue.

The three differ in little but how a time is written, and files found in the wild break the rules of each. So one
reader looks for lines of cue times, whatever stands around them; a cue whose times are damaged keeps its words.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rubricator.adapters.text.decode import UNDECODABLE, decode
from rubricator.adapters.text.draft import Draft
from rubricator.adapters.text.limits import Reading, UnreadableError
from rubricator.memory.document import Extraction, Place

_TIME: Final = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_TIMING = re.compile(rf"\s*{_TIME}\s*(?:-->|,)\s*{_TIME}(?:\s|$)")
_DAMAGED = re.compile(r"\s*[\d:.,]*\d[^\s]*\s*-->|\s*\d{1,2}:\d\d:\S*,\d{1,2}:\d\d:\S*\s*$")
_VOICE = re.compile(r"<v(?:\.[^\s<>]{0,100})?\s+([^>]{1,200})>")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>|</?[\d:.]{1,20}>|\{\\[^{}]{0,100}\}")
_SPEAKER = re.compile(r"(?:>> ?)?([^\W\d_][\w.'’-]{0,30}(?: [\w.'’()-]{1,30}){0,3}): (?=\S)")
_MAX_TIMING: Final = 200
_NOT_CUES: Final = ("NOTE", "STYLE", "REGION")


@dataclass(slots=True)
class _Cue:
    """Words, from when until when they are said, and by whom."""

    start: float | None
    end: float | None
    lines: list[str]
    author: str | None = None

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def read(data: bytes, reading: Reading) -> Extraction:
    """Read the captions of a recording."""
    decoded = decode(data)
    if decoded is None:
        raise UnreadableError(UNDECODABLE)
    cues = [_spoken(cue) for cue in _cues(decoded.text)]
    if not cues and decoded.text.strip():
        raise UnreadableError("no captions: no line holds the times of a cue; if this is plain text, name it .txt")
    draft = Draft(reading)
    for cue in _rolled_up(cues):
        draft.add(cue.text, "cue", place=Place(time_start=cue.start, time_end=cue.end, author=cue.author))
    return Extraction((draft.document("text/vtt", encoding=decoded.encoding),))


def _cues(text: str) -> Iterator[_Cue]:
    """Every cue in the order of the file. Words between cues that no times belong to are a cue without times."""
    started = False
    for paragraph in _paragraphs(text):
        timed = [at for at, line in enumerate(paragraph) if _TIMING.match(line) or _DAMAGED.match(line[:_MAX_TIMING])]
        for at, following in zip(timed, [*timed[1:], len(paragraph)], strict=False):
            words = paragraph[at + 1 : following]
            if following < len(paragraph) and words and words[-1].strip().isdigit():
                words.pop()  # the number of the next cue
            yield _Cue(*_times(_TIMING.match(paragraph[at])), words)
        if started and not timed and not paragraph[0].startswith(_NOT_CUES):
            yield _Cue(None, None, paragraph[1:] if paragraph[0].strip().isdigit() else paragraph)
        started = started or bool(timed)


def _paragraphs(text: str) -> Iterator[list[str]]:
    """The runs of lines between empty ones."""
    run: list[str] = []
    for line in text.splitlines():
        if line.strip():
            run.append(line)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _times(timing: re.Match[str] | None) -> tuple[float | None, float | None]:
    if timing is None:
        return None, None
    seconds = []
    for hour, minute, second, fraction in (timing.group(1, 2, 3, 4), timing.group(5, 6, 7, 8)):
        whole = int(hour or 0) * 3600 + int(minute) * 60 + int(second)
        seconds.append(round(whole + int(fraction.ljust(3, "0")) / 1000, 3))
    return seconds[0], seconds[1]


def _spoken(cue: _Cue) -> _Cue:
    """The cue as it is read: without marks, and with its speaker."""
    voices = {voice[1].strip() for line in cue.lines for voice in _VOICE.finditer(line)}
    lines = [" ".join(html.unescape(_TAG.sub("", line)).split()) for line in cue.lines]
    cue.lines = [line for line in lines if line]
    prefix = _SPEAKER.match(cue.lines[0]) if cue.lines else None
    if len(voices) == 1:
        cue.author = voices.pop()
    elif prefix and not voices:
        cue.author = prefix[1]
    return cue


def _rolled_up(cues: list[_Cue]) -> Iterator[_Cue]:
    """The cues without the lines that roll on from one cue to the next, as automatic captions show them."""
    shown: list[str] = []
    open_cue: _Cue | None = None
    for cue in cues:
        if not cue.lines:
            continue
        overlap = next((n for n in range(len(cue.lines), 0, -1) if shown[-n:] == cue.lines[:n]), 0)
        shown = cue.lines
        fresh = cue.lines[overlap:]
        if fresh:
            if open_cue:
                yield open_cue
            open_cue = _Cue(cue.start, cue.end, fresh, cue.author)
        elif open_cue and cue.end is not None:
            open_cue.end = cue.end
    if open_cue:
        yield open_cue
