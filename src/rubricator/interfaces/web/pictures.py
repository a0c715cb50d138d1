"""Plots as plain SVG, made on the server: no script, no colour that is needed to read them, a table beside each."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup, escape

_STEP: Final = 54
_TOP: Final = 46
_LEFT: Final = 92
_RIGHT: Final = 322
_WIDTH: Final = 400
_NEARER: Final = 0.62
_NAMES: Final = 166
_MIDDLE: Final = 252
_REACH: Final = 74
_LANES: Final = (
    ("supporting", "Supporting"),
    ("conflicting", "Conflicting"),
    ("historical_context", "Historical"),
)


def crossing(told: Mapping[str, Any]) -> Markup:
    """The two rankings side by side, best at the top, each artifact joined by a line; inverted ones are dashed."""
    rows = told["sample"]
    if not rows:
        return Markup("")
    involved = {label for i in told["inversions"] for label in (i["preferred"], i["over"])}
    sides: dict[str, dict[str, float]] = {side: _spread(rows, side) for side in ("owner_rank", "machine_rank")}
    height = _TOP + _STEP * len(rows)
    parts = [
        f'<text class="side" x="{_LEFT + 29}" y="20" text-anchor="end">You</text>',
        f'<text class="side" x="{_RIGHT - 29}" y="20">Evaluator</text>',
    ]
    for row in rows:
        label = row["label"]
        mine, theirs = sides["owner_rank"][label], sides["machine_rank"][label]
        kind = "crossed" if label in involved else "straight"
        parts += [
            f'<line class="{kind}" x1="{_LEFT + 34}" y1="{mine}" x2="{_RIGHT - 34}" y2="{theirs}"/>',
            _dot(_LEFT + 14, mine, label, kind),
            _dot(_RIGHT - 14, theirs, label, kind),
            f'<text class="score" x="{_RIGHT + 14}" y="{theirs + 5}">{escape(_number(row["score"]))}</text>',
            f'<text class="place" x="{_LEFT - 14}" y="{mine + 5}" text-anchor="end">{_place(row["owner_rank"])}</text>',
        ]
    return _svg(_WIDTH, height, "Your ranking and the evaluator's, best at the top; dashed lines are inverted", parts)


def contributions(inversion: Mapping[str, Any]) -> Markup:
    """What each criterion adds to the evaluator's preference: bars to the right speak for the one you have lower."""
    parts = sorted(inversion["attribution"]["contributions"].items(), key=lambda entry: -entry[1])
    if not parts:
        return Markup("")
    most = max(abs(value) for _, value in parts) or 1.0
    lines = [f'<line class="axis" x1="{_MIDDLE}" y1="4" x2="{_MIDDLE}" y2="{len(parts) * 26 + 4}"/>']
    for number, (name, value) in enumerate(parts):
        y, width = number * 26 + 6, abs(value) / most * _REACH
        x = _MIDDLE if value >= 0 else _MIDDLE - width
        kind = "for" if value >= 0 else "against"
        shown = name if len(name) <= 24 else f"{name[:23]}…"  # noqa: PLR2004 - what fits beside the bars
        lines += [
            f'<text x="{_NAMES}" y="{y + 14}" text-anchor="end">{escape(shown)}</text>',
            f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="18"/>',
            f'<text class="value" x="{_MIDDLE + _REACH + 10}" y="{y + 14}">{value:+.2f}</text>',
        ]
    words = f"What each criterion adds to {inversion['over']} over {inversion['preferred']}"
    return _svg(_WIDTH, len(parts) * 26 + 10, words, lines)


