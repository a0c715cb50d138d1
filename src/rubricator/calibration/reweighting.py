"""Weights that bring many of an owner's pairs into order at once: a linear programme, solved by HiGHS through SciPy."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STIFFNESS: Final = 0.05
"""What moving all weights by their sum costs, in pairs put right."""


def learn_weights(differences: Array, start: Array, *, margin: float = 0.1, stiffness: float = STIFFNESS) -> Array:
    """The weights (criteria,) that order the most pairs as the owner does, without leaving `start` for little.

    `differences` is (pairs x criteria): the better item's sub-scores less the worse one's, in units in which 1 is a
    usual difference. Minimises the mean over pairs of max(0, margin - differences x weights), with `weights` summing to
    1 and none negative, plus `stiffness` times the sum of the absolute changes from `start` (scaled to the same sum):
    the hinge loss of a ranking SVM (Joachims 2002, doi:10.1145/775047.775067) with an L1 tie to the weights one has.
    Without pairs, `start` comes back. The sum of `start` is kept.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, vstack

    pairs, criteria = differences.shape
    total = float(start.sum())
    if not pairs or total <= 0:
        return start.copy()
    begin = start / total
    # Variables: the weights, the sizes of their changes, and each pair's shortfall.
    cost = np.concatenate([np.zeros(criteria), np.full(criteria, stiffness), np.full(pairs, 1 / pairs)])
    one, none = np.eye(criteria), np.zeros((criteria, pairs))
    short = hstack([csr_array(np.hstack([-differences, np.zeros((pairs, criteria))])), csr_array(-np.eye(pairs))])
    rows = vstack([short, csr_array(np.hstack([one, -one, none])), csr_array(np.hstack([-one, -one, none]))])
    limits = np.concatenate([np.full(pairs, -margin), begin, -begin])
    sums = np.concatenate([np.ones(criteria), np.zeros(criteria + pairs)])[None, :]
    solved = linprog(cost, A_ub=rows, b_ub=limits, A_eq=sums, b_eq=[1.0], bounds=(0, None))  # type: ignore[call-overload]
    return start.copy() if solved.x is None else np.asarray(solved.x[:criteria] * total)
