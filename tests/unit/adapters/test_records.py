"""The ledger and the sessions on disk: many writers, torn lines, odd names, private files."""

from __future__ import annotations

import datetime as dt
import random
import subprocess
import sys
import time

import pytest

from rubricator.adapters.ledger_file import LedgerFile
from rubricator.adapters.session_store import SessionStore
from rubricator.errors import InputError, StorageError

NOW = dt.datetime(2026, 12, 1, 12, 0, tzinfo=dt.UTC)
WRITER = """
import datetime as dt, sys
from pathlib import Path
from rubricator.adapters.ledger_file import LedgerFile
for n in range(10):
    LedgerFile(Path(sys.argv[1])).append("pass_started", f"s{sys.argv[2]}", {"n": n}, dt.datetime.now(dt.UTC))
"""
ENDLESS = WRITER.replace("range(10)", "range(10**6)") + "    print(n, flush=True)\n"


def test_eight_writers_make_one_chain(tmp_path) -> None:
    path = tmp_path / "ledger.jsonl"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(n)]) for n in range(8)]

    assert [writer.wait(120) for writer in writers] == [0] * 8
    ledger = LedgerFile(path)
    assert ledger.verify() == []
    assert len(ledger.events()) == 80


def test_a_torn_last_line_is_set_aside_and_nothing_is_lost(tmp_path) -> None:
    ledger = LedgerFile(tmp_path / "ledger.jsonl")
    ledger.append("pass_started", "s", {"a": 1}, NOW)
    with ledger.path.open("a") as file:
        file.write('{"schema": 1, "seq": 1, "ty')
    assert "line 2 is no event" in ledger.verify()[0]

    ledger.append("pass_halted", "s", {}, NOW)

    assert ledger.verify() == []
    assert [event.type for event in ledger.events()] == ["pass_started", "pass_halted"]
    assert (tmp_path / ledger.torn()[0]).read_text() == '{"schema": 1, "seq": 1, "ty'


def test_torn_lines_never_overwrite_each_other(tmp_path) -> None:
    ledger = LedgerFile(tmp_path / "ledger.jsonl")
    (tmp_path / "ledger.jsonl.torn-2").write_text("older")
    for piece in ("one", "two"):
        ledger.append("pass_started", "s", {}, NOW)
        with ledger.path.open("a") as file:
            file.write(piece)
    ledger.append("pass_halted", "s", {}, NOW)

    assert [(tmp_path / name).read_text() for name in ledger.torn()] == ["one", "older", "two"]


def test_a_last_event_without_a_newline_stays(tmp_path) -> None:
    ledger = LedgerFile(tmp_path / "ledger.jsonl")
    ledger.append("pass_started", "s", {}, NOW)
    ledger.append("pass_halted", "s", {}, NOW)
    ledger.path.write_text(ledger.path.read_text().rstrip("\n"))

    ledger.append("pass_closed", "s", {}, NOW)

    assert [event.type for event in ledger.events()] == ["pass_started", "pass_halted", "pass_closed"]
    assert (ledger.verify(), ledger.torn()) == ([], [])


def test_writers_killed_at_any_moment_leave_a_whole_chain(tmp_path) -> None:
    path = tmp_path / "ledger.jsonl"
    chance = random.Random(5)
    for number in range(4):
        writers = [
            subprocess.Popen([sys.executable, "-c", ENDLESS, str(path), f"{number}{n}"], stdout=subprocess.PIPE)
            for n in range(2)
        ]
        assert all(writer.stdout is not None and writer.stdout.readline() for writer in writers)
        time.sleep(chance.uniform(0, 0.1))
        for writer in writers:
            writer.kill()
            writer.communicate()
    ledger = LedgerFile(path)
    written = len(ledger.events())
    ledger.append("pass_closed", "s", {}, NOW)

    assert ledger.verify() == []
    assert len(ledger.events()) == written + 1 > 8


def test_what_utf8_cannot_write_stops_no_session(tmp_path) -> None:
    store = SessionStore(tmp_path / "sessions")
    session = store.create("x", NOW)

    store.write(session, "ranking", {"notes": {"A": "half \ud800 a pair"}})

    assert store.read(session, "ranking") == {"notes": {"A": "half ? a pair"}}


def test_nothing_is_added_to_a_broken_chain(tmp_path) -> None:
    ledger = LedgerFile(tmp_path / "ledger.jsonl")
    for n in range(3):
        ledger.append("pass_started", "s", {"n": n}, NOW)
    text = ledger.path.read_text()
    ledger.path.write_text(text.replace('"n":1', '"n":7'))

    with pytest.raises(StorageError, match="not whole"):
        ledger.append("pass_halted", "s", {}, NOW)
    assert len(ledger.path.read_text().splitlines()) == 3


def test_sessions_are_private_and_named_safely(tmp_path) -> None:
    store = SessionStore(tmp_path / "sessions")
    session = store.create("../Ünsafe / name?" + "x" * 200, NOW)
    store.write(session, "session", {"a": "ä"})

    assert session.startswith("2026-12-01-nsafe-name-x")
    assert store.read(session, "session") == {"a": "ä"}
    assert store.find(session, "draft") is None
    assert store.sessions() == [session]
    folder = tmp_path / "sessions"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / session).stat().st_mode & 0o777 == 0o700
    assert (folder / session / "session.json").stat().st_mode & 0o777 == 0o600
    assert (folder / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("name", ["../x", "", "a/b", "A", ".", "x" * 300, "a\0b"])
def test_a_name_that_is_no_session_reaches_no_file(tmp_path, name) -> None:
    with pytest.raises(InputError):
        SessionStore(tmp_path).find(name, "session")


def test_an_unknown_session_names_those_there_are(tmp_path) -> None:
    store = SessionStore(tmp_path)
    known = store.create("x", NOW)
    store.write(known, "session", {})

    with pytest.raises(InputError) as error:
        store.read("2026-01-01-y-0000", "session")
    assert known in error.value.hint
