"""`plexus rubric-memory`: the same commands under the name that Plexus gives them."""

from __future__ import annotations

import click

from rubricator.interfaces.cli.lazy import LazyGroup
from rubricator.interfaces.cli.memory import prewarm, recent


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """The rubric-memory commands of Plexus, as Rubricator provides them."""


@main.group("rubric-memory")
def rubric_memory() -> None:
    """Prepare and list the knowledge bases beside a score.

    \b
    Examples:
      plexus rubric-memory prewarm --scorecard "Support QA" --score "Call Opening"
      plexus rubric-memory recent --scorecard "Support QA" --score "Call Opening" --days 30
    """


rubric_memory.add_command(prewarm)
rubric_memory.add_command(recent)
