"""Slides (`.pptx`): the text of every slide and of its notes, under the slide's number."""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree as ET

from rubricator.adapters.text.archive import Archive
from rubricator.adapters.text.draft import Draft
from rubricator.adapters.text.limits import Reading, UnreadableError
from rubricator.memory.document import Extraction, Place

_A: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P: Final = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_RUNS: Final = frozenset({f"{_A}t", f"{_A}br"})
_TITLES: Final = frozenset({"title", "ctrTitle"})
_NOTHING_SAID: Final = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})
_NUMBER = re.compile(r"ppt/slides/slide(\d+)\.xml")


def read(archive: Archive, reading: Reading) -> Extraction:
    """Read a presentation, slide by slide in the order in which they are shown."""
    draft = Draft(reading)
    for page, name in enumerate(_slides(archive), start=1):
        _add_shapes(draft, archive, name, Place(page=page))
        for target in _related(archive, name).values():
            if "notesSlides/" in target and target in archive:
                _add_shapes(draft, archive, target, Place(page=page))
    return Extraction((draft.document("application/vnd.openxmlformats-officedocument.presentationml.presentation"),))


def _slides(archive: Archive) -> list[str]:
    """The members that are slides. By number where the presentation does not say in which order they come."""
    targets = _related(archive, "ppt/presentation.xml")
    shown = [targets.get(item.get(f"{_R}id", "")) for item in _xml(archive, "ppt/presentation.xml").iter(f"{_P}sldId")]
    found = [name for name in shown if name and name in archive]
    numbered = {name: int(match[1]) for name in archive.names if (match := _NUMBER.fullmatch(name))}
    return found or sorted(numbered, key=lambda name: numbered[name])


def _related(archive: Archive, name: str) -> dict[str, str]:
    """The members that another one refers to, by the id of the relation."""
    folder, _, file = name.rpartition("/")
    relations = f"{folder}/_rels/{file}.rels"
    if relations not in archive:
        return {}
    return {
        relation.get("Id", ""): _resolved(folder, relation.get("Target", "")) for relation in _xml(archive, relations)
    }


def _resolved(folder: str, target: str) -> str:
    if target.startswith("/"):
        return target[1:]
    path = folder.split("/")
    while target.startswith("../"):
        target = target[3:]
        path = path[:-1]
    return "/".join([*path, target])


def _add_shapes(draft: Draft, archive: Archive, name: str, place: Place) -> None:
    root = _xml(archive, name)
    for shape in root.iter():
        if shape.tag == f"{_P}sp":
            holder = shape.find(f".//{_P}ph")
            role = holder.get("type", "") if holder is not None else ""
            text = "\n".join(_paragraphs(shape))
            if role in _TITLES:
                draft.add(" ".join(text.split()), "heading", level=2, place=place)
            elif role not in _NOTHING_SAID:
                draft.add(text, place=place)
        elif shape.tag == f"{_A}tr":
            cells = (" ".join(_paragraphs(cell)) for cell in shape.iter(f"{_A}tc"))
            draft.add(" | ".join(cells), "table", place=place, gap="\n")


def _paragraphs(element: ET.Element) -> list[str]:
    found = []
    for paragraph in element.iter(f"{_A}p"):
        runs = (("\n" if run.tag == f"{_A}br" else run.text or "") for run in paragraph.iter() if run.tag in _RUNS)
        text = "".join(runs).strip()
        if text:
            found.append(text)
    return found


def _xml(archive: Archive, name: str) -> ET.Element:
    if name not in archive:
        raise UnreadableError(f"this presentation is damaged: it lacks {name}")
    try:
        return ET.fromstring(archive.member(name))  # noqa: S314 - expat bounds entities, the worker bounds the rest
    except ET.ParseError as error:
        raise UnreadableError(f"this presentation is damaged: {name}: {error}") from error
