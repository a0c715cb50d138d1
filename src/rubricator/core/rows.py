"""Cells of other people's tables: columns by name or by a dotted path, numbers as numbers or as text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def value_at(row: Mapping[str, Any], path: str) -> Any:
    """The value of a column, or of a dotted path into nested ones; None where there is none."""
    if path in row:
        return row[path]
    if "." not in path:
        return None
    value: Any = row
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def to_number(value: Any) -> float | None:
    """A finite number, also where it is written as text; None for anything else, also for true and false."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
