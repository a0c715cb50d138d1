"""Agreement over labels that people already have: no pass, and not blind.

Whoever made the labels may have seen the scores, or made them for another purpose; every result says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rubricator.calibration.agreement import agreement, kendall_tau_b
from rubricator.calibration.attribution import attribute
from rubricator.calibration.drivers import blame
from rubricator.calibration.interpretation import caveat
from rubricator.calibration.levels import levels
from rubricator.calibration.ranked_sample import RankedSample
from rubricator.calibration.reweighting import learn_weights
from rubricator.calibration.totals import SubScores
from rubricator.core.rows import to_number, value_at
from rubricator.core.rubric import Criterion, Rubric, Scale
from rubricator.errors import InputError

_MOST_BLAMED: Final = 12
_NAMED: Final = 5
_SPLITS: Final = 5
_FLOAT_NOISE: Final = 1e-10
_NOT_BLIND: Final = "These labels were not made in a blind pass: they may have been made with the scores in sight. "


@dataclass(frozen=True)
class AuditTable:
    """Rows with an owner's and an evaluator's value, in groups. `sub_scores` has the criteria's columns, if any."""

    owner: tuple[float, ...]
    machine: tuple[float, ...]
    groups: tuple[str, ...]
    sub_scores: SubScores
    rubric: Rubric
    diagnostics: tuple[str, ...]

    def members(self) -> dict[str, list[int]]:
        """The numbers of the rows of each group, in the order of first appearance."""
        found: dict[str, list[int]] = {}
        for number, group in enumerate(self.groups):
            found.setdefault(group, []).append(number)
        return found


def read_table(
    rows: Iterable[Mapping[str, Any]],
    *,
    owner: str,
    machine: str,
    criteria: Sequence[str] = (),
    weights: Sequence[float] = (),
    group: str = "",
) -> AuditTable:
    """The table of `rows`; a column may be a dotted path into nested ones (`human.overall`).

    Rows without a number on both sides, or without all sub-scores, are left out and named by number from 1. Raises
    InputError for weights that don't match the criteria, and where no row can be used.
    """
    if weights and len(weights) != len(criteria):
        raise InputError(
            f"There are {len(criteria)} criteria and {len(weights)} weights.", hint="Give one weight a criterion."
        )
    kept: list[tuple[float, float, str, list[float]]] = []
    bad: list[int] = []
    for number, row in enumerate(rows, start=1):
        values = [to_number(value_at(row, column)) for column in (owner, machine, *criteria)]
        if any(value is None for value in values):
            bad.append(number)
            continue
        numbers = [value for value in values if value is not None]
        kept.append((numbers[0], numbers[1], str(value_at(row, group)) if group else "", numbers[2:]))
    if not kept:
        raise InputError(
            f"No row has numbers in {', '.join((owner, machine, *criteria))}.", hint="Check the columns' names."
        )
    made = tuple(
        Criterion(name, name, weight) for name, weight in zip(criteria, weights or [1.0] * len(criteria), strict=True)
    )
    if len({c.id for c in made}) != len(made):
        raise InputError("Two criteria have the same name.", hint="Name each once.")
    rubric = Rubric("table", made)
    skipped = f"{len(bad)} rows were left out for want of a number: {_listed(bad)}."
    return AuditTable(
        owner=tuple(entry[0] for entry in kept),
        machine=tuple(entry[1] for entry in kept),
        groups=tuple(entry[2] for entry in kept),
        sub_scores=SubScores(tuple(rubric.weights), np.array([entry[3] for entry in kept]).reshape(len(kept), -1)),
        rubric=rubric,
        diagnostics=(skipped,) if bad else (),
    )


def audit(table: AuditTable, *, seed: int = 0) -> dict[str, Any]:
    """The agreement over all rows, the pairs within groups, the mean over groups, and what drives the inversions."""
    tie = _tie(table.machine)
    whole = agreement(table.owner, table.machine, tie=tie, seed=seed)
    samples = [_sample(table, members, tie) for members in table.members().values()]
    by_group = [agreement(s.owner, s.machine, tie=tie, seed=seed) for s in samples]
    drivers, driver_note = _drivers(table, samples)
    return {
        "groups": len(samples),
        "items": len(table.owner),
        "spearman": whole.spearman,
        "kendall_tau_b": whole.kendall_tau_b,
        "p_exact": whole.p_exact,
        "p_method": whole.p_method,
        "undefined": dict(whole.undefined),
        "inversions": sum(len(found.pairs.inversions) for found in by_group),
        "agreeing": sum(found.pairs.agreeing for found in by_group),
        "owner_ties": sum(found.pairs.owner_ties for found in by_group),
        "machine_ties": sum(found.pairs.machine_ties for found in by_group),
        "mean_by_group": {
            "spearman": _mean([found.spearman for found in by_group]),
            "kendall_tau_b": _mean([found.kendall_tau_b for found in by_group]),
            "groups_used": sum(found.spearman is not None for found in by_group),
        },
        "drivers": drivers,
        "reweighting": cross_check(table, seed=seed) if table.rubric.criteria else None,
        "blind": False,
        "caveat": _NOT_BLIND + (caveat(len(table.owner), whole.p_exact) if len(samples) == 1 else ""),
        "diagnostics": [*table.diagnostics, *([driver_note] if driver_note else [])],
    }


