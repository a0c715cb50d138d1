"""How much of its scale an evaluator uses, how well it repeats itself, and which criteria never decide anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rubricator.calibration.levels import levels
from rubricator.calibration.totals import SubScores
from rubricator.core.rubric import Rubric, Scale
from rubricator.core.scores import ScoreLog

BAND: Final = 0.1
"""The top band reaches down from the highest score by this share of the scale's width."""
WINDOW: Final = 0.05
"""Scores are compressed when most lie within a window of this share of the scale's width."""
MOST: Final = 0.8
"""How many are most."""
_CHECKED: Final = 2000
_SLACK: Final = 1e-9


@dataclass(frozen=True, slots=True)
class ScoreRange:
    """The spread of all logged scores, in the scale's units; None where nothing is logged.

    `sd` is the population's standard deviation, `levels` how many different scores were given, `share_in_top_band` how
    many lie within a tenth of the scale's width of the highest, `densest_share` how many the best window of 5% of the
    width holds; `compressed` is whether that is at least 80%.
    """

    count: int
    min: float | None
    max: float | None
    sd: float | None
    levels: int
    share_in_top_band: float | None
    densest_share: float
    compressed: bool

    def to_json(self) -> dict[str, Any]:
        """The spread as JSON."""
        return {
            "count": self.count,
            "min": self.min,
            "max": self.max,
            "sd": self.sd,
            "levels": self.levels,
            "share_in_top_band": self.share_in_top_band,
            "densest_share": self.densest_share,
            "compressed": self.compressed,
        }


def score_range(totals: Sequence[float], scale: Scale) -> ScoreRange:
    """The spread of `totals`. A single score is no range, so fewer than two are never compressed."""
    if not len(totals):
        return ScoreRange(0, None, None, None, 0, None, 0.0, compressed=False)
    values = np.sort(np.asarray(totals, dtype=np.float64))
    slack = _SLACK * scale.width
    upto = np.searchsorted(values, values + WINDOW * scale.width + slack, side="right")
    densest = float((upto - np.arange(len(values))).max()) / len(values)
    in_band = float((values >= values[-1] - BAND * scale.width - slack).mean())
    return ScoreRange(
        count=len(values),
        min=float(values[0]),
        max=float(values[-1]),
        sd=float(values.std()),
        levels=levels(values.tolist(), scale.tie)[-1] + 1,
        share_in_top_band=in_band,
        densest_share=densest,
        compressed=len(values) > 1 and densest >= MOST,
    )


@dataclass(frozen=True, slots=True)
class Repeatability:
    """How far the evaluator's scores of one artifact lie apart: over `artifacts` that were scored more than once.

    `sd` is the pooled standard deviation within artifacts, in the scale's units, with one degree of freedom less for
    each; None, with a `reason`, where nothing was scored twice.
    """

    artifacts: int
    sd: float | None
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """The repeatability as JSON."""
        return {"artifacts": self.artifacts, "sd": self.sd, "reason": self.reason}


def repeatability(log: ScoreLog) -> Repeatability:
    """The repeatability that repeated scores show."""
    repeats = [np.array(scores) for scores in log.repeats.values() if len(scores) > 1]
    if not repeats:
        return Repeatability(0, None, "no artifact was scored more than once")
    squares = sum(float(((scores - scores.mean()) ** 2).sum()) for scores in repeats)
    return Repeatability(len(repeats), float(np.sqrt(squares / sum(len(scores) - 1 for scores in repeats))))


def dead_weight(rubric: Rubric, sub_scores: SubScores, tie: float) -> list[tuple[str, str]]:
    """The criteria that decide nothing among the logged artifacts, by name, each with the reason.

    One that has no sub-scores, never varies, or whose removal leaves the order of all pairs as it is. Of more than
    2,000 artifacts, 2,000 evenly spread through the log are looked at.
    """
    count = len(sub_scores.values)
    spread = np.unique(np.linspace(0, count - 1, min(count, _CHECKED)).astype(int))
    table = sub_scores.rows([int(n) for n in spread])
    if not count or not np.isfinite(table.values).any():
        return []
    whole = table.totals(rubric)
    found: list[tuple[str, str]] = []
    for number, criterion in enumerate(rubric.criteria):
        column = table.values[:, number]
        known = column[np.isfinite(column)]
        if not len(known):
            found.append((criterion.name, "no artifact has a sub-score on it"))
        elif float(np.ptp(known)) < tie:
            found.append((criterion.name, "its sub-score is the same for every artifact"))
        elif criterion.weight == 0:
            found.append((criterion.name, "its weight is 0"))
        elif _same_order(whole, table.totals(rubric.without([criterion.id])), tie):
            found.append((criterion.name, "taking it out changes the order of no pair"))
    return found


def _same_order(one: Any, other: Any, tie: float) -> bool:
    """Whether two sets of totals order all artifacts alike, ties included; False where one of them is incomplete."""
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        return False
    return levels(one.tolist(), tie) == levels(other.tolist(), tie)
