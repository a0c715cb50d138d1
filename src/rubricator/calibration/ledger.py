"""The record of an evaluator's passes: events, each chained to the one before by its hash.

A chain shows that no event was changed, removed from the middle, put in or moved since it was written. It can't show
that the last events were cut off, or that the whole file was written anew by someone who knows how: to rule that out,
keep the last hash (`head`) somewhere else, in a commit message or a mail. Nor does it say that what was recorded was
true.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from rubricator.core.identity import canonical_json, tagged_hash

SCHEMA: Final = 1
GENESIS: Final = "0" * 64
"""What the first event is chained to."""
Outcome = Literal["applied", "abandoned", "conflict"]
_FIELDS: Final = ("schema", "seq", "type", "at", "session", "data", "prev", "hash")


@dataclass(frozen=True, slots=True)
class Event:
    """One event. `at` is ISO 8601; `prev` the hash of the event before; `hash` that over everything else."""

    schema: int
    seq: int
    type: str
    at: str
    session: str
    data: Mapping[str, Any]
    prev: str
    hash: str

    def line(self) -> str:
        """The event as the line that a ledger keeps, without its end."""
        return canonical_json(_body(self) | {"hash": self.hash})


def following(
    last: Event | None,
    *,
    type: str,  # noqa: A002 - the field's word
    at: str,
    session: str,
    data: Mapping[str, Any],
) -> Event:
    """The event that comes after `last` (None: the first). What UTF-8 can't write, half a surrogate pair, becomes ?."""
    seq, prev = (last.seq + 1, last.hash) if last else (0, GENESIS)
    plain = json.loads(canonical_json(data).encode("utf-8", "replace"))
    unsigned = Event(SCHEMA, seq, type, at, session, plain, prev, "")
    return replace(unsigned, hash=_hash(unsigned))


def read(lines: Sequence[str]) -> tuple[list[Event], list[str]]:
    """The events of a ledger as far as the chain holds, and every problem of its lines, by number from 1.

    After a line that does not belong, the chain is taken up again from what that line says of itself, so that one
    change is one problem and not as many as there are lines.
    """
    events: list[Event] = []
    problems: list[str] = []
    last: Event | None = None
    whole = True
    for number, line in enumerate(lines, start=1):
        event = _event(line)
        if event is None:
            problems.append(f"line {number} is no event: it was damaged or is not finished")
            whole = False
            continue
        wrong = _wrong(event, line, last)
        if wrong:
            problems.append(f"line {number} {wrong}")
            whole = False
        if whole:
            events.append(event)
        last = event
    return events, problems


def is_event(line: str) -> bool:
    """Whether a line is a whole event, unchanged; whether it belongs where it stands is another question."""
    event = _event(line)
    return event is not None and _unchanged(event, line)


def head(events: Sequence[Event]) -> str | None:
    """The hash of the last event: whoever keeps it can tell later whether the ledger was cut off or written anew."""
    return events[-1].hash if events else None


def recover(events: Sequence[Event], rubric_sha256: str) -> tuple[Event, Outcome] | None:
    """The intention that has no deed after it, with what became of it by the rubric file's digest; None: there is none.

    `applied` where the file is as intended, `abandoned` where it is as before, `conflict` where it is neither.
    """
    intent: Event | None = None
    for event in events:
        if event.type == "change_intended":
            intent = event
        elif (
            intent
            and event.session == intent.session
            and event.type
            in {
                "changes_applied",
                "changes_reverted",
                "change_abandoned",
            }
        ):
            intent = None
    if intent is None:
        return None
    if rubric_sha256 == intent.data.get("after_sha256"):
        return intent, "applied"
    return intent, "abandoned" if rubric_sha256 == intent.data.get("before_sha256") else "conflict"


def entries(events: Sequence[Event]) -> list[dict[str, Any]]:
    """One entry for each pass, oldest first: when, how many, what was found, what was changed.

    `state` is `open`, `committed`, `halted` or `closed`. Types of events that are not known are passed over.
    """
    found: dict[str, dict[str, Any]] = {}
    for event in events:
        data = event.data
        entry = found.setdefault(
            event.session,
            {
                "session": event.session,
                "date": event.at[:10],
                "state": "open",
                "finding": None,
                "n": None,
                "spearman": None,
                "kendall_tau_b": None,
                "predicted": None,
                "drivers": [],
                "changes": [],
                "unread": None,
                "rubric_version": None,
                "reverted": False,
            },
        )
        if event.type == "pass_started":
            entry |= {"n": data.get("n"), "rubric_version": data.get("rubric_version"), "mode": data.get("mode")}
        elif event.type == "ranking_committed":
            entry["state"] = "committed"
        elif event.type == "pass_result":
            known = ("finding", "n", "spearman", "kendall_tau_b", "p_exact", "unread", "inversions", "drivers")
            entry |= {key: data[key] for key in known if key in data}
        elif event.type == "model_consulted":
            read = [{key: driver[key] for key in ("criterion", "probability")} for driver in data.get("drivers", [])]
            entry["drivers"] = entry["drivers"] or read
        elif event.type == "pass_halted":
            entry |= {"state": "halted", "finding": "halted", "reason": data.get("reason", "")}
        elif event.type == "changes_applied":
            entry |= {
                "changes": data.get("approved", []),
                "predicted": data.get("predicted"),
                "rubric_version": data.get("rubric_version"),
                "reverted": False,
            }
        elif event.type == "changes_reverted":
            entry["reverted"] = True
        elif event.type == "pass_closed":
            entry["state"] = "closed"
    return list(found.values())


def _event(line: str) -> Event | None:
    try:
        value = json.loads(line)
        event = Event(*(value[field] for field in _FIELDS))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    texts = (event.type, event.at, event.session, event.prev, event.hash)
    numbers = (event.schema, event.seq)
    fits = all(isinstance(t, str) for t in texts) and all(type(n) is int for n in numbers)
    return event if fits and event.schema > 0 and isinstance(event.data, dict) else None


def _wrong(event: Event, line: str, last: Event | None) -> str:
    same = _unchanged(event, line)
    if not same and event.schema > SCHEMA:
        return f"was written by a later version of Rubricator (schema {event.schema}), or changed"
    if not same:
        return "was changed: its hash is not that of what it says"
    if event.prev != (last.hash if last else GENESIS):
        return "does not follow the line before: something was removed, put in or moved"
    if event.seq != (last.seq + 1 if last else 0):
        return "has not the next number"
    return ""


def _unchanged(event: Event, line: str) -> bool:
    try:
        return event.hash == _hash(event) and event.line() == line
    except ValueError:  # not a number, or an infinite one
        return False


def _body(event: Event) -> dict[str, Any]:
    return {field: getattr(event, field) for field in _FIELDS if field != "hash"}


def _hash(event: Event) -> str:
    return tagged_hash("ledger-event", _body(event))
