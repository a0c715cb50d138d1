"""What a committed pass stands on: the artifacts with the owner's order, the evaluator's totals and sub-scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rubricator.calibration.levels import levels
from rubricator.calibration.totals import SubScores
from rubricator.core.rubric import Rubric

_T = TypeVar("_T")

Pair = tuple[int, int]
"""Numbers of two artifacts, the better one (as the owner has it) first."""


@dataclass(frozen=True)
class RankedSample:
    """Artifacts in the order of their labels. `owner` are positions, higher is better, equal for ties.

    `machine` are the totals that the evaluator stored; `tie` is the distance below which totals are equal.
    """

    labels: tuple[str, ...]
    artifacts: tuple[str, ...]
    owner: tuple[int, ...]
    machine: tuple[float, ...]
    sub_scores: SubScores
    tie: float

    def preferences(self) -> Iterator[Pair]:
        """Every pair that the owner tells apart, the better one first."""
        for one in range(len(self.owner)):
            for other in range(len(self.owner)):
                if self.owner[one] > self.owner[other]:
                    yield one, other

    def levels(self, totals: NDArray[np.float64] | tuple[float, ...]) -> list[int]:
        """Totals as levels: equal where nearer than `tie`."""
        return levels([float(value) for value in totals], self.tie)

    def split(self, totals: NDArray[np.float64] | tuple[float, ...]) -> tuple[set[Pair], set[Pair]]:
        """The owner's pairs that `totals` order as the owner does, and those that they invert; ties are in neither."""
        height = self.levels(totals)
        agreeing = {(a, b) for a, b in self.preferences() if height[a] > height[b]}
        inverted = {(a, b) for a, b in self.preferences() if height[a] < height[b]}
        return agreeing, inverted

    def without(self, number: int) -> RankedSample:
        """The sample with one artifact left out."""
        keep = [n for n in range(len(self.labels)) if n != number]

        def kept(values: tuple[_T, ...]) -> tuple[_T, ...]:
            return tuple(values[n] for n in keep)

        return RankedSample(
            kept(self.labels),
            kept(self.artifacts),
            kept(self.owner),
            kept(self.machine),
            self.sub_scores.rows(keep),
            self.tie,
        )

    def totals(self, rubric: Rubric) -> NDArray[np.float64]:
        """The totals that a rubric gives these artifacts."""
        return self.sub_scores.totals(rubric)

    def names(self, pair: Pair) -> list[str]:
        """The labels of a pair."""
        return [self.labels[pair[0]], self.labels[pair[1]]]
