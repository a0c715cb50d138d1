"""Killed at any moment while a change is applied: the rubric file is old or new, and the ledger stays whole."""

from __future__ import annotations

import json
import random
import shutil
import signal
import time

from tests.evaluators import by_text, drifted_rows, groups_by, write_evaluator

from .ranking_server import serving

KILLS = 30


def test_a_killed_apply_leaves_the_old_file_or_the_new(installed, tmp_path) -> None:
    folder = write_evaluator(tmp_path / "ready", drifted_rows())
    session = installed.json("rubricator", "calibrate", "start", "letters", "--seed", "4", cwd=tmp_path / "ready")[
        "session"
    ]
    with serving(installed, tmp_path / "ready", session) as page:
        known = by_text(folder)
        numbers = {a["label"]: known[a["text"].splitlines()[0]] for a in page.call()[1]["artifacts"]}
        page.call(
            "/ranking", {"ranking": groups_by({k: {0: 2, 1: 3, 2: 4, 3: 1, 4: 0}[n] for k, n in numbers.items()})}
        )
    old = (folder / "rubric.md").read_bytes()
    command = ["rubricator", "calibrate", "apply", session, "--approve", "p1"]
    whole = tmp_path / "whole"
    shutil.copytree(tmp_path / "ready", whole)
    started = time.monotonic()
    assert installed.run(*command, cwd=whole).returncode == 0
    length = time.monotonic() - started
    new = (whole / "evaluators" / "letters" / "rubric.md").read_bytes()
    assert new != old

    chance = random.Random(7)
    outcomes = set()
    for number in range(KILLS):
        copy = tmp_path / f"copy{number}"
        shutil.copytree(tmp_path / "ready", copy)
        place = copy / "evaluators" / "letters"
        with installed.start(command, cwd=copy) as process:
            # Most of a run is start-up: aim at its later part, where something is written.
            time.sleep(length * chance.uniform(0.4, 1.05))
            process.send_signal(signal.SIGKILL)
            process.communicate()
        content = (place / "rubric.md").read_bytes()
        assert content in {old, new}
        verified = installed.json("rubricator", "calibrate", "verify", "letters", cwd=copy)
        assert verified["valid"] is True, verified
        events = [
            json.loads(line)["type"] for line in (place / "calibration" / "ledger.jsonl").read_text().splitlines()
        ]
        assert events.count("changes_applied") == (content == new), events
        assert sorted(p.name for p in place.iterdir() if p.name.endswith("draft")) in (
            [],
            [".rubric.md.rubricator-draft"],
        )
        outcomes.add(content == new)
        shutil.rmtree(copy)
    assert outcomes == {True, False}, "the kills were all too early or too late to tell"
