"""`rubricator memory`: the commands of rubric memory."""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec

import click

from rubricator.errors import InputError, RubricatorError
from rubricator.interfaces.cli import render
from rubricator.interfaces.cli.frame import (
    DAY,
    command,
    print_json,
    progress,
    read_json,
    read_text,
    say,
    score_options,
    scorecard_option,
    write_text,
)
from rubricator.interfaces.cli.lazy import LazyGroup
from rubricator.memory.context import DEFAULT_BUDGET, PLACEHOLDER, into_prompt
from rubricator.memory.query import DisputedItem
from rubricator.rubric_memory import RubricMemory, SearchOptions
from rubricator.workspace import Prewarmed, Workspace

P = ParamSpec("P")


@click.group(
    cls=LazyGroup,
    commands_in={
        "pack": "rubricator.interfaces.cli.packs:pack",
        "gate": "rubricator.interfaces.cli.packs:gate",
    },
    short_help="Retrieve, with citations, what knowledge bases say about a score.",
)
def memory() -> None:
    """Retrieve, with citations, what the knowledge bases beside a score say.

    Knowledge bases are the *.knowledge-base folders in a scorecard's folder under SCORECARD_CACHE_DIR. They are read,
    never written; what is made from them is kept in RUBRICATOR_CACHE_DIR and can be deleted at any time.

    \b
    Examples:
      rubricator memory paths --scorecard "Support QA" --score "Refunds: Eligibility"
      rubricator memory search --scorecard "Support QA" --score "Refunds: Eligibility" "who may waive the fee?"
      rubricator memory context --scorecard "Support QA" --score "Refunds: Eligibility" --item item.json
    """


@command(memory, "paths")
@score_options
def paths(scorecard: str, score: str, as_json: bool) -> None:
    """Show where everything of a score lies.

    \b
    Example:
      rubricator memory paths --scorecard "Support QA" --score "Call Opening"
    """
    found = Workspace.open().paths(scorecard, score)
    print_json(found) if as_json else render.paths(found)


@command(memory, "prewarm")
@scorecard_option
@click.option("--score", metavar="NAME", help="The score, as its record names it.")
@click.option("--all", "every", is_flag=True, help="Every score of the scorecard.")
@click.option("--force", is_flag=True, help="Build anew, even where nothing changed.")
def prewarm(scorecard: str, score: str | None, every: bool, force: bool, as_json: bool) -> None:
    """Prepare a score's corpus, so that the first question is answered at once.

    Retrieval prepares by itself whatever is not prepared; this does it beforehand. Unchanged files are not read again.
    With --all, --json prints one document a line, one a score.

    \b
    Examples:
      rubricator memory prewarm --scorecard "Support QA" --score "Call Opening"
      rubricator memory prewarm --scorecard "Support QA" --all --json
    """
    if every == (score is not None):
        raise InputError("Either --score or --all is needed, and not both.", hint="See --help.")
    workspace = Workspace.open()
    failed = 0
    for name in workspace.scores(scorecard) if every else [score or ""]:
        try:
            done = prewarm_one(workspace, scorecard, name, force=force)
        except RubricatorError as error:
            if not every:
                raise
            say(f"Error: {name}: {error}")  # the other scores are prepared all the same
            failed = error.exit_code
            continue
        print_json(done.to_json()) if as_json else render.prewarmed(done)
    sys.exit(failed)


def prewarm_one(workspace: Workspace, scorecard: str, score: str, *, force: bool) -> Prewarmed:
    """Prepare one score, with a progress bar, saying so when another process is at it."""
    with progress(f"Preparing {score}") as bar:
        return workspace.prewarm(
            scorecard,
            score,
            force=force,
            progress=bar,
            waiting=lambda: say("Another process is preparing this score; waiting for it."),
        )


