"""The blind packet: all that a ranker sees. Its types have no room for a score, a path or anything free-form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import numpy as np

from rubricator.calibration.masking import Masked

WORDS_A_MINUTE: Final = 238
"""Silent reading of English non-fiction (Brysbaert 2019, doi:10.1016/j.jml.2019.104047)."""
FASTEST: Final = 700
"""Words a minute that nobody reads: skimming at this rate already loses the sense (Just and Carpenter 1987)."""
READING_BUDGET: Final = 15
"""Minutes of a pass of twenty that may go into reading."""
_LEFT_OUT: Final = "\n\n[… part of this artifact is left out …]\n\n"
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")


@dataclass(frozen=True, slots=True)
class BlindArtifact:
    """One artifact as it is shown: a neutral label and its text, masked; `excerpt` where parts are left out.

    `masked` counts what was masked by kind; what it was stays out of the packet.
    """

    label: str
    text: str
    words: int
    excerpt: bool
    masked: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class BlindPacket:
    """The artifacts of a pass in the order of their labels, which says nothing.

    With it go the minutes that they take to read, and what is to be said of the sample.
    """

    session: str
    artifacts: tuple[BlindArtifact, ...]
    reading_minutes: float
    notes: tuple[str, ...]

    def of_session(self, session: str) -> BlindPacket:
        """The packet under a session's id."""
        return replace(self, session=session)

    def to_json(self) -> dict[str, Any]:
        """The packet as JSON."""
        return {
            "session": self.session,
            "artifacts": [
                {"label": a.label, "text": a.text, "words": a.words, "excerpt": a.excerpt, "masked": dict(a.masked)}
                for a in self.artifacts
            ],
            "reading_minutes": self.reading_minutes,
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The packet that `to_json` wrote."""
        artifacts = tuple(
            BlindArtifact(a["label"], a["text"], a["words"], a["excerpt"], tuple(a["masked"].items()))
            for a in value["artifacts"]
        )
        return cls(value["session"], artifacts, value["reading_minutes"], tuple(value["notes"]))


def make_packet(
    session: str, texts: Mapping[str, Masked], *, seed: int, notes: Sequence[str] = ()
) -> tuple[BlindPacket, dict[str, str]]:
    """The packet of some masked artifacts, and which label stands for which.

    Labels are A, B, C ... in an order drawn by the seed alone. Where all of it takes more than fifteen minutes to read,
    artifacts longer than an equal share are shown as excerpts, which is said.
    """
    names = sorted(texts)
    order = np.random.default_rng(seed).permutation(len(names))
    labels = {chr(ord("A") + place): names[int(i)] for place, i in enumerate(order)}
    budget = READING_BUDGET * WORDS_A_MINUTE
    share = _share([words(texts[name].text) for name in names], budget)
    shown = []
    for label, name in labels.items():
        masked = texts[name]
        text = excerpt(masked.text, share)
        shown.append(BlindArtifact(label, text, words(text), text != masked.text, masked.counts()))
    said = list(notes)
    if shortened := [a.label for a in shown if a.excerpt]:
        said.append(f"{', '.join(shortened)} are too long for one sitting and shown as excerpts.")
    minutes = round(sum(a.words for a in shown) / WORDS_A_MINUTE, 1)
    return BlindPacket(session, tuple(shown), minutes, tuple(said)), labels


def words(text: str) -> int:
    """The words of a text; where a script has no spaces, two characters count as one."""
    unspaced = len(_UNSPACED.findall(text))
    return len(_WORD.findall(_UNSPACED.sub(" ", text))) + (unspaced + 1) // 2


def excerpt(text: str, most: int) -> str:
    """A text of at most about `most` words: whole paragraphs from its start, middle and end, and marks in between."""
    if words(text) <= most:
        return text
    paragraphs = [piece for piece in re.split(r"\n[ \t]*\n", text) if piece.strip()]
    if len(paragraphs) < 3:  # noqa: PLR2004 - no middle to speak of
        paragraphs = re.split(r"(?<=[.!?。！？])\s+", text)  # noqa: RUF001 - full stops of other scripts
    counts = [words(piece) for piece in paragraphs]
    third = max(most // 3, 1)
    middle = len(paragraphs) // 2
    kept: set[int] = set()
    for run in (range(len(paragraphs)), range(middle, len(paragraphs)), range(len(paragraphs) - 1, -1, -1)):
        left = third
        for number in run:
            if number in kept or counts[number] > left:
                break
            kept.add(number)
            left -= counts[number]
    if not kept:
        return text[: max(1, len(text) * most // max(words(text), 1))] + _LEFT_OUT
    parts, last = [], -1
    for number in sorted(kept):
        if number > last + 1:
            parts.append(_LEFT_OUT.strip())
        parts.append(paragraphs[number])
        last = number
    if last < len(paragraphs) - 1:
        parts.append(_LEFT_OUT.strip())
    return "\n\n".join(parts)


def unread(count: int, seconds: float) -> bool:
    """Whether `count` words in `seconds` is faster than anyone could read."""
    return count > 0 and seconds < count / FASTEST * 60


def _share(counts: Sequence[int], budget: int) -> int:
    """The most words that an artifact may have so that all together stay within the budget."""
    if sum(counts) <= budget:
        return max(counts, default=0)
    low, high = 1, max(counts)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if sum(min(count, middle) for count in counts) <= budget else (low, middle - 1)
    return low
