"""What the benchmarks share: where things are, timed commands, and the table of figures."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
SCRIPTS = Path(sys.executable).parent


@dataclass
class Report:
    """Figures with what they should be."""

    rows: list[tuple[str, str, str, bool | None]] = field(default_factory=list)

    def add(self, what: str, figure: str, target: str = "", *, met: bool | None = None) -> None:
        self.rows.append((what, figure, target, met))
        print(f"  {what}: {figure}{f' (target {target})' if target else ''}", flush=True)

    def show(self) -> None:
        print("\n| what | figure | target | met |\n|---|---|---|---|")
        for what, figure, target, met in self.rows:
            print(f"| {what} | {figure} | {target} | {'' if met is None else 'yes' if met else 'NO'} |")


@dataclass(frozen=True)
class Timed:
    """A finished command."""

    seconds: float
    stdout: str
    peak_mib: float


def timed(command: Sequence[str], environment: dict[str, str] | None = None) -> Timed:
    """Run a command to its end, and say how long it took and how much memory its process had at most."""
    started = time.perf_counter()
    process = subprocess.Popen(list(command), stdout=subprocess.PIPE, text=True, env=os.environ | (environment or {}))
    assert process.stdout
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - started
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Timed(seconds, out, usage.ru_maxrss / 1024)


def peer(*args: str) -> Timed:
    """Run the peer: Biblicus as Plexus calls it."""
    return timed([sys.executable, str(SHARED / "bench" / "peer_biblicus.py"), *args])
