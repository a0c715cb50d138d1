"""`rubricator memory pack` and `memory gate`: what goes beyond retrieval, by stated signals or by a model."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from rubricator.errors import InputError, StorageError
from rubricator.interfaces.cli import render
from rubricator.interfaces.cli.answering import answer_options, asking
from rubricator.interfaces.cli.frame import (
    parsed_json,
    print_json,
    read_json,
    read_text,
    say,
    score_options,
    show,
    with_json,
)
from rubricator.interfaces.cli.memory import open_memory
from rubricator.memory.gate import read_questions
from rubricator.memory.pack_page import render_pack
from rubricator.memory.query import DisputedItem
from rubricator.workspace import Workspace


@click.command("pack")
@with_json
@score_options
@click.option("--item", required=True, metavar="FILE", help="The disputed item as JSON; - for standard input.")
@answer_options
@click.option("--keep/--no-keep", default=True, help="Keep the pack for its page in `rubricator serve`.")
def pack(scorecard: str, score: str, item: str, as_json: bool, keep: bool, **options: Any) -> None:
    """Analyse one disputed item: what the rubric says, what bears that out or not, and how sure that is.

    The rubric decides; evidence only informs. Without a model, sentences are labelled by stated signals and the
    confidence is at most medium. A model sees texts and gives ids and labels back: all quoted words come from the
    files. With --answerer host the questions are printed as JSON; answer them, and run it again with --answer.

    \b
    Examples:
      rubricator memory pack --scorecard "Support QA" --score "Refunds: Eligibility" --item item.json
      rubricator memory pack --scorecard "Support QA" --score "Refunds: Eligibility" --item item.json \\
        --answerer endpoint --model gpt-4o-mini --json
    """
    workspace = Workspace.open()
    disputed = DisputedItem.from_json(read_json(item))
    with asking(workspace, options) as inference, open_memory(workspace, scorecard, score) as memory:
        built = memory.pack(disputed, inference=inference)
        authority = memory.authority
    if as_json:
        print_json(built.to_json())
    else:
        click.echo(render_pack(built), nl=False)
    if keep:
        try:
            kept = workspace.packs.keep(built, authority, datetime.now(UTC))
            say(f"Kept as {kept}. See it beside the rubric: rubricator serve")
        except StorageError as error:  # the pack is printed, and its page is an extra
            say(f"Not kept for its page. {error}")


@click.command("gate")
@with_json
@score_options
@click.option(
    "--questions",
    required=True,
    metavar="FILE",
    help="A Markdown list, or a JSON list of questions; - for standard input.",
)
@answer_options
def gate(scorecard: str, score: str, questions: str, as_json: bool, **options: Any) -> None:
    """Check questions to experts before they are asked: many are answered already.

    What the rubric answers is left out of the agenda, what the corpus answers becomes a proposal to confirm, what it
    contradicts itself on is kept and says so, and what is open is asked. Each answer carries its citation.

    \b
    Example:
      rubricator memory gate --scorecard "Support QA" --score "Refunds: Eligibility" --questions questions.md
    """
    workspace = Workspace.open()
    asked = _questions(questions)
    with asking(workspace, options) as inference, open_memory(workspace, scorecard, score) as memory:
        gated = memory.gate(asked, inference=inference)
    show(gated, render.gate, as_json=as_json)


def _questions(path: str) -> list[str]:
    text = read_text(path)
    if not text.lstrip().startswith(("[", "{")) or text.lstrip().startswith(("[ ]", "[x]")):
        return read_questions(text)
    value = parsed_json(text, path)
    if not isinstance(value, list) or not value or not all(isinstance(entry, str) and entry.strip() for entry in value):
        raise InputError(f"{path} is no JSON list of questions.", hint='Write ["...", "..."], or a Markdown list.')
    return [" ".join(entry.split()) for entry in value]
