"""How well drivers are named where the truth is known: evaluators made with one planted bad criterion.

usage: python benchmarks/drift.py [--each 1000] [--undrifted 1000] [--seed 20261201] [--markdown FILE]

Each evaluator has five sound criteria of weights 0.5 to 1.5 and one planted; the owner values the mean of the sound
ones alone, and sees it through noise. Sub-scores are drawn in two ways: whole numbers round 3.5 with a common quality
behind them, and evenly from 1 to 5. The sample comes from the top band by the product's own two modes. Every claim of
every proposal is checked by the few lines of `recheck`, which share nothing with the product.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np

from rubricator.calibration.adjustments import adjust
from rubricator.calibration.drivers import CONFIDENT, LIKELY, blame
from rubricator.calibration.ranked_sample import RankedSample
from rubricator.calibration.sampling import informative_choice, stratified_choice
from rubricator.calibration.totals import SubScores
from rubricator.core.rubric import Criterion, Rubric, Scale

SCALE = Scale(1, 5)
ARTIFACTS = 60
PLANTED = "planted"


@dataclass
class Tally:
    """What became of the evaluators of one setting."""

    made: int = 0
    drawn: int = 0
    top: int = 0
    naive: int = 0
    confident: int = 0
    confident_right: int = 0
    covered: int = 0
    size: int = 0
    noise: float = 0.0
    proposals: int = 0
    about_planted: int = 0
    false_claims: list[str] = field(default_factory=list)


def make(rng, heaviness, subscores):
    """A rubric with a planted criterion, and the sub-scores of its artifacts (artifacts x criteria)."""
    weights = rng.uniform(0.5, 1.5, 6)
    place = int(rng.integers(6))
    weights[place] = np.delete(weights, place).mean() * rng.uniform(*heaviness)
    criteria = tuple(
        Criterion(PLANTED if n == place else f"sound {n}", "text", float(weight)) for n, weight in enumerate(weights)
    )
    if subscores == "whole":
        quality = rng.normal(0, 1, (ARTIFACTS, 1))
        values = 3.5 + np.sqrt(0.3) * quality + np.sqrt(0.7) * rng.normal(0, 1, (ARTIFACTS, 6))
        values = np.clip(values, 1, 5).round()
    else:
        values = rng.uniform(1, 5, (ARTIFACTS, 6))
    return Rubric("made", criteria, SCALE), values


def draw(rng, rubric, values, n, mode):
    """The numbers of the artifacts that a pass would show, by the product's own sampling."""
    table = SubScores(tuple(rubric.weights), values)
    totals = table.totals(rubric)
    band = np.flatnonzero(totals >= totals.max() - SCALE.width / 10 - SCALE.tie)
    if len(band) < n:
        edge = np.sort(totals)[-n]
        band = np.flatnonzero(totals >= edge - SCALE.tie)
    if mode == "informative":
        weights = np.array(list(rubric.weights.values()))
        parts = values[band] * weights / weights.sum() / SCALE.width
        return [int(band[i]) for i in informative_choice(parts, n, seed=int(rng.integers(2**31)))]
    return [int(band[i]) for i in stratified_choice(totals[band], n, seed=int(rng.integers(2**31)))]


def ranked(rubric, values, chosen, valued) -> RankedSample:
    table = SubScores(tuple(rubric.weights), values[chosen])
    _, positions = np.unique(np.round(valued, 9), return_inverse=True)
    labels = tuple("ABCDEFGHIJKL"[: len(chosen)])
    machine = tuple(table.totals(rubric).tolist())
    return RankedSample(labels, labels, tuple(positions.tolist()), machine, table, SCALE.tie)


def run(rng, heaviness, n, noise, mode, subscores, each) -> Tally:
    tally = Tally()
    while tally.made < each:
        tally.drawn += 1
        rubric, values = make(rng, heaviness, subscores)
        chosen = draw(rng, rubric, values, n, mode)
        valued = SubScores(tuple(rubric.weights), values[chosen]).totals(rubric.without([PLANTED]))
        valued = valued + rng.normal(0, noise * SCALE.width, n) if noise else valued
        sample = ranked(rubric, values, chosen, valued)
        _, inverted = sample.split(sample.machine)
        if not inverted:
            continue
        tally.made += 1
        found = blame(rubric, SCALE, sample.sub_scores, sample.owner)
        first = next(iter(found.by_criterion))
        tally.top += first == PLANTED
        tally.naive += naive(rubric, sample, inverted) == PLANTED
        tally.covered += PLANTED in found.candidates
        tally.size += len(found.candidates)
        tally.noise += found.noise
        if found.driver:
            tally.confident += 1
            tally.confident_right += found.driver == PLANTED
        for suspect in found.suspects:
            adjustment = adjust(rubric, SCALE, sample, suspect)
            if adjustment is not None:
                tally.proposals += 1
                tally.about_planted += suspect == PLANTED
                tally.false_claims += recheck(rubric, sample, adjustment)
    return tally


def naive(rubric, sample, inverted) -> str:
    """The criterion with the largest weighted contribution in the most inversions."""
    votes = dict.fromkeys(rubric.weights, 0)
    for better, worse in inverted:
        difference = sample.sub_scores.values[worse] - sample.sub_scores.values[better]
        parts = difference * np.array(list(rubric.weights.values()))
        votes[list(rubric.weights)[int(np.argmax(parts))]] += 1
    return max(votes, key=votes.get)


