"""Authority from Plexus: the champion version of a score, asked of its GraphQL endpoint.

Plexus is an AWS AppSync API: JSON by POST, with the key in the `x-api-key` header. It stores the rubric in a field
called `guidelines`; that word ends here.
"""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from email.message import Message
from typing import IO, Any, Final
from urllib.parse import urljoin, urlsplit

import yaml

from rubricator.core.authority import Authority, make_authority
from rubricator.core.scope import folder_name, same_name
from rubricator.errors import AuthorityError, EndpointError, InputError, NameRefusedError

_SCORECARDS: Final = """
query Scorecards($next: String) {
  listScorecards(limit: 1000, nextToken: $next) { items { id key name externalId } nextToken }
}"""
_SCORES: Final = """
query Scores($id: ID!, $next: String) {
  getScorecard(id: $id) { scores(limit: 1000, nextToken: $next) { items { id key name externalId } nextToken } }
}"""
_SCORE: Final = """
query Score($id: ID!) {
  getScore(id: $id) {
    id key name externalId description championVersionId
    scorecard { id key name externalId }
  }
}"""
_VERSION: Final = """
query Version($id: ID!) {
  getScoreVersion(id: $id) { id scoreId parentVersionId configuration guidelines }
}"""

_MOST_PAGES: Final = 100
_IDENTIFIERS: Final = ("id", "key", "name", "externalId")
_FROM_CONFIGURATION: Final = ("name", "key", "externalId", "description", "parent")

_ATTEMPTS: Final = 3
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 10.0
_TRANSIENT: Final = frozenset({429, 500, 502, 503, 504})
_KEY_HINT: Final = "Check PLEXUS_API_KEY: it is wrong, has expired, or lacks the right to read scores."


class PlexusAuthority:
    """Resolves the rubric of a score from the champion version that a Plexus endpoint knows.

    `known_id` gives the id that the local score record states for (scorecard, score), or None. An id that Plexus knows
    spares the search by name. `sleep` and `max_bytes` (the largest answer read) are there for tests.
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        timeout: float = 30.0,
        known_id: Callable[[str, str], str | None] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        max_bytes: int = 32 * 2**20,
    ) -> None:
        self._endpoint = _Endpoint(url, api_key, timeout=timeout, sleep=sleep, max_bytes=max_bytes)
        self._known_id = known_id

    def __repr__(self) -> str:
        return f"PlexusAuthority({self._endpoint.shown!r})"

    def resolve(self, scorecard: str, score: str) -> Authority:
        """The authority of one score.

        Raises AuthorityError where Plexus has no such score, no champion version of it, or no rubric in that version;
        EndpointError where it can't be asked.
        """
        record, notes = self._find(scorecard, score)
        champion = _text(record.get("championVersionId"))
        if not champion:
            raise self._no_authority(
                f"{scorecard} / {score} has no champion version in Plexus.", "Promote a version to champion in Plexus."
            )
        version = self._object(_VERSION, "getScoreVersion", id=champion)
        if version is None:
            raise self._no_authority(
                f"The champion version {champion} of {scorecard} / {score} is not in Plexus.",
                "Promote another version to champion in Plexus.",
            )
        owner = _text(version.get("scoreId"))
        if owner and owner != _text(record.get("id")):
            raise self._no_authority(
                f"The champion version {champion} of {scorecard} / {score} belongs to another score ({owner}).",
                "Promote one of the score's own versions to champion in Plexus.",
            )
        metadata, more_notes = _metadata(record, version, champion)
        return make_authority(
            scorecard=scorecard,
            score=score,
            rubric=self._rubric(version, f"{scorecard} / {score}"),
            source=f"plexus:score/{_text(record.get('id'))}/version/{champion}",
            metadata=metadata,
            diagnostics=tuple(self._endpoint.redact(note) for note in (*notes, *more_notes)),
        )

    def _find(self, scorecard: str, score: str) -> tuple[dict[str, Any], list[str]]:
        """The record of a score by its known id, else by its identifiers, and what is odd about it."""
        known = _text(self._known_id(scorecard, score)) if self._known_id else ""
        notes: list[str] = []
        record = self._object(_SCORE, "getScore", id=known) if known else None
        if record is None:
            found, notes = self._search(scorecard, score, known)
            record = self._object(_SCORE, "getScore", id=found)
        if record is None:
            raise self._no_authority(f"The score {score!r} is no longer in Plexus.", "Was it deleted just now?")
        if known and not notes:
            notes = _doubts(record, scorecard, score, known)
        return record, notes

    def _search(self, scorecard: str, score: str, known: str) -> tuple[str, list[str]]:
        """A score's id by the identifiers of its scorecard and itself."""
        # Plexus can filter, but a filter of its database reads as much and hides matches behind pages.
        scorecards = self._items(_SCORECARDS, ("listScorecards",))
        scorecard_id = self._only(_matches(scorecards, scorecard), "scorecard", scorecard)
        scores = self._items(_SCORES, ("getScorecard", "scores"), id=scorecard_id)
        if not known:
            return self._only(_matches(scores, score), "score", score), []
        # A score's YAML often states as `id` what Plexus calls the external id, unique within a scorecard only.
        external = [item for item in scores if _text(item.get("externalId")) == known]
        if external:
            return self._only(external, "score", known), []
        note = f"The local record's id {known} is not known to Plexus: the score was found by its name."
        return self._only(_matches(scores, score), "score", score), [note]

    def _only(self, matches: Sequence[dict[str, Any]], what: str, wanted: str) -> str:
        """The id of the only match. An official text is never a guess, so two matches are as bad as none."""
        ids = [_text(match.get("id")) for match in matches]
        if not ids:
            raise self._no_authority(
                f"Plexus has no {what} {wanted!r}.",
                "Ask for it by the name, key or id it has there; the API key may also lack the right to see it.",
            )
        if len(ids) > 1:
            raise self._no_authority(
                f"Plexus has {len(ids)} {what}s that answer to {wanted!r}: {', '.join(ids)}.",
                "Ask for it by its key or id.",
            )
        return ids[0]

    def _rubric(self, version: dict[str, Any], name: str) -> str:
        rubric = version.get("guidelines")
        if rubric is None:
            return ""
        if not isinstance(rubric, str):
            raise self._endpoint.error("answered with a rubric that is no text.")
        try:
            rubric.encode("utf-8")
        except UnicodeEncodeError as error:
            raise self._no_authority(
                f"The rubric of {name} in Plexus is no valid Unicode (character {error.start}).",
                "Write it anew in Plexus: an official text must not depend on a guess.",
            ) from None
        return rubric.removeprefix("\ufeff")

    def _object(self, query: str, name: str, **variables: str) -> dict[str, Any] | None:
        """The object `name` of an answer, None where Plexus has none."""
        value = self._endpoint.ask(query, variables).get(name)
        if value is not None and not isinstance(value, dict):
            raise self._endpoint.error(f"answered with a {name} that is no object.")
        return value

    def _items(self, query: str, path: tuple[str, ...], **variables: str) -> list[dict[str, Any]]:
        """All items of a list that comes in pages."""
        items: list[dict[str, Any]] = []
        following: str | None = None
        for _ in range(_MOST_PAGES):
            page: Any = self._endpoint.ask(query, {**variables, "next": following})
            for step in path:
                page = page.get(step) if isinstance(page, dict) else None
            if not isinstance(page, dict) or not isinstance(page.get("items"), list):
                raise self._endpoint.error(f"answered without the list {'.'.join(path)}.")
            items += [item for item in page["items"] if isinstance(item, dict)]
            following = page.get("nextToken")
            if not following:
                return items
        raise self._endpoint.error(f"does not come to an end of the list {'.'.join(path)}.")

    def _no_authority(self, message: str, hint: str) -> AuthorityError:
        return AuthorityError(self._endpoint.redact(message), hint=hint)


