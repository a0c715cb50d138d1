"""Beginning a pass: choose the sample, mask and seal it, and lay down a session that holds no score."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Final

from rubricator.adapters.artifacts import Artifacts
from rubricator.adapters.evaluators import scale_of
from rubricator.adapters.score_log_file import log_prefix
from rubricator.adapters.session_store import SessionStore
from rubricator.calibration.finding import FEWEST
from rubricator.calibration.masking import Masked, mask
from rubricator.calibration.packet import BlindPacket, make_packet
from rubricator.calibration.sampling import Mode, Sample, sample, top_band
from rubricator.calibration.sealing import seal
from rubricator.core.rubric import Rubric
from rubricator.core.scores import Scoring
from rubricator.errors import InsufficientError
from rubricator.rubric_calibration.opened import OpenedEvaluator

RECENT_PASSES: Final = 2
"""Artifacts ranked in so many of the last passes are not shown again, unless there are too few others."""


def begin(
    opened: OpenedEvaluator, store: SessionStore, *, n: int, seed: int | None, mode: Mode, now: datetime
) -> dict[str, Any]:
    """Start a pass over `opened` and return its session, as kept in the store.

    Raises InsufficientError where fewer than three artifacts can be shown.
    """
    prefix, digest = log_prefix(opened.place.scores_path)
    log = opened.scores(upto=prefix)
    rubric = opened.rubric
    scale, scale_note = scale_of(rubric, log)
    seed = secrets.randbelow(2**31) if seed is None else seed
    band = top_band(log, scale, n)
    texts = Artifacts(opened.place)
    recent = _recently_ranked(opened)

    def usable(artifact: str) -> str | None:
        return recent.get(artifact) or texts.reason(artifact)

    chosen = sample(band, log, rubric, n, seed, mode, usable)
    notes = [*chosen.notes, *([scale_note] if scale_note else [])]
    if len(chosen.artifacts) < n and recent:
        again = sample(band, log, rubric, n, seed, mode, texts.reason)
        if len(again.artifacts) > len(chosen.artifacts):
            chosen = again
            notes.append("Some artifacts were ranked in a recent pass: there are too few others.")
    if len(chosen.artifacts) < FEWEST:
        raise InsufficientError(
            f"{opened.place.name} has only {len(chosen.artifacts)} artifacts that can be shown; a pass needs {FEWEST}.",
            hint=_why_passed_over(chosen) or "Score more artifacts.",
        )
    scorings = [log.newest[artifact] for artifact in chosen.artifacts]
    packet, labels = _packet(chosen, scorings, rubric, texts.text, seed)
    salt = secrets.token_hex(16)
    sealed = seal(salt, scorings)
    session = store.create(opened.place.name, now)
    packet = packet.of_session(session)
    private = {
        "session": session,
        "evaluator": opened.place.name,
        "token": secrets.token_urlsafe(24),
        "salt": salt,
        "seal": sealed,
        "labels": labels,
        "mode": mode,
        "seed": seed,
        "rubric_sha256": opened.rubric_sha256,
        "log_bytes": prefix,
        "log_sha256": digest,
        "started_at": now.isoformat(timespec="seconds"),
        "notes": notes,
        "passed_over": [list(entry) for entry in chosen.passed_over],
    }
    store.write(session, "session", private)
    store.write(session, "packet", packet.to_json())
    opened.ledger.append(
        "pass_started",
        session,
        {
            "evaluator": opened.place.name,
            "n": len(labels),
            "mode": mode,
            "seed": seed,
            "rubric": rubric.to_json(),
            "rubric_version": rubric.version,
            "rubric_sha256": opened.rubric_sha256,
            "seal": sealed,
            "labels": {label: texts.digest(artifact) for label, artifact in labels.items()},
            "reading_minutes": packet.reading_minutes,
            "band": {"size": band.size, "rule": band.rule},
            "passed_over": len(chosen.passed_over),
        },
        now,
    )
    return private


def _packet(
    chosen: Sample,
    scorings: list[Scoring],
    rubric: Rubric,
    text_of: Callable[[str], str],
    seed: int,
) -> tuple[BlindPacket, dict[str, str]]:
    masked = {s.artifact: mask_artifact(text_of(s.artifact), s.artifact, scorings, rubric) for s in scorings}
    return make_packet("", masked, seed=seed, notes=chosen.notes)


def _why_passed_over(chosen: Sample) -> str:
    """Why artifacts were passed over, counted; no names, since a file's name can carry a score."""
    reasons = Counter(reason.partition(" as ")[0] for _, reason in chosen.passed_over)
    return "; ".join(f"{count} {reason}" for reason, count in reasons.items())


def mask_artifact(text: str, artifact: str, scorings: Iterable[Scoring], rubric: Rubric) -> Masked:
    """An artifact's text without the traces of scores: its own, and those of the others that can't be anything else.

    A number with one decimal is common in prose, so that only the artifact's own are masked wherever they stand.
    """
    known = {
        value
        for scoring in scorings
        for value in (scoring.score, *scoring.criteria.values())
        if scoring.artifact == artifact or round(value, 1) != value
    }
    return mask(text, known, [c.name for c in rubric.criteria])


def _recently_ranked(opened: OpenedEvaluator) -> dict[str, str]:
    """The artifacts of the last passes that ended in a result, each with the reason to pass it over."""
    results = [event for event in opened.events if event.type == "pass_result"][-RECENT_PASSES:]
    return {
        str(row["artifact"]): f"ranked in the pass of {event.at[:10]}"
        for event in results
        for row in event.data.get("sample", [])
    }
