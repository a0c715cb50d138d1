"""An evidence pack as Markdown: for a report, a ticket, a person. Corpus text stays fenced as quotation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rubricator.core.fence import fenced, inline, one_line, visible
from rubricator.memory.pack import EvidencePack

CLASSES: Final[Mapping[str, str]] = {
    "rubric_supported": "The rubric bears the reviewer out.",
    "rubric_conflicting": "The rubric speaks against the reviewer.",
    "rubric_gap": "The rubric leaves this open.",
    "historical_context": "Something of the past bears on this; the rubric as it stands is not changed by it.",
    "possible_stale_rubric": "The rubric may be out of date: something newer departs from it.",
}


def render_pack(pack: EvidencePack) -> str:
    """The pack as Markdown: the verdict and its confidence first, then why, then the evidence."""
    authority = pack.authority
    parts = [
        f"# Evidence pack: {one_line(authority['scorecard'])} / {one_line(authority['score'])}",
        _verdict(pack),
        f"## What the rubric says\n\n{_rubric(pack)}",
        f"## Why they disagree\n\n{_prose(pack.likely_reason_for_disagreement)}",
    ]
    for title, found in (
        ("Supporting evidence", pack.supporting_evidence),
        ("Conflicting evidence", pack.conflicting_evidence),
        ("Historical context", pack.historical_context),
    ):
        if found:
            parts.append(f"## {title}\n\n" + "\n\n".join(_evidence(entry) for entry in found))
    parts += [
        f"## History\n\n{_history(pack.history_of_change)}",
        f"## Open questions\n\n{_listed(pack.open_questions)}",
    ]
    if pack.diagnostics:
        parts.append(f"## Notes\n\n{_listed(pack.diagnostics)}")
    return "\n\n".join(parts) + "\n"


def _verdict(pack: EvidencePack) -> str:
    made = pack.synthesizer
    by = one_line(str(made.get("model") or made.get("kind", "")))
    paragraphs = [
        f"**{CLASSES[pack.evidence_classification]}** (`{pack.evidence_classification}`)",
        f"Confidence: **{pack.confidence}**. Score version {one_line(pack.score_version_id)}. Synthesizer: {by}.",
    ]
    if made.get("note"):
        paragraphs.append(str(made["note"]))
    caps = [f"- {one_line(cap['reason'])} (at most {cap['at_most']})" for cap in pack.confidence_inputs["caps"]]
    return "\n\n".join([*paragraphs, "\n".join(caps)])


def _prose(text: str) -> str:
    """Words of ours, or of a model that was held to the ids it was given: on one line, and as they are."""
    return " ".join(visible(text).split())


def _rubric(pack: EvidencePack) -> str:
    if not pack.rubric_quotes:
        return pack.rubric_reading
    return "\n\n".join(
        f"> {' '.join(quote['quote'].split())}\n\n[{quote['citation_id']}] {inline(quote['source'])}"
        for quote in pack.rubric_quotes
    )


def _evidence(entry: Mapping[str, Any]) -> str:
    facts = [entry["scope"], entry["date"] or "undated", *(one_line(signal) for signal in entry["signals"])]
    head = f"### [{entry['citation_id']}] {inline(entry['source'])}"
    return f"{head}\n\n{' · '.join(facts)}\n\n{fenced(entry['excerpt'], entry['citation_id'])}"


def _history(events: Sequence[Mapping[str, Any]]) -> str:
    if not events:
        return "No dated passage was found."
    return "\n".join(
        f"- {event['date']} [{event['citation_id']}] {event['label']}: {one_line(event['excerpt'])}" for event in events
    )


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {_prose(line)}" for line in lines) or "None."
