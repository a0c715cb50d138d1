"""What every source of authority promises, over local files and over Plexus alike."""

from __future__ import annotations

import json
import threading
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol

import pytest
import yaml

from rubricator.core.authority import Authority
from rubricator.core.ports import AuthoritySource
from rubricator.errors import AuthorityError, InputError

RUBRIC = "# Politeness\r\n\r\nGrüße the caller.\n\n## Weight\n3\n```\n# no heading\n```\n"


class Store(Protocol):
    """Where rubrics are kept: `publish` puts the champion version of a score there, `source` reads it back."""

    def publish(self, scorecard: str, score: str, *, rubric: str | None, version: str) -> None: ...

    def source(self) -> AuthoritySource: ...


@dataclass
class FileStore:
    """A rubric and its record in the scorecard folder, as a pull leaves them."""

    cache_dir: Path

    def publish(self, scorecard: str, score: str, *, rubric: str | None, version: str) -> None:
        folder = self.cache_dir / scorecard
        folder.mkdir(exist_ok=True)
        record = {"name": score, "id": "s-1", "version": version, "championVersionId": version, "parent": "v-0"}
        (folder / f"{score}.yaml").write_text(yaml.safe_dump(record, allow_unicode=True), encoding="utf-8")
        if rubric is not None:
            (folder / f"{score}.md").write_bytes(rubric.encode())

    def source(self) -> AuthoritySource:
        from rubricator.adapters.authority_files import FileAuthority

        return FileAuthority(self.cache_dir)


class PlexusStore:
    """The same in a Plexus, of which only one score is known at a time."""

    def __init__(self, url: str, data: dict[str, Any]) -> None:
        self._url = url
        self._data = data

    def publish(self, scorecard: str, score: str, *, rubric: str | None, version: str) -> None:
        card = {"id": "sc-1", "name": scorecard}
        record = {"id": "s-1", "name": score, "championVersionId": version, "scorecard": card}
        self._data["listScorecards"] = {"items": [card]}
        self._data["getScorecard"] = {"scores": {"items": [record]}}
        self._data["getScore"] = record
        self._data["getScoreVersion"] = {
            "id": version,
            "scoreId": "s-1",
            "parentVersionId": "v-0",
            "configuration": yaml.safe_dump({"name": score}),
            "guidelines": rubric,
        }

    def source(self) -> AuthoritySource:
        from rubricator.adapters.plexus import PlexusAuthority

        return PlexusAuthority(self._url, "da2-key", timeout=5)


@pytest.fixture
def file_store(tmp_path) -> FileStore:
    return FileStore(tmp_path)


