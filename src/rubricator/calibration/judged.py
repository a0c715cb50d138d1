"""What a model judged of a pass, laid beside what arithmetic found: marked as a model's, and nowhere called proved.

A model is asked only where the evaluator's order can't be explained from sub-scores, and only about inversions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rubricator.core.rubric import Criterion, Rubric

METHOD: Final = "inference"
MOST_PROPOSALS: Final = 3


def open_inversions(told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The inversions of a report that a model may be asked about; none where sub-scores give the stored totals."""
    if told["finding"] != "drift" or told["reproduction"]["reproduced"]:
        return []
    return [inversion for inversion in told["inversions"] if inversion["attribution"]["method"] == "none"]


def wordless(proposed: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The proposals that hold by arithmetic and lack only their words."""
    return [proposal for proposal in proposed["proposals"] if proposal["needs_wording"]]


def is_open(told: Mapping[str, Any], proposed: Mapping[str, Any]) -> bool:
    """Whether a pass holds anything that a model could be asked about."""
    return bool(open_inversions(told) or wordless(proposed))


def by_criterion(attributions: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """The judged inversions by criterion, those with most of them first."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for attribution in attributions:
        found.setdefault(attribution["criterion"], []).append(attribution)
    return dict(sorted(found.items(), key=lambda entry: -len(entry[1])))


def driver(criterion: Criterion, inversions: int) -> dict[str, Any]:
    """A driver as a report lists it; its probability is None, since nothing was computed."""
    return {
        "criterion": criterion.name,
        "id": criterion.id,
        "probability": None,
        "confident": False,
        "inversions": inversions,
        "quote": criterion.text,
        "weight": criterion.weight,
        "added": criterion.added,
        "source": criterion.source,
        "method": METHOD,
    }


def refusal(rubric: Rubric, criterion: Criterion, adjustment: Mapping[str, Any]) -> str:
    """Why an adjustment that fits its contract is no change to this rubric, or nothing."""
    if adjustment["action"] == "retire" and rubric.criteria == (criterion,):
        return f"The model would retire “{criterion.name}”, the only criterion."
    return ""


def proposal(
    number: int, criterion: Criterion, adjustment: Mapping[str, Any], caused: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """A model's adjustment as a proposal. What arithmetic would prove is None, and `to_verify` says what would."""
    action = adjustment["action"]
    labels = sorted({label for pair in caused for label in (pair["preferred"], pair["over"])})
    text = {"narrow": adjustment["proposed_text"], "reweight": criterion.text, "retire": None}[action]
    weight = {"narrow": criterion.weight, "reweight": adjustment["weight"], "retire": None}[action]
    return {
        "id": f"p{number}",
        "criterion": criterion.name,
        "criterion_id": criterion.id,
        "action": action,
        "before": {"weight": criterion.weight, "text": criterion.text},
        "after": {"weight": weight, "text": text},
        "needs_wording": False,
        "resolves": None,
        "breaks": None,
        "contradicts_earlier": None,
        "leave_one_out": None,
        "order_change": None,
        "ranks_after": None,
        "relieves": sorted({pair["over"] for pair in caused}),
        "verified": False,
        "to_verify": rescoring(labels),
        "method": METHOD,
        "rationale": f"{adjustment['model']} proposes it: {adjustment['rationale']}",
    }


def rescoring(labels: Sequence[str]) -> str:
    """What would verify a change that arithmetic can't foresee."""
    return (
        f"Have the evaluator score {', '.join(labels)} again by the changed rubric, and see whether the pairs come out "
        "in your order."
    )


def with_judgement(told: Mapping[str, Any], judged: Mapping[str, Any] | None) -> dict[str, Any]:
    """A report with what a model judged; `inference` is None where none was asked."""
    if judged is None:
        return {**told, "inference": None}
    known = {(a["preferred"], a["over"]): a for a in judged["attributions"]}
    asked = open_inversions(told)
    inversions = [
        {**i, "attribution": _attribution(i["attribution"], known.get((i["preferred"], i["over"])))}
        for i in told["inversions"]
    ]
    note = told["unattributed"]
    if asked and known:
        note = (
            f"Arithmetic attributes nothing: {told['reproduction']['reason']} A model read the artifacts against the "
            f"criteria for {len(known)} of {len(asked)} inversions; what it says is a reading, not a proof."
        )
    return {
        **told,
        "inversions": inversions,
        "drivers": told["drivers"] or judged["drivers"],
        "unattributed": note,
        "inference": {"records": judged["records"], "missing": judged["missing"]},
    }


def proposals_with_judgement(proposed: Mapping[str, Any], judged: Mapping[str, Any] | None) -> dict[str, Any]:
    """The proposals with a model's words where they lacked any, or with a model's own where arithmetic had none."""
    if judged is None:
        return dict(proposed)
    worded = [_worded(p, judged["wordings"].get(p["id"])) for p in proposed["proposals"]]
    if worded or not judged["proposals"]:
        return {**proposed, "proposals": worded}
    count = len(judged["proposals"])
    what = "One change is" if count == 1 else f"{count} changes are"
    message = (
        f"{what} proposed by a model, and no arithmetic bears {'it' if count == 1 else 'them'} out. Approve at most "
        "one, have these artifacts scored again, and see at the next pass."
    )
    return {**proposed, "proposals": list(judged["proposals"]), "message": message}


def _attribution(before: Mapping[str, Any], judged: Mapping[str, Any] | None) -> dict[str, Any]:
    if judged is None or before["method"] != "none":
        return dict(before)
    return {
        **before,
        "method": METHOD,
        "criterion": judged["criterion"],
        "quote": judged["quote"],
        "explanation": f"“{judged['criterion']}”, as {judged['model']} reads it: {judged['explanation']}",
    }


def _worded(proposal: Mapping[str, Any], wording: Mapping[str, Any] | None) -> dict[str, Any]:
    if wording is None:
        return dict(proposal)
    return {
        **proposal,
        "after": {**proposal["after"], "text": wording["text"]},
        "needs_wording": False,
        "rationale": f"{proposal['rationale']} {wording['model']} suggests words: {wording['rationale']}",
    }
