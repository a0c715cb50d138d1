"""The report of a committed pass, as JSON: what other programs and the page read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rubricator.calibration.analysis import Analysis, proposal, proposals_message
from rubricator.calibration.attribution import Attribution
from rubricator.calibration.counterfactual import ranks
from rubricator.calibration.drivers import to_json as drivers_json
from rubricator.calibration.finding import HEADLINES
from rubricator.calibration.interpretation import caveat, confidence
from rubricator.calibration.revisions import story
from rubricator.calibration.score_range import dead_weight

UNREAD = "The ranking was made faster than anyone could read the artifacts: treat everything below as unread. "


@dataclass(frozen=True)
class PassRecord:
    """What a report states beside the analysis, as JSON values: who, what was read and for how long, what was sealed.

    `artifacts` has, by label, `words`, `seconds`, `note` and `masked`; `reading` says `seconds`, `words`,
    `minutes_estimated` and `unread`; `repeatability` and `seal` are those of the score log; `passed_over`
    are artifacts with the reason why they were not shown.
    """

    session: str
    evaluator: str
    mode: str
    artifacts: Mapping[str, Mapping[str, Any]]
    reading: Mapping[str, Any]
    seal: Mapping[str, Any]
    repeatability: Mapping[str, Any]
    passed_over: Sequence[Mapping[str, str]] = ()
    diagnostics: Sequence[str] = ()


def report(found: Analysis, record: PassRecord) -> dict[str, Any]:
    """The report. Fields are described in the documentation of the JSON."""
    facts, agreed = found.facts, found.agreement
    sample = facts.sample
    unread = bool(record.reading.get("unread"))
    attributions = {a.pair: a for a in found.attributions}
    _, inverted = sample.split(sample.machine)
    return {
        "session": record.session,
        "evaluator": record.evaluator,
        "finding": found.finding,
        "headline": HEADLINES[found.finding],
        "reason": found.reason,
        "n": agreed.n,
        "mode": record.mode,
        "unread": unread,
        "spearman": agreed.spearman,
        "kendall_tau_b": agreed.kendall_tau_b,
        "p_exact": agreed.p_exact,
        "p_spearman": agreed.p_spearman,
        "p_method": agreed.p_method,
        "undefined": dict(agreed.undefined),
        "confidence": "low" if unread else confidence(agreed.n, agreed.p_exact),
        "caveat": (UNREAD if unread else "") + caveat(agreed.n, agreed.p_exact) + _of_mode(record.mode),
        "score_range": found.score_range.to_json(),
        "agreeing": agreed.pairs.agreeing,
        "machine_ties": agreed.pairs.machine_ties,
        "owner_ties": agreed.pairs.owner_ties,
        "inversions": [_inversion(found, pair, attributions.get(pair)) for pair in sorted(inverted)],
        "unattributed": found.unattributed,
        "drivers": drivers_json(found.blame, facts.rubric, found.driving) if found.blame else [],
        "probabilities": _probabilities(found),
        "noise_probability": round(found.blame.noise, 4) if found.blame else None,
        "dead_weight": [
            {"criterion": name, "reason": reason}
            for name, reason in dead_weight(facts.rubric, facts.logged.sub_scores, facts.scale.tie)
        ],
        "sample": _sample(found, record),
        "reproduction": found.reproduction.to_json(),
        "seal": dict(record.seal),
        "revisions": [entry.to_json() for entry in found.revisions],
        "revision_story": story(found.revisions) if found.revisions else "",
        "repeatability": dict(record.repeatability),
        "reading": dict(record.reading),
        "rubric_version": facts.rubric.version,
        "passed_over": [dict(entry) for entry in record.passed_over],
        "diagnostics": list(record.diagnostics),
    }


def proposals(found: Analysis, session: str) -> dict[str, Any]:
    """The proposals of a pass and what to make of them."""
    return {
        "session": session,
        "proposals": [proposal(n, adjustment, found) for n, adjustment in enumerate(found.adjustments, start=1)],
        "message": proposals_message(found),
    }


def halted(session: str, evaluator: str, reason: str) -> dict[str, Any]:
    """The report of a pass that the owner declined."""
    return {
        "session": session,
        "evaluator": evaluator,
        "finding": "halted",
        "headline": HEADLINES["halted"],
        "reason": reason,
        "n": 0,
        "caveat": "Ground truth can't be inferred from scores.",
        "inversions": [],
        "drivers": [],
    }


def _probabilities(found: Analysis) -> dict[str, float]:
    """The probability of every criterion, by name, highest first; empty where nothing could be attributed."""
    if found.blame is None:
        return {}
    names = {c.id: c.name for c in found.facts.rubric.criteria}
    return {names[key]: round(value, 4) for key, value in found.blame.by_criterion.items()}


def _of_mode(mode: str) -> str:
    if mode != "informative":
        return ""
    return " The sample was chosen to tell the criteria apart, so its agreement says nothing of the evaluator at large."


def _inversion(found: Analysis, pair: tuple[int, int], attribution: Attribution | None) -> dict[str, Any]:
    sample = found.facts.sample
    better, worse = sample.names(pair)
    names = {c.id: c for c in found.facts.rubric.criteria}
    criterion = names.get(attribution.criterion or "") if attribution else None
    return {
        "preferred": better,
        "over": worse,
        "machine_scores": {better: sample.machine[pair[0]], worse: sample.machine[pair[1]]},
        "attribution": {
            "method": "sub_scores" if attribution else "none",
            "criterion": criterion.name if criterion else None,
            "quote": criterion.text if criterion else None,
            "contributions": {names[key].name: round(part, 6) for key, part in attribution.contributions.items()}
            if attribution
            else {},
            "removal_reverses": attribution.removal_reverses if attribution else None,
            "also_reversing": [names[key].name for key in attribution.reversing if key != attribution.criterion]
            if attribution
            else [],
            "explanation": _explanation(attribution, better, worse, criterion.name if criterion else ""),
        },
    }


def _explanation(attribution: Attribution | None, better: str, worse: str, name: str) -> str:
    if attribution is None:
        return "Not attributed."
    if attribution.criterion is None:
        return f"No criterion speaks for {worse} over {better}."
    part = attribution.contributions[attribution.criterion]
    does = "reverses the order" if attribution.removal_reverses else "does not reverse the order alone"
    return f"“{name}” puts {worse} ahead of {better} by {part:.2f}; taking it out {does}."


def _sample(found: Analysis, record: PassRecord) -> list[dict[str, Any]]:
    sample = found.facts.sample
    owner = ranks([float(position) for position in sample.owner], 0.5)
    machine = ranks(sample.machine, sample.tie)
    names = {c.id: c.name for c in found.facts.rubric.criteria}
    return [
        {
            "label": label,
            "artifact": sample.artifacts[n],
            "owner_rank": owner[n],
            "machine_rank": machine[n],
            "score": sample.machine[n],
            "criteria": {names[key]: value for key, value in sample.sub_scores.by_id(n).items()},
            **record.artifacts[label],
        }
        for n, label in enumerate(sample.labels)
    ]
