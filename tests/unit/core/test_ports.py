from __future__ import annotations

import datetime as dt

import pytest

from rubricator.core.ports import Window
from rubricator.errors import InputError

EARLY, LATE = dt.date(2025, 1, 1), dt.date(2026, 1, 1)


def test_a_window_may_be_open_at_either_end() -> None:
    assert not Window().bounded
    assert Window(since=EARLY).bounded
    assert Window(until=EARLY).bounded
    assert Window(EARLY, EARLY).bounded


def test_ends_the_wrong_way_round_are_refused() -> None:
    with pytest.raises(InputError, match="2026-01-01"):
        Window(LATE, EARLY)
