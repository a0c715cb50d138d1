"""What a format makes of a file: the rubric, and where each criterion stands, so that it can be edited there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rubricator.core.rubric import Criterion, Rubric, criterion_id
from rubricator.errors import InputError
from rubricator.formats import json_text, yaml_text
from rubricator.formats.content import Content
from rubricator.formats.edits import Numeral, Path, Span


@dataclass(frozen=True, slots=True)
class Place:
    """Where a criterion stands: the path of its entry, and the keys of its weight and its text in that.

    A key is None where the format holds no such thing, or holds it in a way that can't be edited; `retirable` is
    False where the entry can't be taken out without changing what others count.
    """

    path: Path
    weight: str | None = None
    text: str | None = None
    retirable: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """A criterion and its places: a format may repeat one in several."""

    criterion: Criterion
    places: tuple[Place, ...] = ()


@dataclass(frozen=True)
class RubricFormat:
    """A rubric format: its name, who writes it, how it is told, and how it is read and edited."""

    name: str
    title: str
    matches: Callable[[Content], bool]
    read: Callable[[Content], Rubric]
    spans: Callable[[Content, Any], list[Span]] | None = field(default=None)


def structured(
    name: str, title: str, matches: Callable[[Any], bool], read: Callable[[Content], tuple[Rubric, list[Found]]]
) -> RubricFormat:
    """A format of JSON or YAML. `read` gives a rubric without criteria, and what was found for them."""
    return RubricFormat(
        name,
        title,
        lambda content: content.value is not None and matches(content.value),
        lambda content: _whole(*read(content), name),
        lambda content, change: _spans(content, read(content)[1], change),
    )


def numbered(criteria: Iterable[Found]) -> list[Found]:
    """The criteria, with a number after the name of each that has the name of one before it."""
    seen: dict[str, int] = {}
    found = []
    for entry in criteria:
        name = entry.criterion.name
        key = criterion_id(name)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] > 1:
            c = entry.criterion
            entry = Found(  # noqa: PLW2901 - the same entry, under another name
                Criterion(f"{name} ({seen[key]})", c.text, c.weight, c.added, c.source), entry.places
            )
        found.append(entry)
    return found


def named_after(text: str, *, most: int = 60) -> str:
    """A name for a criterion that has only a text: its first words, on one line."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line.rstrip(" .;:,")
    return line[: most + 1].rsplit(" ", 1)[0].rstrip(" .;:,")[:most] + " …"


def described(fields: Mapping[str, Any], *names: str) -> str:
    """The texts of `fields` under `names`, a paragraph each; lists a line an entry."""
    parts = []
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            parts.append(value.strip())
        elif isinstance(value, list) and value:
            parts.append("\n".join(f"- {entry}" for entry in value))
    return "\n\n".join(parts)


def _whole(rubric: Rubric, found: list[Found], name: str) -> Rubric:
    if not found:
        raise InputError(f"{rubric.name}: there is no criterion in it.", hint="Check that it is the whole file.")
    criteria = tuple(entry.criterion for entry in found)
    return Rubric(rubric.name, criteria, rubric.scale, rubric.aggregate, rubric.formula, name, rubric.notes)


def _spans(content: Content, found: list[Found], change: Any) -> list[Span]:
    entry = next(f for f in found if f.criterion.id == criterion_id(change.criterion))
    spans = [_span(content, place, change) for place in entry.places]
    if not spans:
        raise _uneditable(content, change)
    return list(dict.fromkeys(spans))


def _span(content: Content, place: Place, change: Any) -> Span:
    in_json = content.json is not None
    kind = type(change).__name__
    if kind == "Retire":
        if not place.retirable:
            raise _uneditable(content, change)
        if in_json:
            return json_text.removed(content.text, content.filename, place.path)
        return yaml_text.removed(content.text, content.root, content.filename, place.path)
    key = place.weight if kind == "Reweight" else place.text
    if key is None:
        raise _uneditable(content, change)
    new = Numeral(change.weight) if kind == "Reweight" else change.text.strip().replace("\r\n", "\n")
    if in_json:
        return json_text.replaced(content.text, content.filename, place.path, key, new)
    return yaml_text.replaced(content.text, content.root, content.filename, place.path, key, new)


def _uneditable(content: Content, change: Any) -> InputError:
    what = {"Retire": "can't be taken out", "Reweight": "has no weight of its own", "Reword": "has no text of its own"}
    return InputError(
        f"{content.filename}: {change.criterion!r} {what[type(change).__name__]} in this format.",
        hint="Make the change by hand.",
    )
