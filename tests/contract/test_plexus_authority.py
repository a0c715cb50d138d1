"""The Plexus source against a real HTTP server on loopback: what it asks, what it makes of answers, how it fails."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from rubricator.adapters.plexus import PlexusAuthority
from rubricator.errors import AuthorityError, EndpointError, InputError, RubricatorError

KEY = "da2-5ecr3tk3yv4lu3"
RUBRIC = "# Politeness\n\nGreet the caller by name.\r\n"

Action = Callable[[BaseHTTPRequestHandler], None]


class FakePlexus(ThreadingHTTPServer):
    """Answers the queries of a small Plexus. `script` holds answers that come first, whatever is asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.scorecards: list[dict[str, Any] | None] = [
            {"id": "sc-1", "key": "acme", "name": "Acme QA", "externalId": "900"}
        ]
        self.scores: list[dict[str, Any] | None] = [
            {
                "id": "s-1",
                "key": "politeness",
                "name": "Politeness",
                "externalId": "45813",
                "description": "Is the agent polite?",
                "championVersionId": "v-2",
                "scorecard": self.scorecards[0],
            }
        ]
        self.versions: dict[str, dict[str, Any]] = {
            "v-2": {
                "id": "v-2",
                "scoreId": "s-1",
                "parentVersionId": "v-1",
                "configuration": "name: Politeness\nversion: stale\nclass: Classifier\n",
                "guidelines": RUBRIC,
            }
        }
        self.script: list[Action] = []
        self.asked: list[dict[str, Any]] = []
        self.headers_seen: list[dict[str, str]] = []
        self.page_size = 1000

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/graphql"

    @property
    def queries(self) -> list[str]:
        """The root fields asked for, in order."""
        roots = ("listScorecards", "getScorecard(", "getScoreVersion", "getScore(")
        return [next(root.rstrip("(") for root in roots if root in asked["query"]) for asked in self.asked]

    def answer(self, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        if "listScorecards" in query:
            return {"listScorecards": self._page(self.scorecards, variables)}
        if "getScorecard(" in query:
            known = any(card and card["id"] == variables["id"] for card in self.scorecards)
            return {"getScorecard": {"scores": self._page(self.scores, variables)} if known else None}
        if "getScoreVersion" in query:
            return {"getScoreVersion": self.versions.get(variables["id"])}
        assert "getScore(" in query
        return {"getScore": next((s for s in self.scores if s and s["id"] == variables["id"]), None)}

    def _page(self, items: list[Any], variables: dict[str, Any]) -> dict[str, Any]:
        start = int(variables["next"] or 0)
        end = start + self.page_size
        return {"items": items[start:end], "nextToken": str(end) if end < len(items) else None}

    def handle_error(self, request, client_address) -> None:
        """A client that hangs up early is part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    server: FakePlexus

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        self.server.headers_seen.append({name.lower(): value for name, value in self.headers.items()})
        if self.server.script:
            self.server.script.pop(0)(self)
        elif self.headers["x-api-key"] != KEY:
            unauthorized = {"errorType": "UnauthorizedException", "message": "You are not authorized."}
            send(self, 401, {"errors": [unauthorized]})
        else:
            send(self, 200, {"data": self.server.answer(asked["query"], asked["variables"])})

    def do_GET(self) -> None:
        self.server.headers_seen.append({name.lower(): value for name, value in self.headers.items()})
        self.server.asked.append({"query": "", "variables": {}})
        send(self, 200, {"data": {}})

    def log_message(self, *_: Any) -> None:
        """Quiet."""


def send(handler: BaseHTTPRequestHandler, status: int, body: Any, **headers: str) -> None:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(data)


def reply(status: int, body: Any = b"", **headers: str) -> Action:
    return lambda handler: send(handler, status, body, **headers)


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def cut_short(handler: BaseHTTPRequestHandler) -> None:
    send(handler, 200, b'{"data": {"getSc', **{"Content-Length": "4000"})


def drip(handler: BaseHTTPRequestHandler) -> None:
    """A byte now and then: no single read times out."""
    handler.send_response(200)
    handler.end_headers()
    for _ in range(400):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def plexus() -> Iterator[FakePlexus]:
    with FakePlexus() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def source(plexus, pauses) -> PlexusAuthority:
    return PlexusAuthority(plexus.url, KEY, timeout=5, sleep=pauses.append)


def failure(
    source: PlexusAuthority,
    kind: type[RubricatorError] = EndpointError,
    scorecard: str = "Acme QA",
    score: str = "Politeness",
) -> str:
    """The message of the failure to resolve, once it is sure that the key is nowhere in the error."""
    with pytest.raises(kind) as caught:
        source.resolve(scorecard, score)
    error = caught.value
    assert type(error) is kind
    assert error.hint
    told = "".join(traceback.format_exception(error)) + str(error) + repr(error) + error.message + error.hint
    assert KEY not in told
    return str(error)


# What is found


def test_the_champion_is_the_authority(plexus, source) -> None:
    authority = source.resolve("Acme QA", "Politeness")

    assert authority.rubric == RUBRIC
    assert authority.score_version_id == "v-2"
    assert authority.champion
    assert authority.diagnostics == ()
    assert (authority.scorecard, authority.score) == ("Acme QA", "Politeness")
    assert authority.source == "plexus:score/s-1/version/v-2"
    assert plexus.queries == ["listScorecards", "getScorecard", "getScore", "getScoreVersion"]


def test_the_question_is_json_with_the_key_in_its_header(plexus, source) -> None:
    source.resolve("Acme QA", "Politeness")

    assert {seen["x-api-key"] for seen in plexus.headers_seen} == {KEY}
    assert {seen["content-type"] for seen in plexus.headers_seen} == {"application/json"}
    assert all(KEY not in json.dumps(asked) for asked in plexus.asked)


def test_the_record_comes_from_plexus_and_the_configuration_only_adds_to_it(plexus, source) -> None:
    plexus.scores[0]["description"] = None
    plexus.versions["v-2"]["configuration"] = "name: Other\nversion: stale\ndescription: From the YAML\nclass: X\n"

    assert source.resolve("Acme QA", "Politeness").metadata == {
        "name": "Politeness",
        "key": "politeness",
        "id": "s-1",
        "externalId": "45813",
        "description": "From the YAML",
        "version": "v-2",
        "championVersionId": "v-2",
        "parent": "v-1",
    }


@pytest.mark.parametrize("scorecard", ["Acme QA", "acme", "900", "sc-1"])
@pytest.mark.parametrize("score", ["Politeness", "politeness", "45813", "s-1"])
def test_name_key_id_and_external_id_all_find_the_score(source, scorecard, score) -> None:
    assert source.resolve(scorecard, score).score_version_id == "v-2"


def test_a_score_is_found_by_the_file_name_of_its_name(plexus, source) -> None:
    plexus.scorecards[0]["name"] = "Acme: QA"
    plexus.scores[0]["name"] = "Hold/Transfer?"

    assert source.resolve("Acme- QA", "Hold-Transfer-").rubric == RUBRIC


def test_a_score_is_found_whatever_the_unicode_form_of_its_name(plexus, source) -> None:
    plexus.scores[0]["name"] = "Re\u0301sume\u0301"

    assert source.resolve("Acme QA", "R\u00e9sum\u00e9").rubric == RUBRIC


def test_an_exact_name_comes_before_an_equal_file_name(plexus, source) -> None:
    plexus.scores.insert(0, {**plexus.scores[0], "id": "s-0", "key": "k0", "externalId": "0", "name": "A/B"})
    plexus.scores[1]["name"] = "A-B"

    assert source.resolve("Acme QA", "A-B").metadata["id"] == "s-1"


def test_lists_are_read_to_their_last_page_and_may_hold_nulls(plexus, source) -> None:
    plexus.page_size = 2
    plexus.scorecards[:0] = [None, *({"id": f"x{n}", "name": f"Other {n}", "key": None} for n in range(4))]
    plexus.scores[:0] = [{"id": f"y{n}", "name": f"Other {n}", "externalId": str(n)} for n in range(5)]

    assert source.resolve("Acme QA", "Politeness").rubric == RUBRIC
    assert plexus.queries.count("listScorecards") == 3
    assert plexus.queries.count("getScorecard") == 3


def test_a_byte_order_mark_is_no_part_of_the_rubric(plexus, source) -> None:
    plexus.versions["v-2"]["guidelines"] = f"\ufeff{RUBRIC}"

    assert source.resolve("Acme QA", "Politeness").rubric == RUBRIC


def test_a_large_rubric_arrives_whole(plexus, source) -> None:
    plexus.versions["v-2"]["guidelines"] = "Grüße 漢字 🙂\n" * 100_000

    assert source.resolve("Acme QA", "Politeness").rubric == "Grüße 漢字 🙂\n" * 100_000


# The id of the local record


def with_id(plexus: FakePlexus, known: str | None) -> PlexusAuthority:
    return PlexusAuthority(plexus.url, KEY, timeout=5, known_id=lambda scorecard, score: known)


def test_a_known_id_spares_the_search(plexus) -> None:
    authority = with_id(plexus, "s-1").resolve("Acme QA", "Politeness")

    assert authority.rubric == RUBRIC
    assert authority.diagnostics == ()
    assert plexus.queries == ["getScore", "getScoreVersion"]


def test_a_known_id_may_be_the_external_id(plexus) -> None:
    plexus.scores[0]["name"] = "Renamed in Plexus"

    authority = with_id(plexus, "45813").resolve("Acme QA", "Politeness")

    assert authority.metadata["id"] == "s-1"
    assert any("'Renamed in Plexus'" in note for note in authority.diagnostics)


def test_an_id_that_plexus_does_not_know_gives_way_to_the_name_and_is_named(plexus) -> None:
    authority = with_id(plexus, "gone").resolve("Acme QA", "Politeness")

    assert authority.metadata["id"] == "s-1"
    assert [note for note in authority.diagnostics if "gone" in note]


def test_an_id_of_a_score_of_other_names_is_used_and_named(plexus) -> None:
    plexus.scores[0]["scorecard"] = {"id": "sc-2", "name": "Beta QA"}

    authority = with_id(plexus, "s-1").resolve("Acme QA", "Empathy")

    assert authority.rubric == RUBRIC
    assert len(authority.diagnostics) == 2
    assert "'Beta QA'" in authority.diagnostics[0]
    assert "'Politeness'" in authority.diagnostics[1]


@pytest.mark.parametrize("known", [None, "", "  "])
def test_without_a_known_id_the_score_is_searched(plexus, known) -> None:
    assert with_id(plexus, known).resolve("Acme QA", "Politeness").diagnostics == ()
    assert plexus.queries[0] == "listScorecards"


# The configuration


@pytest.mark.parametrize(
    "configuration",
    [
        "name: [unclosed",
        "a: b: c",
        "- a list",
        "just text",
        "!!python/object/apply:os.system ['true']",
        "released: 2026-02-30",
        "[" * 5000,
        "a: &a [x]\nb: \t@",
        "\x00",
    ],
)
def test_a_configuration_that_cannot_be_read_costs_a_diagnostic(plexus, source, configuration) -> None:
    plexus.versions["v-2"]["configuration"] = configuration

    authority = source.resolve("Acme QA", "Politeness")

    assert authority.rubric == RUBRIC
    assert authority.champion
    assert len(authority.diagnostics) == 1
    assert "configuration" in authority.diagnostics[0]


@pytest.mark.parametrize("configuration", [None, "", "# only a comment\n", "description: {a: 1}", "key: 2026-04-24"])
def test_a_configuration_that_says_nothing_is_none(plexus, source, configuration) -> None:
    plexus.versions["v-2"]["configuration"] = configuration

    authority = source.resolve("Acme QA", "Politeness")

    assert authority.diagnostics == ()
    assert json.dumps(authority.metadata)


# No authority


def test_no_such_scorecard(source) -> None:
    assert "no scorecard 'Beta QA'" in failure(source, AuthorityError, scorecard="Beta QA")


def test_no_such_score(source) -> None:
    assert "no score 'Empathy'" in failure(source, AuthorityError, score="Empathy")


@pytest.mark.parametrize("name", ["", "..", ".", "CON", "scorecard", "../Politeness", KEY])
def test_hostile_names_find_nothing(plexus, source, name) -> None:
    plexus.scores.append({"id": "s-9", "name": None, "key": "", "externalId": None})

    failure(source, AuthorityError, score=name)
    failure(source, AuthorityError, scorecard=name)


def test_two_scorecards_of_one_name_are_not_guessed_between(plexus, source) -> None:
    plexus.scorecards.append({"id": "sc-2", "key": "acme-2", "name": "Acme QA", "externalId": "901"})

    message = failure(source, AuthorityError)

    assert "sc-1, sc-2" in message
    assert source.resolve("acme", "Politeness").rubric == RUBRIC


def test_two_scores_of_one_file_name_are_not_guessed_between(plexus, source) -> None:
    plexus.scores[0]["name"] = "A/B"
    plexus.scores.append({**plexus.scores[0], "id": "s-2", "key": "k2", "externalId": "2", "name": "A:B"})

    assert "s-1, s-2" in failure(source, AuthorityError, score="A-B")


@pytest.mark.parametrize("champion", [None, "", " "])
def test_no_champion_version(plexus, source, champion) -> None:
    plexus.scores[0]["championVersionId"] = champion

    assert "no champion version" in failure(source, AuthorityError)


def test_a_champion_version_that_is_gone(plexus, source) -> None:
    plexus.versions.clear()

    assert "v-2" in failure(source, AuthorityError)


def test_a_champion_version_of_another_score(plexus, source) -> None:
    plexus.versions["v-2"]["scoreId"] = "s-7"

    assert "belongs to another score (s-7)" in failure(source, AuthorityError)


@pytest.mark.parametrize("rubric", [None, "", " \n\t\r\n", "\ufeff", "\ufeff \n"])
def test_a_champion_version_without_a_rubric(plexus, source, rubric) -> None:
    plexus.versions["v-2"]["guidelines"] = rubric

    assert "is empty" in failure(source, AuthorityError)


def test_a_rubric_that_is_no_valid_unicode(plexus, source) -> None:
    plexus.versions["v-2"]["guidelines"] = "Half a \ud83d smile"

    assert "character 7" in failure(source, AuthorityError)


def test_a_score_deleted_between_two_questions(plexus, source) -> None:
    answers = [
        plexus.answer("listScorecards", {"next": None}),
        plexus.answer("getScorecard(", {"id": "sc-1", "next": None}),
    ]
    plexus.script = [reply(200, {"data": data}) for data in (*answers, {"getScore": None})]

    assert "no longer" in failure(source, AuthorityError)


# Answers that are none


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key(plexus, source, pauses, status) -> None:
    plexus.script = [reply(status, {"errors": [{"message": f"{KEY} is not valid"}]})]

    message = failure(source)

    assert f"HTTP {status}" in message
    assert "PLEXUS_API_KEY" in message
    assert pauses == []


def test_a_wrong_key(plexus) -> None:
    assert "PLEXUS_API_KEY" in failure(PlexusAuthority(plexus.url, "da2-wrong", timeout=5))


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_passing_failure_is_tried_again(plexus, source, pauses, status) -> None:
    plexus.script = [reply(status, b"busy"), reply(status, b"busy")]

    assert source.resolve("Acme QA", "Politeness").rubric == RUBRIC
    assert pauses == [0.5, 1.0]


def test_429_then_503_then_an_answer_with_the_pause_asked_for(plexus, source, pauses) -> None:
    plexus.script = [reply(429, Retry_After="3"), reply(503, Retry_After="86400")]

    assert source.resolve("Acme QA", "Politeness").rubric == RUBRIC
    assert pauses == [3.0, 10.0]


def test_a_pause_given_as_a_date_is_not_waited_for(plexus, source, pauses) -> None:
    plexus.script = [reply(503, Retry_After="Wed, 21 Oct 2099 07:28:00 GMT")]

    assert source.resolve("Acme QA", "Politeness").rubric == RUBRIC
    assert pauses == [0.5]


def test_a_lasting_failure_ends_after_three_attempts(plexus, source, pauses) -> None:
    plexus.script = [reply(503, f"down, {KEY}".encode())] * 9

    message = failure(source)

    assert "HTTP 503, 3 times in a row" in message
    assert len(plexus.asked) == 3
    assert len(pauses) == 2


@pytest.mark.parametrize("action", [hang_up, cut_short])
def test_a_broken_connection_is_tried_again(plexus, source, pauses, action) -> None:
    plexus.script = [action, action]

    assert source.resolve("Acme QA", "Politeness").rubric == RUBRIC
    assert len(pauses) == 2


@pytest.mark.parametrize(("action", "told"), [(hang_up, "closed the connection"), (cut_short, "cut short")])
def test_a_connection_that_always_breaks(plexus, source, action, told) -> None:
    plexus.script = [action] * 3

    assert told in failure(source)


def test_a_chunked_answer_cut_short(plexus, source) -> None:
    def cut(handler: BaseHTTPRequestHandler) -> None:
        handler.protocol_version = "HTTP/1.1"
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b'ff\r\n{"data":')

    plexus.script = [cut] * 3

    assert "cut short" in failure(source)


def test_a_server_that_is_too_slow(plexus) -> None:
    plexus.script = [lambda _handler: time.sleep(20)]
    source = PlexusAuthority(plexus.url, KEY, timeout=0.1)

    started = time.monotonic()
    message = failure(source)

    assert "0.1 s" in message
    assert time.monotonic() - started < 10
    assert len(plexus.asked) == 1


def test_a_server_that_drips(plexus) -> None:
    plexus.script = [drip]
    source = PlexusAuthority(plexus.url, KEY, timeout=0.3)

    started = time.monotonic()
    message = failure(source)

    assert "did not answer within 0.3 s" in message
    assert time.monotonic() - started < 10


def test_nobody_listens(source) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/graphql"

    message = failure(PlexusAuthority(url, KEY, timeout=5))

    assert url in message
    assert "refused" in message


def test_a_host_without_an_address() -> None:
    assert "can't be reached" in failure(PlexusAuthority("http://plexus.invalid/graphql", KEY, timeout=5))


def test_plain_http_where_tls_is_expected(plexus) -> None:
    source = PlexusAuthority(plexus.url.replace("http:", "https:"), KEY, timeout=5)

    assert "can't be reached" in failure(source)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Sign in</html>",
        b'{"data": ',
        b"\xff\xfe{}",
        b"[" * 200_000,
        b"null",
        b"[]",
        b"{}",
        b'{"data": null}',
        b'{"data": []}',
        b'{"data": {}}',
        b'{"data": {"listScorecards": null}}',
        b'{"data": {"listScorecards": {"items": {}}}}',
        b'{"data": {"listScorecards": []}}',
        json.dumps(KEY).encode(),
    ],
)
def test_an_answer_that_is_no_answer(plexus, source, body) -> None:
    plexus.script = [reply(200, body)]

    assert "answered with" in failure(source)


@pytest.mark.parametrize("data", [{"getScore": []}, {"getScore": "s-1"}])
def test_a_score_that_is_no_object(plexus, data) -> None:
    plexus.script = [reply(200, {"data": data})]

    assert "no object" in failure(with_id(plexus, "s-1"))


def test_a_rubric_that_is_no_text(plexus, source) -> None:
    plexus.versions["v-2"]["guidelines"] = {"text": RUBRIC}

    assert "no text" in failure(source)


def test_a_list_without_end(plexus, source) -> None:
    page = {"data": {"listScorecards": {"items": [], "nextToken": "again"}}}
    plexus.script = [reply(200, page)] * 1000

    assert "listScorecards" in failure(source)
    assert len(plexus.asked) == 100


def test_an_answer_over_the_limit(plexus) -> None:
    plexus.script = [reply(200, b" " * 5000)]

    assert "more than 4096 bytes" in failure(PlexusAuthority(plexus.url, KEY, timeout=5, max_bytes=4096))


@pytest.mark.parametrize("status", [200, 400])
def test_graphql_errors_are_told(plexus, source, status) -> None:
    errors = [{"message": "Field 'championVersionId' is undefined", "errorType": "ValidationError"}, {"message": "x"}]
    plexus.script = [reply(status, {"data": None, "errors": errors})]

    assert "Field 'championVersionId' is undefined; x" in failure(source)


def test_graphql_errors_beside_data_are_errors(plexus, source) -> None:
    data = plexus.answer("listScorecards", {"next": None})
    plexus.script = [reply(200, {"data": data, "errors": [{"message": "partial"}]})]

    assert "partial" in failure(source)


def test_a_graphql_error_about_rights_points_at_the_key(plexus, source) -> None:
    plexus.script = [reply(200, {"data": None, "errors": [{"errorType": "Unauthorized"}]})]

    assert "PLEXUS_API_KEY" in failure(source)


@pytest.mark.parametrize("errors", ["text", {"a": 1}, [None], [[]], [{}], [{"message": {"a": [KEY]}}], 7])
def test_graphql_errors_of_any_shape(plexus, source, errors) -> None:
    plexus.script = [reply(200, {"errors": errors})]

    assert "refused the query" in failure(source)


def test_foreign_text_is_put_on_one_short_line_without_the_key(plexus, source) -> None:
    plexus.script = [reply(200, {"errors": [{"message": f"bad\n\x1b[31m {KEY} {'x' * 290}{KEY}" + "y" * 9000}]})]

    message = failure(source)

    assert "da2-" not in message
    assert message.isprintable()
    assert len(message) < 600


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"errors": 7}', b"[" * 200_000])
def test_other_statuses(plexus, source, body) -> None:
    plexus.script = [reply(404, body)]

    assert "Plexus at" in failure(source)
    assert len(plexus.asked) == 1


def test_a_status_line_with_the_key(plexus, source) -> None:
    def echo(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(418, KEY)
        handler.end_headers()

    plexus.script = [echo]

    assert "HTTP 418" in failure(source)


def test_no_http_at_all(plexus, source) -> None:
    def greet(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(f"220 {KEY} ESMTP\r\n".encode())

    plexus.script = [greet]

    assert "can't be reached" in failure(source)


# The key


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_does_not_carry_the_key(plexus, source, status) -> None:
    with FakePlexus() as other:
        thread = threading.Thread(target=other.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        plexus.script = [reply(status, Location=f"http://{KEY}@127.0.0.1:{other.server_port}/graphql?{KEY}")]

        message = failure(source)

        other.shutdown()
        thread.join()
        assert other.asked == []
    assert f"127.0.0.1:{other.server_port}" in message
    assert f"HTTP {status}" in message
    assert len(plexus.asked) == 1


@pytest.mark.parametrize("status", [300, 302])
@pytest.mark.parametrize("location", ["", "/login", "file:///etc/passwd", "http://[bad", "//other.invalid/x"])
def test_redirects_to_anywhere(plexus, source, status, location) -> None:
    plexus.script = [reply(status, Location=location)]

    failure(source)


def test_the_key_is_in_no_repr_and_no_log(plexus, source, caplog) -> None:
    with caplog.at_level(logging.DEBUG):
        source.resolve("Acme QA", "Politeness")
        plexus.script = [reply(401)]
        failure(source)

    assert KEY not in caplog.text
    assert KEY not in repr(source)
    assert all(KEY not in repr(value) for value in vars(source).values())


@pytest.mark.parametrize("key", ["", " ", "two words", "line\nbreak", "da2-é", "tab\t", "\x7f"])
def test_a_key_that_is_no_header_is_refused_unseen(key) -> None:
    with pytest.raises(InputError, match="PLEXUS_API_KEY") as caught:
        PlexusAuthority("https://plexus.example/graphql", key)
    assert not key.strip() or key not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "plexus.example/graphql",
        "file:///etc/passwd",
        "ftp://plexus.example/graphql",
        "javascript:alert(1)",
        "https://",
        "https:///graphql",
        "http://[::1",
        "http://plexus.example:port/",
        "http://plexus.example:99999/",
        "https://user:s3cret@plexus.example/graphql",
        "https://plexus.example/graph ql",
        "https://plexus.example/\r\nHost: x",
        "https://plexus.example/é",
    ],
)
def test_an_address_that_is_none_is_refused(url) -> None:
    with pytest.raises(InputError, match="PLEXUS_API_URL") as caught:
        PlexusAuthority(url, KEY)
    assert "s3cret" not in str(caught.value)
    assert KEY not in str(caught.value)


def test_a_query_in_the_address_is_not_shown() -> None:
    source = PlexusAuthority("https://[::1]:8443/graphql?token=s3cret", KEY)

    assert repr(source) == "PlexusAuthority('https://[::1]:8443/graphql')"
