"""The pages: ranking blind, and what the ranking shows. Served on this machine alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rubricator.errors import ServiceError
from rubricator.workspace import Workspace

if TYPE_CHECKING:
    import socket

    import uvicorn


def serve_all(workspace: Workspace, *, port: int, ready: Callable[[int], None], packs_token: str) -> None:
    """Serve the sessions and packs of a workspace until interrupted. `ready` is told the port once it listens.

    `packs_token` opens the pages of the packs; a session has a token of its own.
    """
    _serve(workspace, port=port, ready=ready, only=None, packs_token=packs_token)


def serve_one(workspace: Workspace, session: str, *, port: int, ready: Callable[[int], None]) -> None:
    """Serve one session until its owner is done with it, or until interrupted."""
    _serve(workspace, port=port, ready=ready, only=session)


def serve_beside(workspace: Workspace) -> int:
    """Serve the sessions of a workspace in a thread of this process, on a free port, until it ends; gives the port."""
    import threading

    listening, actual = listen(0)
    server = _server(workspace, actual, only=None, ended=lambda: None, packs_token="")
    threading.Thread(target=lambda: server.run(sockets=[listening]), daemon=True, name="owners-page").start()
    return actual


def _serve(
    workspace: Workspace, *, port: int, ready: Callable[[int], None], only: str | None, packs_token: str = ""
) -> None:
    import asyncio

    listening, actual = listen(port)
    ended = asyncio.Event()
    server = _server(workspace, actual, only=only, ended=ended.set, packs_token=packs_token)

    async def run() -> None:
        task = asyncio.create_task(server.serve(sockets=[listening]))
        ready(actual)  # the socket listens already: a page that is opened now is answered in a moment
        waiting = asyncio.create_task(ended.wait())
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if ended.is_set():
            await asyncio.sleep(0.5)  # the last page is still on its way
            server.should_exit = True
        waiting.cancel()
        await task

    try:
        asyncio.run(run())
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()


def listen(port: int) -> tuple[socket.socket, int]:
    """A socket that listens on this machine, and its port; 0 takes any."""
    import socket

    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except OSError as error:
        listening.close()
        raise ServiceError(
            f"The page can't be served on port {port}: {error.strerror}.", hint="Give another: --port 0 takes any."
        ) from error
    listening.listen()
    return listening, int(listening.getsockname()[1])


def _server(
    workspace: Workspace, port: int, *, only: str | None, ended: Callable[[], None], packs_token: str
) -> uvicorn.Server:
    from rubricator.interfaces.web.app import create_app

    return quiet(create_app(workspace, port=port, only=only, ended=ended, packs_token=packs_token))


def quiet(app: Any) -> uvicorn.Server:
    """A server that says nothing of its own. No access log: an address line would hold a token."""
    import uvicorn

    return uvicorn.Server(
        uvicorn.Config(app, log_level="critical", access_log=False, server_header=False, date_header=False)
    )
