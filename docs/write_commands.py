"""Writes docs/commands.md from the commands themselves, so that the page can't lag behind them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from rubricator.interfaces.cli import main as rubricator
from rubricator.interfaces.cli.plexus import main as plexus

PAGE = Path(__file__).with_name("commands.md")
_INTRO = """\
# Commands

Written by `make fix` from the commands' own help. Every command takes `--json` and then prints JSON, and nothing else,
on standard output. Exit codes: 0 done · 1 a `--check` found something · 2 bad input or usage · 3 refused by a rule ·
4 a service failed.
"""


def leaves(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[click.Context]:
    """The context of every command that does something; its path is the command's full name."""
    context = click.Context(command, parent=parent, info_name=name, terminal_width=100, **command.context_settings)
    if isinstance(command, click.Group):
        for child_name in command.list_commands(context):
            child = command.get_command(context, child_name)
            if child is not None:
                yield from leaves(child, child_name, context)
    else:
        yield context


def page() -> str:
    """The text of the page."""
    parts = [_INTRO]
    for command, name in ((rubricator, "rubricator"), (plexus, "plexus")):
        parts.extend(
            f"## {context.command_path}\n\n```text\n{context.get_help()}\n```\n" for context in leaves(command, name)
        )
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"Wrote {PAGE}")
