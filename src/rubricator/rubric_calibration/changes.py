"""Changing a rubric: only what was approved, all of it or nothing, and back again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rubricator.adapters.rubric_edit import replace_file
from rubricator.calibration.agreement import kendall_tau_b
from rubricator.calibration.counterfactual import effect
from rubricator.calibration.ledger import recover
from rubricator.errors import ApprovalError, ConflictError, InputError
from rubricator.formats.rubric_files import Change, Edit, Retire, Reweight, Reword, changed, edit_rubric, undo
from rubricator.rubric_calibration.opened import OpenedEvaluator, sample_of


def changes_for(
    proposals: Sequence[Mapping[str, Any]], approved: Sequence[str], edited: Mapping[str, str]
) -> list[Change]:
    """The changes that the approved proposals ask for, with the owner's wording where there is one.

    Raises InputError for an id that was not proposed, or proposals that touch one criterion twice; ApprovalError for a
    narrowing without new words.
    """
    known = {p["id"]: p for p in proposals}
    if strange := sorted((set(approved) | set(edited)) - set(known)):
        raise InputError(
            f"There is no proposal {', '.join(strange)}.", hint=f"Proposed were: {', '.join(known) or 'none'}."
        )
    chosen = [known[identity] for identity in dict.fromkeys(approved)]
    found: list[Change] = []
    for proposal in chosen:
        criterion, words = proposal["criterion_id"], words_for(proposal, edited)
        if proposal["action"] == "narrow" and words in {"", proposal["before"]["text"].strip()}:
            raise ApprovalError(
                f"{proposal['id']} narrows “{proposal['criterion']}”, and the words for that are the owner's.",
                hint="Give the new text of the criterion with it.",
            )
        if proposal["action"] == "retire":
            found.append(Retire(criterion))
            continue
        if proposal["action"] == "reweight":
            found.append(Reweight(criterion, proposal["after"]["weight"]))
        if words and words != proposal["before"]["text"].strip():
            found.append(Reword(criterion, words))
    return found


def words_for(proposal: Mapping[str, Any], edited: Mapping[str, str]) -> str:
    """The criterion's new text: the owner's, else, for a narrowing, the one that was proposed; empty: it stays."""
    proposed = proposal["after"]["text"] if proposal["action"] == "narrow" else None
    return (edited.get(proposal["id"], "").strip() or proposed or "").strip()


def check_together(opened: OpenedEvaluator, changes: Sequence[Change], rows: Sequence[dict[str, Any]]) -> float | None:
    """What tau-b is predicted to be after `changes`; wording counts for nothing, since arithmetic can't foresee it.

    Raises ApprovalError where changes that each hold alone break a pair together.
    """
    rubric = opened.rubric
    sample = sample_of(rubric, rubric.scale, rows)
    after = rubric
    for change in changes:
        if not isinstance(change, Reword):
            after = changed(after, change)
    if after is rubric:
        return None
    if broken := effect(sample, rubric, after).breaks:
        pairs = ", ".join(" over ".join(sample.names(pair)) for pair in broken)
        raise ApprovalError(
            f"Together, these changes would break pairs that agree: {pairs}.", hint="Approve one of them at a time."
        )
    return kendall_tau_b(sample.owner, sample.levels(sample.totals(after)))[0]


def check_unchanged(opened: OpenedEvaluator, session: str, expected_sha256: str) -> None:
    """Raise ConflictError where the rubric file is not the one that the pass began with."""
    if opened.rubric_sha256 == expected_sha256:
        return
    if any(event.session == session and event.type == "changes_applied" for event in opened.events):
        raise ConflictError(
            f"{session} was applied already, by a process that was cut off before it could say so.",
            hint=f"See `rubricator calibrate log`; `rubricator calibrate revert {session}` undoes it.",
        )
    raise ConflictError(
        f"{opened.place.rubric_path} changed since the pass began.",
        hint="Look at the change, and start a new pass: the proposals were proved for the rubric as it was.",
    )


def apply(
    opened: OpenedEvaluator, session: str, changes: Sequence[Change], *, about: Mapping[str, Any], now: datetime
) -> dict[str, Any]:
    """Write the changes into the rubric file, with the intention in the ledger before and the deed after."""
    edited = edit_rubric(opened.rubric_bytes, opened.place.rubric_path.name, changes, format=opened.place.format)
    edits = [edit.to_json() for edit in edited.edits]
    return _write(opened, session, edited.content, edits, kind="changes_applied", about=about, now=now)


def revert(opened: OpenedEvaluator, session: str, now: datetime) -> dict[str, Any]:
    """Give the rubric file back as it was before the session's changes.

    Raises InputError where the session changed nothing or was reverted already, ConflictError where the file changed
    since.
    """
    deeds = [e for e in opened.events if e.session == session and e.type in {"changes_applied", "changes_reverted"}]
    if not deeds or deeds[-1].type == "changes_reverted":
        raise InputError(f"{session} has no change that could be reverted.", hint="See `rubricator calibrate log`.")
    deed = deeds[-1].data
    if opened.rubric_sha256 != deed["after_sha256"]:
        raise ConflictError(
            f"{opened.place.rubric_path} changed after the changes of {session} were applied.",
            hint="Undo the later change first, or edit the file by hand.",
        )
    content = undo(opened.rubric_bytes, [Edit.from_json(edit) for edit in deed["edits"]])
    return _write(opened, session, content, deed["edits"], kind="changes_reverted", about={}, now=now)


def settle(opened: OpenedEvaluator, now: datetime) -> bool:
    """Finish what a killed process left: an intention in the ledger without the deed, decided by the file itself.

    Returns whether there was any.
    """
    open_intent = recover(opened.events, opened.rubric_sha256)
    if open_intent is None:
        return False
    intent, outcome = open_intent
    if outcome == "applied":
        opened.ledger.append(str(intent.data["kind"]), intent.session, _deed(opened, intent.data), now)
    else:
        opened.ledger.append("change_abandoned", intent.session, {"reason": outcome}, now)
    return True


def _write(
    opened: OpenedEvaluator,
    session: str,
    content: bytes,
    edits: list[dict[str, Any]],
    *,
    kind: str,
    about: Mapping[str, Any],
    now: datetime,
) -> dict[str, Any]:
    intent = {
        "kind": kind,
        "before_sha256": opened.rubric_sha256,
        "after_sha256": hashlib.sha256(content).hexdigest(),
        "edits": edits,
        **about,
    }
    opened.ledger.append("change_intended", session, intent, now)
    replace_file(opened.place.rubric_path, opened.rubric_sha256, content)
    after = OpenedEvaluator(opened.place)
    deed = _deed(after, intent)
    after.ledger.append(kind, session, deed, now)
    return deed


def _deed(opened: OpenedEvaluator, intent: Mapping[str, Any]) -> dict[str, Any]:
    """What was done, with the rubric as it is now: what later passes measure learning against."""
    kept = {key: value for key, value in intent.items() if key != "kind"}
    return {**kept, "rubric": opened.rubric.to_json(), "rubric_version": opened.rubric.version}
