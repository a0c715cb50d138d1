"""What the rubric formats share: the place of an edit, how numbers and dates are read, and how numbers are written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from rubricator.core.rubric import AGGREGATES, Aggregate, Scale, shortest
from rubricator.errors import InputError


@dataclass(frozen=True, slots=True)
class Span:
    """The characters from `start` to before `end` of a text, and what is to stand there."""

    start: int
    end: int
    new: str


Path = tuple[str | int, ...]
"""Keys and list positions from the top of a JSON or YAML value down to one place in it."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number that is to be written."""

    value: float

    @property
    def words(self) -> str:
        """The number with as few characters as give it back."""
        return shortest(self.value)


Wanted = str | Numeral


def number(value: Any, where: str) -> float:
    """A weight as a number. Raises InputError for anything that isn't a finite one."""
    try:
        found = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found):
        raise InputError(f"{where}: {value!r} is not a number.", hint="Write it with digits and a point: 1.5")
    return found


def scale(value: Any, where: str) -> Scale | None:
    """The scale in parsed YAML, `[1, 5]`; None for nothing."""
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:  # noqa: PLR2004 - two ends
        raise InputError(f"{where}: {value!r} is not a scale.", hint="Write it as [1, 5].")
    return Scale(number(value[0], where), number(value[1], where))


def aggregate(value: Any, where: str) -> Aggregate:
    """The aggregate of that name; `weighted_mean` for nothing."""
    for name in AGGREGATES:
        if value == name or (value is None and name == "weighted_mean"):
            return name
    raise InputError(f"{where}: {value!r} is not an aggregate.", hint=f"Use one of {', '.join(AGGREGATES)}.")
