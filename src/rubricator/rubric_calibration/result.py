"""From a committed ranking to its report: the one place where the owner's order and the scores meet."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rubricator.adapters.artifacts import Artifacts
from rubricator.adapters.evaluators import scale_of
from rubricator.adapters.score_log_file import log_prefix
from rubricator.adapters.session_store import SessionStore
from rubricator.calibration.analysis import Analysis, LoggedScores, PassFacts, analyse
from rubricator.calibration.packet import BlindPacket
from rubricator.calibration.ranked_sample import RankedSample
from rubricator.calibration.ranking import Ranking
from rubricator.calibration.report import PassRecord, proposals, report
from rubricator.calibration.score_range import repeatability
from rubricator.calibration.sealing import verify_seal
from rubricator.calibration.totals import SubScores
from rubricator.core.rubric import Scale
from rubricator.core.scores import ScoreLog, Scoring
from rubricator.rubric_calibration.opened import OpenedEvaluator
from rubricator.rubric_calibration.start import mask_artifact


def conclude(opened: OpenedEvaluator, store: SessionStore, session: str, now: datetime) -> dict[str, Any]:
    """The result of a committed session, made and logged where that has not happened yet.

    It can be cut off at any point and done again: what the ledger holds is not written twice.
    """
    logged = {event.type for event in opened.events if event.session == session}
    private, committed = store.read(session, "session"), store.read(session, "ranking")
    if "ranking_committed" not in logged:
        opened.ledger.append("ranking_committed", session, _committed(private, committed), now)
    result = store.find(session, "result")
    if result is None:
        result = _analysed(opened, store, session)
        store.write(session, "result", result)
    if "pass_result" not in logged:
        opened.ledger.append("pass_result", session, _for_ledger(result), now)
    return result


def _committed(private: dict[str, Any], committed: dict[str, Any]) -> dict[str, Any]:
    return {
        "ranking": committed["ranking"],
        "artifacts": private["labels"],
        "notes": committed["notes"],
        "reading": committed["reading"],
        "salt": private["salt"],
    }


def _analysed(opened: OpenedEvaluator, store: SessionStore, session: str) -> dict[str, Any]:
    private, committed = store.read(session, "session"), store.read(session, "ranking")
    packet = BlindPacket.from_json(store.read(session, "packet"))
    rubric = opened.rubric
    log = _log_of_the_pass(opened, private)
    labels: dict[str, str] = private["labels"]
    scorings = [log.newest[artifact] for artifact in labels.values() if artifact in log.newest]
    sealed = len(scorings) == len(labels) and verify_seal(private["seal"], private["salt"], scorings)
    scale, scale_note = scale_of(rubric, log)
    ranking = Ranking.parse(committed["ranking"], labels)
    sample = _sample(opened, labels, ranking, scorings, scale) if len(scorings) == len(labels) else None
    if sample is None:
        sample = RankedSample((), (), (), (), SubScores.of(rubric, []), scale.tie)
    history, notes = opened.history()
    facts = PassFacts(
        rubric=rubric,
        scale=scale,
        sample=sample,
        logged=_logged(opened, log),
        sealed=sealed,
        history=history,
        earlier=opened.earlier(session),
        seed=private["seed"],
    )
    found = analyse(facts)
    changed = opened.rubric_sha256 != private["rubric_sha256"]
    record = PassRecord(
        session=session,
        evaluator=opened.place.name,
        mode=private["mode"],
        artifacts=_artifacts(opened, packet, labels, committed, scorings),
        reading=committed["reading"],
        seal=_seal(private, sealed=sealed),
        repeatability=repeatability(log).to_json(),
        passed_over=[{"artifact": name, "reason": reason} for name, reason in private["passed_over"]],
        diagnostics=[
            *log.diagnostics,
            *private["notes"],
            *([scale_note] if scale_note else []),
            *notes,
            *(["The rubric file changed after the pass began."] if changed else []),
        ],
    )
    return {"report": report(found, record), "proposals": proposals(found, session), "sample": _rows(found)}


def _log_of_the_pass(opened: OpenedEvaluator, private: dict[str, Any]) -> ScoreLog:
    """The score log as it was when the pass began: what was appended since is left out.

    Where that part was changed, the log as it is now, whose seal will not match if it touches the sample.
    """
    size, digest = log_prefix(opened.place.scores_path, upto=private["log_bytes"])
    same = (size, digest) == (private["log_bytes"], private["log_sha256"])
    return opened.scores(upto=size) if same else opened.scores()


def _sample(
    opened: OpenedEvaluator, labels: dict[str, str], ranking: Ranking, scorings: list[Scoring], scale: Scale
) -> RankedSample:
    return RankedSample(
        labels=tuple(labels),
        artifacts=tuple(labels.values()),
        owner=tuple(ranking.positions(list(labels))),
        machine=tuple(scoring.score for scoring in scorings),
        sub_scores=SubScores.of(opened.rubric, (scoring.criteria for scoring in scorings)),
        tie=scale.tie,
    )


def _logged(opened: OpenedEvaluator, log: ScoreLog) -> LoggedScores:
    newest = list(log.newest.values())
    return LoggedScores(
        artifacts=tuple(scoring.artifact for scoring in newest),
        totals=tuple(scoring.score for scoring in newest),
        sub_scores=SubScores.of(opened.rubric, (scoring.criteria for scoring in newest)),
    )


def _artifacts(
    opened: OpenedEvaluator,
    packet: BlindPacket,
    labels: dict[str, str],
    committed: dict[str, Any],
    scorings: list[Scoring],
) -> dict[str, dict[str, Any]]:
    """What the report says of each artifact beside its ranks, what was masked in it included."""
    texts = Artifacts(opened.place)
    shown = {artifact.label: artifact for artifact in packet.artifacts}
    return {
        label: {
            "words": shown[label].words,
            "seconds": committed["reading"]["artifacts"].get(label),
            "note": committed["notes"].get(label, ""),
            "masked": []
            if texts.reason(artifact)
            else [t.to_json() for t in mask_artifact(texts.text(artifact), artifact, scorings, opened.rubric).traces],
        }
        for label, artifact in labels.items()
    }


def _seal(private: dict[str, Any], *, sealed: bool) -> dict[str, Any]:
    reason = "" if sealed else "The scores of the sample are not those that were sealed when the pass began."
    return {"matches": sealed, "hash": private["seal"], "salt": private["salt"], "reason": reason}


def _rows(found: Analysis) -> list[dict[str, Any]]:
    """The ranked sample as the ledger keeps it, for the counterfactuals of later passes."""
    sample = found.facts.sample
    names = {c.id: c.name for c in found.facts.rubric.criteria}
    return [
        {
            "label": label,
            "artifact": sample.artifacts[n],
            "position": sample.owner[n],
            "score": sample.machine[n],
            "criteria": {names[key]: value for key, value in sample.sub_scores.by_id(n).items()},
        }
        for n, label in enumerate(sample.labels)
    ]


def _for_ledger(result: dict[str, Any]) -> dict[str, Any]:
    told = result["report"]
    kept = "finding n spearman kendall_tau_b p_exact unread machine_ties owner_ties agreeing rubric_version".split()
    return {
        **{key: told[key] for key in kept},
        "inversions": len(told["inversions"]),
        "compressed": told["score_range"]["compressed"],
        "drivers": [{"criterion": d["criterion"], "probability": d["probability"]} for d in told["drivers"]],
        "seal_matches": told["seal"]["matches"],
        "sample": result["sample"],
    }
