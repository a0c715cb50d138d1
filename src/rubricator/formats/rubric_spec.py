"""AuraOne Rubric Schema v1, as `rubric-spec` 0.1 validates it: criteria with anchors and weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rubricator.core.rows import to_number
from rubricator.core.rubric import Criterion, Rubric, Scale
from rubricator.formats import edits
from rubricator.formats.content import Content
from rubricator.formats.reading import Found, Place, described, numbered, structured

_VERSION: Final = "auraone-rubric-v1"


def _matches(value: Any) -> bool:
    return isinstance(value, Mapping) and value.get("version") == _VERSION and isinstance(value.get("criteria"), list)


def _read(content: Content) -> tuple[Rubric, list[Found]]:
    found = []
    values: list[float] = []
    for number, entry in enumerate(content.value["criteria"]):
        if not isinstance(entry, Mapping):
            continue
        anchors = [a for a in entry.get("anchors") or () if isinstance(a, Mapping)]
        values += [v for v in (to_number(a.get("value")) for a in anchors) if v is not None]
        levels = [
            ": ".join(str(part) for part in (a.get("value"), a.get("label"), a.get("description")) if part is not None)
            for a in anchors
        ]
        label = str(entry.get("label") or entry.get("criterion_id") or f"criterion {number + 1}")
        weight = entry.get("weight")
        criterion = Criterion(
            label,
            described({"description": entry.get("description"), "levels": levels}, "description", "levels"),
            1.0 if weight is None else edits.number(weight, f"{content.filename}, weight of “{label}”"),
        )
        found.append(Found(criterion, (Place(("criteria", number), "weight"),)))
    scale = Scale(min(values), max(values)) if values and min(values) < max(values) else None
    name = str(content.value.get("label") or content.value.get("rubric_id") or content.stem)
    return Rubric(name, (), scale), numbered(found)


RUBRIC_SPEC: Final = structured("rubric_spec", "AuraOne Rubric Schema v1", _matches, _read)
