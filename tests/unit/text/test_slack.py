"""Slack exports."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from rubricator.memory.document import Extraction

Read = Callable[..., Extraction]

USERS = [
    {"id": "U1", "name": "ann", "profile": {"real_name": "Ann Lee"}},
    {"id": "U2", "real_name": "Bo Wu", "name": "bo"},
]


def said(user: str, ts: str, text: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "user": user, "ts": ts, "text": text, **more}


def export(files: Mapping[str, Any]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, value in files.items():
            archive.writestr(name, value if isinstance(value, (str, bytes)) else json.dumps(value))
    return stream.getvalue()


def test_an_export_is_a_document_a_channel(read: Read) -> None:
    extraction = read(
        export(
            {
                "users.json": USERS,
                "channels.json": [],
                "refunds/2026-04-02.json": [said("U2", "1775120000.0001", "ok <@U1>", thread_ts="1775000000.0001")],
                "refunds/2026-04-01.json": [
                    said("U1", "1775000000.0001", "May I? &lt;now&gt;", thread_ts="1775000000.0001"),
                    said("U1", "1775000500.0000", "see <https://x.example/a|the rule> in <#C1|qa> <!here>"),
                    said("U2", "1775000600.0000", "joined", subtype="channel_join"),
                    said("U9", "1775000700.0000", "", files=[{"name": "a.pdf"}], user_profile={"real_name": "Cy"}),
                ],
                "empty/2026-04-01.json": [],
            }
        ),
        "export.zip",
    )
    (document,) = extraction.documents
    assert (document.part, document.title) == ("refunds", "#refunds")
    assert [document.text[block.start : block.end] for block in document.blocks] == [
        "Ann Lee: May I? <now>",
        "Bo Wu: ok @Ann Lee",
        "Ann Lee: see the rule (https://x.example/a) in #qa @here",
        "Cy: [file: a.pdf]",
    ]
    assert document.blocks[0].place.author == "Ann Lee"
    assert document.blocks[0].place.sent_at == "2026-03-31T23:33:20+00:00"
    assert [(skip.part, skip.reason) for skip in extraction.skipped] == [("empty", "no text")]


def test_one_day_of_a_channel_is_read_by_itself(read: Read) -> None:
    day = json.dumps([said("U1", "1775000000.0001", "Hello")])
    (document,) = read(day, "2026-04-01.json").documents
    assert document.text == "U1: Hello"


@pytest.mark.parametrize("day", ["{", "[[[[", '"text"', "[1, null]", "\0"])
def test_a_damaged_day_is_a_reason(read: Read, day: str) -> None:
    extraction = read(export({"users.json": USERS, "refunds/2026-04-01.json": day}), "export.zip")
    assert not extraction.documents
    assert extraction.skipped


def test_values_of_the_wrong_shape_are_survived(read: Read) -> None:
    odd = said("U1", "x", "Hello", attachments=[1, {"text": 2}], files={}, user_profile=[])
    extraction = read(export({"users.json": [{"id": None, "profile": 3}], "a/2026-04-01.json": [odd]}), "export.zip")
    assert extraction.documents[0].text == "U1: Hello\n[2]"
