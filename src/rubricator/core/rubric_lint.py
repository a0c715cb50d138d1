"""What in a rubric will surprise its owner, told from its text and weights alone. Signals to look at, not verdicts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, Final

from rubricator.core.formula import Formula
from rubricator.core.rubric import Criterion, Rubric

_LEAST_SHARE: Final = 0.005
_ALIKE: Final = 0.8
_MOST_DEMANDS: Final = 3
_WORD: Final = re.compile(r"\w+")
_JOINED: Final = re.compile(r"\w\s+(?:and|or)\s+\w|\w\s*[&/+]\s*\w", re.IGNORECASE)
_DEMAND: Final = re.compile(r"\b(?:must|should|shall|has to|have to|needs? to|never|always)\b", re.IGNORECASE)
_RANGE: Final = re.compile(
    r"(?m)^[ \t]*[-*+]?[ \t]*(?:score[ \t]*)?(\d+(?:\.\d+)?)(?:\s*[-–]\s*(\d+(?:\.\d+)?))?\s*[:=]"
)
_LEVEL: Final = re.compile(r"(?m)^\W*(?:score\s*)?\d+(?:\s*[-–]\s*\d+)?\s*[:=.)–-]|\b\d+\s*(?:=|:)\s*\w")


@dataclass(frozen=True, slots=True)
class RubricFault:
    """One thing to look at: a stable rule name, the criterion (empty: the whole rubric), what, and what to do."""

    rule: str
    criterion: str
    message: str
    fix: str

    def to_json(self) -> dict[str, Any]:
        """The fault as JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def lint_rubric(rubric: Rubric) -> list[RubricFault]:
    """The faults of a rubric, in the order of its criteria, those of the whole first."""
    rules = (_scale, _weights, _formula, _signs, _empty, _duplicates, _several, _ranges, _anchors)
    order = {"": -1, **{c.name: n for n, c in enumerate(rubric.criteria)}}
    return sorted((fault for rule in rules for fault in rule(rubric)), key=lambda f: (order[f.criterion], f.rule))


def _scale(rubric: Rubric) -> Iterator[RubricFault]:
    if rubric.scale is None:
        yield RubricFault("no-scale", "", "The rubric states no scale.", "State it, such as scale: [1, 5].")


def _weights(rubric: Rubric) -> Iterator[RubricFault]:
    """Weights too small to move a total by more than half a percent of the scale."""
    if rubric.aggregate in {"minimum", "formula"}:
        return
    whole = math.fsum(abs(c.weight) for c in rubric.criteria)
    for c in rubric.criteria:
        share = abs(c.weight) / whole if whole else 0.0
        if share < _LEAST_SHARE:
            yield RubricFault(
                "weight-cannot-matter",
                c.name,
                f"Its weight is {c.weight:g} of {whole:g}: {share:.2%} of a total.",
                "Give it a weight that counts, or take it out.",
            )


def _formula(rubric: Rubric) -> Iterator[RubricFault]:
    if rubric.aggregate != "formula":
        return
    named = Formula.parse(rubric.formula).names
    for c in rubric.criteria:
        key = c.id.replace("-", "_")
        if key not in named:
            yield RubricFault(
                "weight-cannot-matter", c.name, "The formula does not name it.", "Name it there, or take it out."
            )
        elif c.weight != 1 and f"weight_{key}" not in named:
            yield RubricFault(
                "weight-cannot-matter",
                c.name,
                f"The formula does not use its weight {c.weight:g}.",
                f"Write weight_{key} into the formula, or leave the weight out.",
            )


def _signs(rubric: Rubric) -> Iterator[RubricFault]:
    for c in rubric.criteria:
        if c.weight < 0 and rubric.aggregate in {"weighted_mean", "minimum"}:
            yield RubricFault(
                "negative-weight",
                c.name,
                f"A negative weight under {rubric.aggregate} does not take points away as it seems to.",
                "Use the aggregate points or sum, or turn the criterion round.",
            )


def _empty(rubric: Rubric) -> Iterator[RubricFault]:
    for c in rubric.criteria:
        if not c.text.strip():
            yield RubricFault("no-text", c.name, "It has a name and no text.", "Say what earns the score.")


def _duplicates(rubric: Rubric) -> Iterator[RubricFault]:
    """Criteria whose texts share four fifths of their words: what they reward counts twice."""
    words = {c.name: frozenset(w.casefold() for w in _WORD.findall(c.text)) for c in rubric.criteria}
    for one, other in combinations(rubric.criteria, 2):
        a, b = words[one.name], words[other.name]
        if a and len(a & b) / len(a | b) >= _ALIKE:
            yield RubricFault(
                "duplicate", other.name, f"It says nearly what “{one.name}” says.", "Keep one, or tell them apart."
            )


def _several(rubric: Rubric) -> Iterator[RubricFault]:
    for c in rubric.criteria:
        joined, demands = _JOINED.search(c.name), len(_DEMAND.findall(c.text))
        if joined or demands > _MOST_DEMANDS:
            why = "its name joins two things" if joined else f"its text makes {demands} demands"
            yield RubricFault(
                "several-things",
                c.name,
                f"It may ask for several things at once: {why}.",
                "Split it, so that a score says which of them was met.",
            )


def _ranges(rubric: Rubric) -> Iterator[RubricFault]:
    """Levels that a text describes outside of the scale, or for which it describes two things."""
    for c in rubric.criteria:
        levels = [(float(m[1]), float(m[2] or m[1])) for m in _RANGE.finditer(c.text)]
        if rubric.scale and (
            out := [low for low, high in levels if low < rubric.scale.low or high > rubric.scale.high]
        ):
            yield RubricFault(
                "level-outside-scale",
                c.name,
                f"It describes {out[0]:g}; the scale goes from {rubric.scale.low:g} to {rubric.scale.high:g}.",
                "Mend the level, or the scale.",
            )
        ordered = sorted(levels)
        if any(one[1] >= other[0] for one, other in pairwise(ordered)):
            yield RubricFault(
                "levels-overlap", c.name, "Two of the levels that it describes overlap.", "Give each score one level."
            )


def _anchors(rubric: Rubric) -> Iterator[RubricFault]:
    """On a scale of more than two steps, criteria that say of no level what it looks like."""
    if rubric.scale is None or rubric.scale.width <= 1:
        return
    for c in rubric.criteria:
        if c.text.strip() and not _has_levels(c):
            yield RubricFault(
                "no-anchors",
                c.name,
                f"It says of no score between {rubric.scale.low:g} and {rubric.scale.high:g} what it looks like.",
                "Describe the lowest and the highest at least.",
            )


def _has_levels(criterion: Criterion) -> bool:
    return bool(_LEVEL.search(criterion.text))
