"""The rubric as an evaluator applies it: criteria with weights, a scale, and the rule that makes one total of them."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal, Self

from rubricator.core.formula import Formula
from rubricator.core.identity import tagged_hash
from rubricator.errors import InputError

Aggregate = Literal["weighted_mean", "sum", "points", "minimum", "formula"]
AGGREGATES: Final[tuple[Aggregate, ...]] = ("weighted_mean", "sum", "points", "minimum", "formula")

TIE_SHARE: Final = 1e-6
"""Two scores are tied when they differ by less than this share of the scale's width."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The lowest and the highest score that an evaluator can give. Raises InputError unless low < high, both finite."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (self.low < self.high and math.isfinite(self.high - self.low)):
            raise InputError(f"A scale from {self.low} to {self.high} has no width.", hint="Write it as [1, 5].")

    @property
    def width(self) -> float:
        """The distance between the ends."""
        return self.high - self.low

    @property
    def tie(self) -> float:
        """Scores nearer to each other than this are equal."""
        return self.width * TIE_SHARE


@dataclass(frozen=True, slots=True)
class Criterion:
    """One clause of a rubric: its name, its weight, its text word for word, and where it came from, if that is known.

    `added` is the date as the rubric gives it (`YYYY-MM-DD` or empty), `source` whatever names its origin: a citation
    id, a link, a sentence.
    """

    name: str
    text: str
    weight: float = 1.0
    added: str = ""
    source: str = ""

    @property
    def id(self) -> str:
        """The criterion's handle: its name in lower case, words joined by `-`."""
        return criterion_id(self.name)


@dataclass(frozen=True)
class Rubric:
    """An evaluator's rubric. `scale` is None where it isn't stated; `formula` belongs to the aggregate of that name.

    `format` names the file format it was read from, `notes` say what was guessed in reading it. Criteria have
    different ids; `formats/` sees to that.
    """

    name: str
    criteria: tuple[Criterion, ...]
    scale: Scale | None = None
    aggregate: Aggregate = "weighted_mean"
    formula: str = ""
    format: str = "vault"
    notes: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        """A hash (12 hexadecimal digits) of everything that decides a score: criteria, weights, scale, aggregate."""
        scale = [self.scale.low, self.scale.high] if self.scale else None
        criteria = [[c.name, c.weight, c.text] for c in self.criteria]
        return tagged_hash("rubric-version", [criteria, scale, self.aggregate, self.formula])[:12]

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each criterion, by id."""
        return {c.id: c.weight for c in self.criteria}

    def criterion(self, name: str) -> Criterion | None:
        """The criterion of that name or id, however it is capitalised or spaced."""
        return self._by_id.get(criterion_id(name))

    def by_id(self, scores: Mapping[str, float]) -> dict[str, float]:
        """Sub-scores by criterion id. Those of criteria that the rubric doesn't have are left out."""
        return {c.id: value for name, value in scores.items() if (c := self.criterion(name)) is not None}

    def with_weights(self, weights: Mapping[str, float]) -> Rubric:
        """The same rubric with other weights, by criterion id; those not named stay."""
        return replace(self, criteria=tuple(replace(c, weight=weights.get(c.id, c.weight)) for c in self.criteria))

    def without(self, ids: Iterable[str]) -> Rubric:
        """The same rubric with criteria taken out."""
        gone = set(ids)
        return replace(self, criteria=tuple(c for c in self.criteria if c.id not in gone))

    def total(self, scores: Mapping[str, float]) -> float | None:
        """The total that weights and sub-scores (by criterion id) give; None where they give none.

        - `weighted_mean`: the sum of weight x sub-score over the sum of weights, over the criteria that have a
          sub-score; None if those weigh nothing.
        - `sum`: the sum of weight x sub-score over the criteria that have one.
        - `points`: the sum of weight x sub-score (0 to 1: how far it is met) over the sum of the positive weights of
          all criteria that have one, as HealthBench does (arXiv:2505.08775) but without clipping, which would tie
          what the evaluator tells apart.
        - `minimum`: the lowest sub-score among criteria of positive weight.
        - `formula`: see `core.formula`; None if a sub-score that it names is missing.
        """
        known = [(c, scores[c.id]) for c in self.criteria if c.id in scores]
        if not known:
            return None
        if self.aggregate == "formula":
            return self._parsed.value(scores, self.weights)
        if self.aggregate == "minimum":
            return min((value for c, value in known if c.weight > 0), default=None)
        weighted = math.fsum(c.weight * value for c, value in known)
        if self.aggregate == "sum":
            return weighted
        norm = math.fsum(c.weight for c, _ in known if self.aggregate == "weighted_mean" or c.weight > 0)
        return weighted / norm if norm > 0 else None

    def to_json(self) -> dict[str, Any]:
        """The rubric as JSON; `from_json` gives it back."""
        return {
            "name": self.name,
            "scale": [self.scale.low, self.scale.high] if self.scale else None,
            "aggregate": self.aggregate,
            "formula": self.formula,
            "criteria": [
                {"id": c.id, "name": c.name, "weight": c.weight, "added": c.added, "source": c.source, "text": c.text}
                for c in self.criteria
            ],
            "format": self.format,
            "version": self.version,
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The rubric that `to_json` wrote."""
        scale = value["scale"]
        return cls(
            name=value["name"],
            criteria=tuple(
                Criterion(c["name"], c["text"], c["weight"], c["added"], c["source"]) for c in value["criteria"]
            ),
            scale=Scale(*scale) if scale else None,
            aggregate=value["aggregate"],
            formula=value["formula"],
            format=value["format"],
            notes=tuple(value.get("notes", ())),
        )

    @cached_property
    def _by_id(self) -> dict[str, Criterion]:
        return {c.id: c for c in self.criteria}

    @cached_property
    def _parsed(self) -> Formula:
        return Formula.parse(self.formula)


def criterion_id(name: str) -> str:
    """The handle of a criterion's name: NFKC, lower case, everything but letters and digits becomes `-`.

    A name of neither letters nor digits is its own handle.
    """
    plain = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"[\W_]+", "-", plain).strip("-") or plain.strip()


def shortest(value: float) -> str:
    """A weight with as few characters as give it back: `2`, `0.75`."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)  # noqa: PLR2004 - exact ints
