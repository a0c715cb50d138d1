"""`rubricator serve`: the pages of a workspace, of its sessions and its evidence packs."""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from rubricator.interfaces.cli.frame import print_json, say, with_json
from rubricator.interfaces.cli.ranking import address, port_option
from rubricator.workspace import Workspace


@click.command()
@port_option
@click.option(
    "--workspace", "folder", type=click.Path(path_type=Path, file_okay=False), help="The folder with the evaluators."
)
@with_json
def serve(port: int, folder: Path | None, as_json: bool) -> None:
    """Serve the pages of every open session, and of the evidence packs, on this machine, until Ctrl-C.

    Each address holds a token, that of the packs a new one at every start. The page of a pack shows the rubric beside
    the evidence, and leads from each citation to its place in the source.

    \b
    Example:
      rubricator serve --port 8765
    """
    from rubricator.interfaces.web import serve_all

    workspace = Workspace.open(folder)
    calibration = workspace.calibration
    token = secrets.token_urlsafe(24)

    def ready(actual: int) -> None:
        opened = [entry for entry in calibration.sessions() if entry["state"] in {"open", "committed"}]
        urls = {e["session"]: address(e["session"], calibration.token(e["session"]), actual) for e in opened}
        packs = f"http://127.0.0.1:{actual}/packs?token={token}"
        if as_json:
            print_json({"port": actual, "sessions": urls, "packs": packs})
        for session, url in urls.items():
            say(f"{session}: {url}")
        say(f"Evidence packs: {packs}")
        say(f"Serving on http://127.0.0.1:{actual}. Ctrl-C ends it; open sessions stay open.")

    serve_all(workspace, port=port, ready=ready, packs_token=token)
