"""The vault's rubric format as YAML or JSON: the same fields, with the criteria as a list."""

from __future__ import annotations

from typing import Any, Final

from rubricator.core.formula import Formula
from rubricator.core.rubric import Criterion, Rubric
from rubricator.errors import InputError
from rubricator.formats import edits
from rubricator.formats.content import Content
from rubricator.formats.reading import Found, Place, structured


def _matches(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("criteria"), list)


def _read(content: Content) -> tuple[Rubric, list[Found]]:
    value, filename = content.value, content.filename
    if not _matches(value):
        raise InputError(f"{filename} has no list `criteria`.", hint="Write the criteria as a list under `criteria:`.")
    found: list[Found] = []
    for number, entry in enumerate(value["criteria"], start=1):
        if not isinstance(entry, dict) or not str(entry.get("name") or "").strip():
            raise InputError(f"{filename}: criterion {number} has no name.", hint="Give it a `name` and a `text`.")
        where = f"{filename}, weight of criterion {number}"
        criterion = Criterion(
            name=str(entry["name"]),
            text=str(entry.get("text") or "").strip(),
            weight=edits.number(entry["weight"], where) if entry.get("weight") is not None else 1.0,
            added=str(entry.get("added") or ""),
            source=str(entry.get("source") or ""),
        )
        found.append(Found(criterion, (Place(("criteria", number - 1), "weight", "text"),)))
    ids = [entry.criterion.id for entry in found]
    if twice := sorted({key for key in ids if ids.count(key) > 1}):
        raise InputError(f"{filename}: {', '.join(twice)} is a criterion twice.", hint="Give each a name of its own.")
    if not found:
        raise InputError(f"{filename} has no criterion.", hint="Write them as a list under `criteria:`.")
    formula = str(value.get("formula") or "")
    if formula:
        Formula.parse(formula)
    rubric = Rubric(
        name=str(value.get("name") or content.stem),
        criteria=(),
        scale=edits.scale(value.get("scale"), filename),
        aggregate=edits.aggregate(value.get("aggregate") or ("formula" if formula else None), filename),
        formula=formula,
    )
    return rubric, found


VAULT_YAML: Final = structured("vault_yaml", "Rubricator's own, as YAML", _matches, _read)
