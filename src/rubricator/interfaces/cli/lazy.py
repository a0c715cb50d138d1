"""Commands that are imported when they are called, so that `--help` and shell completion stay quick."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """A group whose commands are given as `module:attribute`."""

    def __init__(self, *args: Any, commands_in: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._commands_in = dict(commands_in)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order in which they were declared."""
        return [*self._commands_in, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        where = self._commands_in.get(cmd_name)
        if where is None:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = where.partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command