def cross_check(table: AuditTable, *, seed: int = 0) -> dict[str, Any]:
    """Weights learned on half of the groups, judged on the other half, and the other way round, over five splits.

    `learned`, `given` and `stored` are the mean tau-b by group, each group judged with weights that were not learned
    from it; `weights` are the learned ones, in the mean. None, with a reason, for fewer than four groups.
    """
    members = list(table.members().values())
    if len(members) < 4:  # noqa: PLR2004 - two halves of two
        return {"learned": None, "reason": "fewer than four groups"}
    generator = np.random.default_rng(seed)
    start = np.array(list(table.rubric.weights.values()))
    spread = np.maximum(table.sub_scores.values.std(axis=0), _FLOAT_NOISE)
    figures: dict[str, list[float | None]] = {"learned": [], "given": [], "stored": []}
    learned = []
    for _ in range(_SPLITS):
        order = generator.permutation(len(members))
        halves = [[members[n] for n in order[::2]], [members[n] for n in order[1::2]]]
        for train, judge in (halves, halves[::-1]):
            weights = learn_weights(_differences(table, train) / spread, start * spread) / spread
            learned.append(weights / weights.sum())
            for rows in judge:
                mine, values = [table.owner[n] for n in rows], table.sub_scores.values[rows]
                figures["learned"].append(_tau(mine, values @ weights))
                figures["given"].append(_tau(mine, values @ start))
                figures["stored"].append(_tau(mine, np.array([table.machine[n] for n in rows])))
    means = {name: _mean(values) for name, values in figures.items()}
    gain = (means["learned"] or 0.0) - (means["given"] or 0.0)
    return {
        **means,
        "weights": dict(zip(table.rubric.weights, np.mean(learned, axis=0).round(4).tolist(), strict=True)),
        "groups": len(members),
        "splits": _SPLITS,
        "verdict": f"Learned weights did {'better' if gain > 0 else 'no better'} on groups that they had not seen.",
    }


def _tau(owner: Sequence[float], totals: Any) -> float | None:
    return kendall_tau_b(levels(owner, _tie(owner)), levels(totals.tolist(), _tie(totals)))[0]


def _tie(values: Sequence[float]) -> float:
    """The breadth of float noise in values whose scale is not known: far below what any scale tells apart."""
    return _FLOAT_NOISE * max(float(np.ptp(values)), 1.0)


def _sample(table: AuditTable, members: list[int], tie: float) -> RankedSample:
    names = tuple(str(n + 1) for n in members)
    return RankedSample(
        labels=names,
        artifacts=names,
        owner=tuple(levels([table.owner[n] for n in members], _tie(table.owner))),
        machine=tuple(table.machine[n] for n in members),
        sub_scores=table.sub_scores.rows(members),
        tie=tie,
    )


def _drivers(table: AuditTable, samples: Sequence[RankedSample]) -> tuple[list[dict[str, Any]], str]:
    """The criteria by the share of inversions they put there, where weights and sub-scores order pairs as stored.

    A group of at most 12 rows also gives each criterion its probability, and the mean over groups is shown.
    """
    if not table.rubric.criteria:
        return [], ""
    counts: dict[str, int] = {}
    chances: list[dict[str, float]] = []
    lost = seen = 0
    for sample in samples:
        totals = sample.totals(table.rubric)
        stored = sample.split(sample.machine)[1]
        pairs = sorted(stored & sample.split(totals)[1])
        seen, lost = seen + len(stored), lost + len(stored) - len(pairs)
        small = len(sample.labels) <= _MOST_BLAMED and bool(pairs)
        width = max(float(np.ptp(table.sub_scores.values)), 1e-12)
        found = blame(table.rubric, Scale(0, width), sample.sub_scores, sample.owner) if small else None
        if found:
            chances.append(found.by_criterion)
        for attribution in attribute(table.rubric, sample, pairs, found.by_criterion if found else {}):
            if attribution.criterion:
                counts[attribution.criterion] = counts.get(attribution.criterion, 0) + 1
    note = (
        f"{lost} of {seen} inversions are not in the totals that the weights give, and are not attributed."
        if lost
        else ""
    )
    mean = {key: float(np.mean([c[key] for c in chances])) for key in table.rubric.weights} if chances else {}
    ordered = sorted(counts, key=lambda key: -counts[key])
    names = {c.id: c.name for c in table.rubric.criteria}
    return [
        {
            "criterion": names[key],
            "inversions": counts[key],
            "probability": round(mean[key], 4) if mean else None,
            "weight": table.rubric.weights[key],
        }
        for key in ordered
    ], note


def _differences(table: AuditTable, groups: Sequence[Sequence[int]]) -> Any:
    """The better row's sub-scores less the worse one's, for all pairs that the owner tells apart within groups."""
    found = [
        table.sub_scores.values[a] - table.sub_scores.values[b]
        for rows in groups
        for a in rows
        for b in rows
        if table.owner[a] > table.owner[b]
    ]
    return np.array(found).reshape(len(found), table.sub_scores.values.shape[1])


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _listed(numbers: Sequence[int]) -> str:
    named = ", ".join(str(number) for number in numbers[:_NAMED])
    return named if len(numbers) <= _NAMED else f"{named} and {len(numbers) - _NAMED} more"
