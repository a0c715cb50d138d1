"""Figures: one amount however it is written, and none where a number measures nothing."""

from __future__ import annotations

import pytest

from rubricator.memory.figures import figures, shown


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("up to $2k", {"USD": {2000.0}}),
        ("2,000 USD", {"USD": {2000.0}}),
        ("2000 dollars and €15.50", {"USD": {2000.0}, "EUR": {15.5}}),
        ("six months or 6-month terms", {"month": {6.0}}),
        ("within two hours", {"second": {7200.0}}),
        ("90 calendar days", {"day": {90.0}}),
        ("15% or 15 percent", {"percent": {15.0}}),
        ("no longer 24 hours but 4 hours", {"second": {14400.0}}),
        ("on 12 May 2026, 2026-05-12 or May 12th", {}),
        ("see https://example.org/30days", {}),
        ("rule 3 of chapter 12", {}),
        ("", {}),
    ],
)
def test_figures_by_unit(text, found) -> None:
    assert figures(text) == found


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (30.0, "USD", "30 USD"),
        (14400.0, "second", "4 hours"),
        (3600.0, "second", "1 hour"),
        (90.0, "second", "90 seconds"),
        (1.0, "day", "1 day"),
        (15.0, "percent", "15%"),
    ],
)
def test_a_figure_is_shown_as_a_reader_would_write_it(value, unit, words) -> None:
    assert shown(value, unit) == words
