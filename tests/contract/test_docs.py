"""The documentation is true: its commands run, its outputs are real, its links lead somewhere, and nothing is missing.

In a page, a ```console block holds commands (lines that start with `$ `) and what they print; `...` in an output stands
for anything. Commands and ```python blocks run in a copy of the demo, in order of the page, and must succeed. What
needs something else stands in a ```text block.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import rubricator
from rubricator import Workspace
from rubricator.interfaces.cli import main as rubricator_command
from rubricator.interfaces.cli.plexus import main as plexus_command

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
SHOWN_FOLDER = "/home/dana/rubricator-demo"
"""How the pages write the demo's folder."""

_BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> list[str]:
    return [text for name, text in _BLOCK.findall(page.read_text(encoding="utf-8")) if name == language]


@dataclass(frozen=True)
class Example:
    """A command in a page, and the lines that the page shows of its output."""

    command: str
    shown: tuple[str, ...]


def examples(block: str) -> list[Example]:
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            assert found, f"a console block starts with a command, not with {line!r}"
            found[-1][1].append(line)
    return [Example(command, tuple(shown)) for command, shown in found]


def missing_lines(shown: tuple[str, ...], output: str) -> list[str]:
    """The shown lines that do not stand in the output, in order. `...` stands for anything, also for lines."""
    lines = output.splitlines()
    at = 0
    missing = []
    for line in shown:
        if not line.strip(" ."):
            continue
        wanted = re.compile(".*".join(re.escape(part) for part in line.rstrip().split("...")))
        found = next((n for n in range(at, len(lines)) if wanted.fullmatch(lines[n].rstrip())), None)
        if found is None:
            missing.append(line)
        else:
            at = found + 1
    return missing


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the demo, to work in."""
    folder = tmp_path_factory.mktemp("docs") / "demo"
    assert Workspace.copy_demo(folder)
    return folder


@pytest.fixture
def environment() -> dict[str, str]:
    """An environment in which the commands are found, and nothing is set."""
    scripts = Path(sys.executable).parent
    return {
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "HOME": os.environ.get("HOME", "/"),
    }


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")], ids=page_id)
def test_commands_run_and_print_what_the_page_shows(page: Path, demo: Path, environment: dict[str, str]) -> None:
    for block in blocks(page, "console"):
        for example in examples(block):
            if example.command.startswith("cd "):
                continue
            command = example.command.removeprefix("../.venv/bin/")
            done = subprocess.run(
                ["sh", "-c", command], cwd=demo, env=environment, capture_output=True, encoding="utf-8", check=False
            )
            assert done.returncode == 0, f"$ {command}\n{done.stderr}"
            output = f"{done.stdout}\n{done.stderr}".replace(str(demo), SHOWN_FOLDER)
            missing = missing_lines(example.shown, output)
            assert not missing, f"$ {command}\ndoes not print {missing}, but\n{output}"


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=page_id)
def test_python_runs(page: Path, demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo)
    for name in ("SCORECARD_CACHE_DIR", "RUBRICATOR_CACHE_DIR", "PLEXUS_API_URL", "PLEXUS_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    namespace: dict[str, Any] = {"__name__": "example"}
    for number, block in enumerate(blocks(page, "python"), start=1):
        exec(compile(block, f"{page.name}, python block {number}", "exec"), namespace)


def slugs(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    prose = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in _HEADING.findall(prose)}


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(_BLOCK.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} leads nowhere"
        if anchor:
            assert anchor in slugs(target), f"{link} leads to no heading"


def test_every_page_is_in_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in _LINK.findall(index.read_text("utf-8"))}
    assert [page_id(page) for page in PAGES if page != index and page not in linked] == []


def test_the_commands_page_is_what_the_commands_say() -> None:
    script = ROOT / "docs" / "write_commands.py"
    spec = importlib.util.spec_from_file_location("write_commands", script)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text(encoding="utf-8") == module.page(), "run `make fix`"


def test_every_public_name_is_documented() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [name for name in rubricator.__all__ if not re.search(rf"`{name}\b", text)] == []


def command_names(command: click.Command) -> Iterator[str]:
    """The names of the commands below a group."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child
            yield name
            yield from command_names(child)


def test_every_command_is_documented() -> None:
    text = "\n".join(
        (ROOT / name).read_text(encoding="utf-8")
        for name in (
            "README.md",
            "docs/memory.md",
            "docs/calibration.md",
            "docs/plexus.md",
            "docs/mcp.md",
            "docs/skills.md",
        )
    )
    names = [*command_names(rubricator_command), *command_names(plexus_command)]
    assert [name for name in names if not re.search(rf"(?<![\w-]){name}(?![\w-])", text)] == []


