"""The MCP server with the SDK's own client, over standard input and output and over HTTP."""

from __future__ import annotations

import json
import re
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.evaluators import CRITERIA, drifted_rows, owner_value, weighted_mean, write_evaluator

from rubricator import Workspace
from rubricator.memory.tokens import count_tokens

from .ranking_server import rank_on_page

pytest.importorskip("mcp")
import anyio.from_thread
import httpx2
import mcp.types as protocol
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
SCORE = {"scorecard": "Harbor Home Support QA", "score": "Refunds: Eligibility"}
SENTINEL = 0.00271
"""Added to every sub-score, so that a score is told from any other number."""


class Agent:
    """A client in a thread of its own, so that a person can rank in a browser at the same time."""

    def __init__(self, portal: Any, client: Client) -> None:
        self._portal, self._client = portal, client

    def call(self, tool: str, **arguments: Any) -> protocol.CallToolResult:
        return self._portal.call(lambda: self._client.call_tool(tool, arguments))

    def told(self, tool: str, **arguments: Any) -> Any:
        """What a tool says, which must not be an error."""
        result = self.call(tool, **arguments)
        assert not result.is_error, result.content[0].text
        return json.loads(result.content[0].text)

    def refused(self, tool: str, **arguments: Any) -> str:
        """The reason that a tool gives for refusing."""
        result = self.call(tool, **arguments)
        assert result.is_error
        return result.content[0].text

    def begin(self, tool: str, **arguments: Any) -> Any:
        """A call whose answer is waited for elsewhere."""
        return self._portal.start_task_soon(lambda: self._client.call_tool(tool, arguments))

    def ask(self, method: str, *arguments: Any) -> Any:
        return self._portal.call(lambda: getattr(self._client, method)(*arguments))


@contextmanager
def agent(target: Any, **options: Any) -> Iterator[Agent]:
    with anyio.from_thread.start_blocking_portal() as portal:
        client = portal.call(_client, target, options)
        with portal.wrap_async_context_manager(client):
            yield Agent(portal, client)


async def _client(target: Any, options: dict[str, Any]) -> Client:
    return Client(target() if callable(target) else target, **options)


def over_stdio(installed, workspace: Path, transcript: Path, **settings: str) -> StdioServerParameters:
    tap = Path(__file__).with_name("mcp_tap.py")
    command = [str(tap), str(transcript), str(installed.bin / "rubricator"), "mcp", "--workspace", str(workspace)]
    env = {"SCORECARD_CACHE_DIR": str(workspace / "scorecards"), "RUBRICATOR_CACHE_DIR": str(workspace / "cache")}
    return StdioServerParameters(command=sys.executable, args=command, env={"PATH": "/usr/bin:/bin", **env, **settings})


@contextmanager
def over_http(installed, workspace: Path, seen: list[bytes]) -> Iterator[tuple[str, str, Any]]:
    """The address, the token and a transport whose every received byte is kept."""
    args = ["rubricator", "mcp", "--http", "--port", "0", "--workspace", str(workspace)]
    with installed.start(args, env={"SCORECARD_CACHE_DIR": str(workspace / "scorecards")}) as process:
        lines = [process.stderr.readline() for _ in range(2)]
        url = re.search(r"http://\S+/mcp", lines[0])[0]
        token = lines[1].split()[-1]

        class Kept(httpx2.AsyncHTTPTransport):
            async def handle_async_request(self, request: Any) -> Any:
                response = await super().handle_async_request(request)
                stream = response.stream

                class Stream(httpx2.AsyncByteStream):
                    async def __aiter__(self) -> Any:
                        async for piece in stream:
                            seen.append(piece)
                            yield piece

                    async def aclose(self) -> None:
                        await stream.aclose()

                response.stream = Stream()
                return response

        def transport() -> Any:
            client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, transport=Kept(), timeout=60)
            return streamable_http_client(url, http_client=client)

        try:
            yield url, token, transport
        finally:
            process.terminate()
            process.wait(20)


@pytest.fixture
def demo(tmp_path) -> Path:
    folder = tmp_path / "demo"
    Workspace.copy_demo(folder)
    return folder


def rows() -> list[dict[str, float]]:
    return [{name: value + SENTINEL for name, value in row.items()} for row in drifted_rows()]


