"""From a committed ranking to its finding: agreement, attribution, drivers, adjustments and drift, in that order.

Each step says what it could not do. Nothing here is opinion: the same facts give the same analysis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from rubricator.calibration.adjustments import Adjustment, adjust
from rubricator.calibration.agreement import Agreement, agreement
from rubricator.calibration.attribution import Attribution, attribute
from rubricator.calibration.counterfactual import contradictions, leave_one_out, order_change, ranks
from rubricator.calibration.drivers import Blame, blame
from rubricator.calibration.finding import Finding, find
from rubricator.calibration.judged import rescoring
from rubricator.calibration.ranked_sample import RankedSample
from rubricator.calibration.revisions import PastRubric, RevisionAgreement, by_revision
from rubricator.calibration.score_range import ScoreRange, score_range
from rubricator.calibration.totals import Reproduction, SubScores, reproduction
from rubricator.core.rubric import Rubric, Scale

_MOST_PROPOSALS: Final = 3


@dataclass(frozen=True)
class LoggedScores:
    """The newest scores of all logged artifacts: their names, totals and sub-scores, in one order."""

    artifacts: tuple[str, ...]
    totals: tuple[float, ...]
    sub_scores: SubScores


@dataclass(frozen=True)
class PassFacts:
    """What a pass is analysed from. `sealed` is whether the scores are those that were sealed at its start.

    `history` are the rubric's revisions, oldest first; `earlier` the samples of earlier passes by session, with the
    owner's rankings; `seed` serves the Monte Carlo p of larger samples.
    """

    rubric: Rubric
    scale: Scale
    sample: RankedSample
    logged: LoggedScores
    sealed: bool = True
    history: Sequence[PastRubric] = ()
    earlier: Sequence[tuple[str, RankedSample]] = ()
    seed: int = 0


@dataclass(frozen=True)
class Analysis:
    """What a pass found.

    `attributions` and `blame` are empty and None where attribution was suppressed or impossible; `unattributed` then
    says why.
    """

    facts: PassFacts
    agreement: Agreement
    score_range: ScoreRange
    finding: Finding
    reason: str
    reproduction: Reproduction
    attributions: tuple[Attribution, ...] = ()
    blame: Blame | None = None
    unattributed: str = ""
    adjustments: tuple[Adjustment, ...] = ()
    revisions: tuple[RevisionAgreement, ...] = ()

    @property
    def driving(self) -> dict[str, int]:
        """How many inversions are attributed to each criterion, by id."""
        named = [found.criterion for found in self.attributions if found.criterion]
        return {criterion: named.count(criterion) for criterion in dict.fromkeys(named)}


def analyse(facts: PassFacts) -> Analysis:
    """The analysis of a committed pass."""
    sample, scale = facts.sample, facts.scale
    agreed = agreement(sample.owner, sample.machine, tie=scale.tie, seed=facts.seed)
    spread = score_range(facts.logged.totals, scale)
    finding, reason = find(agreed, spread, sealed=facts.sealed)
    reproduced = reproduction(facts.rubric, scale, sample.sub_scores, sample.machine)
    found = Analysis(facts, agreed, spread, finding, reason, reproduced)
    if finding not in {"drift", "no_calibration_needed"}:
        return found
    revisions = tuple(by_revision(sample, facts.history)) if reproduced.reproduced else ()
    if finding != "drift":
        return replace(found, revisions=revisions)
    if not reproduced.reproduced:
        return replace(found, unattributed=f"Nothing is attributed. {reproduced.reason}")
    totals = sample.totals(facts.rubric)
    _, by_stored = sample.split(sample.machine)
    _, by_totals = sample.split(totals)
    pairs = sorted(by_stored & by_totals)
    to_blame = blame(facts.rubric, scale, sample.sub_scores, sample.owner)
    attributions = attribute(facts.rubric, sample, pairs, to_blame.by_criterion if to_blame else {})
    lost = len(by_stored - by_totals)
    note = f"{lost} inversions come from rounding of the stored totals and are not attributed." if lost else ""
    return replace(
        found,
        attributions=tuple(attributions),
        blame=to_blame,
        unattributed=note,
        adjustments=tuple(_adjustments(facts, to_blame)) if to_blame else (),
        revisions=revisions,
    )


def _adjustments(facts: PassFacts, to_blame: Blame) -> list[Adjustment]:
    """What holds for the suspects, at most three changes."""
    made = (adjust(facts.rubric, facts.scale, facts.sample, suspect) for suspect in to_blame.suspects)
    return [adjustment for adjustment in made if adjustment is not None][:_MOST_PROPOSALS]


def proposal(number: int, adjustment: Adjustment, found: Analysis) -> dict[str, Any]:
    """One adjustment as JSON, with everything that was proved of it."""
    facts = found.facts
    rubric, sample = facts.rubric, facts.sample
    criterion = next(c for c in rubric.criteria if c.id == adjustment.criterion)
    after = adjustment.after
    effect = adjustment.effect
    return {
        "id": f"p{number}",
        "criterion": criterion.name,
        "criterion_id": criterion.id,
        "action": adjustment.action,
        "before": {"weight": criterion.weight, "text": criterion.text},
        "after": {
            "weight": adjustment.weight
            if adjustment.action == "reweight"
            else _kept_weight(adjustment, criterion.weight),
            "text": None if adjustment.action != "reweight" else criterion.text,
        },
        "needs_wording": adjustment.action == "narrow",
        "resolves": [sample.names(pair) for pair in effect.resolves],
        "breaks": [sample.names(pair) for pair in effect.breaks],
        "contradicts_earlier": contradictions(facts.earlier, rubric, after) if after else [],
        "leave_one_out": leave_one_out(sample, rubric, after) if after else None,
        "order_change": order_change(facts.logged.artifacts, facts.logged.sub_scores, facts.scale.tie, rubric, after)
        if after
        else None,
        "ranks_after": dict(zip(sample.labels, ranks(adjustment.totals, sample.tie), strict=True)),
        "relieves": [sample.labels[n] for n in adjustment.relieved],
        "verified": effect.holds and adjustment.action != "narrow",
        "to_verify": rescoring([sample.labels[n] for n in adjustment.relieved])
        if adjustment.action == "narrow"
        else None,
        "method": "sub_scores",
        "rationale": _rationale(adjustment, found),
    }


def _kept_weight(adjustment: Adjustment, weight: float) -> float | None:
    return weight if adjustment.action == "narrow" else None


def _rationale(adjustment: Adjustment, found: Analysis) -> str:
    rubric, sample = found.facts.rubric, found.facts.sample
    criterion = next(c for c in rubric.criteria if c.id == adjustment.criterion)
    inversions = len(found.agreement.pairs.inversions)
    does = f"resolves {len(adjustment.effect.resolves)} of {inversions} inversions and breaks no pair that agrees"
    if adjustment.action == "reweight":
        return f"The smallest change of the weight of “{criterion.name}” that helps: it {does}."
    if adjustment.action == "retire":
        return f"The weight of “{criterion.name}” would have to go to nothing. Retiring it {does}."
    who = ", ".join(sample.labels[n] for n in adjustment.relieved)
    return (
        f"No weight does it. If “{criterion.name}” no longer rewarded {who}, that alone {does}. "
        "The words for it must come from you."
    )


def proposals_message(found: Analysis) -> str:
    """What to make of the proposals, or why there are none."""
    count = len(found.adjustments)
    if found.finding == "no_calibration_needed":
        return "No calibration needed."
    if not count:
        return f"No proposals. {_why_none(found)}"
    if count == 1:
        return "One change holds. Approve it, change its wording, or leave the rubric as it is."
    return (
        f"{count} changes hold, each alone. So few artifacts can't tell which is right: approve at most one now, and "
        "see at the next pass."
    )


def _why_none(found: Analysis) -> str:
    if found.finding != "drift":
        return found.reason
    if not found.attributions:
        return found.unattributed or "No inversion can be attributed."
    if found.blame and not found.blame.suspects:
        return "No criterion is likelier than the mere noise of ranking."
    return "No change to a single criterion resolves an inversion without breaking a pair that agrees."
