"""What writes must survive being killed, run many times at once, and finding no room."""

from __future__ import annotations

import ctypes
import json
import random
import resource
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ["--scorecard", "Support QA", "--score", "Refunds: Eligibility"]
KILLS = 50
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1


@pytest.fixture
def many_files(support_qa: Path) -> Path:
    """A knowledge base large enough that its preparation can be killed half-way."""
    kb = support_qa / "Support QA" / "scorecard.knowledge-base" / "2025-05-05"
    kb.mkdir(parents=True)
    for number in range(400):
        words = " ".join(f"word{(number * 31 + at) % 997}" for at in range(120))
        (kb / f"note-{number:04}.md").write_text(f"# Note {number}\n\nThe waiver limit in note {number}. {words}\n")
    return support_qa


def search(at_work: Any) -> list[dict[str, Any]]:
    return at_work.json("rubricator", "memory", "search", *NAMES, "waiver limit for late fees")["hits"]


def test_a_killed_preparation_leaves_a_whole_corpus(at_work: Any, many_files: Path) -> None:
    started = time.perf_counter()
    prepared = at_work.json("rubricator", "memory", "prewarm", *NAMES)
    whole = time.perf_counter() - started
    chance = random.Random(7)
    changed = many_files / "Support QA" / "scorecard.knowledge-base" / "2025-05-05" / "note-0000.md"
    for number in range(KILLS):
        changed.write_text(f"# Note\n\nThe waiver limit, edition {number}.\n")
        force = ["--force"] if number % 2 else []
        process = at_work.start(["rubricator", "memory", "prewarm", *NAMES, *force], stdout=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, whole))
        process.kill()
        process.communicate()
        if number % 10 == 0:
            assert search(at_work)
    last = at_work.json("rubricator", "memory", "prewarm", *NAMES)
    assert last["files"] == prepared["files"]
    assert last["passages"] == prepared["passages"]
    assert at_work.json("rubricator", "memory", "prewarm", *NAMES)["status"] == "reused"
    hits = at_work.json("rubricator", "memory", "search", *NAMES, f"edition {KILLS - 1}")["hits"]
    assert any(f"edition {KILLS - 1}" in hit["text"] for hit in hits)
    items = json.loads((Path(last["corpus_path"]) / "metadata" / "catalog.json").read_text())["items"]
    assert len(items) == last["indexed"]
    assert all((Path(last["corpus_path"]) / item["relpath"]).is_file() for item in items.values())
    last = at_work.json("rubricator", "memory", "prewarm", *NAMES, "--force")
    rubbish = [path.name for path in Path(last["manifest_path"]).parent.iterdir() if path.is_dir()]
    assert len(rubbish) <= 4, "the corpus and the generation in force, those before them, and nothing that was killed"


def test_eight_processes_at_once_build_once(at_work: Any, many_files: Path) -> None:
    command = ["rubricator", "memory", "prewarm", *NAMES, "--json"]
    processes = [at_work.start(command) for _ in range(8)]
    results = []
    for process in processes:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        results.append(json.loads(out))
    assert sorted(result["status"] for result in results) == ["built"] + ["reused"] * 7
    assert len({result["fingerprint"] for result in results}) == 1
    assert search(at_work)


def test_searches_go_on_while_the_corpus_is_rebuilt(at_work: Any, many_files: Path) -> None:
    at_work.json("rubricator", "memory", "prewarm", *NAMES)
    changed = many_files / "Support QA" / "scorecard.knowledge-base" / "2025-05-05" / "note-0001.md"
    for number in range(4):
        changed.write_text(f"# Note\n\nThe waiver limit, edition {number}.\n")
        processes = [at_work.start(["rubricator", "memory", "search", *NAMES, "waiver limit"]) for _ in range(3)]
        processes.append(at_work.start(["rubricator", "memory", "prewarm", *NAMES, "--force"]))
        for process in processes:
            _, err = process.communicate(timeout=300)
            assert process.returncode == 0, err


def test_a_full_disk_ends_in_a_clear_error_and_leaves_the_last_corpus(at_work: Any, many_files: Path) -> None:
    before = at_work.json("rubricator", "memory", "prewarm", *NAMES)
    big = many_files / "Support QA" / "scorecard.knowledge-base" / "2025-05-05" / "big.txt"
    big.write_text("The waiver limit is written large. " * 60_000)

    def no_room() -> None:
        # A file may not grow beyond 1 MB: the same failure, at the same calls, as a disk that fills up.
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    done = at_work.run("rubricator", "memory", "prewarm", *NAMES, preexec_fn=no_room)
    assert done.returncode == 4, done.stderr
    assert "Traceback" not in done.stderr
    assert "RUBRICATOR_CACHE_DIR" in done.stderr or "disk space" in done.stderr
    big.unlink()
    after = at_work.json("rubricator", "memory", "prewarm", *NAMES)
    assert (after["status"], after["fingerprint"]) == ("reused", before["fingerprint"])


def test_a_cache_that_cannot_be_written_ends_in_a_clear_error(at_work: Any, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    done = at_work.run("rubricator", "memory", "prewarm", *NAMES)
    assert done.returncode == 4
    assert "Traceback" not in done.stderr
    assert "RUBRICATOR_CACHE_DIR" in done.stderr


def as_anyone() -> None:
    """Give up root's privilege to write what is read-only (CAP_DAC_OVERRIDE), if there is one to give up."""
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for path in folders:
        path.chmod(0o555)
    try:
        yield
    finally:
        for path in folders:
            path.chmod(0o755)


def test_a_read_only_cache_still_answers_and_says_what_it_cannot_do(at_work: Any, many_files: Path) -> None:
    at_work.json("rubricator", "memory", "prewarm", *NAMES)
    changed = many_files / "Support QA" / "scorecard.knowledge-base" / "2025-05-05" / "note-0001.md"
    with read_only(Path(at_work.environment["RUBRICATOR_CACHE_DIR"])):
        done = at_work.run("rubricator", "memory", "search", *NAMES, "waiver limit", preexec_fn=as_anyone)
        assert done.returncode == 0, done.stderr
        changed.write_text("The waiver limit is another one.\n")
        done = at_work.run("rubricator", "memory", "prewarm", *NAMES, preexec_fn=as_anyone)
    assert done.returncode == 4
    assert "Traceback" not in done.stderr
    assert "RUBRICATOR_CACHE_DIR" in done.stderr
