"""Rubric files and score logs for people."""

from __future__ import annotations

from typing import Any, Final

import click

_MOST_ROWS: Final = 20
_WIDTH: Final = 72


def rubric(told: dict[str, Any]) -> None:
    """A rubric: its head, its criteria, and what was guessed."""
    scale = told["scale"]
    ends = f"{scale[0]:g} to {scale[1]:g}" if scale else "no scale stated"
    click.echo(f"{told['name']} ({told['format']}; {ends}; {told['aggregate']}; version {told['version']})")
    for c in told["criteria"]:
        added = f", added {c['added']}" if c["added"] else ""
        click.echo(f"\n  {c['name']}  (weight {c['weight']:g}{added})")
        line = " ".join(c["text"].split())
        if line:
            click.echo(f"    {line[:_WIDTH]}{' …' if len(line) > _WIDTH else ''}")
    for note in told["notes"]:
        click.echo(f"\nNote: {note}")


def faults(told: dict[str, Any]) -> None:
    """What to look at in a rubric."""
    if not told["faults"]:
        click.echo(f"{told['file']}: nothing to look at.")
    for fault in told["faults"]:
        where = f"“{fault['criterion']}”: " if fault["criterion"] else ""
        click.echo(f"{fault['rule']}: {where}{fault['message']}\n  {fault['fix']}")


def scores(told: dict[str, Any]) -> None:
    """The first rows of a score log, and what was passed over."""
    click.echo(f"{told['artifacts']} artifact{'s' if told['artifacts'] != 1 else ''} ({told['format']})")
    for row in told["rows"][:_MOST_ROWS]:
        parts = ", ".join(f"{name} {value:g}" for name, value in row["criteria"].items())
        click.echo(f"  {row['score']:g}  {row['artifact']}{f'  ({parts})' if parts else ''}")
    if len(told["rows"]) > _MOST_ROWS:
        click.echo(f"  and {len(told['rows']) - _MOST_ROWS} more: see --json")
    for sentence in told["diagnostics"]:
        click.echo(f"Note: {sentence}")
