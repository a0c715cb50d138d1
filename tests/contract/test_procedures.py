"""The Tactus procedures pass the specifications written in them, run by Tactus's own runner with its mocked agents."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from rubricator import adapters

FOLDER = Path(adapters.__file__).parent / "procedures"
RUN = """
import re, sys
from pathlib import Path
from tactus.testing.test_runner import TactusTestRunner
for name in sys.argv[1:]:
    path = Path(name)
    runner = TactusTestRunner(path, mocked=True)
    runner.setup(re.search(r"Specifications\\(\\[\\[\\n(.*?)\\]\\]\\)", path.read_text(), re.S)[1])
    done = runner.run_tests(parallel=False)
    print("RAN", path.name, done.passed_scenarios, done.total_scenarios)
"""


def test_every_procedure_meets_its_specifications(tmp_path, monkeypatch) -> None:
    pytest.importorskip("tactus")
    pytest.importorskip("behave")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    files = sorted(str(path) for path in FOLDER.glob("*.tac"))

    done = subprocess.run(
        [sys.executable, "-c", RUN, *files], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )

    ran = re.findall(r"^RAN (\S+) (\d+) (\d+)$", done.stdout, re.MULTILINE)
    assert len(ran) == len(files) == 4, done.stderr[-2000:]
    assert all(passed == total and int(total) >= 2 for _, passed, total in ran), ran
