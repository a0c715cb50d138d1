"""The log of an evaluator's passes: the page LOG.md, and the trend of agreement with what can be said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rubricator.core.rubric import shortest

_BARS: Final = "▁▂▃▄▅▆▇█"
_TAIL: Final = 0.025
_STEEPEST: Final = 20.0
_HALVINGS: Final = 40
_SLACK: Final = 1e-9
_FINDINGS: Final = {
    "no_calibration_needed": "agreed",
    "drift": "drift",
    "no_discrimination": "no discrimination",
    "insufficient": "insufficient",
    "halted": "halted",
    None: "open",
}


def trend(entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Tau-b over the passes: {"kendall_tau_b": [{"date", "value", "n", "low", "high"}], "direction", "reason"}.

    The interval (95%) is that of the expected tau under Mallows' model of a noisy order (Mallows 1957,
    doi:10.1093/biomet/44.1-2.114), by the exact distribution of the number of inverted pairs; ties count as half
    inverted. It is wide at such n: a perfect order of five gives 0.2 to 1. `direction` is `up` or `down` only where the
    first and the last interval don't overlap, else `unclear`; None with fewer than two figures.
    """
    points = []
    for entry in entries:
        tau, n = entry.get("kendall_tau_b"), entry.get("n")
        if tau is not None and n:
            low, high = _interval(float(tau), int(n))
            points.append({"date": entry["date"], "value": tau, "n": n, "low": low, "high": high})
    if len(points) < 2:  # noqa: PLR2004 - a trend has two ends
        return {"kendall_tau_b": points, "direction": None, "reason": "fewer than two passes have an agreement"}
    first, last = points[0], points[-1]
    if last["low"] > first["high"]:
        return {"kendall_tau_b": points, "direction": "up", "reason": "the intervals don't overlap"}
    if last["high"] < first["low"]:
        return {"kendall_tau_b": points, "direction": "down", "reason": "the intervals don't overlap"}
    return {"kendall_tau_b": points, "direction": "unclear", "reason": "the intervals of so few artifacts overlap"}


def sparkline(values: Sequence[float | None]) -> str:
    """Values from -1 to 1 as a row of bars; · for what is undefined."""
    return "".join(
        "·" if value is None else _BARS[min(len(_BARS) - 1, int((value + 1) / 2 * len(_BARS)))] for value in values
    )


def render_log(evaluator: str, entries: Sequence[Mapping[str, Any]]) -> str:
    """LOG.md: a table of all passes, newest first, and a section for each that found or changed something."""
    lines = [
        f"# Calibration of {evaluator}",
        "",
        "Written from ledger.jsonl, which is the record; changes to this page are lost.",
        "",
        "| date | finding | n | tau-b | predicted | changes | session |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [_row(entry) for entry in reversed(entries)]
    for entry in reversed(entries):
        lines += _section(entry)
    return "\n".join(lines) + "\n"


def change_words(change: Mapping[str, Any]) -> str:
    """An approved change in a few words."""
    name, action = change["criterion"], change["action"]
    if action == "reweight":
        return f"“{name}” weight {shortest(change['before']['weight'])} → {shortest(change['after']['weight'])}"
    return f"“{name}” {'retired' if action == 'retire' else 'narrowed'}"


def chance(driver: Mapping[str, Any]) -> str:
    """How likely a driver is; a model's reading has no probability."""
    return "as a model reads it" if driver["probability"] is None else f"{driver['probability']:.0%}"


def _row(entry: Mapping[str, Any]) -> str:
    changes = "; ".join(change_words(change) for change in entry["changes"]) or "none"
    if entry["reverted"]:
        changes += " (reverted)"
    finding = _FINDINGS.get(entry["finding"], str(entry["finding"]))
    finding += " (unread)" if entry.get("unread") else ""
    cells = [entry["date"], finding, entry["n"], _figure(entry["kendall_tau_b"]), _figure(entry["predicted"]), changes]
    return "| " + " | ".join(_cell(cell) for cell in [*cells, entry["session"]]) + " |"


def _section(entry: Mapping[str, Any]) -> list[str]:
    if entry["finding"] in {None, "no_calibration_needed"} and not entry["changes"]:
        return []
    lines = ["", f"## {entry['date']}: {_FINDINGS.get(entry['finding'], str(entry['finding']))}", ""]
    if entry["finding"] == "halted":
        return [*lines, " ".join(f"The owner did not rank. {entry.get('reason') or ''}".split())]
    if entry.get("unread"):
        lines += ["The ranking was made faster than anyone could read the artifacts.", ""]
    if entry["drivers"]:
        named = ", ".join(f"“{d['criterion']}” ({chance(d)})" for d in entry["drivers"])
        lines += [f"{entry.get('inversions', 0)} inversions. Driver or candidates: {named}.", ""]
    for change in entry["changes"]:
        lines.append(f"- {change_words(change)}")
    if entry["changes"] and entry["predicted"] is not None:
        lines += ["", f"Tau-b {_figure(entry['kendall_tau_b'])} before, {_figure(entry['predicted'])} predicted after."]
    return lines


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _cell(value: Any) -> str:
    return str("" if value is None else value).replace("|", "\\|").replace("\n", " ")


def _interval(tau: float, n: int) -> tuple[float, float]:
    return round(_lowest(tau, n), 3), round(-_lowest(-tau, n), 3)


def _lowest(tau: float, n: int) -> float:
    """The lowest expected tau at which one as high as `tau` still has a chance of 2.5%."""
    pairs = n * (n - 1) // 2
    inverted = ceil((1 - tau) / 2 * pairs - _SLACK)
    if inverted >= pairs:
        return -1.0
    low, high = -_STEEPEST, _STEEPEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        enough = float(_inverted_pairs(n, middle)[: inverted + 1].sum()) > _TAIL
        low, high = (low, middle) if enough else (middle, high)
    return 1 - 2 * float(_inverted_pairs(n, low) @ np.arange(pairs + 1)) / pairs


def _inverted_pairs(n: int, order: float) -> NDArray[np.float64]:
    """The probability of each number of inverted pairs: each is e^-order times as likely as one without it."""
    found = np.ones(1)
    for size in range(2, n + 1):
        step = np.exp(-order * np.arange(size))
        found = np.convolve(found, step / step.sum())
    return found
