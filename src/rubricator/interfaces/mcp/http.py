"""The server over HTTP on this machine: the same host and origin, and a token, for every request."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from rubricator.interfaces.mcp.server import RubricatorServer
from rubricator.interfaces.web import listen, quiet
from rubricator.interfaces.web.security import LocalOnly

PATH: Final = "/mcp"


class WithToken:
    """Middleware: answers only requests with the bearer token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http":
            given = Headers(scope=scope).get("authorization", "")
            if not hmac.compare_digest(given.encode("utf-8", "surrogateescape"), self._expected):
                await PlainTextResponse("The token is missing or wrong.", 401)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def serve_http(server: RubricatorServer, *, port: int, token: str, ready: Callable[[int], None]) -> None:
    """Serve on 127.0.0.1 until interrupted. `ready` is told the port once it listens."""
    listening, actual = listen(port)
    app = server.streamable_http_app(streamable_http_path=PATH)
    ready(actual)
    quiet(LocalOnly(WithToken(app, token), actual)).run(sockets=[listening])