@pytest.fixture
def plexus_store(monkeypatch) -> Iterator[PlexusStore]:
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("no_proxy", "*")
    data: dict[str, Any] = {"listScorecards": {"items": []}}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["query"]
            root = next(name for name in data if f"{name}(" in query)
            body = json.dumps({"data": {root: data[root]}}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield PlexusStore(f"http://127.0.0.1:{server.server_port}/graphql", data)
        server.shutdown()
        thread.join()


@pytest.fixture(params=["file_store", "plexus_store"])
def store(request) -> Store:
    return request.getfixturevalue(request.param)


Resolve = Callable[..., Authority]


@pytest.fixture
def resolve(store) -> Resolve:
    """Publish one version of one score, and resolve it."""

    def publish_and_resolve(
        rubric: str | None = RUBRIC, version: str = "v-1", scorecard: str = "Acme QA", score: str = "Politeness"
    ) -> Authority:
        store.publish(scorecard, score, rubric=rubric, version=version)
        return store.source().resolve(scorecard, score)

    return publish_and_resolve


def test_the_rubric_comes_back_to_the_letter(resolve) -> None:
    authority = resolve()

    assert authority.rubric == RUBRIC
    assert "".join(section.text for section in authority.sections()) == RUBRIC


def test_the_version_is_the_champion_without_diagnostics(resolve) -> None:
    authority = resolve(version="v-7")

    assert authority.score_version_id == "v-7"
    assert authority.champion
    assert authority.diagnostics == ()


def test_the_names_are_those_asked_for_and_the_source_is_named(resolve) -> None:
    authority = resolve()

    assert (authority.scorecard, authority.score) == ("Acme QA", "Politeness")
    assert authority.source


def test_the_record_can_be_passed_on_as_json(resolve) -> None:
    metadata = resolve().metadata

    assert json.loads(json.dumps(metadata)) == {
        "name": "Politeness",
        "id": "s-1",
        "version": "v-1",
        "championVersionId": "v-1",
        "parent": "v-0",
    }


def test_all_sources_give_one_authority(file_store, plexus_store) -> None:
    authorities = []
    for store in (file_store, plexus_store):
        store.publish("Acme QA", "Politeness", rubric=RUBRIC, version="v-1")
        authorities.append(store.source().resolve("Acme QA", "Politeness"))
    one, other = authorities

    assert one.citation_id == other.citation_id
    assert [s.citation_id for s in one.sections()] == [s.citation_id for s in other.sections()]
    assert (one.rubric, one.score_version_id, one.champion, one.metadata, one.diagnostics) == (
        other.rubric,
        other.score_version_id,
        other.champion,
        other.metadata,
        other.diagnostics,
    )


def test_a_byte_order_mark_changes_nothing(resolve) -> None:
    assert resolve(rubric=f"\ufeff{RUBRIC}").citation_id == resolve(rubric=RUBRIC).citation_id


def test_another_version_or_rubric_is_another_citation(resolve) -> None:
    ids = {
        resolve().citation_id,
        resolve(version="v-2").citation_id,
        resolve(rubric=RUBRIC + "More.\n").citation_id,
    }

    assert len(ids) == 3


def test_asking_again_gives_the_same(store) -> None:
    store.publish("Acme QA", "Politeness", rubric=RUBRIC, version="v-1")
    source = store.source()

    assert source.resolve("Acme QA", "Politeness") == source.resolve("Acme QA", "Politeness")


def test_a_new_champion_is_seen_by_the_next_question(store) -> None:
    store.publish("Acme QA", "Politeness", rubric=RUBRIC, version="v-1")
    source = store.source()
    source.resolve("Acme QA", "Politeness")
    store.publish("Acme QA", "Politeness", rubric="New.\n", version="v-2")

    assert source.resolve("Acme QA", "Politeness").score_version_id == "v-2"


def test_a_name_in_another_unicode_form_is_the_same_score(store) -> None:
    store.publish("Acme QA", "Größe", rubric=RUBRIC, version="v-1")

    assert store.source().resolve("Acme QA", unicodedata.normalize("NFD", "Größe")).rubric == RUBRIC


@pytest.mark.parametrize("rubric", ["", " \r\n\t\n", "\ufeff"])
def test_an_empty_rubric_is_no_authority(resolve, rubric) -> None:
    with pytest.raises(AuthorityError, match="Politeness") as caught:
        resolve(rubric=rubric)
    assert caught.value.hint


def test_a_missing_rubric_is_no_authority(resolve) -> None:
    with pytest.raises(AuthorityError, match="Politeness") as caught:
        resolve(rubric=None)
    assert caught.value.hint


# Where the score itself is unknown, Plexus has no authority for it; on disk, the name may be a slip of the pen.


def test_an_unknown_score_is_refused_by_name(store) -> None:
    store.publish("Acme QA", "Politeness", rubric=RUBRIC, version="v-1")

    with pytest.raises((AuthorityError, InputError), match="Empathy") as caught:
        store.source().resolve("Acme QA", "Empathy")
    assert caught.value.hint


def test_an_unknown_scorecard_is_refused_by_name(store) -> None:
    store.publish("Acme QA", "Politeness", rubric=RUBRIC, version="v-1")

    with pytest.raises((AuthorityError, InputError), match="Beta QA") as caught:
        store.source().resolve("Beta QA", "Politeness")
    assert caught.value.hint


@pytest.mark.parametrize("name", ["..", ".", "", "CON", "scorecard"])
def test_a_hostile_name_is_refused(store, name) -> None:
    store.publish("Acme QA", "Politeness", rubric=RUBRIC, version="v-1")

    with pytest.raises((AuthorityError, InputError)):
        store.source().resolve("Acme QA", name)
