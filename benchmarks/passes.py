"""What a pass costs on a large score log: 200,000 lines, and on a small one, as whole processes.

usage: python benchmarks/passes.py [--lines 200000]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rubricator import Workspace

CRITERIA = [f"Criterion {n}" for n in range(6)]


def write(folder: Path, lines: int) -> None:
    rng = random.Random(1)
    place = folder / "evaluators" / "big"
    (place / "artifacts").mkdir(parents=True)
    weights = [1, 1, 1, 1, 1, 3]
    body = "".join(f"\n## {c}\n- weight: {w}\n\nText.\n" for c, w in zip(CRITERIA, weights, strict=True))
    (place / "rubric.md").write_text(f"---\nname: big\nscale: [1, 5]\n---\n{body}")
    with (place / "scores.jsonl").open("w") as log:
        for number in range(lines):
            subs = {c: rng.randint(1, 5) for c in CRITERIA}
            total = sum(w * v for w, v in zip(weights, subs.values(), strict=True)) / sum(weights)
            at = f"2026-{1 + number % 9:02d}-{1 + number % 28:02d}T00:00:00Z"
            row = {"artifact": f"artifacts/a{number}.md", "score": total, "criteria": subs, "scored_at": at}
            log.write(json.dumps(row) + "\n")
            if total >= 4:
                (place / "artifacts" / f"a{number}.md").write_text(f"Text number {number}. " + "word " * 100)


def timed(folder: Path, *args: str) -> tuple[dict, float, float]:
    """What a command printed, its seconds, and the most memory it held, in MB."""
    script = Path(sys.executable).with_name("rubricator")
    before = time.perf_counter()
    process = subprocess.Popen(
        [script, "calibrate", *args, "--json"], cwd=folder, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL
    )
    out, _ = process.stdout.read(), process.stdout.close()
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, args
    return json.loads(out), time.perf_counter() - before, used.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=200_000)
    args = parser.parse_args()
    for lines in (200, args.lines):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write(folder, lines)
            started, seconds, memory = timed(folder, "start", "big", "--seed", "1")
            print(f"{lines} lines: start {seconds:.2f} s, {memory:.0f} MB")
            opened = Workspace.open(folder).calibration.open_pass(started["session"])
            before = time.perf_counter()
            opened.commit([[a.label] for a in opened.packet.artifacts])
            print(f"{lines} lines: commit and analysis {time.perf_counter() - before:.2f} s (in this process, "
                  f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB)")  # fmt: skip
            result = folder / ".rubricator" / "sessions" / started["session"] / "result.json"
            _, seconds, memory = timed(folder, "report", started["session"])
            print(f"{lines} lines: report {seconds:.2f} s, {memory:.0f} MB")
            result.unlink()
            _, seconds, memory = timed(folder, "report", started["session"])
            print(f"{lines} lines: report with its analysis made anew {seconds:.2f} s, {memory:.0f} MB")


if __name__ == "__main__":
    main()
