"""The command line. Each command parses, calls one workspace verb and renders; `--json` gives the same as data."""

from __future__ import annotations

import click

from rubricator.interfaces.cli.lazy import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_in={
        "memory": "rubricator.interfaces.cli.memory:memory",
        "calibrate": "rubricator.interfaces.cli.calibrate:calibrate",
        "rubric": "rubricator.interfaces.cli.rubric:rubric",
        "scores": "rubricator.interfaces.cli.rubric:scores",
        "serve": "rubricator.interfaces.cli.serve:serve",
        "mcp": "rubricator.interfaces.cli.mcp:mcp",
        "skill": "rubricator.interfaces.cli.skill:skill",
        "demo": "rubricator.interfaces.cli.demo:demo",
        "doctor": "rubricator.interfaces.cli.doctor:doctor",
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="rubricator", prog_name="rubricator")
def main() -> None:
    """Rubricator keeps rubrics true.

    Rubric memory retrieves, with citations, what dated knowledge-base folders say about a score, under the authority of
    the score's active rubric. Rubric calibration compares an evaluator with its owner's blind ranking, names the
    criterion behind each difference, and proves every change before it is approved.

    \b
    Start here:
      rubricator demo                     a scorecard to try things on
      rubricator demo calibrate           an evaluator to rank against
      rubricator memory context --help    what to put into a prompt
      rubricator calibrate run --help     a blind pass over your own evaluator
      rubricator doctor                   what is installed, and where things are kept

    Exit codes: 0 done, 1 a --check found something, 2 bad input or usage, 3 refused by a rule, 4 a service failed.
    """
