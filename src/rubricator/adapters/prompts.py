"""The prompts of the inference contracts, as they ship with the package."""

from __future__ import annotations

from importlib.resources import files


def prompt(contract: str) -> str:
    """The instructions of a contract."""
    return files("rubricator.inference").joinpath("prompts", f"{contract}.md").read_text(encoding="utf-8")
