"""The vault's rubric format as YAML: the same fields, with the criteria as a list."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, Final

import yaml

from rubricator.core.formula import Formula
from rubricator.core.rubric import Criterion, Rubric, criterion_id, shortest
from rubricator.errors import InputError
from rubricator.formats import edits

_MOST_NODES: Final = 100_000


def parse(text: str, filename: str) -> Rubric:
    """The rubric of a YAML file. Raises InputError for what is no mapping with a list `criteria`, or is no YAML."""
    root, value = _load(text, filename)
    _criteria_node(root, filename)
    criteria: list[Criterion] = []
    for number, entry in enumerate(value["criteria"], start=1):
        if not isinstance(entry, dict) or not str(entry.get("name") or "").strip():
            raise InputError(f"{filename}: criterion {number} has no name.", hint="Give it a `name` and a `text`.")
        where = f"{filename}, weight of criterion {number}"
        criteria.append(
            Criterion(
                name=str(entry["name"]),
                text=str(entry.get("text") or "").strip(),
                weight=edits.number(entry["weight"], where) if entry.get("weight") is not None else 1.0,
                added=str(entry.get("added") or ""),
                source=str(entry.get("source") or ""),
            )
        )
    ids = [c.id for c in criteria]
    if twice := sorted({key for key in ids if ids.count(key) > 1}):
        raise InputError(f"{filename}: {', '.join(twice)} is a criterion twice.", hint="Give each a name of its own.")
    if not criteria:
        raise InputError(f"{filename} has no criterion.", hint="Write them as a list under `criteria:`.")
    formula = str(value.get("formula") or "")
    if formula:
        Formula.parse(formula)
    return Rubric(
        name=str(value.get("name") or PurePath(filename).stem),
        criteria=tuple(criteria),
        scale=edits.scale(value.get("scale"), filename),
        aggregate=edits.aggregate(value.get("aggregate") or ("formula" if formula else None), filename),
        formula=formula,
        format="vault_yaml",
    )


def span(text: str, filename: str, change: Any) -> edits.Span:
    """Where a change is made, and what is to stand there."""
    root, _ = _load(text, filename)
    items = _criteria_node(root, filename).value
    number, node = next(
        (n, node)
        for n, node in enumerate(items)
        if criterion_id(str(_scalar(node, "name"))) == criterion_id(change.criterion)
    )
    kind = type(change).__name__
    if kind == "Retire":
        return _item_span(text, filename, items, number)
    key = "weight" if kind == "Reweight" else "text"
    new = shortest(change.weight) if kind == "Reweight" else _quoted(change.text)
    for key_node, value_node in node.value:
        if key_node.value == key:
            return _value_span(text, filename, key_node, value_node, new)
    first = node.value[0][0]
    if node.flow_style:
        return edits.Span(first.start_mark.index, first.start_mark.index, f"{key}: {new}, ")
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = " " * first.start_mark.column
    return edits.Span(first.start_mark.index, first.start_mark.index, f"{key}: {new}{newline}{indent}")


def _value_span(text: str, filename: str, key: Any, value: Any, new: str) -> edits.Span:
    """The characters of a value. An alias is replaced at its own place; an anchor that others use stays."""
    start, end = value.start_mark.index, value.end_mark.index
    after_key = key.end_mark.index
    if start < after_key or text[after_key:start].strip(" \t:\r\n") != "":
        # The node is an anchor's elsewhere, or has one of its own: its place here is what follows the colon.
        place = text.index(":", after_key) + 1
        place += len(text[place:]) - len(text[place:].lstrip(" \t"))
        if text[place] == "*":
            stop = place + 1
            while stop < len(text) and text[stop] not in " \t\r\n,]}":
                stop += 1
            return edits.Span(place, stop, new)
        if text[place] in "&!":
            name = text[place + 1 : start].partition(" ")[0].strip() if text[place] == "&" else ""
            if name and f"*{name}" in text:
                raise InputError(
                    f"{filename}: other places use the anchor &{name} of this value.",
                    hint="Write the number out in one of them, and try again.",
                )
    if isinstance(value, yaml.ScalarNode) and value.style in {"|", ">"}:
        kept = text[start:end].rstrip()
        return edits.Span(start, start + len(kept), new)
    return edits.Span(start, end, new)


def _item_span(text: str, filename: str, items: list[Any], number: int) -> edits.Span:
    """The characters of a list item, with its dash, up to the next item or the end of its block."""
    node = items[number]
    before = text[: node.start_mark.index].rstrip(" \t")
    if not before.endswith("-"):
        raise InputError(
            f"{filename}: the criteria are written in one line, out of which none can be cut.",
            hint="Write them as a list with dashes, or take the criterion out by hand.",
        )
    start = text.rfind("\n", 0, len(before)) + 1
    if number + 1 < len(items):
        following = text[: items[number + 1].start_mark.index].rstrip(" \t")
        end = text.rfind("\n", 0, len(following)) + 1
    else:
        end = _end_of(node)
        end += len(text[end:]) - len(text[end:].lstrip(" \t"))
        newline = text.find("\n", end)
        end = len(text) if newline < 0 else newline + 1 if not text[end:newline].strip() else end
    return edits.Span(start, end, "")


def _end_of(node: Any) -> int:
    """Where the last scalar of a block ends; the mark of the block itself stands before what comes next."""
    if isinstance(node, yaml.MappingNode) and node.value and not node.flow_style:
        return _end_of(node.value[-1][1])
    if isinstance(node, yaml.SequenceNode) and node.value and not node.flow_style:
        return _end_of(node.value[-1])
    return int(node.end_mark.index)


def _load(text: str, filename: str) -> tuple[Any, Any]:
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        _count(root, [0])
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        first = (str(error).splitlines() or [""])[0]
        raise InputError(f"{filename} can't be read as YAML: {first}.", hint="Check the file.") from None
    return root, value


def _count(node: Any, seen: list[int]) -> None:
    """Refuse a nest of aliases that is small in the file and endless when written out."""
    seen[0] += 1
    if seen[0] > _MOST_NODES:
        raise ValueError("it has too many values")
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _count(item, seen)
    elif isinstance(node, yaml.MappingNode):
        for key, item in node.value:
            _count(key, seen)
            _count(item, seen)


def _criteria_node(root: Any, filename: str) -> Any:
    if isinstance(root, yaml.MappingNode):
        for key, node in root.value:
            if key.value == "criteria" and isinstance(node, yaml.SequenceNode):
                return node
    raise InputError(f"{filename} has no list `criteria`.", hint="Write the criteria as a list under `criteria:`.")


def _scalar(node: Any, key: str) -> str:
    return next((str(value.value) for name, value in node.value if name.value == key), "")


def _quoted(words: str) -> str:
    """A text on one line, in double quotes with YAML's escapes."""
    return str(yaml.dump(words.strip(), default_style='"', allow_unicode=True, width=1 << 30)).rstrip("\n")
