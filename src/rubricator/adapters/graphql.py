"""The transport to a GraphQL endpoint: retries, bounds, and errors that can't hold the key."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from email.message import Message
from typing import IO, Any, Final
from urllib.parse import urljoin, urlsplit

from rubricator.errors import EndpointError, InputError

_ATTEMPTS: Final = 3
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 10.0
_TRANSIENT: Final = frozenset({429, 500, 502, 503, 504})
_KEY_HINT: Final = "Check PLEXUS_API_KEY: it is wrong, has expired, or lacks the right to read scores."


class _Transient(Exception):  # noqa: N818 - never leaves this module
    """A failure that another attempt may mend, and the pause that the server asked for."""

    def __init__(self, message: str, pause: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.pause = pause


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the question would be lost on the way, and the key would go to another host."""

    def http_error_302(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: http.client.HTTPMessage
    ) -> None:
        """Does not even read where the redirect leads: so it comes back as an HTTPError, which can be closed."""

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class GraphqlEndpoint:
    """One GraphQL endpoint: asks with retries; every failure ends as an EndpointError that can't hold the key."""

    def __init__(
        self, url: str, api_key: str, *, timeout: float, sleep: Callable[[float], None], max_bytes: int
    ) -> None:
        self.shown = shown_url(url)
        # A key that http.client refuses would be quoted in its error.
        if not (api_key and api_key.isascii() and api_key.isprintable() and " " not in api_key):
            raise InputError(
                "The Plexus API key is empty or holds characters that no key has.", hint="Set PLEXUS_API_KEY."
            )
        self._url = url
        self._key = api_key
        self._timeout = timeout
        self._sleep = sleep
        self._max_bytes = max_bytes
        self._opener = urllib.request.build_opener(_NoRedirects)

    def __repr__(self) -> str:
        return f"GraphqlEndpoint({self.shown!r})"

    def redact(self, text: str) -> str:
        """`text` without the key, which a server may have echoed."""
        return text.replace(self._key, "***")

    def error(self, what: str, hint: str = "") -> EndpointError:
        """An error that says what Plexus did: the rest of a sentence."""
        hint = hint or "Check that PLEXUS_API_URL is the GraphQL endpoint of Plexus."
        return EndpointError(self.redact(f"Plexus at {self.shown} {what}"), hint=hint)

    def ask(self, query: str, variables: Mapping[str, str | None]) -> dict[str, Any]:
        """The `data` of the answer to one query."""
        question = json.dumps({"query": query.strip(), "variables": variables}).encode("ascii")
        body = self._send(question)
        try:
            answer = json.loads(body.decode("utf-8"))
        except (ValueError, RecursionError):
            raise self.error("answered with something that is not JSON.") from None
        if not isinstance(answer, dict):
            raise self.error("answered with JSON that is no GraphQL answer.")
        if answer.get("errors"):
            # Even beside data: half an answer is no authority.
            raise self._graphql_error(answer["errors"])
        data = answer.get("data")
        if not isinstance(data, dict):
            raise self.error("answered with JSON that is no GraphQL answer.")
        return data

    def _send(self, question: bytes) -> bytes:
        for attempt in range(_ATTEMPTS):
            try:
                return self._attempt(question)
            except _Transient as failure:
                if attempt == _ATTEMPTS - 1:
                    what = f"{failure.message}, {_ATTEMPTS} times in a row."
                    break
                asked = _FIRST_PAUSE * 2**attempt if failure.pause is None else failure.pause
                self._sleep(min(asked, _LONGEST_PAUSE))
        raise self.error(what, "Try again later; if it stays so, ask who runs Plexus.")

    def _attempt(self, question: bytes) -> bytes:
        """The body of one answer. The foreign errors are not chained: a server can put the key into their text."""
        request = urllib.request.Request(self._url, data=question, method="POST")  # noqa: S310 - http(s), checked
        request.add_header("Content-Type", "application/json")
        request.add_header("Accept", "application/json")
        request.add_unredirected_header("x-api-key", self._key)
        deadline = time.monotonic() + self._timeout
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return self._read(response, deadline)
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise self._status_error(refusal, deadline) from None
        except urllib.error.URLError as failure:
            raise self._failure(failure.reason) from None
        except (OSError, http.client.HTTPException, ValueError) as failure:
            raise self._failure(failure) from None

    def _read(self, response: IO[bytes], deadline: float) -> bytes:
        """A body, bounded in size and, since each byte starts the socket's own clock anew, in time."""
        body = bytearray()
        while chunk := response.read1(65536):  # type: ignore[attr-defined]
            body += chunk
            if len(body) > self._max_bytes:
                raise self.error(f"answered with more than {self._max_bytes} bytes.")
            if time.monotonic() > deadline:
                raise TimeoutError
        announced = response.headers.get("Content-Length", "")  # type: ignore[attr-defined]
        if announced.isdecimal() and len(body) < int(announced):
            raise http.client.IncompleteRead(bytes(body), int(announced) - len(body))
        return bytes(body)

    def _failure(self, failure: object) -> Exception:
        """What stands for a failure without an answer."""
        if isinstance(failure, TimeoutError):
            return self.error(f"did not answer within {self._timeout:g} s.", "Try again later, or check the network.")
        if isinstance(failure, ConnectionResetError | ConnectionAbortedError | BrokenPipeError):
            return _Transient("closed the connection without an answer")
        if isinstance(failure, http.client.IncompleteRead):
            return _Transient("sent an answer that was cut short")
        return self.error(
            f"can't be reached: {_excerpt(self.redact(str(failure) or type(failure).__name__))}",
            "Check PLEXUS_API_URL and the network.",
        )

    def _status_error(self, refusal: urllib.error.HTTPError, deadline: float) -> Exception:
        """What stands for an answer whose status is not 200."""
        status = refusal.code
        if status in {401, 403}:
            return self.error(f"refused the API key (HTTP {status}).", _KEY_HINT)
        if status in _TRANSIENT:
            after = refusal.headers.get("Retry-After", "")
            return _Transient(f"answered with HTTP {status}", float(after) if after.isdecimal() else None)
        if 300 <= status < 400:  # noqa: PLR2004
            return self.error(
                f"redirects to another address, on {_target_host(self._url, refusal.headers)} (HTTP {status}); "
                "the API key is not sent there.",
                "Set PLEXUS_API_URL to the final address, if you trust it.",
            )
        try:
            errors = json.loads(self._read(refusal, deadline))["errors"]
        except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError, RecursionError, EndpointError):
            return self.error(f"answered with HTTP {status}.")
        return self._graphql_error(errors)

    def _graphql_error(self, errors: object) -> EndpointError:
        entries = [entry for entry in errors if isinstance(entry, dict)] if isinstance(errors, list) else []
        messages = [_text(entry.get("message")) or _text(entry.get("errorType")) for entry in entries]
        told = _excerpt(self.redact("; ".join(filter(None, messages)))) or "it gave no reason"
        unauthorized = any(_text(entry.get("errorType")).startswith("Unauthorized") for entry in entries)
        return self.error(f"refused the query: {told}", _KEY_HINT if unauthorized else "")


def shown_url(url: str) -> str:
    """The part of an endpoint's URL that may be shown. Raises InputError for what is no address of an endpoint."""
    hint = "Set PLEXUS_API_URL to the http(s) address of the GraphQL endpoint."
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise InputError("The Plexus URL is no valid address.", hint=hint) from None
    if parts.scheme not in {"http", "https"} or not host:
        raise InputError("The Plexus URL is not an http or https address.", hint=hint)
    if parts.username is not None or not (url.isascii() and url.isprintable() and " " not in url):
        raise InputError("The Plexus URL holds a user name, blanks or characters that no URL has.", hint=hint)
    where = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{where}{f':{port}' if port else ''}{parts.path}"


def _target_host(url: str, headers: Message) -> str:
    """Where a redirect leads, without what else its address may hold."""
    try:
        host = urlsplit(urljoin(url, headers.get("Location", ""))).netloc.rpartition("@")[2]
    except ValueError:
        host = ""
    return _excerpt(host) or "an unknown host"


def _excerpt(text: str, limit: int = 300) -> str:
    """Foreign text, made fit for one line of a message."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
