"""Totals from weights and sub-scores, for many artifacts at once, and whether they are the totals that were stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rubricator.core.rubric import AGGREGATES, Rubric, Scale

Array = NDArray[np.float64]

_MOST_DECIMALS: Final = 6
_FLOAT_NOISE: Final = 1e-9


@dataclass(frozen=True)
class SubScores:
    """Sub-scores of artifacts as a table: `values` is (artifacts x criteria), NaN where there is none.

    `ids` are criterion ids, in the order of the columns. A rubric reads from it the columns of its criteria; one that
    has no column is a criterion without sub-scores.
    """

    ids: tuple[str, ...]
    values: Array

    @classmethod
    def of(cls, rubric: Rubric, rows: Iterable[Mapping[str, float]]) -> SubScores:
        """The table of `rows`, each by criterion name as the log gives it; what the rubric doesn't know is left out."""
        ids = tuple(c.id for c in rubric.criteria)
        column = {identity: n for n, identity in enumerate(ids)}
        known: dict[str, int | None] = {}
        table = []
        for row in rows:
            values = [np.nan] * len(ids)
            for name, value in row.items():
                if name not in known:
                    found = rubric.criterion(name)
                    known[name] = column[found.id] if found else None
                if (place := known[name]) is not None:
                    values[place] = value
            table.append(values)
        return cls(ids, np.array(table, dtype=np.float64).reshape(len(table), len(ids)))

    def rows(self, numbers: Sequence[int]) -> SubScores:
        """The table of some of the artifacts, in the order of `numbers`."""
        return SubScores(self.ids, self.values[list(numbers)])

    @property
    def complete(self) -> bool:
        """Whether every artifact has every sub-score."""
        return bool(np.isfinite(self.values).all())

    def by_id(self, number: int) -> dict[str, float]:
        """One artifact's sub-scores by criterion id."""
        row = self.values[number].tolist()
        return {identity: value for identity, value in zip(self.ids, row, strict=True) if value == value}  # noqa: PLR0124 - NaN

    def totals(self, rubric: Rubric) -> Array:
        """What `rubric.total` gives for each artifact; NaN where that is None."""
        if rubric.aggregate == "formula":
            found = (rubric.total(self.by_id(n)) for n in range(len(self.values)))
            return np.array([np.nan if value is None else value for value in found], dtype=np.float64)
        column = {identity: n for n, identity in enumerate(self.ids)}
        present = [c for c in rubric.criteria if c.id in column]
        values = self.values[:, [column[c.id] for c in present]]
        weights = np.array([c.weight for c in present], dtype=np.float64)
        known = np.isfinite(values)
        if rubric.aggregate == "minimum":
            lowest = np.where(known & (weights > 0), values, np.inf).min(axis=1, initial=np.inf)
            return np.where(np.isfinite(lowest), lowest, np.nan)
        weighted = np.where(known, values, 0.0) @ weights
        if rubric.aggregate == "sum":
            return np.where(known.any(axis=1), weighted, np.nan)
        counted = weights if rubric.aggregate == "weighted_mean" else np.maximum(weights, 0.0)
        norm = known @ counted
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(norm > 0, weighted / norm, np.nan)


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Whether stored totals are what weights and sub-scores give.

    Over `checked` artifacts, at worst off by `max_error` (in the scale's units; None where nothing could be checked).
    `reason` says why not, or how closely.
    """

    reproduced: bool
    aggregate: str
    checked: int
    max_error: float | None
    reason: str

    def to_json(self) -> dict[str, Any]:
        """The check as JSON."""
        return {
            "reproduced": self.reproduced,
            "aggregate": self.aggregate,
            "checked": self.checked,
            "max_error": self.max_error,
            "reason": self.reason,
        }


def reproduction(rubric: Rubric, scale: Scale, sub_scores: SubScores, stored: Sequence[float]) -> Reproduction:
    """Whether the rubric's aggregate gives the stored totals, up to the rounding that the stored ones show.

    Rounding is judged by the most decimals that any stored total has. Not reproduced where an artifact lacks all
    sub-scores, or where one total is off by more; another aggregate that would fit is named.
    """
    checked = len(stored)
    if not checked or not np.isfinite(sub_scores.values).any():
        return Reproduction(False, rubric.aggregate, 0, None, "The score log has no sub-scores for these artifacts.")
    decimals = max(_decimals(value) for value in stored)
    allowed = 0.5 * 10.0**-decimals if decimals < _MOST_DECIMALS else scale.tie
    allowed = max(allowed, scale.tie) * (1 + _FLOAT_NOISE) + _FLOAT_NOISE * scale.width
    errors = np.abs(sub_scores.totals(rubric) - np.array(stored))
    if not np.isfinite(errors).all():
        missing = int((~np.isfinite(errors)).sum())
        reason = f"{missing} of {checked} artifacts lack the sub-scores that their totals are made of."
        return Reproduction(False, rubric.aggregate, checked, None, reason)
    worst = float(errors.max())
    if worst <= allowed:
        closely = "exactly" if worst <= scale.tie else f"up to rounding at {decimals} decimals"
        return Reproduction(
            True,
            rubric.aggregate,
            checked,
            worst,
            f"The {_words(rubric)} of the sub-scores gives the totals {closely}.",
        )
    reason = f"The {_words(rubric)} of the sub-scores is not the stored total: it is off by up to {worst:.4g}."
    for other in AGGREGATES:
        if other in {"formula", rubric.aggregate}:
            continue
        as_other = Rubric(rubric.name, rubric.criteria, rubric.scale, other)
        errors = np.abs(sub_scores.totals(as_other) - np.array(stored))
        if np.isfinite(errors).all() and errors.max() <= allowed:
            reason += f" `aggregate: {other}` would give it."
    return Reproduction(False, rubric.aggregate, checked, worst, reason)


def _words(rubric: Rubric) -> str:
    return rubric.aggregate.replace("_", " ")


def _decimals(value: float) -> int:
    """How many decimals a number is written with, at most `_MOST_DECIMALS`."""
    for decimals in range(_MOST_DECIMALS):
        if abs(round(value, decimals) - value) < _FLOAT_NOISE * max(1.0, abs(value)):
            return decimals
    return _MOST_DECIMALS
