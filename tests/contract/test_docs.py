"""The documentation against the product: what it shows must run, and what there is must be shown."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import rubricator
from rubricator.interfaces.cli import main as rubricator_command
from rubricator.interfaces.cli.plexus import main as plexus_command

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMANDS = {"rubricator": rubricator_command, "plexus": plexus_command}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(language: str) -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for block in re.findall(
            rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        ):
            yield name_of(page), block


SHELL = [(page, line[2:]) for page, block in blocks("console") for line in block.splitlines() if line.startswith("$ ")]
PYTHON = list(blocks("python"))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "demo"
    rubricator.Workspace.copy_demo(folder)
    (folder / "prompt.md").write_text("Judge by this:\n\n{{rubric_memory}}\n")
    (folder / "answer.md").write_text("Nothing is cited here.\n")
    return folder


@pytest.fixture
def in_demo(demo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(demo)
    for name in ("SCORECARD_CACHE_DIR", "RUBRICATOR_CACHE_DIR", "PLEXUS_API_URL", "PLEXUS_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return demo


def test_there_is_something_to_run() -> None:
    assert len(SHELL) > 8
    assert PYTHON


@pytest.mark.parametrize(("page", "line"), SHELL, ids=[f"{page}-{n}" for n, (page, _) in enumerate(SHELL)])
def test_a_documented_command_runs(page: str, line: str, in_demo: Path) -> None:
    program, *args = shlex.split(line)
    done = CliRunner().invoke(COMMANDS[program], args)
    assert done.exit_code == 0, done.output
    assert done.exception is None


@pytest.mark.parametrize(("page", "block"), PYTHON, ids=[f"{page}-{n}" for n, (page, _) in enumerate(PYTHON)])
def test_a_documented_program_runs(page: str, block: str, in_demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block, page, "exec"), {"__name__": "documented"})


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not re.match(r"https?://|mailto:", target):
            assert (page.parent / target).exists(), target


def commands_page() -> str:
    script = ROOT / "docs" / "write_commands.py"
    spec = importlib.util.spec_from_file_location("write_commands", script)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["write_commands"] = module
    spec.loader.exec_module(module)
    text: str = module.page()
    return text


def test_the_page_of_commands_is_what_the_commands_say() -> None:
    assert (ROOT / "docs" / "commands.md").read_text(encoding="utf-8") == commands_page(), "run `make fix`"


def test_every_command_is_explained_by_task() -> None:
    told = (ROOT / "docs" / "memory.md").read_text(encoding="utf-8") + (ROOT / "README.md").read_text(encoding="utf-8")
    names = re.findall(r"^## rubricator (.+)$", commands_page(), re.MULTILINE)
    assert names
    assert [name for name in names if f"rubricator {name}" not in told] == []


def test_every_public_name_is_in_the_documentation() -> None:
    told = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [name for name in rubricator.__all__ if not re.search(rf"\b{name}\b", told)] == []


def test_every_setting_is_in_the_documentation() -> None:
    source = (ROOT / "src" / "rubricator" / "settings.py").read_text(encoding="utf-8")
    told = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    names = set(re.findall(r'"([A-Z]+(?:_[A-Z]+)+)"', source))
    assert len(names) >= 4
    assert [name for name in sorted(names) if name not in told] == []