@pytest.fixture
def letters(tmp_path) -> Path:
    write_evaluator(tmp_path, rows())
    return tmp_path


def scores() -> list[str]:
    """Every score and sub-score of the evaluator, as it would be written."""
    values = {v for row in rows() for v in (*row.values(), weighted_mean(row, CRITERIA))}
    return sorted({f"{value:.4f}"[:-1] for value in values} | {f"{value:.3f}" for value in values})


def no_score_in(raw: bytes) -> None:
    text = raw.decode()
    assert text
    assert [score for score in scores() if score in text] == []


def places(value: dict[str, float]) -> dict[str, int]:
    order = sorted(value.values(), reverse=True)
    return {label: order.index(v) + 1 for label, v in value.items()}


def by_label(workspace: Path, session: str) -> dict[str, float]:
    """What the owner thinks of each artifact."""
    packet = Workspace.open(workspace).calibration.open_pass(session).packet
    return {a.label: owner_value(drifted_rows()[int(re.search(r"Piece (\d+)", a.text)[1])]) for a in packet.artifacts}


def use_memory(client: Agent, item: dict[str, Any]) -> None:
    """The memory's tools, resources and prompts, each once."""
    context = client.call("memory_context", **SCORE, item=item).content[0].text
    assert context.startswith("# Rubric memory")
    ids = re.findall(r"kb:[0-9a-f]{10}", context)
    cited = client.ask("read_resource", f"rubricator://citation/{ids[0]}").contents[0].text
    assert "untrusted quotation" in cited
    assert client.told("memory_check_citations", **SCORE, answer=f"It says so [{ids[0]}].")["passed"]
    assert not client.told("memory_check_citations", **SCORE, answer="So [kb:0123456789].")["passed"]
    pack = client.told("memory_pack", **SCORE, item=item)
    assert pack["confidence"] in {"low", "medium"}
    assert client.told("memory_gate", **SCORE, questions=["Which form does a gift card need?"])["counts"]
    assert client.told("memory_recent", **SCORE, since="2026-01-01")["sources"]
    assert "not a date" in client.refused("memory_recent", **SCORE, since="May")
    assert client.told("memory_search", **SCORE, query="goodwill limit", as_of="2025-12-31")["hits"]
    assert "no scorecard" in client.refused("memory_paths", scorecard="No such").lower()
    assert client.told("memory_paths")["scorecards"] == [SCORE["scorecard"]]
    names = {prompt.name for prompt in client.ask("list_prompts").prompts}
    assert names == {"rubric-calibration", "rubric-memory"}
    assert "blind-ranking protocol" in client.ask("get_prompt", "rubric-calibration").messages[0].content.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_context_of_an_item_with_its_citations(installed, demo, tmp_path, mode) -> None:
    transcript = tmp_path / "out"
    with agent(over_stdio(installed, demo, transcript), mode=mode) as client:
        use_memory(client, json.loads((demo / "item.json").read_text()))
    for line in transcript.read_bytes().splitlines():
        assert json.loads(line)["jsonrpc"] == "2.0", "standard output carries the protocol only"


def test_the_context_of_an_item_over_http(installed, demo) -> None:
    with over_http(installed, demo, []) as (_url, _token, transport), agent(transport) as client:
        use_memory(client, json.loads((demo / "item.json").read_text()))


def test_a_rubric_is_a_resource_by_its_evaluators_name(installed, tmp_path) -> None:
    write_evaluator(tmp_path, rows(), name="two words")
    with agent(over_stdio(installed, tmp_path, tmp_path / "out")) as client:
        rubric = client.ask("read_resource", "rubricator://rubric/two%20words").contents[0].text
        assert json.loads(rubric)["criteria"][0]["name"] == "Hook"
        for unknown in ("rubric/none", "log/none", "citation/kb:0123456789"):
            with pytest.raises(Exception, match=r"no evaluator|No score"):
                client.ask("read_resource", f"rubricator://{unknown}")


