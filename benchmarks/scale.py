"""Preparation of generated trees from 1,000 files up: time, memory, and what one changed file costs."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path

from report import SCRIPTS, Report, timed

NAMES = ("--scorecard", "Generated", "--score", "Anything")
_WORDS = [f"{a}{b}" for a in "customer agent refund limit note manager call policy fee line".split() for b in ("", "s")]
_RARE = [f"topic{number}" for number in range(5000)]


def generate(cache: Path, count: int) -> Path:
    """Write `count` Markdown notes of about 1 KB into a knowledge base and return its folder."""
    card = cache / "Generated"
    base = card / "scorecard.knowledge-base"
    chance = random.Random(count)
    for number in range(count):
        day = f"20{20 + number % 7}-{1 + number // 7 % 12:02}-{1 + number // 84 % 28:02}"
        words = chance.choices(_WORDS, k=110) + chance.choices(_RARE, k=30)
        chance.shuffle(words)
        lines = [" ".join(words[at : at + 28]).capitalize() + "." for at in range(0, 140, 28)]
        path = base / day / f"note-{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Note {number}: {_RARE[number % 5000]}\n\n" + "\n\n".join(lines) + "\n")
    (card / "Anything.md").write_text("# Anything\n\nNotes are kept.\n")
    return base


def run(report: Report, *, large: int) -> None:
    print("scale: generated trees")
    seconds: dict[int, float] = {}
    for count in sorted({1000, 5000, large}):
        with tempfile.TemporaryDirectory() as temporary:
            work = Path(temporary)
            base = generate(work / "cards", count)
            environment = {"SCORECARD_CACHE_DIR": str(work / "cards"), "RUBRICATOR_CACHE_DIR": str(work / "cache")}
            command = [str(SCRIPTS / "rubricator"), "memory", "prewarm", *NAMES, "--json"]
            built = timed(command, environment)
            seconds[count] = built.seconds
            done = json.loads(built.stdout)
            figure = f"{built.seconds:.1f} s, {built.peak_mib:.0f} MiB, {done['passages']:,} passages"
            if count == large:
                met = built.seconds < 150 and built.peak_mib < 2048
                report.add(f"preparing {count:,} files", figure, "150 s, 2 GiB at 50,000", met=met)
                _one_change(report, base, command, environment)
            else:
                report.add(f"preparing {count:,} files", figure)
    growth = (seconds[large] / large) / (seconds[5000] / 5000)
    report.add(f"seconds a file, {large:,} against 5,000", f"{growth:.2f}x", "linear: under 1.5x", met=growth < 1.5)


def _one_change(report: Report, base: Path, command: list[str], environment: dict[str, str]) -> None:
    reused = timed(command, environment)
    assert json.loads(reused.stdout)["status"] == "reused"
    report.add("  the same again, whole process", f"{reused.seconds:.2f} s")
    next(base.rglob("*.md")).write_text("# Changed\n\nThe waiver limit was changed.\n")
    updated = timed(command, environment)
    assert json.loads(updated.stdout)["status"] == "updated"
    report.add("  one changed file", f"{updated.seconds:.1f} s", "10 s", met=updated.seconds < 10)
    searching = [*command[:2], "search", *NAMES, "waiver limit"]
    report.add("  `memory search`, whole process", f"{timed(searching, environment).seconds:.2f} s")
