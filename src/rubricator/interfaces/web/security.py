"""What keeps the pages to the person at this machine: checked hosts and origins, and headers that let nothing in."""

from __future__ import annotations

from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # `no-referrer` would turn the Origin of our own forms into "null"
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_LARGEST: Final = 1 << 20


class LocalOnly:
    """Middleware: answers only requests that this machine's pages make.

    The Host must be a loopback name with the served port (else another site's name could be pointed here), an Origin or
    a Referer that is sent must be the same, and a body may have at most a mebibyte.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        problem = self._problem(Headers(scope=scope), scope["method"])
        if problem:
            await PlainTextResponse(problem, status_code=403)(scope, receive, with_headers)
            return
        await self._app(scope, receive, with_headers)

    def _problem(self, headers: Headers, method: str) -> str:
        if headers.get("host", "") not in self._hosts:
            return "This host is not served here."
        for name in ("origin", "referer"):
            given = headers.get(name)
            if (
                given
                and method not in {"GET", "HEAD"}
                and given.partition("://")[2].partition("/")[0] not in self._hosts
            ):
                return "This request comes from another site."
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > _LARGEST:
            return "This request is too large."
        return ""
