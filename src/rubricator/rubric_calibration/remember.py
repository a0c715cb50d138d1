"""An approved change as dated memory: a note in the score's knowledge base, so that a later retrieval can cite it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from rubricator.adapters.evaluators import Evaluator
from rubricator.adapters.files import replace_atomically
from rubricator.core.scope import KNOWLEDGE_BASE
from rubricator.rubric_calibration.opened import OpenedEvaluator


def note_path(place: Evaluator) -> Path:
    """The knowledge base of an evaluator: beside its rubric, with the rubric's stem, as beside every score."""
    return place.rubric_path.with_name(place.rubric_path.stem + KNOWLEDGE_BASE)


def write_note(
    opened: OpenedEvaluator,
    session: str,
    result: Mapping[str, Any],
    approved: Sequence[Mapping[str, Any]],
    now: datetime,
) -> Path:
    """Write the note of a pass under today's date and return its path."""
    path = note_path(opened.place) / now.date().isoformat() / f"calibration-{session}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_atomically(path, note(opened.place.name, session, result, approved, now))
    return path


def note(
    evaluator: str,
    session: str,
    result: Mapping[str, Any],
    approved: Sequence[Mapping[str, Any]],
    now: datetime,
) -> str:
    """The note's text: what was changed (`approved`, as applied), and what the owner's ranking showed."""
    told = result["report"]
    lines = [
        f"# Calibration of {evaluator}, {now.date().isoformat()}",
        "",
        f"The owner ranked {told['n']} artifacts blind (pass {session}). {told['reason']}",
        "",
    ]
    for proposal in approved:
        lines += [f"## {proposal['criterion']}: {_deed(proposal)}", "", proposal["rationale"], ""]
        if (words := proposal["after"]["text"]) and words.strip() != proposal["before"]["text"].strip():
            lines += ["The criterion now reads:", "", words, ""]
        if not proposal["verified"]:
            lines += ["No arithmetic bears this out.", ""]
    if told["revision_story"]:
        lines += [told["revision_story"], ""]
    noted = [(row["label"], row["note"]) for row in told["sample"] if row["note"]]
    if noted:
        lines += ["## What the owner noted", "", *(f"- {label}: {text}" for label, text in noted), ""]
    return "\n".join([*lines, told["caveat"], ""])


def _deed(proposal: Mapping[str, Any]) -> str:
    before, after = proposal["before"]["weight"], proposal["after"]["weight"]
    return {
        "reweight": f"weight {before:g} → {after:g}" if after is not None else "",
        "retire": "retired",
        "narrow": "narrowed",
    }[proposal["action"]]
