"""The ranking interface's side of an open session: all that may be seen before a ranking, and two ways to end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rubricator.adapters.session_store import SessionStore
from rubricator.calibration.packet import BlindPacket, unread
from rubricator.calibration.ranking import Ranking
from rubricator.errors import RefusedError


@dataclass(frozen=True)
class OpenPass:
    """The whole world of a ranking interface: the blind packet, the draft of a ranking, and two ways to end.

    It holds no evaluator file and no score, and neither does anything that it can reach before it ends.
    """

    session: str
    evaluator: str
    packet: BlindPacket
    _store: SessionStore
    _conclude: Callable[[str], object]
    _halt: Callable[[str, str], None]
    _now: Callable[[], datetime]

    @property
    def draft(self) -> dict[str, Any]:
        """What the page last saved of an unfinished ranking; empty at first."""
        return self._store.find(self.session, "draft") or {}

    def seen(self) -> None:
        """Note that the artifacts were shown; the clock of a reader that sends no times starts here."""
        if self._store.find(self.session, "shown") is None:
            self._store.write(self.session, "shown", {"at": self._now().isoformat(timespec="seconds")})

    def save_draft(self, draft: Mapping[str, Any]) -> None:
        """Keep an unfinished ranking, so that a closed page can be resumed."""
        self._store.write(self.session, "draft", dict(draft))

    def commit(
        self, ranking: Any, notes: Mapping[str, str] | None = None, seconds: Mapping[str, float] | None = None
    ) -> None:
        """Commit the owner's ranking (parsed JSON, worst first, ties grouped); it can't be changed afterwards.

        `seconds` are the times spent on each artifact, as far as they were measured. Raises InputError for a ranking
        that does not name every label once, RefusedError where one is committed already.
        """
        labels = [artifact.label for artifact in self.packet.artifacts]
        parsed = Ranking.parse(ranking, labels)
        with self._store.locked(self.session):
            if self._store.find(self.session, "ranking") or self._store.find(self.session, "halt"):
                raise RefusedError("This pass has ended: its ranking can't be changed.", hint="Start a new pass.")
            self._store.write(
                self.session,
                "ranking",
                {
                    "ranking": parsed.to_json(),
                    "notes": {label: str(note) for label, note in (notes or {}).items() if label in labels and note},
                    "reading": self._reading(seconds or {}, labels),
                    "at": self._now().isoformat(timespec="seconds"),
                },
            )
        self._conclude(self.session)

    def decline(self, reason: str = "") -> None:
        """End the pass without a ranking."""
        self._halt(self.session, reason)

    def _reading(self, seconds: Mapping[str, float], labels: Sequence[str]) -> dict[str, Any]:
        """How long was read: from the first showing to now, and by artifact as far as that was measured.

        The time between showing and commitment is taken by this side's clock, so a page can't claim more than it. Where
        every artifact was measured, only that counts as reading: a page may lie open overnight.
        """
        shown = self._store.find(self.session, "shown")
        elapsed = (self._now() - datetime.fromisoformat(shown["at"])).total_seconds() if shown else 0.0
        by_artifact = {
            label: round(float(value), 1)
            for label, value in seconds.items()
            if label in labels and isinstance(value, int | float) and 0 <= value <= elapsed
        }
        words = sum(artifact.words for artifact in self.packet.artifacts)
        read = sum(by_artifact.values()) if len(by_artifact) == len(labels) else elapsed
        return {
            "seconds": round(elapsed, 1),
            "artifacts": by_artifact,
            "words": words,
            "minutes_estimated": self.packet.reading_minutes,
            "unread": unread(words, read),
        }
