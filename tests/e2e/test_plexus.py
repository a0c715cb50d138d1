"""Authority from a Plexus endpoint, as the commands use it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

KEY = "da2-secret-key"
NAMES = ["--scorecard", "Support QA", "--score", "Refunds: Eligibility"]
NAMED = {"id": "s1", "key": "refunds", "name": "Refunds: Eligibility", "externalId": "7"}
CARD = {"id": "c1", "key": "support-qa", "name": "Support QA", "externalId": "3"}
ANSWERS: dict[str, Any] = {
    "listScorecards": {"items": [CARD], "nextToken": None},
    "getScorecard": {"scores": {"items": [NAMED], "nextToken": None}},
    "getScore": {**NAMED, "description": None, "championVersionId": "v9", "scorecard": CARD},
    "getScoreVersion": {
        "id": "v9",
        "scoreId": "s1",
        "parentVersionId": "v8",
        "configuration": "name: Refunds",
        "guidelines": "# From Plexus\n\nLate fees are waived up to 30 dollars.\n",
    },
}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        query = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["query"]
        known = self.headers["x-api-key"] == KEY
        data = {name: answer for name, answer in ANSWERS.items() if f"{name}(" in query}
        body = json.dumps({"data": data} if known else {"errors": [{"errorType": "UnauthorizedException"}]}).encode()
        self.send_response(200 if known else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/graphql"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_rubric_comes_from_the_endpoint_and_not_from_the_file(at_work: Any, endpoint: str) -> None:
    env = {"PLEXUS_API_URL": endpoint, "PLEXUS_API_KEY": KEY}
    context = at_work.json("rubricator", "memory", "context", *NAMES, "late fees", env=env)
    assert context["authority"]["score_version_id"] == "v9"
    assert context["authority"]["rubric"].startswith("# From Plexus")
    assert context["authority"]["champion"] is True
    assert context["evidence"]


def test_a_score_without_local_files_has_its_rubric_there(at_work: Any, endpoint: str, support_qa: Path) -> None:
    for path in (support_qa / "Support QA").glob("Refunds- Eligibility.*"):
        if path.is_file():
            path.unlink()
    env = {"PLEXUS_API_URL": endpoint, "PLEXUS_API_KEY": KEY}
    assert at_work.json("rubricator", "memory", "context", *NAMES, "late fees", env=env)["authority"]["champion"]


def test_a_wrong_key_ends_in_a_clear_error_and_no_local_rubric(at_work: Any, endpoint: str) -> None:
    env = {"PLEXUS_API_URL": endpoint, "PLEXUS_API_KEY": "da2-wrong"}
    done = at_work.run("rubricator", "memory", "context", *NAMES, "late fees", env=env)
    assert done.returncode == 4
    assert "PLEXUS_API_KEY" in done.stderr
    assert "da2-wrong" not in done.stderr + done.stdout
    assert "must say the customer's name" not in done.stdout


def test_no_server_ends_in_a_clear_error(at_work: Any) -> None:
    env = {"PLEXUS_API_URL": "http://127.0.0.1:9/graphql", "PLEXUS_API_KEY": KEY}
    done = at_work.run("rubricator", "memory", "context", *NAMES, "late fees", env=env)
    assert done.returncode == 4
    assert "can't be reached" in done.stderr
