"""`rubricator demo`: a scorecard and an evaluator to try things on."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

import click

from rubricator.interfaces.cli.frame import command, print_json, progress, say
from rubricator.interfaces.cli.ranking import DEFAULT_PORT, address, port_option, serve_ranking
from rubricator.workspace import Workspace

SCORECARD = "Harbor Home Support QA"
EVALUATOR = "help-articles"
SEED = 7
SCORE = "Refunds: Eligibility"
QUESTION = "why did the goodwill limit go from $40 back down to $30"


class _DemoGroup(click.Group):
    """`rubricator demo FOLDER` is short for `rubricator demo memory FOLDER`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `memory` before arguments that name no demo."""
        if not args or (args[0] not in self.commands and args[0] not in {"-h", "--help"}):
            args = ["memory", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_DemoGroup)
def demo() -> None:
    """Something to try things on: a scorecard with its memory, or an evaluator to rank against.

    \b
    Examples:
      rubricator demo                     the scorecard, the same as `demo memory`
      rubricator demo calibrate           the evaluator, and its ranking page
    """


@command(demo, "calibrate")
@click.argument("folder", default="rubricator-demo-calibrate", type=click.Path(path_type=Path))
@port_option
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser.")
@click.option("--serve/--no-serve", default=True, help="Serve the page until the pass is done, or Ctrl-C.")
def calibrate(folder: Path, port: int, browser: bool, serve: bool, as_json: bool) -> None:
    """Copy a demo evaluator to FOLDER, start a pass over it, and serve the page on which you rank.

    The evaluator scores the articles of an invented help centre. Its rubric has a history in git. Rank five of its
    favourites blind, and see why it differs from you. With --json, the page's address is printed and not served.

    \b
    Example:
      rubricator demo calibrate
    """
    fresh = Workspace.copy_demo_evaluator(folder)
    say(f"{'Copied the demo to' if fresh else 'Using the demo in'} {folder}")
    workspace = Workspace.open(folder.absolute(), environment={})
    calibration = workspace.calibration
    going = [entry["session"] for entry in calibration.sessions() if entry["state"] == "open"]
    session = going[0] if going else calibration.start(EVALUATOR, seed=SEED)["session"]
    if as_json or not serve:
        url = address(session, calibration.token(session), port or DEFAULT_PORT)
        if as_json:
            print_json({"folder": str(folder), "session": session, "url": url})
        else:
            click.echo(f"Page: {url}")
        say(f"Serve it with: cd {folder} && {_command()} calibrate rank {session}")
        return
    serve_ranking(workspace, session, port, browser=browser)


@command(demo, "memory")
@click.argument("folder", default="rubricator-demo", type=click.Path(path_type=Path))
def memory(folder: Path, as_json: bool) -> None:
    """Copy a demo scorecard to FOLDER and print one citation context made from it.

    The demo is the support QA scorecard of an invented internet company: five scores, 57 sources over 18 months, a
    policy that changed twice, a rumour, undated notes. STORY.md in the folder tells more.

    \b
    Example:
      rubricator demo memory
    """
    started = time.perf_counter()
    fresh = Workspace.copy_demo(folder)
    say(f"{'Copied the demo to' if fresh else 'Using the demo in'} {folder}")
    workspace = Workspace.open(folder.absolute(), environment={})
    for name in workspace.scores(SCORECARD):
        with progress(f"Preparing {name}") as bar:
            done = workspace.prewarm(SCORECARD, name, progress=bar)
        say(f"  {done.prepared.status}: {name}, {done.prepared.manifest.passages} passages")
    context = workspace.context(SCORECARD, SCORE, query=QUESTION)
    if as_json:
        print_json(context.to_json())
        return
    click.echo(context.markdown)
    say(f"That was the citation context for: {QUESTION}")
    say(f"All of it took {time.perf_counter() - started:.1f} s. No model was asked.")
    say(_NEXT.format(folder=folder, scorecard=SCORECARD, rubricator=_command()))


def _command() -> str:
    """How to call us again: by name where the shell finds it, else by path."""
    return "rubricator" if shutil.which("rubricator") else str(Path(sys.argv[0]).absolute())


_NEXT = """
Try next, in the demo's folder:
  cd {folder}
  {rubricator} memory search --scorecard "{scorecard}" --score "Identity Verification" "may we skip questions for a familiar voice?"
  {rubricator} memory context --scorecard "{scorecard}" --score "Refunds: Eligibility" --item item.json
  {rubricator} memory recent --scorecard "{scorecard}" --score "Escalation Handling" --since 2026-06-01
  {rubricator} memory lint --scorecard "{scorecard}"
"""  # noqa: E501 - commands are pasted whole
