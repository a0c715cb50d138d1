"""Runs a command, and keeps a copy of every byte that it writes to standard output: `mcp_tap.py COPY COMMAND...`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":
    with (
        Path(sys.argv[1]).open("ab", buffering=0) as copy,
        subprocess.Popen(sys.argv[2:], stdin=sys.stdin, stdout=subprocess.PIPE) as process,
    ):
        for line in process.stdout:
            copy.write(line)
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
