"""A loopback server that speaks the OpenAI protocol and plays what a test tells it to: answers, faults and silences."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Play = Callable[["_Handler"], None]
"""What is done with one request."""


class ModelServer:
    """The server, running. `plays` are used up one a request, and the last of them stays."""

    def __init__(self, server: ThreadingHTTPServer, plays: list[Play]) -> None:
        self._server = server
        self._plays = plays
        self._lock = threading.Lock()
        self.requests: list[dict[str, Any]] = []
        self.over = threading.Event()

    @property
    def base_url(self) -> str:
        """The address to give a client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def prompts(self) -> list[str]:
        """The messages of each request, as one text."""
        return ["\n".join(str(m["content"]) for m in request["messages"]) for request in self.requests]

    def next(self, request: dict[str, Any]) -> Play:
        """The play for this request."""
        with self._lock:
            self.requests.append(request)
            return self._plays.pop(0) if len(self._plays) > 1 else self._plays[0]


def says(answer: Any, *, usage: Mapping[str, Any] | None = None) -> Play:
    """An answer: a text, or a value that is sent as JSON, or what a function makes of the request's messages."""

    def play(handler: _Handler) -> None:
        made = answer(handler.request_body) if callable(answer) else answer
        text = made if isinstance(made, str) else json.dumps(made)
        handler.reply(text, {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120} | dict(usage or {}))

    return play


def calls(choose: Callable[[dict[str, Any]], str | None]) -> Play:
    """A call of the first tool with the name that `choose` makes of the request, or an answer without a call."""

    def play(handler: _Handler) -> None:
        name = choose(handler.request_body)
        message: dict[str, Any] = {"role": "assistant", "content": None if name else "I need no skill for that."}
        if name:
            tool = handler.request_body["tools"][0]["function"]["name"]
            call = {"name": tool, "arguments": json.dumps({"name": name})}
            message["tool_calls"] = [{"id": "1", "type": "function", "function": call}]
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if name else "stop"}
        head = {"id": "c", "created": 0, "model": handler.request_body["model"], "object": "chat.completion"}
        handler.send(200, {**head, "choices": [choice]}, {})

    return play


def fails(status: int, message: str = "no", **headers: str) -> Play:
    """An error of the protocol."""
    return lambda handler: handler.send(status, {"error": {"message": message, "type": "x", "code": None}}, headers)


def hangs(handler: _Handler) -> None:
    """Say nothing until the test is over."""
    handler.owner.over.wait(60)


def drops(handler: _Handler) -> None:
    """End the connection in mid-air."""
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.connection.close()


@contextmanager
def model_server(*plays: Play) -> Iterator[ModelServer]:
    """A server on a free port of this machine, for the time of a `with` statement."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    running = ModelServer(server, list(plays))
    server.owner = running  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield running
    finally:
        running.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    request_body: dict[str, Any]

    @property
    def owner(self) -> ModelServer:
        owner: ModelServer = self.server.owner  # type: ignore[attr-defined]
        return owner

    def do_POST(self) -> None:
        """Play the next thing."""
        self.request_body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.owner.next(self.request_body)(self)

    def reply(self, text: str, usage: Mapping[str, Any]) -> None:
        """Send a chat completion, whole or as a stream."""
        head = {"id": "c", "created": 0, "model": self.request_body["model"]}
        if self.request_body.get("stream"):
            choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
            end = {"index": 0, "delta": {}, "finish_reason": "stop"}
            kind = "chat.completion.chunk"
            parts = [
                {**head, "object": kind, "choices": [choice]},
                {**head, "object": kind, "choices": [end], "usage": dict(usage)},
            ]
            body = "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n"
            self._write(200, body.encode(), {"Content-Type": "text/event-stream"})
            return
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        self.send(200, {**head, "object": "chat.completion", "choices": [choice], "usage": dict(usage)}, {})

    def send(self, status: int, value: Any, headers: Mapping[str, str]) -> None:
        """Send JSON."""
        self._write(status, json.dumps(value).encode(), {"Content-Type": "application/json", **headers})

    def _write(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""