def _matches(items: Sequence[dict[str, Any]], wanted: str) -> list[dict[str, Any]]:
    """The items that `wanted` identifies: by id, else key, else name, else external id, else name as a file name."""
    for field in _IDENTIFIERS:
        found = [item for item in items if wanted and same_name(_text(item.get(field)), wanted)]
        if found:
            return found
    stem = _stem(wanted)
    return [item for item in items if stem and _stem(_text(item.get("name"))) == stem]


def _doubts(record: dict[str, Any], scorecard: str, score: str, known: str) -> list[str]:
    """Where the score that the local record's id stands for goes by other names than those asked for."""
    notes = []
    owner = record.get("scorecard")
    for what, item, wanted in (("scorecard", owner, scorecard), ("score", record, score)):
        if isinstance(item, dict) and not _matches([item], wanted):
            notes.append(
                f"The local record's id {known} belongs to the {what} {_text(item.get('name'))!r} in Plexus, "
                f"not to {wanted!r}; the rubric is the one under that id."
            )
    return notes


def _stem(name: str) -> str:
    try:
        return folder_name(name)
    except NameRefusedError:
        return ""


def _metadata(record: dict[str, Any], version: dict[str, Any], champion: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The version record, as the file beside a pulled rubric would give it, and what is wrong with it."""
    stated = {key: record.get(key) for key in ("name", "key", "id", "externalId", "description")}
    stated |= {"version": champion, "championVersionId": champion, "parent": version.get("parentVersionId")}
    configured, notes = _configuration(version.get("configuration"))
    return configured | {key: value for key, value in stated.items() if value is not None}, notes


def _configuration(text: object) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What a version's YAML says about itself. It only adds to the record, so one that can't be read costs a note."""
    if text is None:
        return {}, ()
    try:
        value = yaml.load(str(text), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - safe
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark else type(error).__name__
        return {}, (f"The configuration of the version can't be read as YAML ({where}).",)
    if value is None:
        return {}, ()
    if not isinstance(value, dict):
        return {}, ("The configuration of the version is not a YAML mapping.",)
    return {key: value[key] for key in _FROM_CONFIGURATION if isinstance(value.get(key), str | int | float)}, ()


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()


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


class _Endpoint:
    """One GraphQL endpoint: asks with retries; every failure ends as an EndpointError that can't hold the key."""

    def __init__(
        self, url: str, api_key: str, *, timeout: float, sleep: Callable[[float], None], max_bytes: int
    ) -> None:
        self.shown = _checked_url(url)
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
        return f"_Endpoint({self.shown!r})"

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


def _checked_url(url: str) -> str:
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
