"""Prometheus score rubrics: one question with a description of each score, `score1_description` to the highest.

Fields as in `prometheus-eval`'s `SCORE_RUBRIC_TEMPLATE`. The model gives one score for the whole rubric.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from rubricator.core.rubric import Criterion, Rubric, Scale
from rubricator.formats.content import Content
from rubricator.formats.reading import Found, named_after, numbered, structured

_LEVEL: Final = re.compile(r"score(\d+)_description")


def _rubrics(value: Any) -> list[Mapping[str, Any]]:
    """The score rubrics of a file: one, one under `score_rubric` or `rubric`, or a list of either."""
    entries = value if isinstance(value, list) else [value]
    found = []
    for entry in entries:
        holders = [entry, *(entry.get(key) for key in ("score_rubric", "rubric"))] if isinstance(entry, Mapping) else []
        rubric = next((h for h in holders if isinstance(h, Mapping) and "criteria" in h and _levels(h)), None)
        if rubric is None:
            return []
        found.append(rubric)
    return found


def _levels(rubric: Mapping[str, Any]) -> dict[int, str]:
    levels = {int(m[1]): str(text).strip() for key, text in rubric.items() if (m := _LEVEL.fullmatch(str(key)))}
    return dict(sorted(levels.items()))


def _read(content: Content) -> tuple[Rubric, list[Found]]:
    rubrics = _rubrics(content.value)
    found = []
    for rubric in rubrics:
        question = str(rubric["criteria"]).strip()
        levels = "\n".join(f"- {level}: {text}" for level, text in _levels(rubric).items())
        found.append(Found(Criterion(named_after(question), f"{question}\n\n{levels}")))
    known = {level for rubric in rubrics for level in _levels(rubric)}
    scale = Scale(min(known), max(known)) if len(known) > 1 else None
    return Rubric(content.stem, (), scale), numbered(found)


PROMETHEUS: Final = structured("prometheus", "Prometheus", lambda value: bool(_rubrics(value)), _read)
