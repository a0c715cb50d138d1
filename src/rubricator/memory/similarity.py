"""Near-duplicates: a small sketch of each passage, and the rule by which two passages are copies of each other.

The sketch is the bottom-k of hashed three-term shingles (Broder, "On the resemblance and containment of documents",
1997): the share that two sketches have among the smallest hashes of both estimates the Jaccard resemblance.

Two texts that differ in a number or an English negation are never copies, however alike: that is how a policy changes.
Other words that turn a sentence round (`required`, `optional`) are not known to this rule.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Sequence
from typing import Final

from rubricator.memory.terms import terms

SKETCH_SIZE: Final = 24
COPY_RESEMBLANCE: Final = 0.8
"""From this estimated resemblance on, two passages are copies."""

_NEGATIONS = """no not never none nor neither nobody nothing nowhere without cannot unless except ain't aren't can't
    couldn't didn't doesn't don't hadn't hasn't haven't isn't mightn't mustn't needn't shan't shouldn't wasn't weren't
    won't wouldn't"""
_NUMBER_WORDS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion
    dozen half quarter third once twice thrice double triple first second"""
_WEIGHTY = frozenset(terms(f"{_NEGATIONS} {_NUMBER_WORDS}"))
_MASK = 0xFFFFFFFF
_ANCHORS = 0b11
_LONG = 150


class _Hashes(dict[str, int]):
    """The hash of each term seen, worked out when it is first met; `weighty` are its numbers and negations."""

    def __init__(self) -> None:
        super().__init__()
        self.weighty: set[str] = set()

    def __missing__(self, term: str) -> int:
        value = zlib.crc32(term.encode())
        self[term] = value
        if term in _WEIGHTY or any(character.isdigit() for character in term):
            self.weighty.add(term)
        return value


_HASHES_LIMIT = 500_000
_hashes = _Hashes()


def sketch(of: Sequence[str]) -> bytes:
    """The sketch of a passage's terms: a guard over its numbers and negations, then up to 24 hashes of 32 bits each.

    An empty sequence gives an empty sketch, which is a copy of nothing.
    """
    if not of:
        return b""
    if len(_hashes) > _HASHES_LIMIT:
        _hashes.clear()
    hashes = [_hashes[term] for term in of]
    weighty = _hashes.weighty
    guard = zlib.crc32(" ".join([term for term in of if term in weighty]).encode())
    if len(hashes) < 3:  # noqa: PLR2004 - too short for a shingle of three: the whole is the shingle
        shingles = {zlib.crc32(" ".join(of).encode())}
    else:
        # Of a long passage only every fourth shingle is taken, chosen by its first term, so alike in all copies.
        anchors = _ANCHORS if len(hashes) > _LONG else 0
        shingles = {
            (a * 0x9E3779B1 + b * 0x85EBCA77 + c) & _MASK
            for a, b, c in zip(hashes, hashes[1:], hashes[2:], strict=False)
            if not a & anchors
        }
    return array("I", [guard, *sorted(shingles)[:SKETCH_SIZE]]).tobytes()


def are_copies(one: bytes, other: bytes) -> bool:
    """Whether two sketches are of near-duplicates: equal guards, resemblance at least COPY_RESEMBLANCE."""
    if one == other:
        return bool(one)
    if not one or not other or one[:4] != other[:4]:
        return False
    a, b = array("I", one)[1:], array("I", other)[1:]
    smallest = sorted({*a, *b})[: max(len(a), len(b))]
    both = set(a) & set(b)
    return sum(value in both for value in smallest) >= COPY_RESEMBLANCE * len(smallest)
