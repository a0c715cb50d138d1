"""The real page in a process of its own, and the small API as another program would call it."""

from __future__ import annotations

import json
import queue
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .conftest import Installed

_ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)(?:/sessions/(\S+)\?token=(\S+))?")


class Page:
    """A served session: its address, and what can be asked and told through the API."""

    def __init__(self, port: int, session: str, token: str) -> None:
        self.port, self.session, self.token = port, session, token
        self.packs = ""
        self.seen: list[bytes] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/sessions/{self.session}?token={self.token}"

    def call(
        self, path: str = "", body: Any = None, *, token: str | None = None, headers: Any = None
    ) -> tuple[int, Any]:
        """The status and the JSON of one call; every byte that came back is kept in `seen`."""
        token = self.token if token is None else token
        url = f"http://127.0.0.1:{self.port}/api/sessions/{self.session}{path}"
        data = None
        if body is None:
            url += f"?token={token}"
        else:
            data = json.dumps({"token": token, **body}).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json", **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                status, raw, head = answer.status, answer.read(), bytes(answer.headers)
        except urllib.error.HTTPError as error:
            status, raw, head = error.code, error.read(), bytes(error.headers)
        self.seen += [raw, head]
        return status, json.loads(raw) if raw.startswith(b"{") else raw.decode()


@contextmanager
def serving(installed: Installed, workspace: Path, session: str = "", **settings: str) -> Iterator[Page]:
    """`rubricator serve` over a workspace, with the page of one session; `settings` are of its environment."""
    with installed.start(["rubricator", "serve", "--port", "0"], cwd=workspace, env=settings) as process:
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=lambda: [lines.put(line) for line in process.stderr], daemon=True).start()
        try:
            yield _page(lines, session)
        finally:
            process.terminate()
            process.wait(20)


def _page(lines: queue.Queue[str], session: str) -> Page:
    found = Page(0, "", "")
    while True:
        line = lines.get(timeout=60)
        if line.startswith("Evidence packs: "):
            found.packs = line.split(": ")[1].strip()
        if not (match := _ADDRESS.search(line)):
            continue
        found.port = int(match[1])
        if match[2] and match[2] == session:
            found.session, found.token = match[2], match[3]
        if line.startswith("Serving"):
            assert found.session == session, f"the session is not served: {line}"
            return found


def rank_on_page(page: Any, url: str, value: Callable[[int], float]) -> None:
    """Rank in the browser, by what the owner thinks of the artifact with each number, and commit."""
    page.goto(url)
    hints = dict(
        page.eval_on_selector_all(
            "#order .item", "items => items.map(i => [i.dataset.label, i.querySelector('.hint').textContent])"
        )
    )
    values = {label: value(int(hint.split()[1])) for label, hint in hints.items()}
    for place, label in enumerate(sorted(values, key=values.__getitem__, reverse=True)):
        order = page.eval_on_selector_all("#order .item", "items => items.map(i => i.dataset.label)")
        for _ in range(list(order).index(label) - place):
            page.click(f".item[data-label='{label}'] [data-do=up]")
    page.click("#commit")
    page.click("#commit-yes")
    page.wait_for_selector("#two-title")