def course(points: Sequence[tuple[str, float | None]], words: str) -> Markup:
    """Tau-b over time, from -1 to 1; undefined points are gaps. Nothing for fewer than two points."""
    if len(points) < 2:  # noqa: PLR2004 - a course has two ends
        return Markup("")
    left, right, top, bottom = 34, _WIDTH - 4, 14, 134
    step = (right - left - 30) / (len(points) - 1)

    def y(value: float) -> float:
        return round(bottom - (value + 1) / 2 * (bottom - top), 1)

    parts = [
        f'<line class="axis" x1="{left}" y1="{y(v)}" x2="{right}" y2="{y(v)}"/>'
        f'<text class="value" x="{left - 8}" y="{y(v) + 4}" text-anchor="end">{v:g}</text>'
        for v in (-1, 0, 1)
    ]
    last: tuple[float, float] | None = None
    for number, (date, value) in enumerate(points):
        x = round(left + 15 + number * step, 1)
        if number in {0, len(points) - 1} or len(points) <= 3:  # noqa: PLR2004 - labels that fit
            anchor = "end" if number == len(points) - 1 else "start" if number == 0 else "middle"
            parts.append(f'<text class="value" x="{x}" y="156" text-anchor="{anchor}">{escape(date)}</text>')
        if value is None:
            last = None
            continue
        if last:
            parts.append(f'<line class="straight" x1="{last[0]}" y1="{last[1]}" x2="{x}" y2="{y(value)}"/>')
        parts.append(f'<circle class="straight" cx="{x}" cy="{y(value)}" r="4"/>')
        last = (x, y(value))
    return _svg(_WIDTH, 166, words, parts)


def timeline(events: Sequence[Mapping[str, Any]]) -> Markup:
    """The dated evidence along its years, a lane for each label with a shape of its own. Nothing for none."""
    if not events:
        return Markup("")
    days = [dt.date.fromisoformat(event["date"]).toordinal() for event in events]
    first, reach = min(days), max(1, max(days) - min(days))
    left, right = 150, _WIDTH - 20
    parts: list[str] = []
    for lane, (label, words) in enumerate(_LANES):
        y = 26 + lane * 34
        parts.append(f'<line class="axis" x1="{left - 12}" y1="{y}" x2="{right + 12}" y2="{y}"/>')
        parts.append(f'<text class="value" x="{left - 24}" y="{y + 5}" text-anchor="end">{words}</text>')
        for event, day in zip(events, days, strict=True):
            if event["label"] == label:
                x = round(left + (day - first) / reach * (right - left), 1)
                title = escape(f"{event['date']}, {words.lower()}: {event['source']}")
                parts.append(f'<path class="{label}" d="{_shape(label, x, y)}"><title>{title}</title></path>')
    ends = [(left, "start", events[0]["date"]), (right, "end", events[-1]["date"])]
    for x, anchor, date in ends if days[0] != days[-1] else ends[:1]:
        parts.append(f'<text class="value" x="{x}" y="132" text-anchor="{anchor}">{escape(date)}</text>')
    return _svg(_WIDTH, 140, "The dated evidence over time; the table below has the same", parts)


def _shape(label: str, x: float, y: float) -> str:
    """A square for what supports, a triangle for what conflicts, a rhomb for the rest: told apart without colour."""
    if label == "supporting":
        return f"M{x - 6:g} {y - 6:g}h12v12h-12z"
    if label == "conflicting":
        return f"M{x:g} {y - 8:g}l8 14h-16z"
    return f"M{x:g} {y - 7:g}l7 7l-7 7l-7 -7z"


def _spread(rows: Sequence[Mapping[str, Any]], side: str) -> dict[str, float]:
    """A height for each label by its rank; ties stand next to each other, nearer than others."""
    order = sorted(rows, key=lambda row: (row[side], row["label"]))
    heights: dict[str, float] = {}
    for number, row in enumerate(order):
        tied = [n for n, other in enumerate(order) if other[side] == row[side]]
        middle = sum(tied) / len(tied)
        place = middle + (number - middle) * (_NEARER if len(tied) > 1 else 1)
        heights[row["label"]] = round(_TOP + 14 + _STEP * place, 1)
    return heights


def _dot(x: float, y: float, label: str, kind: str) -> str:
    return (
        f'<circle class="{kind}" cx="{x}" cy="{y}" r="15"/>'
        f'<text class="label" x="{x}" y="{y + 5}" text-anchor="middle">{escape(label)}</text>'
    )


def _place(rank: float) -> str:
    return f"{rank:g}" if rank == int(rank) else f"tied, {rank:g}"


def _number(value: float) -> str:
    return f"{value:.4g}"


def _svg(width: int, height: float, words: str, parts: Sequence[str]) -> Markup:
    body = "".join(parts)
    return Markup(  # noqa: S704 - numbers, and words that were escaped above
        f'<svg viewBox="0 0 {width} {height:g}" role="img" aria-label="{escape(words)}">{body}</svg>'
    )
