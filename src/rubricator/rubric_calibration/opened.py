"""An evaluator with its files at hand: rubric, score log, ledger and history, read when they are asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rubricator.adapters.evaluators import Evaluator
from rubricator.adapters.git_history import revisions
from rubricator.adapters.ledger_file import LedgerFile
from rubricator.calibration.ledger import Event
from rubricator.calibration.ranked_sample import RankedSample
from rubricator.calibration.revisions import PastRubric
from rubricator.calibration.totals import SubScores
from rubricator.core.revision import Revision
from rubricator.core.rubric import Rubric, Scale
from rubricator.core.scores import ScoreLog
from rubricator.errors import InputError


@dataclass(frozen=True)
class OpenedEvaluator:
    """One evaluator, read once: what it holds does not change under a pass that is being worked on."""

    place: Evaluator

    @cached_property
    def ledger(self) -> LedgerFile:
        """The record of its passes."""
        return LedgerFile(self.place.calibration_dir / "ledger.jsonl")

    @cached_property
    def events(self) -> Sequence[Event]:
        """The ledger's events as far as the chain holds, oldest first."""
        return self.ledger.events()

    @cached_property
    def rubric_bytes(self) -> bytes:
        """The rubric file as it is."""
        try:
            return self.place.rubric_path.read_bytes()
        except OSError as error:
            raise InputError(
                f"The rubric {self.place.rubric_path} can't be read: {error.strerror}.", hint="Check the path."
            ) from error

    @property
    def rubric_sha256(self) -> str:
        """The digest of the rubric file."""
        return hashlib.sha256(self.rubric_bytes).hexdigest()

    @cached_property
    def rubric(self) -> Rubric:
        """The rubric as its file gives it, with the scale that the configuration states where the file has none."""
        return self.place.read(self.rubric_bytes)

    def scores(self, upto: int | None = None) -> ScoreLog:
        """The score log, or the part of it that lies before byte `upto`."""
        return self.place.scores(upto=upto)

    def history(self) -> tuple[list[PastRubric], list[str]]:
        """The rubric's revisions, oldest first, and what could not be read of them.

        From git; where there is none, from the ledger's snapshots and the dates at which criteria were added.
        """
        found, reason = revisions(self.place.rubric_path)
        if reason is not None:
            return self._from_ledger(), [f"No history from git: {reason}"]
        history, notes = [], []
        for revision in found:
            try:
                rubric = self._past(revision)
            except InputError as error:
                notes.append(f"The rubric at {revision.id[:10]} can't be read: {error.message}")
            else:
                history.append(PastRubric(revision.id[:10], revision.at, revision.subject, rubric))
        return history, notes

    def earlier(self, before: str) -> list[tuple[str, RankedSample]]:
        """The samples of the passes before session `before`, with the owner's rankings, as the ledger keeps them."""
        found: list[tuple[str, RankedSample]] = []
        for event in self.events:
            if event.session == before:
                break
            rows = event.data.get("sample")
            if event.type == "pass_result" and rows:
                found.append((event.session, sample_of(self.rubric, self.rubric.scale, rows)))
        return found

    def _past(self, revision: Revision) -> Rubric:
        return self.place.read(revision.content)

    def _from_ledger(self) -> list[PastRubric]:
        """One revision for each date at which criteria were added, then each snapshot of the ledger that differs."""
        snapshots = [
            PastRubric(
                str(event.data["rubric"]["version"]), event.at, event.type, Rubric.from_json(event.data["rubric"])
            )
            for event in self.events
            if event.data.get("rubric")
        ]
        first = snapshots[0].rubric if snapshots else self.rubric
        dates = sorted({c.added for c in first.criteria if c.added})
        found = []
        for date in dates:
            later = [c.id for c in first.criteria if c.added > date]
            found.append(PastRubric(date, date, "criteria by the dates at which they were added", first.without(later)))
        found += [*snapshots, PastRubric("now", "", "the rubric as it is", self.rubric)]
        return [past for n, past in enumerate(found) if n == 0 or past.rubric.version != found[n - 1].rubric.version]


def sample_of(rubric: Rubric, scale: Scale | None, rows: Sequence[dict[str, object]]) -> RankedSample:
    """The ranked sample that a ledger keeps as rows of label, artifact, position, score and criteria (by name)."""
    return RankedSample(
        labels=tuple(str(row["label"]) for row in rows),
        artifacts=tuple(str(row["artifact"]) for row in rows),
        owner=tuple(int(row["position"]) for row in rows),  # type: ignore[call-overload]
        machine=tuple(float(row["score"]) for row in rows),  # type: ignore[arg-type]
        sub_scores=SubScores.of(rubric, [row["criteria"] for row in rows]),  # type: ignore[misc]
        tie=scale.tie if scale else 1e-9,
    )
