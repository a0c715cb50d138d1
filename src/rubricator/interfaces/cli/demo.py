"""`rubricator demo`: a scorecard to try things on."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

import click

from rubricator.interfaces.cli.frame import print_json, progress, say, with_json
from rubricator.workspace import Workspace

SCORECARD = "Harbor Home Support QA"
SCORE = "Refunds: Eligibility"
QUESTION = "why did the goodwill limit go from $40 back down to $30"


@click.command()
@click.argument("folder", default="rubricator-demo", type=click.Path(path_type=Path))
@with_json
def demo(folder: Path, as_json: bool) -> None:
    """Copy a demo scorecard to FOLDER and print one citation context made from it.

    The demo is the support QA scorecard of an invented internet company: five scores, 57 sources over 18 months, a
    policy that changed twice, a rumour, undated notes. STORY.md in the folder tells more.

    \b
    Example:
      rubricator demo
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
