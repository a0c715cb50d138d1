"""Authority from Plexus: the champion version of a score, asked of its GraphQL endpoint.

Plexus is an AWS AppSync API: JSON by POST, with the key in the `x-api-key` header. It stores the rubric in a field
called `guidelines`; that word ends here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import yaml

from rubricator.adapters.graphql import GraphqlEndpoint
from rubricator.core.authority import Authority, make_authority
from rubricator.core.scope import folder_name, same_name
from rubricator.errors import AuthorityError, NameRefusedError

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
        self._endpoint = GraphqlEndpoint(url, api_key, timeout=timeout, sleep=sleep, max_bytes=max_bytes)
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
