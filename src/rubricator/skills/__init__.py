"""The agent skills that come with the package, in the Agent Skills format."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

import yaml

from rubricator.errors import InputError, StorageError

NAMES: Final = ("rubric-calibration", "rubric-memory")

FOLDERS: Final = {
    "Claude Code, in a project": ".claude/skills",
    "Claude Code, for yourself": "~/.claude/skills",
    "Codex, Cursor, Gemini CLI and others, in a project": ".agents/skills",
    "GitHub Copilot, in a repository": ".github/skills",
}
"""Where the usual agents look for skills."""


def text(name: str) -> str:
    """A skill's whole SKILL.md."""
    return files("rubricator.skills").joinpath(name, "SKILL.md").read_text(encoding="utf-8")


def body(name: str) -> str:
    """A skill's instructions, without its front matter."""
    return text(name).split("---\n", 2)[2].strip() + "\n"


def description(skill: str) -> str:
    """The description in a SKILL.md: all that an agent has to choose by."""
    head = yaml.safe_load(skill.split("---\n", 2)[1])
    return str(head["description"])


def install(folder: Path) -> list[Path]:
    """Copy the skills into `folder`. One that is there already, as it is or another, is replaced only if it is ours.

    Raises InputError where a folder of a skill's name holds something else, StorageError where nothing can be written.
    """
    placed = []
    for name in NAMES:
        target = folder / name
        if target.exists() and not (target / "SKILL.md").is_file():
            raise InputError(f"{target} is there already, and is no skill.", hint="Move it away.")
        if target.exists() and "source: rubricator" not in (target / "SKILL.md").read_text("utf-8", "replace"):
            raise InputError(f"{target} is another skill of that name.", hint="Move it away.")
        try:
            with as_file(files("rubricator.skills") / name) as source:
                if target.exists():
                    shutil.rmtree(target)
                shutil.copytree(source, target)
        except OSError as error:
            raise StorageError(f"{target} can't be written: {error.strerror}.", hint="Check the folder.") from error
        placed.append(target)
    return placed
