"""`rubricator serve`: the pages of all sessions of a workspace."""

from __future__ import annotations

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
    """Serve the pages of every open session on this machine, until Ctrl-C.

    \b
    Example:
      rubricator serve --port 8765
    """
    from rubricator.interfaces.web import serve_all

    calibration = Workspace.open(folder).calibration

    def ready(actual: int) -> None:
        opened = [entry for entry in calibration.sessions() if entry["state"] in {"open", "committed"}]
        urls = {e["session"]: address(e["session"], calibration.token(e["session"]), actual) for e in opened}
        if as_json:
            print_json({"port": actual, "sessions": urls})
        for session, url in urls.items():
            say(f"{session}: {url}")
        say(f"Serving on http://127.0.0.1:{actual}. Ctrl-C ends it; open sessions stay open.")

    serve_all(calibration, port=port, ready=ready)
