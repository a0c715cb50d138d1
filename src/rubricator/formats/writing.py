"""Rubrics written anew in another format. What a format has no place for is said, not dropped in silence."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import yaml

from rubricator.core.markdown import headings
from rubricator.core.rubric import Rubric, Scale
from rubricator.errors import InputError
from rubricator.formats import vault_rubric

_UNIT: Final = Scale(0, 1)
_DEEPEST: Final = 2


def write_rubric(rubric: Rubric, to: str) -> tuple[str, list[str]]:
    """The rubric as a new file in the format `to`, and what the format does not keep.

    Raises InputError for a format that can't be written.
    """
    if to not in WRITERS:
        raise InputError(f"{to!r} is no format that is written.", hint=f"There are: {', '.join(WRITERS)}.")
    return WRITERS[to](rubric)


def _vault(rubric: Rubric) -> tuple[str, list[str]]:
    plain = replace(rubric, criteria=tuple(replace(c, text=_without_headings(c.text)) for c in rubric.criteria))
    lost = ["Lines that would have been headings got a backslash before the #."] if plain != rubric else []
    return vault_rubric.write(plain), lost


def _without_headings(text: str) -> str:
    """A text in which no line starts a criterion or ends one."""
    for start, _, level in reversed(headings(text)):
        if level <= _DEEPEST:
            at = text.index("#", start)
            text = f"{text[:at]}\\{text[at:]}"
    return text


def _vault_yaml(rubric: Rubric) -> tuple[str, list[str]]:
    criteria = []
    for c in rubric.criteria:
        entry: dict[str, Any] = {"name": c.name, "weight": c.weight}
        entry |= {key: value for key, value in (("added", c.added), ("source", c.source)) if value}
        criteria.append({**entry, "text": c.text})
    return _yaml({**vault_rubric.head_of(rubric), "criteria": criteria}), []


def _promptfoo(rubric: Rubric) -> tuple[str, list[str]]:
    assertions = [
        {"type": "llm-rubric", "metric": c.name, "value": c.text or c.name, "weight": c.weight} for c in rubric.criteria
    ]
    config = {
        "description": rubric.name,
        "prompts": ["{{artifact}}"],
        "providers": ["echo"],
        "defaultTest": {"assert": assertions},
        "tests": [],
    }
    lost = _not_kept(rubric, keeps=("weighted_mean",))
    if any(c.weight < 0 for c in rubric.criteria):
        lost.append("promptfoo has no negative weights that take points away: look at those criteria.")
    return _yaml(config), lost


def _autorubric(rubric: Rubric) -> tuple[str, list[str]]:
    entries = [{"name": c.name, "weight": c.weight, "requirement": c.text or c.name} for c in rubric.criteria]
    return _yaml(entries), _not_kept(rubric, keeps=("points",))


def _healthbench(rubric: Rubric) -> tuple[str, list[str]]:
    entries = [{"criterion": c.text or c.name, "points": c.weight, "tags": [f"name:{c.name}"]} for c in rubric.criteria]
    return json.dumps(entries, ensure_ascii=False, indent=2) + "\n", _not_kept(rubric, keeps=("points",))


def _not_kept(rubric: Rubric, *, keeps: tuple[str, ...]) -> list[str]:
    lost = []
    if rubric.scale not in {None, _UNIT}:
        assert rubric.scale is not None
        lost.append(f"The scale is 0 to 1 there, and {rubric.scale.low:g} to {rubric.scale.high:g} here.")
    if rubric.aggregate not in keeps:
        lost.append(f"The aggregate is {keeps[0]} there, and {rubric.aggregate} here.")
    if any(c.added or c.source for c in rubric.criteria):
        lost.append("When criteria were added, and from what source, has no place there.")
    return lost


def _yaml(value: Any) -> str:
    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100))


WRITERS: Final[dict[str, Callable[[Rubric], tuple[str, list[str]]]]] = {
    "vault": _vault,
    "vault_yaml": _vault_yaml,
    "promptfoo": _promptfoo,
    "autorubric": _autorubric,
    "healthbench": _healthbench,
}
"""The formats that can be written."""
