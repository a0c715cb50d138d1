"""Rubric calibration: evaluators, passes and changes over the files of a workspace.

    calibration = Workspace.open().calibration
    started = calibration.start("newsletter", n=5)
    ...                                         # the owner ranks in the page or the terminal
    calibration.report(started["session"])

What shows artifacts before a ranking is committed works on an `OpenPass` and on nothing else.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from rubricator.adapters.evaluators import Evaluator, Evaluators, discover
from rubricator.adapters.files import replace_atomically
from rubricator.adapters.session_store import SessionStore
from rubricator.calibration.due import due
from rubricator.calibration.judged import is_open, proposals_with_judgement, with_judgement
from rubricator.calibration.ledger import entries, head
from rubricator.calibration.log import render_log, trend
from rubricator.calibration.packet import BlindPacket
from rubricator.calibration.report import halted
from rubricator.calibration.revisions import origin
from rubricator.calibration.sampling import Mode
from rubricator.core.rubric import Rubric
from rubricator.errors import AnswerNeededError, InputError, RefusedError
from rubricator.rubric_calibration import changes
from rubricator.rubric_calibration.files import RubricFiles
from rubricator.rubric_calibration.open_pass import OpenPass
from rubricator.rubric_calibration.opened import OpenedEvaluator
from rubricator.rubric_calibration.remember import note_path, write_note
from rubricator.rubric_calibration.result import conclude
from rubricator.rubric_calibration.start import begin

if TYPE_CHECKING:  # it brings pydantic, which a pass can do without
    from rubricator.inference.runner import Inference

State = Literal["open", "committed", "halted", "closed"]

DEFAULT_SAMPLE: Final = 5

__all__ = ["OpenPass", "RubricCalibration"]


class RubricCalibration:
    """Everything about evaluators and passes of one workspace. `clock` gives the time, with its zone."""

    def __init__(
        self, directory: Path, scorecards: Path, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._directory = directory
        self._scorecards = scorecards
        self._now = clock

    @cached_property
    def _store(self) -> SessionStore:
        return SessionStore(self._directory / ".rubricator" / "sessions")

    @property
    def _evaluators(self) -> Evaluators:
        return discover(self._directory, self._scorecards)

    @property
    def files(self) -> RubricFiles:
        """Rubric files and score logs by themselves; the log of an open pass is not shown."""
        return RubricFiles(self._being_ranked)

    def rubric(self, name: str) -> Rubric:
        """The rubric of an evaluator."""
        return self._open(name).rubric

    def evaluators(self) -> dict[str, Any]:
        """The evaluators of the workspace, and what was passed over in looking for them."""
        found = self._evaluators
        return {"evaluators": [_place_json(place) for place in found.places], "diagnostics": list(found.diagnostics)}

    def start(
        self, name: str | None = None, *, n: int = DEFAULT_SAMPLE, seed: int | None = None, mode: Mode = "stratified"
    ) -> dict[str, Any]:
        """Start a pass: {"session", "evaluator", "artifacts": [{"label", "words"}], "reading_minutes", "token", ...}.

        Without a name, over the evaluator with the newest scored artifact. Raises InsufficientError where too few
        artifacts can be shown.
        """
        opened = self._open(name)
        private = begin(opened, self._store, n=n, seed=seed, mode=mode, now=self._now())
        packet = BlindPacket.from_json(self._store.read(private["session"], "packet"))
        return {
            "session": private["session"],
            "evaluator": opened.place.name,
            "artifacts": [{"label": a.label, "words": a.words} for a in packet.artifacts],
            "reading_minutes": packet.reading_minutes,
            "mode": mode,
            "seed": private["seed"],
            "notes": list(packet.notes),
            "passed_over": len(private["passed_over"]),
            "token": private["token"],
        }

    def sessions(self) -> list[dict[str, Any]]:
        """The sessions of the workspace, newest first: id, evaluator, state, when they were started."""
        found = []
        for session in self._store.sessions():
            private = self._store.read(session, "session")
            found.append(
                {
                    "session": session,
                    "evaluator": private["evaluator"],
                    "state": self.state(session),
                    "started_at": private["started_at"],
                }
            )
        return sorted(found, key=lambda entry: entry["started_at"], reverse=True)

    def resolve(self, session: str | None, *, states: Sequence[State] = ("open",)) -> str:
        """The session that was named, or the only one in one of `states`. Raises InputError where that is not one."""
        if session is not None:
            self._store.read(session, "session")
            return session
        found = [entry["session"] for entry in self.sessions() if entry["state"] in states]
        if len(found) == 1:
            return str(found[0])
        said = f"{len(found)} sessions could be meant: {', '.join(found[:5])}." if found else "No session is open."
        raise InputError(said, hint="Name the session." if found else "Begin with `rubricator calibrate start`.")

    def token(self, session: str) -> str:
        """The token of a session's address."""
        return str(self._store.read(session, "session")["token"])

    def authorise(self, session: str, token: str) -> bool:
        """Whether `token` opens `session`; an unknown session is as closed as a wrong token."""
        try:
            expected = self.token(session)
        except InputError:
            expected = ""
        return hmac.compare_digest(expected.encode(), token.encode()) and bool(expected)

    def state(self, session: str) -> State:
        """Where a session stands."""
        if self._store.find(session, "halt"):
            return "halted"
        if self._store.find(session, "ranking") is None:
            return "open"
        return "closed" if self._store.find(session, "decisions") else "committed"

    def open_pass(self, session: str) -> OpenPass:
        """The ranking interface's side of an open session. Raises RefusedError where it has ended."""
        private = self._store.read(session, "session")
        if self.state(session) != "open":
            raise RefusedError(f"{session} is not open any more.", hint="See `rubricator calibrate report`.")
        packet = BlindPacket.from_json(self._store.read(session, "packet"))
        return OpenPass(session, private["evaluator"], packet, self._store, self._conclude, self._halt, self._now)

    def report(self, session: str) -> dict[str, Any]:
        """The report of a session. Raises RefusedError before a ranking is committed."""
        if self.state(session) == "halted":
            private, halt = self._store.read(session, "session"), self._store.read(session, "halt")
            return halted(session, private["evaluator"], halt["reason"])
        report = with_judgement(self._result(session)["report"], self._store.find(session, "inference"))
        decisions = self._store.find(session, "decisions")
        return {**report, "decisions": decisions} if decisions else report

    def propose(self, session: str) -> dict[str, Any]:
        """The proposals of a session. Raises RefusedError before a ranking is committed."""
        return proposals_with_judgement(self._result(session)["proposals"], self._store.find(session, "inference"))

    def can_consult(self, session: str, *, anew: bool = False) -> bool:
        """Whether a committed pass holds anything to ask a model; `anew`: even where a model answered it before."""
        if self._store.find(session, "decisions"):
            return False
        result, judged = self._result(session), self._store.find(session, "inference")
        answered = judged is not None and not judged["missing"] and not anew
        return not answered and is_open(result["report"], result["proposals"])

    def consult(self, session: str, inference: Inference) -> None:
        """Put to a model what arithmetic can't attribute, and keep what it says for `report` and `propose`.

        Nothing is asked before a ranking is committed, without an inversion, where sub-scores explain it, or after a
        decision. What the model fails to answer stands under `inference.missing` of the report. Raises
        AnswerNeededError with the questions that a host agent has yet to answer, ConflictError where the rubric file
        changed.
        """
        from rubricator.rubric_calibration.by_model import Consultation

        if not self.can_consult(session, anew=inference.cache is None):
            return
        result, private = self._result(session), self._store.read(session, "session")
        opened = self._open(private["evaluator"])
        changes.check_unchanged(opened, session, private["rubric_sha256"])
        packet = BlindPacket.from_json(self._store.read(session, "packet"))
        asking = Consultation(opened.rubric, packet, inference)
        judged = asking.judge(result["report"], result["proposals"])
        if asking.needed:
            count = len(asking.needed)
            raise AnswerNeededError(
                f"The host agent has to answer {count} question{'s' if count > 1 else ''} first.",
                hint="Give its answers with --answer FILE.",
                requests=tuple(asking.needed),
            )
        with self._store.locked(session):
            if self._store.find(session, "decisions"):
                raise RefusedError(f"{session} was decided meanwhile.", hint="See `rubricator calibrate report`.")
            self._store.write(session, "inference", judged)
            opened = self._open(private["evaluator"])
            opened.ledger.append("model_consulted", session, judged, self._now())
        self._render_log(self._open(private["evaluator"]))

    def explain(self, session: str) -> dict[str, Any]:
        """The report with every driver's `origin`: when it was added, by which revision, and from what source."""
        told = self.report(session)
        opened = self._open(told["evaluator"])
        history, _ = opened.history()
        return {**told, "drivers": [{**d, "origin": origin(d, history)} for d in told["drivers"]]}

    def decide(
        self,
        session: str,
        *,
        approve: Sequence[str] = (),
        reject: Sequence[str] = (),
        edited: Mapping[str, str] | None = None,
        remember: bool = False,
    ) -> dict[str, Any]:
        """Apply what was approved and close the pass: {"session", "changed", "changes", "predicted", ...}.

        Raises RefusedError before a ranking is committed or after a decision, ConflictError where the rubric file
        changed, ApprovalError where what was approved can't go together or lacks its words.
        """
        result = self._result(session)
        with self._store.locked(session):
            if self._store.find(session, "decisions"):
                raise RefusedError(f"{session} was decided already.", hint="Revert it, or start a new pass.")
            private = self._store.read(session, "session")
            opened = self._open(private["evaluator"])
            changes.check_unchanged(opened, session, private["rubric_sha256"])
            judged = self._store.find(session, "inference")
            proposed = proposals_with_judgement(result["proposals"], judged)["proposals"]
            if both := sorted(set(approve) & set(reject)):
                raise InputError(f"{', '.join(both)} is approved and rejected at once.", hint="Decide on one.")
            wanted = changes.changes_for(proposed, approve, edited or {})
            proved = result["report"]["reproduction"]["reproduced"]
            predicted = changes.check_together(opened, wanted, result["sample"]) if proved else None
            chosen = [_as_applied(p, edited or {}) for p in proposed if p["id"] in set(approve)]
            deed: dict[str, Any] = {}
            if wanted:
                about = {
                    "approved": [_summary(p) for p in chosen],
                    "kendall_tau_b": result["report"]["kendall_tau_b"],
                    "predicted": predicted,
                }
                deed = changes.apply(opened, session, wanted, about=about, now=self._now())
            note = write_note(opened, session, result, chosen, self._now()) if remember and wanted else None
            decisions = {
                "session": session,
                "changed": bool(wanted),
                "approved": [_summary(p) for p in chosen],
                "rejected": [p["id"] for p in proposed if p["id"] not in set(approve)],
                "rubric": str(opened.place.rubric_path),
                "ledger": str(opened.ledger.path),
                "kendall_tau_b": result["report"]["kendall_tau_b"],
                "predicted": predicted,
                "rubric_version": deed.get("rubric_version"),
                "remembered": str(note) if note else None,
            }
            self._store.write(session, "decisions", decisions)
        closed = self._open(private["evaluator"])
        closed.ledger.append("pass_closed", session, {"rejected": decisions["rejected"]}, self._now())
        self._render_log(closed)
        return decisions

    def revert(self, session: str) -> dict[str, Any]:
        """Undo the changes of a session: the rubric file is what it was, byte for byte."""
        opened = self._open(self._store.read(session, "session")["evaluator"])
        deed = changes.revert(opened, session, self._now())
        self._render_log(self._open(opened.place.name))
        return {"session": session, "rubric": str(opened.place.rubric_path), "rubric_version": deed["rubric_version"]}

    def due(self, name: str | None = None) -> list[dict[str, Any]]:
        """What was learned since the last pass, by evaluator: criteria added or reworded, weights changed.

        Asked of all, an evaluator that can't be read is answered with `due` None and the reason.
        """
        found = self._evaluators
        places = [found.find(name)] if name is not None else found.places
        if name is not None:
            return [self._due(OpenedEvaluator(places[0]))]
        return [self._due_or_why_not(OpenedEvaluator(place)) for place in places]

    def log(self, name: str | None = None) -> dict[str, Any]:
        """The passes of an evaluator and the trend of its agreement."""
        opened = self._open(name)
        passes = entries(opened.events)
        return {
            "evaluator": opened.place.name,
            "entries": passes,
            "trend": trend(passes),
            "log": str(opened.place.calibration_dir / "LOG.md"),
        }

    def verify(self, name: str | None = None) -> dict[str, Any]:
        """Whether the ledger's chain holds: {"evaluator", "ledger", "events", "valid", "problems", "head"}."""
        opened = self._open(name)
        problems = opened.ledger.verify()
        return {
            "evaluator": opened.place.name,
            "ledger": str(opened.ledger.path),
            "events": len(opened.events),
            "valid": not problems,
            "problems": problems,
            "head": head(opened.events),
        }

    def _being_ranked(self) -> dict[Path, str]:
        """The score logs whose artifacts are being ranked, with the sessions."""
        places = {place.name: place.scores_path.resolve() for place in self._evaluators.places}
        opened = (entry for entry in self.sessions() if entry["state"] == "open")
        return {places[e["evaluator"]]: e["session"] for e in opened if e["evaluator"] in places}

    def _open(self, name: str | None) -> OpenedEvaluator:
        """An evaluator by name, or the most recently used; what a killed change left in its ledger is settled first."""
        found = self._evaluators
        place = found.find(name) if name is not None else found.most_recent()
        opened = OpenedEvaluator(place)
        if changes.settle(opened, self._now()):
            opened = OpenedEvaluator(place)
        return opened

    def _result(self, session: str) -> dict[str, Any]:
        state = self.state(session)
        if state == "open":
            raise RefusedError(
                f"{session} has no committed ranking, and no result is shown before there is one.",
                hint="Rank first: `rubricator calibrate rank`.",
            )
        if state == "halted":
            raise RefusedError(f"{session} was halted: there is no ranking to go by.", hint="Start a new pass.")
        return self._conclude(session)

    def _conclude(self, session: str) -> dict[str, Any]:
        with self._store.locked(session):
            opened = self._open(self._store.read(session, "session")["evaluator"])
            result = conclude(opened, self._store, session, self._now())
        self._render_log(OpenedEvaluator(opened.place))
        return result

    def _halt(self, session: str, reason: str) -> None:
        with self._store.locked(session):
            if self.state(session) != "open":
                raise RefusedError(f"{session} has ended already.", hint="See `rubricator calibrate report`.")
            self._store.write(session, "halt", {"reason": reason, "at": self._now().isoformat(timespec="seconds")})
            opened = self._open(self._store.read(session, "session")["evaluator"])
            opened.ledger.append("pass_halted", session, {"reason": reason}, self._now())
        self._render_log(OpenedEvaluator(opened.place))

    def _render_log(self, opened: OpenedEvaluator) -> None:
        passes = entries(opened.events)
        replace_atomically(opened.place.calibration_dir / "LOG.md", render_log(opened.place.name, passes))

    def _due_or_why_not(self, opened: OpenedEvaluator) -> dict[str, Any]:
        """One evaluator's answer; one that can't be read says why, and costs the others nothing."""
        try:
            return self._due(opened)
        except InputError as error:
            nothing: dict[str, Any] = {"due": None, "events": [], "since": None}
            return {"evaluator": opened.place.name, **nothing, "reason": f"It can't be told: {error.message}"}

    @staticmethod
    def _due(opened: OpenedEvaluator) -> dict[str, Any]:
        kept = [event for event in opened.events if event.data.get("rubric")]
        ended = [event for event in opened.events if event.type == "pass_result"]
        then = Rubric.from_json(kept[-1].data["rubric"]) if kept and ended else None
        return due(opened.place.name, then, opened.rubric, since=ended[-1].at if ended else None)


def _as_applied(proposal: Mapping[str, Any], edited: Mapping[str, str]) -> dict[str, Any]:
    """An approved proposal with the words that are written, where they are not those that were proposed."""
    words = changes.words_for(proposal, edited)
    return {**proposal, "after": {**proposal["after"], "text": words or proposal["after"]["text"]}}


def _summary(proposal: Mapping[str, Any]) -> dict[str, Any]:
    return {key: proposal[key] for key in ("id", "criterion", "action", "before", "after", "verified")}


def _place_json(place: Evaluator) -> dict[str, Any]:
    return {
        "name": place.name,
        "kind": place.kind,
        "rubric": str(place.rubric_path),
        "scores": str(place.scores_path),
        "ledger": str(place.calibration_dir / "ledger.jsonl"),
        "note_folder": str(note_path(place)),
    }
