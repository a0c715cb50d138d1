"""The pages: ranking blind, and what the ranking shows. Served on this machine alone."""

from __future__ import annotations

from collections.abc import Callable

from rubricator.errors import ServiceError
from rubricator.workspace import Workspace


def serve_all(workspace: Workspace, *, port: int, ready: Callable[[int], None], packs_token: str) -> None:
    """Serve the sessions and packs of a workspace until interrupted. `ready` is told the port once it listens.

    `packs_token` opens the pages of the packs; a session has a token of its own.
    """
    _serve(workspace, port=port, ready=ready, only=None, packs_token=packs_token)


def serve_one(workspace: Workspace, session: str, *, port: int, ready: Callable[[int], None]) -> None:
    """Serve one session until its owner is done with it, or until interrupted."""
    _serve(workspace, port=port, ready=ready, only=session)


def _serve(
    workspace: Workspace, *, port: int, ready: Callable[[int], None], only: str | None, packs_token: str = ""
) -> None:
    import asyncio
    import socket

    import uvicorn

    from rubricator.interfaces.web.app import create_app

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
    actual = int(listening.getsockname()[1])
    ended = asyncio.Event()
    app = create_app(workspace, port=actual, only=only, ended=ended.set, packs_token=packs_token)
    # No access log: an address line would hold a token.
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="critical", access_log=False, server_header=False, date_header=False)
    )

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
