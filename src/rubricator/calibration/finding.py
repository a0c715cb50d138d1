"""The one headline of a pass, and the rule by which it is found."""

from __future__ import annotations

from typing import Final, Literal

from rubricator.calibration.agreement import Agreement
from rubricator.calibration.score_range import ScoreRange

Finding = Literal["no_calibration_needed", "drift", "no_discrimination", "insufficient", "halted"]

HEADLINES: Final[dict[Finding, str]] = {
    "no_calibration_needed": "No calibration needed: the evaluator orders these artifacts as you do.",
    "drift": "The rubric has drifted from what you value.",
    "no_discrimination": "The evaluator does not tell these artifacts apart.",
    "insufficient": "This pass can't say anything.",
    "halted": "The pass was halted: without your ranking there is no ground truth, and none is inferred.",
}

FEWEST: Final = 3
"""Fewer ranked artifacts than this are no pass."""


def find(agreement: Agreement, score_range: ScoreRange, *, sealed: bool) -> tuple[Finding, str]:
    """The finding of a committed pass, and the sentence that gives its reason.

    In this order: `insufficient` where the scores are not those that were sealed, fewer than three artifacts were
    ranked, or the owner ties them all; `no_discrimination` where the logged scores are compressed, or the evaluator
    ties every pair that the owner tells apart; `drift` where a pair is inverted; else `no_calibration_needed`.
    """
    pairs = agreement.pairs
    told_apart = pairs.agreeing + len(pairs.inversions) + pairs.machine_ties
    if nothing := _too_little(agreement, told_apart, sealed=sealed):
        return "insufficient", nothing
    if score_range.compressed:
        share = f"{score_range.densest_share:.0%} of the logged scores lie within a window of 5% of the scale's width."
        return "no_discrimination", f"{share} Scores this close carry no order that a criterion could be blamed for."
    if pairs.machine_ties == told_apart:
        return "no_discrimination", "Every pair that you tell apart has the same score."
    if pairs.inversions:
        inverted = len(pairs.inversions)
        return "drift", f"{inverted} of {told_apart} pairs that you tell apart are scored the other way round."
    ties = f", and {pairs.machine_ties} it ties" if pairs.machine_ties else ""
    return "no_calibration_needed", f"{pairs.agreeing} of {told_apart} pairs are scored in your order{ties}."


def _too_little(agreement: Agreement, told_apart: int, *, sealed: bool) -> str:
    """Why a pass can't say anything, or nothing."""
    if not sealed:
        return "The score log is not the one that was sealed when the pass began."
    if agreement.n < FEWEST:
        return f"Only {agreement.n} artifacts were ranked."
    return "" if told_apart else "You tied all artifacts, so there is no order to compare with."
