"""The hooks of the documentation, run as they stand there."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from tests.evaluators import drifted_rows, write_evaluator

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "hooks.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[1]


@pytest.fixture
def project(tmp_path, installed):
    """A git repository with an evaluator that was never calibrated, and a way to run a shell in it."""
    write_evaluator(tmp_path, drifted_rows())

    def run(command: str, stdin: str = "") -> subprocess.CompletedProcess:
        env = {"PATH": f"{installed.bin}:/usr/bin:/bin", "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path,
            env=env,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    assert run("git init -q . && git config user.email a@b.c && git config user.name A").returncode == 0
    return run


def test_the_git_hook_speaks_up_where_a_rubric_is_committed(project, tmp_path) -> None:
    hook = tmp_path / ".git" / "hooks" / "pre-commit"
    hook.write_text(block("sh"))
    hook.chmod(0o755)
    (tmp_path / "notes.txt").write_text("x")
    quiet = project("git add notes.txt && git commit -q -m notes")
    assert (quiet.returncode, quiet.stderr) == (0, "")
    told = project("git add evaluators/letters/rubric.md && git commit -q -m rubric")
    assert told.returncode == 0
    assert "A calibration pass is due" in told.stderr


def test_the_entry_for_pre_commit_stops_where_a_pass_is_due(project) -> None:
    hook = yaml.safe_load(block("yaml"))["repos"][0]["hooks"][0]
    assert project(hook["entry"]).returncode == 1
    assert re.search(hook["files"], "evaluators/letters/rubric.md")
    assert re.search(hook["files"], "evals/promptfooconfig.yaml")
    assert not re.search(hook["files"], "src/rubric.py")


def test_the_claude_code_hook_tells_the_agent_after_an_edit_of_a_rubric(project) -> None:
    settings = json.loads(block("json"))
    entry = settings["hooks"]["PostToolUse"][0]
    command = entry["hooks"][0]["command"]
    edited = project(
        command, json.dumps({"tool_name": "Edit", "tool_input": {"file_path": "/x/evaluators/letters/rubric.md"}})
    )
    assert edited.returncode == 2
    assert "due" in edited.stderr
    assert project(command, json.dumps({"tool_input": {"file_path": "/x/app.py"}})).returncode == 0
    assert re.fullmatch(entry["matcher"], "Edit")