def search_options(*, limit: int, per_source: int) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """The options of retrieval, with a command's own defaults."""
    options = (
        click.option(
            "-k", "--limit", type=click.IntRange(1, 1000), default=limit, show_default=True, help="How many passages."
        ),
        click.option(
            "--per-source",
            type=click.IntRange(0, 1000),
            default=per_source,
            show_default=True,
            help="How many passages of one source, at most; 0 for any number.",
        ),
        click.option(
            "--order",
            type=click.Choice(["scope", "relevance"]),
            default="scope",
            show_default=True,
            help="scope: the most specific knowledge base first, then by relevance.",
        ),
        click.option("--since", type=DAY, metavar="DATE", help="Only sources dated on that day or later."),
        click.option("--until", type=DAY, metavar="DATE", help="Only sources dated on that day or earlier."),
        click.option("--as-of", type=DAY, metavar="DATE", help="Only what was known on that day."),
    )

    def add(function: Callable[P, None]) -> Callable[P, None]:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def _options(values: dict[str, Any]) -> SearchOptions:
    return SearchOptions(
        order=values["order"],
        limit=values["limit"],
        per_source=values["per_source"] or None,
        since=values["since"],
        until=values["until"],
        as_of=values["as_of"],
    )


@command(memory, "search")
@score_options
@click.argument("query", required=False)
@click.option("--item", metavar="FILE", help="A disputed item as JSON; - for standard input.")
@click.option("--queries", metavar="FILE", help='Lines of {"id", "query"}; prints one result a line with --json.')
@search_options(limit=10, per_source=1)
def search(
    scorecard: str, score: str, query: str | None, item: str | None, queries: str | None, as_json: bool, **options: Any
) -> None:
    """Find the passages that bear on a question or a disputed item.

    Any text is a query: there is no syntax to get wrong. Passages below half of the best one's relevance are left out,
    near-duplicates are listed under the one they copy, and the most specific knowledge base comes first. With --json,
    one result a line.

    \b
    Examples:
      rubricator memory search --scorecard "Support QA" --score "Call Opening" "is a first name enough?"
      rubricator memory search --scorecard "Support QA" --score "Call Opening" --as-of 2025-06-30 "greeting"
      rubricator memory search --scorecard "Support QA" --score "Call Opening" --queries questions.jsonl -k 10 --json
    """
    if sum(given is not None for given in (query, item, queries)) != 1:
        raise InputError("Give one of: a query, --item, --queries.", hint="See --help.")
    with open_memory(Workspace.open(), scorecard, score) as opened:
        for query_id, wanted in _queries(query, item, queries):
            result = opened.search(wanted, _options(options))
            print_json(result.to_json(query_id)) if as_json else render.search(result, query_id)


def _queries(query: str | None, item: str | None, queries: str | None) -> Iterator[tuple[Any, str | DisputedItem]]:
    if queries is not None:
        yield from _query_lines(queries)
    else:
        yield None, _wanted(query, item)


def _query_lines(path: str) -> Iterator[tuple[Any, str]]:
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict) or "id" not in value or not isinstance(value.get("query"), str):
            raise InputError(
                f'Line {number} of {path} is no JSON object with an "id" and a "query" that is a string.',
                hint="Mend the line.",
            )
        yield value["id"], value["query"]


def _wanted(query: str | None, item: str | None) -> str | DisputedItem:
    if item is not None:
        return DisputedItem.from_json(read_json(item))
    text = read_text("-") if query == "-" else query or ""
    if not text.strip():
        raise InputError("The query is empty.", hint="Ask something, or give --item.")
    return text


