"""`rubricator rubric` and `rubricator scores`: other people's rubrics and score logs, looked at and converted."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from rubricator.interfaces.cli import render_files as render
from rubricator.interfaces.cli.frame import command, print_json, say, show
from rubricator.workspace import Workspace

format_option = click.option("--format", metavar="NAME", help="Force a format, which is otherwise told by the content.")
file_argument = click.argument("file", type=click.Path(path_type=Path))


@click.group()
def rubric() -> None:
    """Look at rubrics, whoever's format they are in.

    Read are Rubricator's own Markdown and YAML, promptfoo, autorubric, HealthBench, Prometheus, DeepEval's G-Eval,
    OpenAI evals and graders, Inspect logs, AuraOne Rubric Schema, Plexus YAML, and Markdown of any form.

    \b
    Start here:
      rubricator rubric show promptfooconfig.yaml
      rubricator rubric lint rubric.md
    """


@command(rubric, "show")
@file_argument
@format_option
def show_rubric(file: Path, format: str | None, as_json: bool) -> None:
    """The criteria of a rubric with their weights, and what was guessed in reading it.

    \b
    Example:
      rubricator rubric show evaluators/help-article/rubric.md
    """
    show(_files().rubric(file, format=format).to_json(), render.rubric, as_json=as_json)


@command(rubric, "convert")
@file_argument
@click.option("--to", required=True, metavar="FORMAT", help="vault, vault_yaml, promptfoo, autorubric or healthbench.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The new file; it must not be there yet.")
@format_option
def convert(file: Path, to: str, output: Path | None, format: str | None, as_json: bool) -> None:
    """A rubric as a new file in another format. What that format has no place for is said.

    \b
    Example:
      rubricator rubric convert evaluators/help-article/rubric.md --to promptfoo -o promptfooconfig.yaml
    """
    text, lost = _files().convert(file, to, format=format)
    if output is not None:
        _write_new(output, text)
    if as_json:
        print_json({"format": to, "output": str(output) if output else None, "text": text, "not_kept": lost})
        return
    if output is None:
        click.echo(text, nl=False)
    for sentence in lost:
        say(f"Note: {sentence}")


@command(rubric, "lint")
@file_argument
@format_option
@click.option("--check", is_flag=True, help="Exit with 1 where there is anything to look at.")
def lint(file: Path, format: str | None, check: bool, as_json: bool) -> None:
    """Weights that can't matter, duplicates, several things in one criterion, missing anchors. Signals, not verdicts.

    \b
    Example:
      rubricator rubric lint evaluators/help-article/rubric.md
    """
    faults = [fault.to_json() for fault in _files().lint(file, format=format)]
    show({"file": str(file), "faults": faults}, render.faults, as_json=as_json)
    if check and faults:
        sys.exit(1)


@click.group()
def scores() -> None:
    """Look at score logs, whoever wrote them.

    \b
    Example:
      rubricator scores show results.json
    """


@command(scores, "show")
@file_argument
@format_option
def show_scores(file: Path, format: str | None, as_json: bool) -> None:
    """The newest score of each artifact with its sub-scores. Refused while a pass over the log is being ranked.

    \b
    Example:
      rubricator scores show evaluators/help-article/scores.jsonl
    """
    log = _files().scores(file, format=format)
    told = {
        "format": log.format,
        "artifacts": len(log.newest),
        "rows": [
            {
                "artifact": s.artifact,
                "score": s.score,
                "criteria": dict(s.criteria),
                "scored_at": s.scored_at,
                "rubric": s.rubric,
            }
            for s in log.newest.values()
        ],
        "diagnostics": list(log.diagnostics),
    }
    show(told, render.scores, as_json=as_json)


def _files() -> Any:
    return Workspace.open().calibration.files


def _write_new(path: Path, text: str) -> None:
    from rubricator.errors import InputError

    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InputError(f"{path} is there already.", hint="Name another file, or move it away.") from None
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror}.", hint="Check the folder.") from None
