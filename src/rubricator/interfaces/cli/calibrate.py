"""`rubricator calibrate`: blind passes, what they found, and the changes that were approved."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from rubricator.errors import InputError, RefusedError, ServiceError
from rubricator.interfaces.cli import render_calibration as render
from rubricator.interfaces.cli.answering import answer_options, asking
from rubricator.interfaces.cli.frame import command, print_json, read_text, say, show
from rubricator.interfaces.cli.ranking import DEFAULT_PORT, address, port_option, rank_session, refuse_pipe
from rubricator.workspace import Workspace


@click.group()
@click.option(
    "--workspace", "folder", type=click.Path(path_type=Path, file_okay=False), help="The folder with the evaluators."
)
@click.pass_context
def calibrate(ctx: click.Context, folder: Path | None) -> None:
    """Compare an evaluator with its owner's blind ranking, and mend its rubric.

    The owner ranks a few top-scored artifacts without seeing a score. Then the evaluator's order is laid beside theirs:
    which pairs cross, which criterion does it, and which change to the rubric would mend it, proved by arithmetic.

    \b
    Start here:
      rubricator calibrate run                 sample, rank in the browser, see why, approve changes
      rubricator calibrate due                 what was learned since the last pass
      rubricator calibrate log                 how agreement went over the passes
    """
    ctx.obj = folder


session_argument = click.argument("session", required=False)
evaluator_argument = click.argument("evaluator", required=False)


def _start_options(function: Any) -> Any:
    for option in (
        click.option("--sample", "n", type=int, default=5, show_default=True, help="How many artifacts: 3 to 12."),
        click.option("--seed", type=int, help="Draw the same sample again."),
        click.option(
            "--mode",
            type=click.Choice(["stratified", "informative"]),
            default="stratified",
            show_default=True,
            help="Spread over the top band, or chosen from sub-scores to tell the criteria apart.",
        ),
    ):
        function = option(function)
    return function


def _workspace() -> Workspace:
    return Workspace.open(click.get_current_context().obj)


def _calibration() -> Any:
    return _workspace().calibration


@command(calibrate, "due")
@evaluator_argument
@click.option("--check", is_flag=True, help="Exit with 1 where a pass is due, for use in hooks.")
def due(evaluator: str | None, check: bool, as_json: bool) -> None:
    """What was learned since the last pass: criteria added or reworded, weights changed. Never the calendar.

    \b
    Example:
      rubricator calibrate due --check
    """
    found = _calibration().due(evaluator)
    if as_json:
        print_json(found[0] if evaluator is not None else {"evaluators": found})
    else:
        render.due(found)
    if check and any(entry["due"] for entry in found):
        sys.exit(1)


@command(calibrate, "start")
@evaluator_argument
@_start_options
@port_option
def start(evaluator: str | None, n: int, seed: int | None, mode: Any, port: int, as_json: bool) -> None:
    """Sample artifacts, seal the scores, and print the address of the ranking page.

    Without EVALUATOR, the one with the newest scored artifact. The page is served by `rubricator calibrate rank` or
    `rubricator serve`.

    \b
    Example:
      rubricator calibrate start newsletter --sample 6 --mode informative
    """
    begun = _calibration().start(evaluator, n=n, seed=seed, mode=mode)
    token = begun.pop("token")
    begun["url"] = address(begun["session"], token, port or DEFAULT_PORT)
    show(begun, render.started, as_json=as_json)


@command(calibrate, "rank")
@session_argument
@port_option
@click.option("--terminal", is_flag=True, help="Rank in the terminal instead of the browser.")
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser.")
def rank(session: str | None, port: int, terminal: bool, browser: bool, as_json: bool) -> None:
    """Serve the ranking page of one session, and end with it. A person ranks; nothing can be piped in.

    \b
    Examples:
      rubricator calibrate rank
      rubricator calibrate rank --terminal
    """
    workspace = _workspace()
    named = workspace.calibration.resolve(session, states=("open", "committed"))
    rank_session(workspace, named, port, terminal=terminal, browser=browser, as_json=as_json)


@command(calibrate, "run")
@evaluator_argument
@_start_options
@port_option
@click.option("--terminal", is_flag=True, help="Rank in the terminal instead of the browser.")
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser.")
def run(
    evaluator: str | None,
    n: int,
    seed: int | None,
    mode: Any,
    port: int,
    terminal: bool,
    browser: bool,
    as_json: bool,
) -> None:
    """The whole pass with one command: sample, rank blind, see why, approve changes.

    \b
    Example:
      rubricator calibrate run newsletter
    """
    workspace = _workspace()
    refuse_pipe()
    begun = workspace.calibration.start(evaluator, n=n, seed=seed, mode=mode)
    if not as_json:
        render.started({key: value for key, value in begun.items() if key != "token"})
    rank_session(workspace, begun["session"], port, terminal=terminal, browser=browser, as_json=as_json)


@command(calibrate, "decline")
@session_argument
@click.option("--reason", default="", help="Why, for the ledger.")
def decline(session: str | None, reason: str, as_json: bool) -> None:
    """End a pass without a ranking. Nothing is inferred.

    \b
    Example:
      rubricator calibrate decline --reason "no time to read"
    """
    calibration = _calibration()
    named = calibration.resolve(session)
    calibration.open_pass(named).decline(reason)
    told = calibration.report(named)
    show(told, render.report, as_json=as_json)


@command(calibrate, "report")
@session_argument
@answer_options
def report(session: str | None, as_json: bool, **options: Any) -> None:
    """What a pass found, once its ranking is committed.

    With --answerer a model reads what arithmetic can't attribute: where there are no sub-scores, it names a criterion
    for each inversion. Where it fails, the report is printed all the same, says what is missing, and exits with 4.

    \b
    Examples:
      rubricator calibrate report
      rubricator calibrate report --answerer endpoint --model gpt-4o-mini
    """
    workspace = _workspace()
    named = workspace.calibration.resolve(session, states=("committed", "open", "closed", "halted"))
    asked = _consult(workspace, named, options)
    told = workspace.explain(named)
    show(told, render.report, as_json=as_json)
    if told["finding"] == "halted":
        sys.exit(RefusedError.exit_code)
    if asked:
        _say_missing(told)


@command(calibrate, "propose")
@session_argument
@answer_options
def propose(session: str | None, as_json: bool, **options: Any) -> None:
    """The changes that hold, each with its proof; with --answerer also those that a model proposes, unproved.

    \b
    Examples:
      rubricator calibrate propose
      rubricator calibrate propose --answerer endpoint --model gpt-4o-mini
    """
    workspace = _workspace()
    named = workspace.calibration.resolve(session, states=("committed", "open"))
    asked = _consult(workspace, named, options)
    show(workspace.calibration.propose(named), render.proposals, as_json=as_json)
    if asked:
        _say_missing(workspace.calibration.report(named))


def _consult(workspace: Workspace, session: str, options: dict[str, Any]) -> bool:
    """Ask whom the options or the settings name about a committed pass. What fails is left to the report.

    Returns whether somebody was asked.
    """
    if workspace.calibration.state(session) == "halted":
        return False
    with asking(workspace, options) as inference:
        if inference is not None:
            workspace.calibration.consult(session, inference)
        return inference is not None


def _say_missing(told: dict[str, Any]) -> None:
    """Say what a model did not answer, and end as a service that failed."""
    missing = (told.get("inference") or {}).get("missing", [])
    for entry in missing:
        say(f"Missing: {entry['what']}. {entry['why']}")
    if missing:
        sys.exit(ServiceError.exit_code)


@command(calibrate, "apply")
@session_argument
@click.option("--approve", multiple=True, metavar="ID", help="A proposal to apply; may be given again.")
@click.option(
    "--wording", multiple=True, metavar="ID=FILE", help="The criterion's new text for a proposal, from a file."
)
@click.option("--remember", is_flag=True, help="Put a dated note into the knowledge base beside the rubric.")
def apply(
    session: str | None, approve: tuple[str, ...], wording: tuple[str, ...], remember: bool, as_json: bool
) -> None:
    """Write what was approved into the rubric file, and log it. Nothing else in the file is touched.

    \b
    Example:
      rubricator calibrate apply --approve p1 --remember
    """
    calibration = _calibration()
    named = calibration.resolve(session, states=("committed", "open"))
    words = {}
    for entry in wording:
        identity, mark, path = entry.partition("=")
        if not mark:
            raise InputError(f"--wording {entry} names no file.", hint="Write it as ID=FILE.")
        words[identity] = read_text(path)
    if not approve:
        calibration.report(named)
        raise InputError("Nothing is approved.", hint="Name each proposal to apply: --approve p1.")
    done = calibration.decide(named, approve=approve, edited=words, remember=remember)
    show(done, render.applied, as_json=as_json)


@command(calibrate, "revert")
@session_argument
def revert(session: str | None, as_json: bool) -> None:
    """Undo the changes of a pass: the rubric file is what it was, byte for byte.

    \b
    Example:
      rubricator calibrate revert 2026-11-02-newsletter-7f3a
    """
    calibration = _calibration()
    done = calibration.revert(calibration.resolve(session, states=("closed",)))
    if as_json:
        print_json(done)
    else:
        click.echo(f"{done['rubric']} is as it was before {done['session']}.")


@command(calibrate, "log")
@evaluator_argument
def log(evaluator: str | None, as_json: bool) -> None:
    """How agreement went over the passes, and what was changed.

    \b
    Example:
      rubricator calibrate log newsletter
    """
    found = _calibration().log(evaluator)
    show(found, render.log, as_json=as_json)


@command(calibrate, "verify")
@evaluator_argument
@click.option("--check", is_flag=True, help="Exit with 1 where the chain does not hold.")
def verify(evaluator: str | None, check: bool, as_json: bool) -> None:
    """Whether the ledger is as it was written: every event is chained to the one before.

    A chain can't show that its end was cut off, or that the whole file was written anew: keep the printed head
    elsewhere for that.

    \b
    Example:
      rubricator calibrate verify --check
    """
    found = _calibration().verify(evaluator)
    show(found, render.verified, as_json=as_json)
    if check and not found["valid"]:
        sys.exit(1)


@command(calibrate, "explain")
@session_argument
def explain(session: str | None, as_json: bool) -> None:
    """Why each pair crosses: what every criterion adds, what its removal would do, and where the driver came from.

    \b
    Example:
      rubricator calibrate explain
    """
    workspace = _workspace()
    told = workspace.explain(workspace.calibration.resolve(session, states=("committed", "open", "closed")))
    show(told, render.explained, as_json=as_json)


@command(calibrate, "audit")
@click.argument("table")
@click.option("--owner", required=True, metavar="COL", help="The owner's value; a dotted path reaches into JSON.")
@click.option("--machine", required=True, metavar="COL", help="The evaluator's value.")
@click.option("--criteria", default="", metavar="A,B,...", help="Columns of the evaluator's sub-scores.")
@click.option("--weights", default="", metavar="1,2,...", help="Their weights; all 1 if left out.")
@click.option("--group", default="", metavar="COL", help="Compare within groups, as if each were a pass.")
@click.option("--seed", type=int, default=0, show_default=True, help="For Monte Carlo and for the split into halves.")
def audit(
    table: str, owner: str, machine: str, criteria: str, weights: str, group: str, seed: int, as_json: bool
) -> None:
    """The same figures over labels that people already have, in a CSV or JSONL table. Not blind, and marked so.

    \b
    Example:
      rubricator calibrate audit labels.jsonl --owner human.overall --machine judge.overall --group topic
    """
    found = Workspace.audit(
        Path(table),
        owner=owner,
        machine=machine,
        criteria=[name.strip() for name in criteria.split(",") if name.strip()],
        weights=[_number(text) for text in weights.split(",") if text.strip()],
        group=group,
        seed=seed,
    )
    show(found, render.audit, as_json=as_json)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{text!r} is not a weight.", hint="Write numbers with points, between commas.") from None
