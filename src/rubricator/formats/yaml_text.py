"""Places in YAML text: where a value or a list item stands, so that it alone can be replaced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from rubricator.errors import InputError
from rubricator.formats.edits import Path, Span, Wanted


def replaced(text: str, root: Any, filename: str, path: Path, key: str, new: Wanted) -> Span:
    """The span of `key` in the mapping at `path`, and its new value; where the key is missing, the span adds it."""
    node = _node_at(root, filename, path)
    words = quoted(new) if isinstance(new, str) else new.words
    for key_node, value_node in node.value:
        if key_node.value == key:
            return _value_span(text, filename, key_node, value_node, words)
    first = node.value[0][0]
    if node.flow_style:
        return Span(first.start_mark.index, first.start_mark.index, f"{key}: {words}, ")
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = " " * first.start_mark.column
    return Span(first.start_mark.index, first.start_mark.index, f"{key}: {words}{newline}{indent}")


def removed(text: str, root: Any, filename: str, path: Path) -> Span:
    """The span of the list item at `path`, with its dash, up to the next item or the end of its block."""
    *above, number = path
    items = _node_at(root, filename, above, yaml.SequenceNode).value
    assert isinstance(number, int)
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
    return Span(start, end, "")


def quoted(words: str) -> str:
    """A text on one line, in double quotes with YAML's escapes."""
    return str(yaml.dump(words.strip(), default_style='"', allow_unicode=True, width=1 << 30)).rstrip("\n")


def _node_at(root: Any, filename: str, path: Sequence[str | int], kind: Any = yaml.MappingNode) -> Any:
    node = root
    for step in path:
        if isinstance(step, int) and isinstance(node, yaml.SequenceNode) and step < len(node.value):
            node = node.value[step]
        elif isinstance(node, yaml.MappingNode):
            node = next((value for key, value in reversed(node.value) if key.value == step), None)
        else:
            node = None
    if not isinstance(node, kind) or not node.value:
        raise InputError(
            f"{filename} writes this criterion in a way that can't be edited in place.",
            hint="Make the change by hand: it may come from a merged key.",
        )
    return node


def _value_span(text: str, filename: str, key: Any, value: Any, new: str) -> Span:
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
            return Span(place, stop, new)
        if text[place] in "&!":
            name = text[place + 1 : start].partition(" ")[0].strip() if text[place] == "&" else ""
            if name and f"*{name}" in text:
                raise InputError(
                    f"{filename}: other places use the anchor &{name} of this value.",
                    hint="Write the number out in one of them, and try again.",
                )
    if isinstance(value, yaml.ScalarNode) and value.style in {"|", ">"}:
        kept = text[start:end].rstrip()
        return Span(start, start + len(kept), new)
    return Span(start, end, new)


def _end_of(node: Any) -> int:
    """Where the last scalar of a block ends; the mark of the block itself stands before what comes next."""
    if isinstance(node, yaml.MappingNode) and node.value and not node.flow_style:
        return _end_of(node.value[-1][1])
    if isinstance(node, yaml.SequenceNode) and node.value and not node.flow_style:
        return _end_of(node.value[-1])
    return int(node.end_mark.index)
