"""Which artifacts a pass shows: some of the top band, spread out or chosen to tell the criteria apart; always seeded.

Nothing that is said of a sample carries a score: it is shown before the ranking.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from rubricator.calibration.score_range import BAND
from rubricator.calibration.totals import SubScores
from rubricator.core.rubric import Rubric, Scale
from rubricator.core.scores import ScoreLog, Scoring
from rubricator.errors import InputError

Array = NDArray[np.float64]
Mode = Literal["stratified", "informative"]

SMALLEST: Final = 3
LARGEST: Final = 12
"""So many artifacts can be asked for."""
RULE: Final = (
    "every artifact within a tenth of the scale's width of the highest score, or the highest where those are few"
)
_POOL: Final = 5000
_OWNER_NOISE: Final = 0.05
"""The noise, as a share of the scale's width, at which the informative choice weighs one more artifact's worth."""


@dataclass(frozen=True, slots=True)
class Band:
    """The artifacts at the top of a log, by the rule that is stated."""

    artifacts: tuple[str, ...]
    rule: str = RULE

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.artifacts)


@dataclass(frozen=True, slots=True)
class Sample:
    """The chosen artifacts, those passed over with the reason, and what is to be said of the choice."""

    artifacts: tuple[str, ...]
    passed_over: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def top_band(log: ScoreLog, scale: Scale, n: int) -> Band:
    """The top band of a log for a sample of `n`.

    Every artifact whose newest score is within a tenth of the scale's width of the highest. Where those are fewer than
    `n`, the next highest as well; all that tie with the last of these are in.
    """
    names = list(log.newest)
    scores = np.array([scoring.score for scoring in log.newest.values()])
    return Band(tuple(names[i] for i in band_of(scores, scale, n)))


def band_of(scores: Array, scale: Scale, n: int) -> list[int]:
    """The numbers of the scores in the top band."""
    if not len(scores):
        return []
    floor = float(scores.max()) - BAND * scale.width
    if int((scores >= floor - scale.tie).sum()) < n:
        floor = float(np.sort(scores)[-min(n, len(scores))])
    return [int(i) for i in np.flatnonzero(scores >= floor - scale.tie)]


def sample(
    band: Band, log: ScoreLog, rubric: Rubric, n: int, seed: int, mode: Mode, usable: Callable[[str], str | None]
) -> Sample:
    """Choose `n` artifacts of the band. `usable` gives the reason to pass an artifact over, or None.

    Raises InputError unless 3 <= n <= 12. Fewer usable ones than `n` make a smaller sample, which is said.
    """
    if not SMALLEST <= n <= LARGEST:
        raise InputError(
            f"A sample of {n} is not possible.", hint=f"Ask for {SMALLEST} to {LARGEST} artifacts; {5} is usual."
        )
    candidates = [log.newest[name] for name in band.artifacts]
    notes = []
    if mode == "informative":
        known = [c for c in candidates if any(rubric.criterion(name) for name in c.criteria)]
        if len(known) < len(candidates):
            notes.append(f"{len(candidates) - len(known)} artifacts without sub-scores can't be chosen in this mode.")
        candidates = known
        pool = _seeded_pool(len(candidates), seed)
        candidates = [candidates[i] for i in pool]
        parts = _contributions(rubric, SubScores.of(rubric, (c.criteria for c in candidates)))
        chooser: _Chooser = _Informative(parts, seed)
    else:
        scores = np.array([c.score for c in candidates], dtype=np.float64)
        times = _order_of([c.scored_at for c in candidates])
        sources = _order_of([c.group or c.artifact.rpartition("/")[0] for c in candidates])
        chooser = _Stratified((_bins(scores, n), _bins(times, n), sources), seed)
    passed: dict[int, str] = {}

    def refused(number: int) -> bool:
        reason = usable(candidates[number].artifact)
        if reason is not None:
            passed[number] = reason
        return reason is not None

    chosen = _taken(chooser, n, refused)
    if SMALLEST <= len(chosen) < n:
        notes.append(f"Only {len(chosen)} artifacts could be shown, not {n}.")
    return Sample(tuple(candidates[i].artifact for i in chosen), _named(candidates, passed), tuple(notes))


def stratified_choice(scores: Array, n: int, *, seed: int) -> list[int]:
    """The numbers of `n` of these scores, spread over them."""
    return _taken(_Stratified((_bins(scores, n),), seed), n)


def informative_choice(contributions: Array, n: int, *, seed: int) -> list[int]:
    """The numbers of the `n` rows of `contributions` that tell the criteria apart best.

    Rows are artifacts, columns criteria: what each criterion adds to each total, as a share of the scale's width.
    """
    return _taken(_Informative(contributions, seed), n)


class _Chooser:
    """Orders the candidates by how well each would go with those that were chosen."""

    def order(self, chosen: Sequence[int]) -> NDArray[np.int64]:
        """The numbers of all candidates, the best next one first."""
        raise NotImplementedError


class _Stratified(_Chooser):
    """The candidate whose strata have been used least so far; among equals, by seeded lot."""

    def __init__(self, strata: Sequence[NDArray[np.int64]], seed: int) -> None:
        self._strata = strata
        self._lot = np.random.default_rng(seed).permutation(len(strata[0]))

    def order(self, chosen: Sequence[int]) -> NDArray[np.int64]:
        used = np.zeros(len(self._lot))
        for stratum in self._strata:
            counts = np.bincount(stratum[list(chosen)], minlength=int(stratum.max(initial=0)) + 1)
            used += counts[stratum]
        return np.lexsort((self._lot, used))


class _Informative(_Chooser):
    """Greedy D-optimal choice: the candidate that adds most to log det(I + X'X / s^2) over the chosen rows X.

    That is the information which noisy values of the chosen artifacts would give about how much each criterion counts,
    under a normal prior and noise s (Chaloner and Verdinelli 1995, doi:10.1214/ss/1177009939). Rows are contributions
    less their mean over the candidates, since an order tells of differences only.
    """

    def __init__(self, contributions: Array, seed: int) -> None:
        known = np.nan_to_num(contributions)
        self._rows = (known - known.mean(axis=0)) / _OWNER_NOISE if len(known) else known
        self._lot = np.random.default_rng(seed).permutation(len(known))

    def order(self, chosen: Sequence[int]) -> NDArray[np.int64]:
        rows = self._rows[list(chosen)]
        inverse = np.linalg.inv(np.eye(self._rows.shape[1]) + rows.T @ rows)
        gain = np.einsum("ij,jk,ik->i", self._rows, inverse, self._rows)
        return np.lexsort((self._lot, -gain.round(9)))


def _taken(chooser: _Chooser, n: int, refused: Callable[[int], bool] = lambda _: False) -> list[int]:
    """Up to `n` candidates, one by one; each is asked about once, and refused for good.

    The order changes only when one is taken, so that many refusals cost no more than the question.
    """
    chosen: list[int] = []
    gone: set[int] = set()
    while len(chosen) < n:
        for number in map(int, chooser.order(chosen)):
            if number in gone:
                continue
            gone.add(number)
            if not refused(number):
                chosen.append(number)
                break
        else:
            break
    return chosen


def _named(candidates: Sequence[Scoring], passed: Mapping[int, str]) -> tuple[tuple[str, str], ...]:
    return tuple((candidates[number].artifact, reason) for number, reason in passed.items())


def _seeded_pool(count: int, seed: int) -> list[int]:
    """All numbers below `count`, or 5,000 of them by seeded lot where there are more."""
    if count <= _POOL:
        return list(range(count))
    return sorted(int(i) for i in np.random.default_rng(seed).choice(count, _POOL, replace=False))


def _contributions(rubric: Rubric, table: SubScores) -> Array:
    """What each criterion adds to each total, as a share of the spread of sub-scores times the sum of weights."""
    weights = np.abs(np.array([c.weight for c in rubric.criteria]))
    width = float(np.nanmax(table.values) - np.nanmin(table.values)) if np.isfinite(table.values).any() else 1.0
    result: Array = table.values * weights / (max(float(weights.sum()), 1e-12) * max(width, 1e-12))
    return result


def _bins(values: Any, n: int) -> NDArray[np.int64]:
    """Which of `n` bins of equal count each value falls into; equal values share a bin."""
    if not len(values):
        return np.zeros(0, dtype=np.int64)
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2
    bins = np.minimum((middle * n / len(values)).astype(np.int64), n - 1)
    result: NDArray[np.int64] = bins[place]
    return result


def _order_of(words: Sequence[str]) -> NDArray[np.int64]:
    """A number for each word: its place among the different words, in order."""
    if not words:
        return np.zeros(0, dtype=np.int64)
    _, inverse = np.unique(np.array(words, dtype=object).astype(str), return_inverse=True)
    return inverse.astype(np.int64)