def recheck(rubric, sample, adjustment) -> list[str]:
    """What an adjustment claims that is not so, worked out again in plain Python."""
    weights = {c.id: c.weight for c in rubric.criteria}
    rows = [dict(zip(sample.sub_scores.ids, row, strict=True)) for row in sample.sub_scores.values.tolist()]
    new_weights, new_rows = dict(weights), [dict(row) for row in rows]
    if adjustment.action == "reweight":
        new_weights[adjustment.criterion] = adjustment.weight
    elif adjustment.action == "retire":
        del new_weights[adjustment.criterion]
    else:
        for number in adjustment.relieved:
            new_rows[number][adjustment.criterion] = SCALE.low
    old, new = [plain_mean(weights, row) for row in rows], [plain_mean(new_weights, row) for row in new_rows]
    pairs = [(a, b) for a, b in product(range(len(rows)), repeat=2) if sample.owner[a] > sample.owner[b]]
    right = {pair for pair in pairs if new[pair[0]] - new[pair[1]] > SCALE.tie}
    resolves = {(a, b) for a, b in pairs if old[b] - old[a] > SCALE.tie} & right
    breaks = {(a, b) for a, b in pairs if old[a] - old[b] > SCALE.tie} - right
    wrong = []
    if resolves != set(adjustment.effect.resolves) or not resolves:
        wrong.append(f"resolves {sorted(resolves)}, claimed {adjustment.effect.resolves}")
    if breaks or adjustment.effect.breaks:
        wrong.append(f"breaks {sorted(breaks)}, claimed {adjustment.effect.breaks}")
    return wrong


def plain_mean(weights, row) -> float:
    return sum(weights[key] * row[key] for key in weights) / sum(weights.values())


def undrifted(rng, n, noise, mode, subscores, count) -> tuple[int, int, int]:
    """Of `count` passes over sound evaluators: with an inversion, with a driver named, with proposals."""
    with_inversion = with_driver = with_proposals = 0
    for _ in range(count):
        rubric, values = make(rng, (0.5, 1.5), subscores)
        chosen = draw(rng, rubric, values, n, mode)
        valued = SubScores(tuple(rubric.weights), values[chosen]).totals(rubric)
        valued = valued + rng.normal(0, noise * SCALE.width, n) if noise else valued
        sample = ranked(rubric, values, chosen, valued)
        if not sample.split(sample.machine)[1]:
            continue
        with_inversion += 1
        found = blame(rubric, SCALE, sample.sub_scores, sample.owner)
        with_driver += found.driver is not None
        with_proposals += any(adjust(rubric, SCALE, sample, suspect) for suspect in found.suspects)
    return with_inversion, with_driver, with_proposals


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}" if whole else "none"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=1000, help="evaluators with an inversion in each setting")
    parser.add_argument("--undrifted", type=int, default=1000, help="evaluators without drift in each setting")
    parser.add_argument("--seed", type=int, default=20261201)
    parser.add_argument("--markdown", type=Path, help="write the tables to this file too")
    args = parser.parse_args()
    lines = [f"Seed {args.seed}; {args.each} evaluators with an inversion in each row. All figures in percent.", ""]
    columns = "sub-scores, weight, noise, n, sample, on top, naive, named, right when named, in the 90% set, set size"
    lines += [f"| {' | '.join(columns.split(', '))} | proposals | about it |", "|---" * 13 + "|"]
    false_claims: list[str] = []
    for row, (subscores, noise, heaviness, n, mode) in enumerate(
        product(("whole", "even"), (0.0, 0.1), ((1, 2), (2, 4)), (5, 8), ("stratified", "informative"))
    ):
        rng = np.random.default_rng([args.seed, row])
        t = run(rng, heaviness, n, noise, mode, subscores, args.each)
        false_claims += t.false_claims
        cells = [subscores, f"{heaviness[0]} to {heaviness[1]}", f"{noise:.0%}", n, mode]
        cells += [percent(part, t.made) for part in (t.top, t.naive, t.confident)]
        cells += [percent(t.confident_right, t.confident), percent(t.covered, t.made), f"{t.size / t.made:.2f}"]
        cells += [t.proposals, percent(t.about_planted, t.proposals)]
        lines.append(f"| {' | '.join(str(cell) for cell in cells)} |")
        print(lines[-1], flush=True)
    told = f"A driver is named from {CONFIDENT} on, and {LIKELY} under two harder looks."
    lines += ["", f"{told} False claims of proposals: {len(false_claims)}.", "", "Without drift:", ""]
    columns = "sub-scores, noise, n, sample, evaluators, with an inversion, driver named, with proposals"
    lines += [f"| {' | '.join(columns.split(', '))} |", "|---" * 8 + "|"]
    for row, (subscores, noise, n, mode) in enumerate(
        product(("whole", "even"), (0.0, 0.1), (5, 8), ("stratified", "informative"))
    ):
        rng = np.random.default_rng([args.seed, 1000 + row])
        inversion, driver, proposals = undrifted(rng, n, noise, mode, subscores, args.undrifted)
        lines.append(
            f"| {subscores} | {noise:.0%} | {n} | {mode} | {args.undrifted} | {inversion} | {driver} | {proposals} |"
        )
    text = "\n".join(lines)
    print(text)
    if args.markdown:
        args.markdown.write_text(text + "\n", encoding="utf-8")
    if false_claims:
        sys.exit(f"False claims: {false_claims[:3]}")


if __name__ == "__main__":
    main()
