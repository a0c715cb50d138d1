"""The ranking in a terminal, through a real one: the same steps as on the page."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time

import pytest
from tests.evaluators import drifted_rows, write_evaluator

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are for Unix", allow_module_level=True)
import pty


class Terminal:
    """A command at a pseudo-terminal."""

    def __init__(self, command, cwd, env) -> None:
        self.master, other = pty.openpty()
        self.process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=other, stdout=other, stderr=other, close_fds=True
        )
        os.close(other)
        self.text = ""
        self.at = 0

    def until(self, words: str) -> None:
        """Read until some words appear after those that were waited for before."""
        end = time.monotonic() + 60
        while words not in self.text[self.at :]:
            assert time.monotonic() < end, f"{words!r} never came:\n{self.text[-1500:]}"
            if select.select([self.master], [], [], 1)[0]:
                try:
                    self.text += os.read(self.master, 65536).decode("utf-8", "replace")
                except OSError:
                    break
        assert words in self.text[self.at :], self.text[-1500:]
        self.at = self.text.index(words, self.at) + len(words)

    def say(self, words: str) -> None:
        os.write(self.master, words.encode())

    def close(self) -> int:
        code = self.process.wait(60)
        os.close(self.master)
        return code


def test_a_whole_pass_in_a_terminal(installed, tmp_path) -> None:
    folder = write_evaluator(tmp_path, drifted_rows())
    before = (folder / "rubric.md").read_bytes()
    env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm"}
    command = [str(installed.bin / "rubricator"), "calibrate", "run", "letters", "--seed", "4", "--terminal"]
    terminal = Terminal(command, tmp_path, env)
    for _ in range(5):
        terminal.until("Press Enter")
        terminal.say("\n")
    terminal.until("Worst to best:")
    pieces = dict(re.findall(r"----- ([A-E]) \(\d+ words\) -----\s+# Piece (\d)", terminal.text))
    order = {"0": 2, "1": 3, "2": 4, "3": 1, "4": 0}
    ranking = " ".join(sorted(pieces, key=lambda label: order[pieces[label]]))
    terminal.say("A B\n")
    terminal.until("[y/N]")
    terminal.say("y\n")
    terminal.until("leaves out")
    terminal.until("Worst to best:")
    terminal.say(f"note A hollow\n{ranking}\n")
    terminal.until("It can't be changed")
    terminal.say("y\n")
    terminal.until("The rubric has drifted")
    terminal.until("Approve p1?")
    terminal.say("y\n")
    terminal.until("wording too?")
    terminal.say("n\n")
    while True:
        terminal.until("[y/N]")
        asked = terminal.text[: terminal.at].splitlines()[-1]
        if "knowledge base" in asked:
            break
        terminal.say("n\n")
    terminal.say("n\n")
    terminal.until("Undo it with")

    assert terminal.close() == 0
    assert (folder / "rubric.md").read_bytes() != before
    report = installed.json("rubricator", "calibrate", "report", cwd=tmp_path)
    assert "hollow" in [row["note"] for row in report["sample"]]
    assert set(report["reading"]["artifacts"]) == set("ABCDE")