def whole_pass(client: Agent, workspace: Path, rank: Any, seen: Any, **start: Any) -> str:
    """A pass from start to the ranking, with everything that is to be refused on the way; the session."""
    names = [place["name"] for place in client.told("evaluators")["evaluators"]]
    assert names == ["letters"]
    assert client.told("calibration_due")["evaluators"][0]["due"]
    begun = client.told("calibration_start", evaluator="letters", seed=4, **start)
    session = begun["session"]
    assert "No tool takes a ranking" in client.refused("calibration_rank", session=session, ranking=[["A"], ["B"]])
    assert "No tool takes a ranking" in client.refused("calibration_submit_ranking", session=session, ranking=[["A"]])
    assert "no argument scores" in client.refused("calibration_report", session=session, scores=True)
    for early in ("calibration_report", "calibration_propose"):
        assert "no committed ranking" in client.refused(early, session=session)
    assert "no committed ranking" in client.refused("calibration_apply", session=session, approve=["p1"])
    assert "no committed ranking" in client.refused("contract_input", task="pass", session=session)
    client.told("calibration_log", evaluator="letters")
    client.told("calibration_status")
    client.ask("read_resource", "rubricator://rubric/letters")
    client.ask("read_resource", "rubricator://log/letters")
    assert client.told("calibration_rank", session=session, wait_seconds=0)["state"] == "open"
    no_score_in(seen())
    rank(session, begun["url"])
    report = client.told("calibration_report", session=session)
    assert report["finding"] == "drift"
    assert [s for s in scores() if s in json.dumps(report)], "after the ranking, scores are shown"
    return session


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_pass_that_is_ranked_in_the_browser(installed, letters, page, tmp_path, mode) -> None:
    transcript = tmp_path / "out"
    values = drifted_rows()
    with agent(over_stdio(installed, letters, transcript), mode=mode) as client:

        def rank(session: str, url: str) -> None:
            waiting = client.begin("calibration_rank", session=session, wait_seconds=60)
            rank_on_page(page, url, lambda number: owner_value(values[number]))
            assert json.loads(waiting.result(60).content[0].text)["state"] == "committed"

        session = whole_pass(client, letters, rank, transcript.read_bytes)
        proposals = client.told("calibration_propose", session=session)["proposals"]
        before = (letters / "evaluators" / "letters" / "rubric.md").read_bytes()
        refused = client.refused("calibration_apply", session=session, approve=[proposals[0]["id"]])
        assert "needs the owner's approval" in refused
        assert "/sessions/" in refused
        assert (letters / "evaluators" / "letters" / "rubric.md").read_bytes() == before

        page.locator("fieldset.proposal").first.get_by_label("Approve").check()
        page.click("button:has-text('Apply what I approved')")
        page.wait_for_selector("#done-title")
        approved = client.told("calibration_apply", session=session, approve=[proposals[0]["id"]])
        assert [p["id"] for p in approved["approved"]] == [proposals[0]["id"]], "what the page approved is applied"
        assert "did not approve p9" in client.refused("calibration_apply", session=session, approve=["p9"])
        assert client.told("calibration_log", evaluator="letters")["entries"]
    for line in transcript.read_bytes().splitlines():
        assert json.loads(line)["jsonrpc"] == "2.0"


class Person:
    """Somebody at the client's form, with an opinion of the artifacts and of an edit."""

    def __init__(self, workspace: Path, *, apply: bool = True, action: str = "accept") -> None:
        self.workspace, self.apply, self.action = workspace, apply, action
        self.session = ""
        self.asked: list[Any] = []

    async def __call__(self, _context: Any, params: Any) -> protocol.ElicitResult:
        self.asked.append(params)
        if self.action != "accept":
            return protocol.ElicitResult(action=self.action)
        if "apply" in params.requested_schema["properties"]:
            return protocol.ElicitResult(action="accept", content={"apply": self.apply})
        session = re.search(r"/sessions/([^?]+)", params.message)[1]
        return protocol.ElicitResult(action="accept", content=places(by_label(self.workspace, session)))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_a_pass_that_is_ranked_and_approved_through_the_client(installed, letters, tmp_path, mode, way) -> None:
    person = Person(letters)
    transcript = tmp_path / "out"
    pieces: list[bytes] = []
    seen = (lambda: b"".join(pieces)) if way == "http" else transcript.read_bytes

    def run(target: Any) -> None:
        with agent(target, mode=mode, elicitation_callback=person) as client:

            def rank(session: str, _url: str) -> None:
                ranked = client.told("calibration_rank", session=session, ask_here=True, wait_seconds=0)
                assert ranked["state"] == "committed"

            session = whole_pass(client, letters, rank, seen)
            asked = person.asked[0]
            assert sorted(asked.requested_schema["properties"]) == ["A", "B", "C", "D", "E"]
            assert "Piece" not in asked.message, "labels only: the texts are read on the page"
            proposal = client.told("calibration_propose", session=session)["proposals"][0]
            person.apply = False
            assert "does not want" in client.refused("calibration_apply", session=session, approve=[proposal["id"]])
            person.action = "decline"
            assert "decline" in client.refused("calibration_apply", session=session, approve=[proposal["id"]])
            assert "no proposal p99" in client.refused("calibration_apply", session=session, approve=["p99"])
            person.apply, person.action = True, "accept"
            done = client.told("calibration_apply", session=session, approve=[proposal["id"]])
            assert done["changed"]
            assert "Change the rubric?" in person.asked[-1].message

    if way == "http":
        with over_http(installed, letters, pieces) as (_url, _token, transport):
            run(transport)
    else:
        run(over_stdio(installed, letters, transcript))


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_form_that_is_not_filled_in_leaves_the_pass_open(installed, letters, tmp_path, action) -> None:
    with agent(
        over_stdio(installed, letters, tmp_path / "out"), elicitation_callback=Person(letters, action=action)
    ) as client:
        session = client.told("calibration_start", evaluator="letters", seed=4)["session"]
        assert action in client.refused("calibration_rank", session=session, ask_here=True)
        assert client.told("calibration_status")["sessions"][0]["state"] == "open"


