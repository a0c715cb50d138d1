"""What an evaluator said of artifacts: one scoring each, and the log of them in which the newest counts."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Self


@dataclass(frozen=True, slots=True)
class Scoring:
    """One line of a score log.

    `artifact` is the artifact's path or id as the log gives it; `criteria` are sub-scores by the log's own criterion
    names, empty where there are none; `scored_at` is ISO 8601 or empty; `rubric` names the version that was applied.
    `group` is whatever the log groups artifacts by (a source, a batch), or empty.
    """

    artifact: str
    score: float
    criteria: Mapping[str, float] = field(default_factory=dict)
    scored_at: str = ""
    rubric: str = ""
    group: str = ""


@dataclass(frozen=True)
class ScoreLog:
    """An evaluator's scorings. Of several for one artifact the newest counts, and the spread is kept.

    `newest` has one scoring an artifact, in order of first appearance; `repeats` all totals, oldest first, of
    artifacts that were scored more than once. `rows` counts the scorings read. `diagnostics` name lines that were
    passed over by number and never quote a value, since they may be shown before a ranking is committed.
    """

    newest: dict[str, Scoring]
    repeats: dict[str, tuple[float, ...]] = field(default_factory=dict)
    rows: int = 0
    diagnostics: tuple[str, ...] = ()
    format: str = "jsonl"

    @classmethod
    def collect(cls, scorings: Iterable[Scoring], *, diagnostics: tuple[str, ...] = (), format: str = "jsonl") -> Self:
        """The log of `scorings`, given in file order.

        The newest is the one with the latest `scored_at`; one without a time is older than any with one, and among
        equals the later line wins. A time without an offset is taken as UTC, and one that is no ISO 8601 as none.
        """
        newest: dict[str, Scoring] = {}
        times: dict[str, float] = {}
        seen: dict[str, list[tuple[float, float]]] = {}
        rows = 0
        for scoring in scorings:
            rows += 1
            known = newest.get(scoring.artifact)
            at = _instant(scoring.scored_at)
            if known is not None:
                if scoring.artifact not in seen:
                    seen[scoring.artifact] = [(times[scoring.artifact], known.score)]
                seen[scoring.artifact].append((at, scoring.score))
                if at < times[scoring.artifact]:
                    continue
            newest[scoring.artifact] = scoring
            times[scoring.artifact] = at
        repeats = {
            artifact: tuple(score for _, score in sorted(scores, key=lambda entry: entry[0]))
            for artifact, scores in seen.items()
        }
        return cls(newest, repeats, rows, diagnostics, format)


@lru_cache(maxsize=4096)
def _instant(text: str) -> float:
    """An ISO 8601 time as seconds since 1970, UTC; minus infinity where there is none."""
    if not text:
        return -math.inf
    try:
        at = dt.datetime.fromisoformat(text)
    except ValueError:
        return -math.inf
    return (at if at.tzinfo else at.replace(tzinfo=dt.UTC)).timestamp()
