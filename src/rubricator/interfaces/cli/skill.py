"""`rubricator skill`: the agent skills that come with the package, installed and tried."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from rubricator.interfaces.cli.frame import command, progress, say, show
from rubricator.workspace import Workspace


@click.group()
def skill() -> None:
    """Instructions that an agent loads when they fit: rubric-calibration and rubric-memory.

    \b
    Start here:
      rubricator skill install .claude/skills
    """


@command(skill, "install")
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
def install(folder: Path | None, as_json: bool) -> None:
    """Copy the skills into FOLDER, where your agent looks for them. Without FOLDER, say which folders those are.

    \b
    Example:
      rubricator skill install .claude/skills
    """
    from rubricator import skills

    if folder is None:
        show({"installed": [], "folders": skills.FOLDERS}, _folders, as_json=as_json)
        return
    placed = [str(path) for path in skills.install(folder.expanduser())]
    show({"installed": placed, "folders": skills.FOLDERS}, _installed, as_json=as_json)


@command(skill, "eval")
@click.option("--agent", type=click.Choice(["none", "model", "command"]), default="none", show_default=True,
              help="Who chooses: a router over words alone, a model endpoint, or an agent's own command.")  # fmt: skip
@click.option("--command", "line", default="", metavar="TEXT", help="The agent's command; the prompt is appended.")
@click.option("--model", metavar="NAME", help="The model. [default: RUBRICATOR_MODEL]")
@click.option("--runs", type=click.IntRange(1, 20), default=3, show_default=True, help="How often each prompt is put.")
@click.option("--part", type=click.Choice(["given", "development", "spent", "held-out", "all"]), default="held-out",
              show_default=True, help="Which prompts.")  # fmt: skip
@click.option("--check", is_flag=True, help="Exit with 1 where fewer than nine of ten decisions are right.")
def evaluate(agent: str, line: str, model: str | None, runs: int, part: str, check: bool, as_json: bool) -> None:
    """Whether the skills fire when they should, and only then. Without an agent, by a router that understands nothing.

    The router's figures say whether the descriptions tell the skills apart by their words. What a model does, only a
    model shows: each prompt is put to it several times beside other skills, and a skill's rate is compared with a half.

    \b
    Examples:
      rubricator skill eval
      rubricator skill eval --agent command --command "claude -p --verbose --output-format stream-json"
    """
    from rubricator.skills.trial import offline, prompts, repeated, try_out

    asked = prompts(None if part == "all" else part)
    if agent == "none":
        found = try_out(asked, offline)
    else:
        chooser = _agent(agent, line, model)
        once = repeated(chooser.fired, runs)
        try:
            with progress("Trying") as update:
                done = 0

                def counted(prompt: str) -> Any:
                    nonlocal done
                    rates = once(prompt)
                    done += 1
                    if update is not None:
                        update(done, len(asked))
                    return rates

                found = try_out(asked, counted)
        finally:
            chooser.close()
    told = {
        "chooser": "router" if agent == "none" else agent,
        "runs": 1 if agent == "none" else runs,
        "part": part,
        **found,
    }
    show(told, _figures, as_json=as_json)
    if check and (found["share"] or 0.0) < 0.9:  # noqa: PLR2004 - nine of ten
        sys.exit(1)


def _agent(agent: str, line: str, model: str | None) -> Any:
    from rubricator.skills.agents import CommandAgent, ModelAgent

    settings = Workspace.open().settings.model.over(answerer=None, model=model)
    return ModelAgent(settings) if agent == "model" else CommandAgent(line, timeout=settings.timeout)


def _folders(told: dict[str, Any]) -> None:
    click.echo("Give a folder in which your agent looks for skills:")
    for who, where in told["folders"].items():
        click.echo(f"  {where:<20} {who}")


def _installed(told: dict[str, Any]) -> None:
    for path in told["installed"]:
        click.echo(f"Installed {path}")


def _figures(told: dict[str, Any]) -> None:
    if told["chooser"] == "router":
        say("By a router over words, which understands nothing: it tells whether the descriptions differ.")
    click.echo(f"{told['right']} of {told['decisions']} decisions right, on {told['prompts']} prompts ({told['part']})")
    for name, counts in told["skills"].items():
        click.echo(
            f"  {name}: fired {counts['fired']} of {counts['should_fire']}, "
            f"kept quiet {counts['kept_quiet']} of {counts['should_not']}"
        )
    click.echo(f"  taken for output-quality-gate: {len(told['to_output_quality_gate'])}")
    for error in told["errors"]:
        what = "did not fire" if error["should_fire"] else "fired"
        instead = f", {error['instead']} did" if error["instead"] else ""
        click.echo(f"  {error['skill']} {what} ({error['rate']:.2f}{instead}): {error['prompt']}")
