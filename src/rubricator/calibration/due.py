"""Whether a pass is due: by what was learned since the last one, never by the calendar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rubricator.core.rubric import Rubric, shortest

Kind = Literal["added", "removed", "reworded", "weight", "scale", "aggregate"]


@dataclass(frozen=True, slots=True)
class LearningEvent:
    """One thing in which two versions of a rubric differ. `criterion` is its name, empty for the rubric as a whole."""

    kind: Kind
    criterion: str
    detail: str

    def to_json(self) -> dict[str, Any]:
        """The event as JSON."""
        return {"kind": self.kind, "criterion": self.criterion, "detail": self.detail}


def learning_events(then: Rubric, now: Rubric) -> list[LearningEvent]:
    """What was learned between two versions: criteria added, removed or reworded, weights, scale or aggregate changed.

    A criterion is the same while its id is.
    """
    before, after = {c.id: c for c in then.criteria}, {c.id: c for c in now.criteria}
    found: list[LearningEvent] = []
    for key, criterion in after.items():
        old = before.get(key)
        if old is None:
            detail = f"“{criterion.name}” was added with weight {shortest(criterion.weight)}"
            found.append(LearningEvent("added", criterion.name, detail))
            continue
        if old.weight != criterion.weight:
            detail = f"“{criterion.name}” weight {shortest(old.weight)} → {shortest(criterion.weight)}"
            found.append(LearningEvent("weight", criterion.name, detail))
        if old.text.split() != criterion.text.split():
            found.append(LearningEvent("reworded", criterion.name, f"“{criterion.name}” was reworded"))
    found += [
        LearningEvent("removed", c.name, f"“{c.name}” was taken out") for key, c in before.items() if key not in after
    ]
    if then.scale != now.scale and then.scale and now.scale:
        found.append(LearningEvent("scale", "", f"the scale is now {now.scale.low:g} to {now.scale.high:g}"))
    if (then.aggregate, then.formula) != (now.aggregate, now.formula):
        found.append(LearningEvent("aggregate", "", f"the total is now made by {now.aggregate.replace('_', ' ')}"))
    return found


def due(evaluator: str, then: Rubric | None, now: Rubric, *, since: str | None) -> dict[str, Any]:
    """Whether a pass is due: {"evaluator", "due", "events", "since", "reason"}.

    `then` is the rubric as the last pass left it, None where there was no pass.
    """
    events: Sequence[LearningEvent] = [] if then is None else learning_events(then, now)
    if then is None:
        reason = "There was no pass yet."
    elif events:
        reason = f"{len(events)} learning event{'s' * (len(events) > 1)} since the last pass."
    else:
        reason = "The rubric is as the last pass left it."
    return {
        "evaluator": evaluator,
        "due": then is None or bool(events),
        "events": [event.to_json() for event in events],
        "since": since,
        "reason": reason,
    }
