"""Slack: the export of a workspace, or one day of one channel, one block a message.

An export holds a folder a channel, with a file a day. Messages are named by user ids, which `users.json` resolves.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

from rubricator.adapters.text.archive import Archive
from rubricator.adapters.text.decode import decode
from rubricator.adapters.text.draft import Draft
from rubricator.adapters.text.limits import Reading, UnreadableError
from rubricator.memory.document import Document, Extraction, Place, Skip

MEDIA_TYPE: Final = "application/vnd.slack.export"

_DAY = re.compile(r"(?P<channel>[^/]+(?:/[^/]+)?)/\d{4}-\d\d-\d\d\.json")
_INDEXES: Final = frozenset({"users.json", "channels.json"})
_STAMP = re.compile(r"\d{9,11}(?:\.\d{1,6})?")
_MENTION = re.compile(r"<([@#!]?)([^<>|]{1,2000})(?:\|([^<>]{0,2000}))?>")
_HAPPENINGS: Final = frozenset(
    "channel_join channel_leave channel_archive channel_unarchive group_join group_leave bot_add bot_remove "
    "pinned_item unpinned_item reminder_add".split()
)
"""Messages that report what happened to a channel, and in which nobody says anything."""


def is_export(names: list[str]) -> bool:
    """Whether a zip with members of these names is the export of a workspace."""
    files = {name.rpartition("/")[2] for name in names}
    return bool(files & _INDEXES) and any(_DAY.fullmatch(name) for name in names)


def is_channel_day(value: Any) -> bool:
    """Whether parsed JSON is one day of a channel: a list of messages with a type and a time."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) and _STAMP.fullmatch(str(item.get("ts", ""))) for item in value)
        and any(item.get("type") == "message" for item in value)
    )


def read_channel_day(messages: list[dict[str, Any]], reading: Reading) -> Extraction:
    """Read one day of a channel, as its own file. Users are known only by what the messages say of them."""
    draft = Draft(reading)
    _add_messages(draft, messages, {})
    return Extraction((draft.document(MEDIA_TYPE),))


def read_export(archive: Archive, reading: Reading) -> Extraction:
    """Read the export of a workspace: a document a channel."""
    users = _names(_members(archive, "users.json"))
    channels: dict[str, list[str]] = {}
    for name in sorted(archive.names):
        if match := _DAY.fullmatch(name):
            channels.setdefault(match["channel"].rpartition("/")[2], []).append(name)
    documents: list[Document] = []
    skipped: list[Skip] = []
    for channel, days in channels.items():
        part = channel
        try:
            inside = reading.inside(channel)
            part = inside.part
            draft = Draft(inside)
            draft.title = f"#{channel}"
            _add_messages(draft, (message for day in days for message in _day(archive, day)), users)
            documents.append(draft.document(MEDIA_TYPE))
        except UnreadableError as error:
            skipped.append(Skip(str(error), part))
    return Extraction(tuple(documents), tuple(skipped))


def _day(archive: Archive, name: str) -> list[dict[str, Any]]:
    value = _parsed(archive, name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _members(archive: Archive, file: str) -> list[dict[str, Any]]:
    return [item for name in archive.names if name.rpartition("/")[2] == file for item in _day(archive, name)]


def _parsed(archive: Archive, name: str) -> Any:
    decoded = decode(archive.member(name))
    try:
        return json.loads(decoded.text) if decoded else None
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"{name} in this export is damaged: {error}") from error


def _names(users: list[dict[str, Any]]) -> dict[str, str]:
    """The real name of every user, by id."""
    return {str(user.get("id")): _name(user) for user in users}


def _name(user: dict[str, Any]) -> str:
    profile = user.get("profile")
    profile = profile if isinstance(profile, dict) else {}
    names = (profile.get("real_name"), user.get("real_name"), profile.get("display_name"), user.get("name"))
    return next((name for name in names if isinstance(name, str) and name.strip()), str(user.get("id", "somebody")))


def _add_messages(draft: Draft, messages: Iterable[dict[str, Any]], users: dict[str, str]) -> None:
    said = (message for message in messages if message.get("subtype") not in _HAPPENINGS)
    for number, message in enumerate(sorted(said, key=_order), start=1):
        author = _author(message, users)
        words = "\n".join(filter(str.strip, _words(message, users)))
        if words.strip():
            place = Place(message=number, author=author, sent_at=_sent_at(message.get("ts")))
            draft.add(f"{author}: {words}", "message", place=place)


def _order(message: dict[str, Any]) -> tuple[float, bool, float]:
    """By thread, then by time: an answer stands with its question, though days may lie between."""
    sent, thread = _seconds(message.get("ts")), message.get("thread_ts")
    return _seconds(thread) if thread else sent, bool(thread and thread != message.get("ts")), sent


def _seconds(stamp: Any) -> float:
    text = str(stamp)
    return float(text) if _STAMP.fullmatch(text) else 0.0


def _sent_at(stamp: Any) -> str | None:
    seconds = _seconds(stamp)
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if seconds else None


def _author(message: dict[str, Any], users: dict[str, str]) -> str:
    user = str(message.get("user") or "")
    if user in users:
        return users[user]
    for profile in _dicts([message.get("user_profile"), message.get("bot_profile")]):
        name = profile.get("real_name") or profile.get("display_name") or profile.get("name")
        if name:
            return str(name)
    return str(message.get("username") or user or message.get("bot_id") or "somebody")


def _words(message: dict[str, Any], users: dict[str, str]) -> Iterator[str]:
    """What a message says: its own text, then what is attached to it."""
    yield _unwrapped(str(message.get("text") or ""), users)
    for attachment in _dicts(message.get("attachments")):
        parts = (attachment.get("title"), attachment.get("text") or attachment.get("fallback"))
        words = " ".join(_unwrapped(str(part), users) for part in parts if part)
        if words.strip():
            yield f"[{words}]"
    for file in _dicts(message.get("files")):
        yield f"[file: {file.get('title') or file.get('name') or 'without a name'}]"


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _unwrapped(text: str, users: dict[str, str]) -> str:
    """Slack's marks as a reader sees them: names for ids, plain links, plain characters."""

    def shown(match: re.Match[str]) -> str:
        mark, target, label = match.groups()
        if mark == "@":
            return "@" + users.get(target, label or target)
        if mark == "#":
            return "#" + (label or target)
        if mark == "!":
            return "@" + (label or target.partition("^")[0]).removeprefix("@")
        return f"{label} ({target})" if label and label != target.removeprefix("mailto:") else target

    return html.unescape(_MENTION.sub(shown, text))
