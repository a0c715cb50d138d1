"""autorubric's rubrics and runs, and the bare list of `weight` and `requirement` that others share with it.

Rubrics: a list of criteria or sections, or a mapping with `rubric`, `sections` or `criteria` (`rubric.py` of
autorubric 1.6.1). Runs: `items.jsonl` of an experiment, a line an item (`eval.py`, `ItemResult.to_dict`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rubricator.core.rows import to_number
from rubricator.core.rubric import Criterion, Rubric, Scale
from rubricator.core.scores import Scoring
from rubricator.errors import InputError
from rubricator.formats import edits
from rubricator.formats.content import Content
from rubricator.formats.edits import Path
from rubricator.formats.logged import Logged, by_line, sub_scores
from rubricator.formats.reading import Found, Place, described, named_after, numbered, structured

_DEFAULT_WEIGHT: Final = 10.0
_VERDICTS: Final = {"MET": 1.0, "UNMET": 0.0}


def _entries(value: Any, path: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The criteria of a rubric with their paths, in the order in which autorubric reads them."""
    if isinstance(value, dict):
        for key in ("rubric", "sections", "criteria"):
            if isinstance(value.get(key), list) or (key == "rubric" and isinstance(value.get(key), dict)):
                yield from _entries(value[key], (*path, key))
                return
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            if isinstance(entry, dict) and isinstance(entry.get("criteria"), list):
                yield from _entries(entry["criteria"], (*path, number, "criteria"))
            elif isinstance(entry, dict):
                yield (*path, number), entry


def _matches(value: Any) -> bool:
    entries = [entry for _, entry in _entries(value)]
    return bool(entries) and all(isinstance(entry.get("requirement"), str) for entry in entries)


def _read(content: Content) -> tuple[Rubric, list[Found]]:
    found = []
    for path, entry in _entries(content.value):
        requirement = entry.get("requirement")
        if not isinstance(requirement, str):
            raise InputError(f"{content.filename}: an entry has no `requirement`.", hint="Give each one.")
        weight = entry.get("weight")
        where = f"{content.filename}, weight of “{named_after(requirement)}”"
        options = [f"{o.get('label')}: {o.get('value')}" for o in entry.get("options") or [] if isinstance(o, dict)]
        criterion = Criterion(
            str(entry.get("name") or named_after(requirement)),
            described({"requirement": requirement, "options": options}, "requirement", "options"),
            _DEFAULT_WEIGHT if weight is None else edits.number(weight, where),
        )
        found.append(Found(criterion, (Place(path, "weight", None if options else "requirement"),)))
    name = content.value.get("name") if isinstance(content.value, dict) else None
    return Rubric(str(name or content.stem), (), Scale(0, 1), "points"), numbered(found)


def _log_matches(first: Mapping[str, Any]) -> bool:
    return "item_idx" in first and isinstance(first.get("report"), dict)


def _log(row: Mapping[str, Any]) -> Logged | str:
    report = row.get("report")
    if not isinstance(report, Mapping) or row.get("error") or report.get("error"):
        return "it was not graded"
    score = to_number(report.get("score"))
    if score is None:
        return "it has no score"
    verdicts: list[tuple[str, float | None]] = []
    for entry in report.get("criterion_reports") or ():
        if isinstance(entry, Mapping):
            inner = entry.get("criterion")
            given = inner if isinstance(inner, Mapping) else entry
            name = str(given.get("name") or named_after(str(given.get("requirement") or "")))
            verdicts.append((name, _verdict(entry)))
    return Logged(Scoring(f"item {row['item_idx']}", score, sub_scores(verdicts)))


def _verdict(entry: Mapping[str, Any]) -> float | None:
    """How far a criterion is met, 0 to 1; None where the judge could not tell or failed."""
    if entry.get("error"):
        return None
    choice = entry.get("final_multi_choice_verdict") or entry.get("multi_choice_verdict")
    if isinstance(choice, Mapping):
        return None if choice.get("na") else to_number(choice.get("aggregated_value", choice.get("value")))
    return _VERDICTS.get(str(entry.get("final_verdict") or entry.get("verdict")).upper())


AUTORUBRIC: Final = structured("autorubric", "autorubric, and bare lists of weight and requirement", _matches, _read)
AUTORUBRIC_LOG: Final = by_line("autorubric", "autorubric's items.jsonl", _log_matches, _log)
