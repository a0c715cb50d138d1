"""The server over HTTP on this machine: the same host and origin, and a token, for every request."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import Final

from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from rubricator.interfaces.mcp.server import RubricatorServer
from rubricator.interfaces.web import listen
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
    import uvicorn

    listening, actual = listen(port)
    hosts = [f"127.0.0.1:{actual}", f"localhost:{actual}", f"[::1]:{actual}"]
    security = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts])
    app = server.streamable_http_app(streamable_http_path=PATH, transport_security=security)
    guarded = LocalOnly(WithToken(app, token), actual)
    ready(actual)
    uvicorn.Server(
        uvicorn.Config(guarded, log_level="critical", access_log=False, server_header=False, lifespan="on")
    ).run(sockets=[listening])
