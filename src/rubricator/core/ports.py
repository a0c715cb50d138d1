"""The narrow ports between the pure core and the world: what adapters must be able to do, and no more."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rubricator.core.authority import Authority
from rubricator.errors import InputError


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for: the asker's words, and the weighted terms that stand for them.

    An engine of terms reads `terms`; one of meaning reads `text`. Weights are positive; their sum means nothing.
    """

    text: str
    terms: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Window:
    """Which dates count, both ends included. None leaves an end open; any bound leaves out undated sources.

    Raises InputError for ends the wrong way round.
    """

    since: dt.date | None = None
    until: dt.date | None = None

    def __post_init__(self) -> None:
        if self.since and self.until and self.since > self.until:
            raise InputError(
                f"No day is both on or after {self.since} and on or before {self.until}.", hint="Swap them."
            )

    @property
    def bounded(self) -> bool:
        """Whether any source is left out."""
        return self.since is not None or self.until is not None


class Retriever(Protocol):
    """Finds passages by relevance. Everything about scope, floors and copies is decided above it."""

    @property
    def retriever_id(self) -> str:
        """The name that goes into cache keys and manifests: another ranking is another id."""
        ...

    def search(self, query: Query, *, window: Window, limit: int) -> Sequence[tuple[float, int]]:
        """The best passages as (relevance, passage number), most relevant first; no hit is an empty sequence."""
        ...


class AuthoritySource(Protocol):
    """Resolves the official rubric of a score."""

    def resolve(self, scorecard: str, score: str) -> Authority:
        """The authority of one score.

        Raises AuthorityError where there is none, EndpointError where it can't be asked.
        """
        ...