def test_every_setting_is_documented() -> None:
    source = (ROOT / "src" / "rubricator" / "settings.py").read_text(encoding="utf-8")
    names = set(re.findall(r'"([A-Z]+(?:_[A-Z]+)+)"', source))
    assert len(names) >= 4
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [name for name in sorted(names) if name not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_lines_are_wrapped(page: Path) -> None:
    if page.name in {"commands.md", "formats.md"}:
        pytest.skip("wrapped where it is written")
    prose = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    long = [line for line in prose.splitlines() if len(line) > 120 and not line.startswith("|")]
    assert long == []


@pytest.mark.parametrize(
    ("shown", "output", "missing"),
    [
        (("a", "c"), "a\nb\nc", []),
        (("c", "a"), "a\nb\nc", ["a"]),
        (("in ... s",), "in 0.5 s", []),
        (("...", "b"), "a\nb", []),
        (("in 1 s",), "in 10 s", ["in 1 s"]),
    ],
)
def test_shown_lines_are_looked_for_in_order(shown: tuple[str, ...], output: str, missing: list[str]) -> None:
    assert missing_lines(shown, output) == missing


def sections(page: Path) -> dict[str, str]:
    """The sections of a page, by their level-2 headings."""
    parts = re.split(r"^## (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def fields(section: str) -> set[str]:
    """The fields that the first column of a section's tables names."""
    cells = re.findall(r"^\| ([^|]+) \|", section, re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


JSON_OF = {
    "memory paths": [],
    "memory prewarm": [],
    "memory search": ["goodwill limit"],
    "memory context": ["goodwill limit", "--into", "into.md"],
    "memory recent": ["--since", "2026-06-01", "--until", "2026-06-30"],
    "memory check-citations": ["into.md"],
    "memory lint": [],
    "doctor": [],
    "rubric show": ["peers/autorubric.yaml"],
    "rubric convert": ["peers/autorubric.yaml", "--to", "vault"],
    "rubric lint": ["peers/autorubric.yaml"],
    "scores show": ["peers/results.json"],
    "skill install": ["some-skills"],
    "skill eval": ["--part", "given"],
}


@pytest.mark.parametrize("command", JSON_OF)
def test_the_fields_of_the_json_are_documented(command: str, demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo)
    for name in ("SCORECARD_CACHE_DIR", "RUBRICATOR_CACHE_DIR", "PLEXUS_API_URL", "PLEXUS_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (demo / "into.md").write_text("{{rubric_memory}}\n")
    score = ["--scorecard", "Harbor Home Support QA", "--score", "Refunds: Eligibility"] if "memory" in command else []
    done = CliRunner().invoke(rubricator_command, [*command.split(), *score, *JSON_OF[command], "--json"])
    assert done.exit_code == 0, done.output
    value = json.loads(done.stdout)
    printed = set(value) | set(value["hits"][0] if "hits" in value else ())
    assert fields(sections(ROOT / "docs" / "json.md")[command]) == printed


def test_the_fields_of_a_pass_are_documented(demo: Path, tmp_path: Path) -> None:
    folder = tmp_path / "evaluator"
    assert Workspace.copy_demo_evaluator(folder)

    def run(*args: str, code: int = 0) -> Any:
        done = CliRunner().invoke(rubricator_command, ["calibrate", "--workspace", str(folder), *args, "--json"])
        assert done.exit_code == code, done.output
        return json.loads(done.stdout)

    described = sections(ROOT / "docs" / "json.md")
    started = run("start", "--seed", "7")
    printed = {"start": started}
    opened = Workspace.open(folder).calibration.open_pass(started["session"])
    labels = [artifact.label for artifact in opened.packet.artifacts]
    titles = {a.label: a.text for a in opened.packet.artifacts}
    opened.commit([[label] for label in sorted(labels, key=lambda label: not titles[label][2].isdigit())])
    printed |= {verb: run(verb) for verb in ("report", "propose")}
    proposal = printed["propose"]["proposals"][0]
    printed["apply"] = run("apply", "--approve", proposal["id"])
    printed |= {"log": run("log"), "verify": run("verify"), "due": run("due", "help-articles")}
    table = tmp_path / "t.jsonl"
    table.write_text("\n".join(json.dumps({"o": n % 3, "m": n, "c": n}) for n in range(9)))
    printed["audit"] = run("audit", str(table), "--owner", "o", "--machine", "m", "--criteria", "c")
    for verb, value in printed.items():
        assert fields(described[f"calibrate {verb}"]) == set(value), verb
    nested = re.findall(r"`(\w+)`", described["calibrate propose"])
    assert set(proposal) <= set(nested)
    assert set(printed["report"]["drivers"][0]) <= set(re.findall(r"`(\w+)`", described["calibrate report"]))
