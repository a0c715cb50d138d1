"""`rubricator doctor`: what is installed, where things are kept, what is missing and how to get it."""

from __future__ import annotations

import sys
from typing import Any

import click

from rubricator.interfaces.cli.frame import print_json, with_json
from rubricator.workspace import Workspace


@click.command()
@click.option("--check", is_flag=True, help="Exit 1 when something is missing.")
@with_json
def doctor(check: bool, as_json: bool) -> None:
    """Show what is installed, where things are kept, and what is missing.

    \b
    Example:
      rubricator doctor
    """
    found = Workspace.open().doctor()
    print_json(found) if as_json else _show(found)
    if check and found["missing"]:
        sys.exit(1)


def _show(found: dict[str, Any]) -> None:
    packages = found["packages"]
    click.echo(f"rubricator {packages['rubricator']} on Python {packages['python']} ({packages['platform']})")
    for name, version in packages["core"].items():
        click.echo(f"  {name:<20} {version or 'MISSING'}")
    click.echo("Extras")
    for name, extra in packages["extras"].items():
        click.echo(f"  {name:<20} {'installed' if extra['installed'] else 'not installed: ' + extra['install']}")
    click.echo("Formats")
    for entry in found["formats"]:
        state = "" if entry["available"] else f"  needs the extra {entry['extra']}"
        click.echo(f"  {entry['name']:<20} {' '.join(entry['suffixes'])}{state}")
    click.echo("Folders")
    for name, folder in found["folders"].items():
        state = "" if folder["exists"] else "  (does not exist)"
        state += "" if folder["writable"] else "  (read-only)"
        click.echo(f"  {name:<20} {folder['path']}{state}")
    click.echo(f"Authority\n  {found['authority']}")
    asked = found["answerer"]
    told = f": {asked['model'] or 'no model'} at {asked['where']}, key {asked['key']}" if asked["where"] else ""
    click.echo(f"Answerer\n  {asked['answerer']}{told}")
    for line in found["missing"]:
        click.echo(f"Missing: {line}")
