"""What commands share that may ask a model: the options, and an answerer that is closed when they are done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec

import click

from rubricator.errors import InputError
from rubricator.interfaces.cli.frame import read_json
from rubricator.settings import ANSWERERS

if TYPE_CHECKING:
    from rubricator.inference.runner import Inference
    from rubricator.workspace import Workspace

P = ParamSpec("P")


def answer_options(function: Callable[P, None]) -> Callable[P, None]:
    """The options that say who is asked."""
    options = (
        click.option(
            "--answerer",
            type=click.Choice(ANSWERERS),
            help="Who is asked: nobody, a model endpoint, Tactus procedures, or the agent that runs this command. "
            "[default: RUBRICATOR_ANSWERER, else none]",
        ),
        click.option("--model", metavar="NAME", help="The model. [default: RUBRICATOR_MODEL]"),
        click.option("--answer", metavar="FILE", help="The host agent's answers as JSON; - for standard input."),
        click.option("--no-cache", is_flag=True, help="Ask anew, even what was answered before."),
    )
    for option in reversed(options):
        function = option(function)
    return function


@contextmanager
def asking(workspace: Workspace, options: dict[str, Any]) -> Iterator[Inference | None]:
    """The way to ask that the options name, closed at the end; None where nobody is to be asked."""
    answers = None if options["answer"] is None else read_json(options["answer"])
    if answers is not None and not isinstance(answers, dict):
        raise InputError(
            f"{options['answer']} holds no JSON object.", hint='Give {"answers": {"<request>": {...}}}, or one answer.'
        )
    inference = workspace.inference(
        answerer=options["answerer"], model=options["model"], answers=answers, cache=not options["no_cache"]
    )
    try:
        yield inference
    finally:
        if inference is not None:
            inference.close()
