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


def leaves(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[str, click.Command, click.Context]]:
    """Every command that does something, with its full name."""
    context = click.Context(command, info_name=path[-1], terminal_width=100, max_content_width=100)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None:
                yield from leaves(child, (*path, name))
    else:
        yield " ".join(path), command, context


def page() -> str:
    """The text of the page."""
    parts = [_INTRO]
    for command, name in ((rubricator, "rubricator"), (plexus, "plexus")):
        for full_name, leaf, context in leaves(command, (name,)):
            context.info_name = full_name
            parts.append(f"## {full_name}\n\n```text\n{leaf.get_help(context)}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"Wrote {PAGE}")
