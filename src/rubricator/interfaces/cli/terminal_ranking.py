"""The ranking in a terminal: the same steps as on the page, for people without a browser."""

from __future__ import annotations

import sys
import time
from typing import Any

import click

from rubricator.core.fence import visible
from rubricator.errors import BlindnessError, InputError
from rubricator.interfaces.cli import render_calibration as render
from rubricator.workspace import Workspace


def rank_in_terminal(workspace: Workspace, session: str) -> None:
    """Show the artifacts one after the other, ask for the order, commit it, and ask about the proposals.

    Raises BlindnessError unless both ends are a terminal.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BlindnessError(
            "Ranking in the terminal needs a person at one: input or output is not a terminal.",
            hint="Run it in an interactive terminal, or leave out --terminal and open the page.",
        )
    opened = workspace.calibration.open_pass(session)
    opened.seen()
    seconds = _read(opened.packet)
    notes: dict[str, str] = {}
    labels = [artifact.label for artifact in opened.packet.artifacts]
    click.echo("\nOrder them from worst to best. Join those that you can't tell apart with =, as in: C A=B D")
    click.echo("Other answers: a label shows it again, `note A words` keeps a note, `decline` ends the pass.")
    while True:
        answer = click.prompt("Worst to best").strip()
        if answer.lower() == "decline":
            if click.confirm("End the pass without a ranking? Nothing will be inferred."):
                opened.decline(click.prompt("Why, if you like", default="", show_default=False))
                return
        elif answer.upper() in labels:
            _show(opened.packet.artifacts[labels.index(answer.upper())])
        elif answer.lower().startswith("note "):
            label, _, words = answer[5:].strip().partition(" ")
            notes[label.upper()] = words
        else:
            groups = [group.split("=") for group in answer.upper().replace(" = ", "=").split()]
            if not click.confirm(f"Commit {' < '.join(' = '.join(group) for group in groups)}? It can't be changed."):
                continue
            try:
                opened.commit(groups, notes, seconds)
            except InputError as error:
                click.echo(str(error))
                continue
            break
    render.report(workspace.explain(session))
    _decide(workspace.calibration, session)


def _read(packet: Any) -> dict[str, float]:
    click.echo(f"{len(packet.artifacts)} artifacts, about {packet.reading_minutes:g} minutes to read.")
    seconds = {}
    for artifact in packet.artifacts:
        started = time.monotonic()
        _show(artifact)
        click.prompt("Press Enter when you have read it", default="", show_default=False, prompt_suffix=" ")
        seconds[artifact.label] = time.monotonic() - started
    return seconds


def _show(artifact: Any) -> None:
    click.echo(f"\n----- {artifact.label} ({artifact.words} words) -----\n")
    for line in artifact.text.splitlines():
        click.echo(visible(line))


def _decide(calibration: Any, session: str) -> None:
    found = calibration.propose(session)
    click.echo()
    render.proposals(found)
    approve, reject, edited = [], [], {}
    for proposal in found["proposals"]:
        words = ""
        if click.confirm(f"Approve {proposal['id']}?", default=False):
            if proposal["action"] == "narrow" or click.confirm("Change the criterion's wording too?", default=False):
                words = click.edit(proposal["after"]["text"] or proposal["before"]["text"]) or ""
            approve.append(proposal["id"])
            if words.strip():
                edited[proposal["id"]] = words
        else:
            reject.append(proposal["id"])
    remember = bool(approve) and click.confirm("Remember the change in the knowledge base?", default=False)
    done = calibration.decide(session, approve=approve, reject=reject, edited=edited, remember=remember)
    if done["changed"]:
        render.applied(done)
