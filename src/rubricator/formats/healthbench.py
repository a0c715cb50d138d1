"""HealthBench: criteria with points, negative ones too, and the results of a run (arXiv:2505.08775, simple-evals).

Rubrics: a list of `criterion`, `points` and `tags`, or an example that has such a list under `rubrics`. Results: the
`..._allresults.json` of a run, whose `example_level_metadata` has the score and the met criteria of each answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rubricator.core.rows import to_number
from rubricator.core.rubric import Criterion, Rubric, Scale
from rubricator.core.scores import Scoring
from rubricator.formats import edits
from rubricator.formats.content import Content
from rubricator.formats.edits import Path
from rubricator.formats.logged import LogFormat, Logged, Outcome, shown, sub_scores
from rubricator.formats.reading import Found, Place, named_after, numbered, structured


def _items(value: Any) -> tuple[Path, list[Any]]:
    for key in ("rubrics", "rubric_items"):
        if isinstance(value, Mapping) and isinstance(value.get(key), list):
            return (key,), value[key]
    return (), value if isinstance(value, list) else []


def _matches(value: Any) -> bool:
    _, items = _items(value)
    return bool(items) and all(isinstance(i, Mapping) and "criterion" in i and "points" in i for i in items)


def _read(content: Content) -> tuple[Rubric, list[Found]]:
    path, items = _items(content.value)
    found = []
    for number, item in enumerate(items):
        text = str(item["criterion"]).strip()
        weight = edits.number(item["points"], f"{content.filename}, points of criterion {number + 1}")
        place = Place((*path, number), "points", "criterion")
        found.append(Found(Criterion(named_after(text), text, weight), (place,)))
    name = content.value.get("prompt_id") if isinstance(content.value, Mapping) else None
    return Rubric(str(name or content.stem), (), Scale(0, 1), "points"), numbered(found)


def _examples(value: Any) -> list[Any] | None:
    for holder in (value, value.get("metadata") if isinstance(value, Mapping) else None):
        found = holder.get("example_level_metadata") if isinstance(holder, Mapping) else None
        if isinstance(found, list):
            return found
    return None


def _log(content: Content, _notes: list[str]) -> Iterator[Outcome]:
    for number, example in enumerate(_examples(content.json) or ()):
        yield _scored(example, number) if isinstance(example, Mapping) else "it is no JSON object"


def _scored(example: Mapping[str, Any], number: int) -> Outcome:
    score = to_number(example.get("score"))
    if score is None:
        return "its score is missing or no number"
    items = [item for item in example.get("rubric_items") or () if isinstance(item, Mapping)]
    met = [
        (named_after(str(item.get("criterion") or "")), float(item["criteria_met"]))
        for item in items
        if isinstance(item.get("criteria_met"), bool)
    ]
    name = str(example.get("completion_id") or example.get("prompt_id") or f"example {number + 1}")
    text = shown(example.get("prompt"), example.get("completion"))
    return Logged(Scoring(name, score, sub_scores(met), group=str(example.get("prompt_id") or "")), text)


HEALTHBENCH: Final = structured("healthbench", "HealthBench", _matches, _read)
HEALTHBENCH_LOG: Final = LogFormat(
    "healthbench", "HealthBench's all-results file", lambda content: _examples(content.json) is not None, _log
)
