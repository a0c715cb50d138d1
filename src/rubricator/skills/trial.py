"""Trials of the skills' descriptions: whether the right one fires, and only then.

Each prompt says which skill should fire, if any. Whoever chooses is asked several times, and a skill's rate is compared
with a half. Beside the skills stand others that an agent could take instead.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

import yaml

from rubricator.skills import NAMES, description, text
from rubricator.skills.router import route

HELD_OUT: Final = "held-out"
_HALF: Final = 0.5

Chooser = Callable[[str], Mapping[str, float]]
"""The rate, 0 to 1, at which each skill fires on a prompt."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """Something a user might say, the skill that it is for (empty: none of them), and the part of the set it is in."""

    prompt: str
    skill: str
    part: str


def prompts(part: str | None = None) -> list[Prompt]:
    """The prompts of the trial, or of one part: `given`, `development`, `spent` (once held out), `held-out`."""
    lines = _trials("prompts.jsonl").splitlines()
    found = [Prompt(**json.loads(line)) for line in lines]
    return [prompt for prompt in found if part is None or prompt.part == part]


def siblings() -> dict[str, str]:
    """The descriptions of the skills that stand beside ours."""
    found: dict[str, str] = yaml.safe_load(_trials("siblings.yaml"))
    return found


@cache
def descriptions() -> dict[str, str]:
    """The descriptions of all skills of a trial, ours first."""
    return {name: description(text(name)) for name in NAMES} | siblings()


def offline(prompt: str) -> Mapping[str, float]:
    """The choice of the router over the descriptions, which understands nothing."""
    return route(prompt, descriptions())


def try_out(asked: Sequence[Prompt], choose: Chooser) -> dict[str, Any]:
    """The figures of a trial: by skill how many should fire and did, should not and did not, and every error.

    {"prompts", "right", "decisions", "share", "skills": {name: {"should_fire", "fired", "should_not", "kept_quiet"}},
    "errors": [{"prompt", "skill", "should_fire", "rate", "instead"}], "to_output_quality_gate": [...]}. A decision is
    one skill on one prompt. `share` is None where there are no prompts.
    """
    skills = {name: {"should_fire": 0, "fired": 0, "should_not": 0, "kept_quiet": 0} for name in NAMES}
    errors, confused = [], []
    for prompt in asked:
        rates = choose(prompt.prompt)
        top = max(rates, key=lambda name: rates[name], default="")
        if prompt.skill in NAMES and rates.get("output-quality-gate", 0.0) > _HALF:
            confused.append(prompt.prompt)
        for name in NAMES:
            should, did = prompt.skill == name, rates.get(name, 0.0) > _HALF
            skills[name]["should_fire" if should else "should_not"] += 1
            skills[name]["fired" if should else "kept_quiet"] += did == should
            if did != should:
                rate = round(rates.get(name, 0.0), 3)
                instead = top if top != name and rates.get(top, 0.0) > _HALF else None
                errors.append(
                    {"prompt": prompt.prompt, "skill": name, "should_fire": should, "rate": rate, "instead": instead}
                )
    decisions = len(asked) * len(NAMES)
    right = decisions - len(errors)
    return {
        "prompts": len(asked),
        "decisions": decisions,
        "right": right,
        "share": right / decisions if decisions else None,
        "skills": skills,
        "to_output_quality_gate": confused,
        "errors": errors,
    }


def repeated(choose_once: Callable[[str], Sequence[str]], runs: int) -> Chooser:
    """A chooser that asks `runs` times which skills fire."""

    def choose(prompt: str) -> Mapping[str, float]:
        counts: dict[str, int] = {}
        for _ in range(runs):
            for name in set(choose_once(prompt)):
                counts[name] = counts.get(name, 0) + 1
        return {name: count / runs for name, count in counts.items()}

    return choose


def _trials(name: str) -> str:
    return files("rubricator.skills").joinpath("trials", name).read_text(encoding="utf-8")
