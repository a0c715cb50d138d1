"""`rubricator mcp`: the MCP server, over standard input and output or over HTTP."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import click

from rubricator.errors import InputError
from rubricator.interfaces.cli.frame import print_json, say, with_json
from rubricator.workspace import Workspace


@click.command()
@click.option("--http", is_flag=True, help="Serve over HTTP on this machine instead of standard input and output.")
@click.option("--port", type=click.IntRange(0, 65535), default=8766, show_default=True, help="Port for --http; 0: any.")
@click.option(
    "--workspace", "folder", type=click.Path(path_type=Path, file_okay=False), help="The folder with the evaluators."
)
@with_json
def mcp(http: bool, port: int, folder: Path | None, as_json: bool) -> None:
    """Serve both halves to an agent: context with citations, and passes that a person ranks.

    Over standard input and output, which carry the protocol and nothing else. Over HTTP every request needs the token
    that is printed, or RUBRICATOR_MCP_TOKEN, as a bearer token.

    \b
    Examples:
      rubricator mcp
      rubricator mcp --http --port 8766
    """
    try:
        from rubricator.interfaces.mcp.create import create_server
    except ImportError:
        raise InputError("The MCP server needs the extra `mcp`.", hint="pip install 'rubricator[mcp]'") from None

    server = create_server(Workspace.open(folder))
    if not http:
        if as_json:
            raise InputError("Standard output carries the protocol.", hint="Leave out --json, or add --http.")
        server.run("stdio")
        return
    from rubricator.interfaces.mcp.http import PATH, serve_http

    given = os.environ.get("RUBRICATOR_MCP_TOKEN", "")
    token = given or secrets.token_urlsafe(24)

    def ready(actual: int) -> None:
        url = f"http://127.0.0.1:{actual}{PATH}"
        if as_json:
            print_json({"url": url, "token": token})
        say(f"Serving MCP on {url}. Ctrl-C ends it.")
        if not given:
            say(f"Clients send: Authorization: Bearer {token}")

    serve_http(server, port=port, token=token, ready=ready)
