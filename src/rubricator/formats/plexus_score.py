"""Plexus: the YAML of a score, whose prompts are what is applied, and of a scorecard, whose scores are the criteria.

The official rubric of a score is the Markdown file beside it; read that where it is at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rubricator.core.rubric import Criterion, Rubric
from rubricator.errors import InputError
from rubricator.formats import edits
from rubricator.formats.content import Content
from rubricator.formats.edits import Path
from rubricator.formats.reading import Found, Place, described, numbered, structured

_PROMPTS: Final = ("prompt", "system_message", "user_message")


def _matches(value: Any) -> bool:
    return isinstance(value, Mapping) and (_is_score(value) or any(_scores(value)))


def _is_score(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("class"), str) and "name" in value


def _scores(value: Mapping[str, Any], path: Path = ()) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for number, entry in enumerate(value.get("scores") or () if isinstance(value.get("scores"), list) else ()):
        if isinstance(entry, Mapping) and "name" in entry:
            yield (*path, "scores", number), entry
    sections = value.get("sections")
    for number, section in enumerate(sections if isinstance(sections, list) else ()):
        if isinstance(section, Mapping):
            yield from _scores(section, (*path, "sections", number))


def _read(content: Content) -> tuple[Rubric, list[Found]]:
    value = content.value
    name = str(value.get("name") or content.stem)
    if not _is_score(value):
        found = []
        for path, entry in _scores(value):
            weight = entry.get("weight")
            number = 1.0 if weight is None else edits.number(weight, f"{content.filename}, weight of {entry['name']}")
            prompts = [described(node, *_PROMPTS) for _, node in _nodes(entry)]
            text = described({"description": entry.get("description"), "prompts": "\n\n".join(filter(None, prompts))},
                             "description", "prompts")  # fmt: skip
            place = Place(path, None if weight is None else "weight", None, retirable=False)
            found.append(Found(Criterion(str(entry["name"]), text, number), (place,)))
        notes = ("A scorecard makes no total of its scores; equal weights were assumed where none is given.",)
        return Rubric(name, (), notes=notes), numbered(found)
    found = []
    for path, node in _nodes(value):
        given = [key for key in _PROMPTS if isinstance(node.get(key), str) and node[key].strip()]
        if given:
            criterion = Criterion(str(node.get("name") or name), described(node, *given))
            place = Place(path, None, given[0] if len(given) == 1 else None, retirable=False)
            found.append(Found(criterion, (place,)))
    if not found:
        raise InputError(
            f"{content.filename} is the configuration of a Plexus score, and has no prompt that says what is scored.",
            hint="Its rubric is the Markdown file beside it.",
        )
    return Rubric(name, ()), numbered(found)


def _nodes(score: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The score itself, if it holds a prompt, and the nodes of its graph."""
    if any(isinstance(score.get(key), str) for key in _PROMPTS):
        yield (), score
    parameters = score.get("parameters")
    if isinstance(parameters, Mapping) and any(isinstance(parameters.get(key), str) for key in _PROMPTS):
        yield ("parameters",), parameters
    for key in ("graph", "nodes"):
        nodes = score.get(key)
        for number, node in enumerate(nodes if isinstance(nodes, list) else ()):
            if isinstance(node, Mapping):
                yield (key, number), node


PLEXUS_SCORE: Final = structured("plexus", "Plexus, a score's or a scorecard's YAML", _matches, _read)