def test_the_host_answers_the_contracts_itself(installed, demo, tmp_path) -> None:
    item = json.loads((demo / "item.json").read_text())
    with agent(over_stdio(installed, demo, tmp_path / "out")) as client:
        given = client.told("contract_input", task="pack", **SCORE, item=item)
        (request,) = given["requests"]
        section = re.search(r"rubric:[0-9a-f]{10}", request["input"])[0]
        answer = {
            "classification": "rubric_supported", "rubric_sections": [section], "supporting": [], "conflicting": [],
            "explicit": None, "likely_reason": "It was overlooked.", "confidence": "low", "open_questions": [],
        }  # fmt: skip
        bad = {request["request"]: answer | {"supporting": ["kb:9999999999"]}}
        assert "kb:9999999999 was not given" in client.refused("contract_answer", ticket=given["ticket"], answers=bad)
        done = client.told("contract_answer", ticket=given["ticket"], answers={request["request"]: answer})
        assert done["result"]["evidence_classification"] == "rubric_supported"
        assert done["result"]["synthesizer"]["answerer"] == "host"
        assert "no such ticket" in client.refused("contract_answer", ticket="none", answers={})
        gate = client.told("contract_input", task="gate", **SCORE, questions=["Who may waive a fee on Sundays?"])
        assert gate["requests"][0]["contract"] == "gate-questions"


def test_tools_are_few_words_and_quick(installed, demo, tmp_path) -> None:
    with agent(over_stdio(installed, demo, tmp_path / "out")) as client:
        tools = client.ask("list_tools").tools
        listed = json.dumps([t.model_dump(mode="json", by_alias=True, exclude_none=True) for t in tools])
        assert count_tokens(listed) < 6000
        assert len(tools) == 18
        assert all(tool.description for tool in tools)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Host": "evil.example"}, 403),
        ({"Origin": "http://evil.example"}, 403),
    ],
)
def test_http_refuses_a_wrong_host_origin_or_token(installed, demo, change, status) -> None:
    with over_http(installed, demo, []) as (url, token, _):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).encode()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json",
                   "Accept": "application/json, text/event-stream"} | change  # fmt: skip
        with pytest.raises(urllib.error.HTTPError) as raised:
            urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=20)
        assert raised.value.code == status


def test_progress_is_told_while_the_owner_reads(installed, letters, tmp_path) -> None:
    notes: list[float] = []

    async def note(done: float, _total: float | None, _message: str | None) -> None:
        notes.append(done)

    with agent(over_stdio(installed, letters, tmp_path / "out")) as client:
        session = client.told("calibration_start", evaluator="letters", seed=4)["session"]
        started = time.monotonic()
        arguments = {"session": session, "wait_seconds": 2}
        client._portal.call(lambda: client._client.call_tool("calibration_rank", arguments, progress_callback=note))
        assert 1.5 < time.monotonic() - started < 20
        assert notes
