"""The package as users get it: a wheel in an environment of its own, run as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from .chromium import CHROMIUM, FLAGS

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Installed:
    """The scripts of an installed wheel."""

    bin: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def start(self, args: Sequence[str], **kwargs: Any) -> subprocess.Popen[str]:
        """Start a command, such as `["rubricator", "doctor"]`."""
        env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **self.environment, **kwargs.pop("env", {})}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "encoding": "utf-8"}
        return subprocess.Popen([str(self.bin / args[0]), *args[1:]], env=env, **{**pipes, **kwargs})

    def run(self, *args: str, stdin: str | None = None, **kwargs: Any) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        if stdin is not None:
            kwargs["stdin"] = subprocess.PIPE
        with self.start(args, **kwargs) as process:
            out, err = process.communicate(stdin, timeout=300)
        return subprocess.CompletedProcess(args, process.returncode, out, err)

    def json(self, *args: str, **kwargs: Any) -> Any:
        """Run a command with --json and return what it printed."""
        done = self.run(*args, "--json", **kwargs)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The built wheel, with the dependencies of the environment that runs the tests."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT)], check=True)
    (wheel,) = folder.glob("rubricator-*.whl")
    home = folder / "venv"
    venv.create(home, with_pip=False)
    packages = next((home / "lib").glob("python*/site-packages"))
    target = ["--prefix", str(home), "--no-deps", "--ignore-installed", "--no-warn-script-location"]
    subprocess.run([*pip, "--python", str(home / "bin" / "python"), "install", *target, str(wheel)], check=True)
    # Dependencies only: a path in a .pth file is searched last, and the editable install in it is not followed.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return Installed(home / "bin")


@pytest.fixture
def at_work(installed: Installed, support_qa: Path, tmp_path: Path) -> Installed:
    """The installed commands, over the small scorecard, with a cache of their own."""
    environment = {"SCORECARD_CACHE_DIR": str(support_qa), "RUBRICATOR_CACHE_DIR": str(tmp_path / "cache")}
    return Installed(installed.bin, environment)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, without a window; the test is skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of its own, which must end without an error in its console."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    yield opened
    context.close()
    assert problems == []
