"""Commands that are imported when they are called, so that `--help` and shell completion stay quick."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click


class LazyGroup(click.Group):
    """A group whose commands are given as `module:attribute`."""

    def __init__(self, *args: Any, commands_in: Mapping[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._commands_in = dict(commands_in or {})

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        """Run the command line. A usage error, too, is JSON where JSON was asked for."""
        given = list(sys.argv[1:] if args is None else args)
        try:
            code = super().main(given, *rest, **{**extra, "standalone_mode": False})
        except click.Abort:
            click.echo("Aborted.", err=True)
            code = 1
        except click.ClickException as error:
            if "--json" in given:
                body = {"error": {"code": "bad_input", "message": error.format_message(), "hint": "See --help."}}
                click.echo(json.dumps(body))
            error.show()
            code = error.exit_code
        sys.exit(code if isinstance(code, int) else 0)

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