@command(memory, "context")
@score_options
@click.argument("query", required=False)
@click.option("--item", metavar="FILE", help="A disputed item as JSON; - for standard input.")
@click.option(
    "--budget", type=click.IntRange(200), default=DEFAULT_BUDGET, show_default=True, help="Tokens: UTF-8 bytes / 4."
)
@click.option("--into", metavar="PROMPT", help=f"Print this prompt file with the context where {PLACEHOLDER} stands.")
@click.option("-o", "--output", metavar="FILE", help="Write the Markdown there instead.")
@search_options(limit=12, per_source=1)
def context(
    scorecard: str,
    score: str,
    query: str | None,
    item: str | None,
    budget: int,
    into: str | None,
    output: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Print the citation context to put into a prompt.

    The official rubric comes first, then the dated passages oldest first, then the evidence in order, then all
    citations as JSON. No model is asked. Text from the knowledge base is fenced as untrusted quotation.

    \b
    Examples:
      rubricator memory context --scorecard "Support QA" --score "Refunds: Eligibility" "why 30 dollars?"
      rubricator memory context --scorecard "Support QA" --score "Call Opening" --item item.json --into prompt.md
    """
    if (query is None) == (item is None):
        raise InputError("Give either a query or --item.", hint="See --help.")
    with open_memory(Workspace.open(), scorecard, score) as opened:
        built = opened.context(_wanted(query, item), _options(options), budget=budget)
    text = built.markdown
    if into is not None:
        prompt = read_text(into)
        if PLACEHOLDER not in prompt:
            raise InputError(f"{into} does not hold {PLACEHOLDER}.", hint="Write it where the context should stand.")
        text = into_prompt(prompt, built)
    if output is not None:
        write_text(output, text)
    if as_json:
        print_json(built.to_json() | ({"prompt": text} if into is not None else {}))
    elif output is None:
        click.echo(text, nl=False)
    else:
        say(f"Wrote {built.tokens} tokens to {output}.")


@command(memory, "recent")
@score_options
@click.option("--days", type=click.IntRange(1), help="Sources dated within so many days before today. [default: 30]")
@click.option("--since", type=DAY, metavar="DATE", help="Sources dated on that day or later.")
@click.option("--until", type=DAY, metavar="DATE", help="Sources dated on that day or earlier. [default: today]")
def recent(
    scorecard: str, score: str, days: int | None, since: dt.date | None, until: dt.date | None, as_json: bool
) -> None:
    """List what was added lately, newest first.

    Undated sources are counted and left out.

    \b
    Examples:
      rubricator memory recent --scorecard "Support QA" --score "Call Opening" --days 90
      rubricator memory recent --scorecard "Support QA" --score "Call Opening" --since 2026-01-01
    """
    if days is not None and since is not None:
        raise InputError("Give --days or --since, not both.", hint="See --help.")
    last = until or dt.datetime.now().astimezone().date()
    first = since or last - dt.timedelta(days=min(days or 30, last.toordinal() - 1))
    with open_memory(Workspace.open(), scorecard, score) as opened:
        found = opened.recent(since=first, until=last)
    print_json(found.to_json()) if as_json else render.recent(found)


@command(memory, "check-citations")
@score_options
@click.argument("answer", metavar="ANSWER")
@click.option("--context", "context_file", metavar="FILE", help="The context (--json) that the answer was given.")
@click.option("--check", is_flag=True, help="Exit 1 when an id does not exist or a quotation is not where it says.")
def check_citations(
    scorecard: str, score: str, answer: str, context_file: str | None, check: bool, as_json: bool
) -> None:
    """Check the citations in an answer: ANSWER is a file, or - for standard input.

    Says which ids it cites, which of them do not exist, whether quoted words are really in the passage cited with them
    and, with --context, which citations it left unused.

    \b
    Example:
      rubricator memory check-citations --scorecard "Support QA" --score "Call Opening" answer.md --check
    """
    offered = None if context_file is None else _offered(context_file)
    with open_memory(Workspace.open(), scorecard, score) as opened:
        result = opened.check_citations(read_text(answer), offered)
    print_json(result.to_json()) if as_json else render.citation_check(result)
    if check and not result.passed:
        sys.exit(1)


def _offered(path: str) -> list[str]:
    value = read_json(path)
    try:
        return [citation["citation_id"] for citation in value["citations"]]
    except (KeyError, TypeError):
        raise InputError(f"{path} is no citation context.", hint="Give what `memory context --json` printed.") from None


@command(memory, "lint")
@scorecard_option
@click.option("--score", metavar="NAME", help="Only what applies to this score.")
@click.option("--check", is_flag=True, help="Exit 1 when anything is found.")
def lint(scorecard: str, score: str | None, check: bool, as_json: bool) -> None:
    """Name what in a scorecard folder will surprise its owner.

    Folders that look like dates but are none, sources outside any date folder, knowledge bases that match no score,
    files with no text, duplicates across scopes, rubrics without a champion, names that other systems can't tell apart.

    \b
    Example:
      rubricator memory lint --scorecard "Support QA" --check
    """
    with progress("Reading") as bar:
        findings = Workspace.open().lint(scorecard, score, progress=bar)
    if as_json:
        print_json({"findings": [finding.to_json() for finding in findings]})
    else:
        render.lint(findings)
    if check and findings:
        sys.exit(1)


def open_memory(workspace: Workspace, scorecard: str, score: str) -> RubricMemory:
    """The memory of a score, prepared with a progress bar where that is needed."""
    with progress(f"Preparing {score}") as bar:
        return workspace.memory(scorecard, score, progress=bar)
