"""Scores as levels, so that float noise neither makes nor breaks a tie."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def levels(values: Sequence[float], tie: float) -> list[int]:
    """The dense level of each value, from 0 for the lowest; sorted neighbours nearer than `tie` share one.

    Ties chain: three values each a little less than `tie` apart are one level. The distance is meant to be far below
    what the scale can tell apart, so chains are float noise and nothing else. Values must be finite.
    """
    array = np.asarray(values, dtype=np.float64)
    if not len(array):
        return []
    order = np.argsort(array, kind="stable")
    steps = np.diff(array[order]) >= tie
    result = np.empty(len(array), dtype=np.int64)
    result[order] = np.concatenate(([0], np.cumsum(steps)))
    return [int(level) for level in result]
