"""What a figure can say, in words: thresholds, confidence and caveats.

- A p of at most 0.05 is called beyond chance, two-sided.
- Confidence is `low` without that, `medium` with it, and `high` only from 10 ranked artifacts on with p at most 0.01.
- Agreement is `strong` from tau-b 0.7, `moderate` from 0.4, `weak` from 0.1, `absent` about 0, else `opposite`.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import Final, Literal

from rubricator.calibration.agreement import EXACT_UP_TO, agreement

Confidence = Literal["low", "medium", "high"]

BEYOND_CHANCE: Final = 0.05
_HIGH: Final = 0.01
_TWO_SIDED: Final = 1.959964
_STRENGTHS: Final = ((0.7, "strong"), (0.4, "moderate"), (0.1, "weak"), (-0.1, "absent"))
_NUMBERS: Final = "no one two three four five six seven eight nine ten eleven twelve".split()


def confidence(n: int, p: float | None) -> Confidence:
    """How much weight the agreement of `n` ranked artifacts bears, given its p."""
    if p is None or p > BEYOND_CHANCE:
        return "low"
    return "high" if n > EXACT_UP_TO and p <= _HIGH else "medium"


def strength(tau: float | None) -> str:
    """The strength of an agreement in a word."""
    if tau is None:
        return "undefined"
    return next((word for least, word in _STRENGTHS if tau >= least), "opposite")


def caveat(n: int, p: float | None) -> str:
    """What the figures of `n` ranked artifacts can't say."""
    count = _NUMBERS[n].capitalize() if n < len(_NUMBERS) else str(n)
    text = f"{count} artifacts are a direction, not a statistic."
    least = needed(n)
    if least is None:
        text += f" At n = {n} not even a perfect match is beyond chance at 0.05, two-sided."
    elif least >= 1:
        text += f" At n = {n} only a perfect match is beyond chance at 0.05, two-sided."
    else:
        text += f" At n = {n}, without ties, tau-b must be {least:.2f} or more to be beyond chance at 0.05, two-sided."
    if p is not None:
        text += f" Here p = {p:.3f}: {'beyond' if p <= BEYOND_CHANCE else 'not beyond'} chance."
    return text


@lru_cache(maxsize=64)
def needed(n: int) -> float | None:
    """The smallest tau-b of `n` items without ties that is beyond chance; None where no tau-b is.

    Up to nine, found by undoing one neighbouring pair after another in a perfect match, each of which takes the same
    step off tau; beyond, by the normal approximation with variance 2 (2n + 5) / (9n (n - 1)) (Kendall 1938,
    doi:10.1093/biomet/30.1-2.81).
    """
    if n > EXACT_UP_TO:
        return _TWO_SIDED * sqrt(2 * (2 * n + 5) / (9 * n * (n - 1)))
    items = list(range(n))
    order = items.copy()
    best: float | None = None
    for end in range(n - 1, 0, -1):
        for place in range(end):
            found = agreement(items, order, tie=0.5)
            if found.p_exact is None or found.p_exact > BEYOND_CHANCE:
                return best
            best = found.kendall_tau_b
            order[place], order[place + 1] = order[place + 1], order[place]
    return best
