"""The owner's ranking: labels from worst to best, with ties, and the pairs that it orders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

from rubricator.errors import InputError


@dataclass(frozen=True, slots=True)
class Ranking:
    """The owner's order: groups of labels, worst group first; labels in one group can't be told apart."""

    groups: tuple[tuple[str, ...], ...]

    @classmethod
    def parse(cls, value: Any, labels: Iterable[str]) -> Self:
        """The ranking in parsed JSON, `[["C"], ["A", "B"], ["D"]]`; a bare label stands for a group of one.

        Raises InputError unless every one of `labels` stands in it exactly once and nothing else does.
        """
        hint = 'Give all labels once, worst first, ties grouped: [["C"], ["A", "B"], ["D"]].'
        if not isinstance(value, list):
            raise InputError("The ranking is not a list.", hint=hint)
        groups: list[tuple[str, ...]] = []
        for entry in value:
            group = [entry] if isinstance(entry, str) else entry
            if not isinstance(group, list) or not group or not all(isinstance(label, str) for label in group):
                raise InputError("The ranking has an entry that is neither a label nor a group of labels.", hint=hint)
            groups.append(tuple(group))
        given = [label for group in groups for label in group]
        wanted = set(labels)
        if len(given) != len(set(given)):
            raise InputError("The ranking names a label twice.", hint=hint)
        if missing := sorted(wanted - set(given)):
            raise InputError(f"The ranking leaves out {', '.join(missing)}.", hint=hint)
        if len(given) != len(wanted):
            raise InputError("The ranking names a label that is not in the packet.", hint=hint)
        return cls(tuple(groups))

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels, worst first."""
        return tuple(label for group in self.groups for label in group)

    def position(self, label: str) -> int:
        """The number of the group that holds `label`, from 0 for the worst."""
        return next(n for n, group in enumerate(self.groups) if label in group)

    def positions(self, labels: Sequence[str]) -> list[int]:
        """The positions of `labels`, in their order."""
        return [self.position(label) for label in labels]

    def preferences(self) -> Iterator[tuple[str, str]]:
        """Every pair that the owner tells apart, as (better, worse)."""
        for (_, worse), (_, better) in combinations(enumerate(self.groups), 2):
            for low in worse:
                for high in better:
                    yield high, low

    def to_json(self) -> list[list[str]]:
        """The groups as lists."""
        return [list(group) for group in self.groups]
