"""How a session is ranked from the command line: in its page, or in the terminal; never piped in."""

from __future__ import annotations

import os
import select
import stat
import sys
from typing import Final

import click

from rubricator.errors import BlindnessError, RefusedError
from rubricator.interfaces.cli import render_calibration as render
from rubricator.interfaces.cli.frame import say, show
from rubricator.workspace import Workspace

DEFAULT_PORT: Final = 8765

port_option = click.option(
    "--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, help="Port of the page; 0: any."
)


def address(session: str, token: str, port: int) -> str:
    """The address of a session's page, with its token."""
    return f"http://127.0.0.1:{port}/sessions/{session}?token={token}"


def refuse_pipe() -> None:
    """Refuse a ranking that is piped in. Only a person can rank, and no flag gets round that."""
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return
    try:
        descriptor = sys.stdin.fileno()
        kind = os.fstat(descriptor).st_mode
    except (OSError, ValueError):
        return
    piped = stat.S_ISREG(kind) or (stat.S_ISFIFO(kind) and bool(select.select([descriptor], [], [], 0.2)[0]))
    if piped and sys.stdin.buffer.read(1):
        raise BlindnessError(
            "A ranking can't be piped in: it must be made by a person who reads.",
            hint="Run `rubricator calibrate rank` in a terminal, or open the page's address.",
        )


def rank_session(
    workspace: Workspace, session: str, port: int, *, terminal: bool, browser: bool, as_json: bool
) -> None:
    """Have a session ranked, in the page or in the terminal, and print what it found; 3 is the exit code of a halt."""
    refuse_pipe()
    if terminal:
        from rubricator.interfaces.cli.terminal_ranking import rank_in_terminal

        rank_in_terminal(workspace, session)
    else:
        serve_ranking(workspace, session, port, browser=browser)
    state = workspace.calibration.state(session)
    if state == "open":
        say(f"The pass is still open. Go on with: rubricator calibrate rank {session}")
        return
    told = workspace.explain(session)
    show(told, render.report, as_json=as_json)
    if state == "halted":
        sys.exit(RefusedError.exit_code)


def serve_ranking(workspace: Workspace, session: str, port: int, *, browser: bool) -> None:
    """Serve a session's page until its owner is done with it; the address is opened where there is a screen."""
    from rubricator.interfaces.web import serve_one

    calibration = workspace.calibration
    if calibration.state(session) != "committed":
        calibration.open_pass(session)
    token = calibration.token(session)

    def ready(actual: int) -> None:
        url = address(session, token, actual)
        say(f"Rank here: {url}")
        say("The page does the rest; this command ends with it. Ctrl-C leaves the pass open.")
        if browser:
            _open_browser(url)

    serve_one(workspace, session, port=port, ready=ready)


def _open_browser(url: str) -> None:
    """Open the page where there is a screen to show it on."""
    import webbrowser

    if sys.platform in {"darwin", "win32"} or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(url)
