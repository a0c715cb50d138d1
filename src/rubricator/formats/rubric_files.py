"""Rubric files: one entrance for reading and for editing in place, whatever the format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import PurePath
from typing import Any, Final, Self

from rubricator.core.rubric import Rubric, criterion_id
from rubricator.errors import InputError
from rubricator.formats import vault_rubric, vault_yaml
from rubricator.formats.edits import Span

FORMATS: Final = {"vault": vault_rubric, "vault_yaml": vault_yaml}
_BY_SUFFIX: Final = {".md": "vault", ".markdown": "vault", ".yaml": "vault_yaml", ".yml": "vault_yaml"}
_BOM: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class Reweight:
    """A criterion gets another weight."""

    criterion: str
    weight: float


@dataclass(frozen=True, slots=True)
class Retire:
    """A criterion is taken out of the rubric."""

    criterion: str


@dataclass(frozen=True, slots=True)
class Reword:
    """A criterion gets another text."""

    criterion: str
    text: str


Change = Reweight | Retire | Reword


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of a file that was replaced: where it starts, in characters of the old file, and both texts."""

    start: int
    old: str
    new: str

    def to_json(self) -> dict[str, Any]:
        """The edit as JSON."""
        return {"start": self.start, "old": self.old, "new": self.new}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        """The edit that `to_json` wrote."""
        return cls(value["start"], value["old"], value["new"])


@dataclass(frozen=True, slots=True)
class Edited:
    """A changed file, and the edits that made it, in order of place."""

    content: bytes
    edits: tuple[Edit, ...]


def format_of(filename: str, format: str | None = None) -> str:  # noqa: A002 - the field's word
    """The name of a rubric file's format: the one that is given, else by the file's suffix."""
    found = format or _BY_SUFFIX.get(PurePath(filename).suffix.lower())
    if found not in FORMATS:
        raise InputError(
            f"{filename} is in no rubric format that is known ({found or 'by its suffix'}).",
            hint=f"Known are: {', '.join(FORMATS)}.",
        )
    return found


def read_rubric(raw: bytes, filename: str, *, format: str | None = None) -> Rubric:  # noqa: A002 - the field's word
    """The rubric in a file's content. Raises InputError, naming the line, for what can't be read as one."""
    found: Rubric = FORMATS[format_of(filename, format)].parse(_text(raw, filename), filename)
    return found


def edit_rubric(raw: bytes, filename: str, changes: Sequence[Change], *, format: str | None = None) -> Edited:  # noqa: A002 - the field's word
    """The file with `changes` made and every other byte as it was.

    The result is read again, and must be the rubric with just these changes. Raises InputError where a criterion is not
    there, two changes touch one place, or the file's form does not allow the change.
    """
    reader = FORMATS[format_of(filename, format)]
    text = _text(raw, filename)
    rubric = reader.parse(text, filename)
    wanted = rubric
    spans: list[Span] = []
    for change in changes:
        if rubric.criterion(change.criterion) is None:
            raise InputError(
                f"{filename} has no criterion {change.criterion!r}.", hint="Look at the rubric's headings."
            )
        spans.append(reader.span(text, filename, change))
        wanted = changed(wanted, change)
    edited, edits = _replace(text, spans, filename)
    if reader.parse(edited, filename).version != wanted.version:
        raise InputError(
            f"{filename} can't be edited in place: the result would read otherwise than was approved.",
            hint="Make the change by hand.",
        )
    bom = raw.startswith(_BOM.encode())
    return Edited((_BOM * bom + edited).encode(), edits)


def changed(rubric: Rubric, change: Change) -> Rubric:
    """The rubric with one change."""
    match change:
        case Reweight(criterion, weight):
            return rubric.with_weights({criterion_id(criterion): weight})
        case Retire(criterion):
            return rubric.without([criterion_id(criterion)])
        case Reword(criterion, text):
            key = criterion_id(criterion)
            texts = (replace(c, text=text.strip().replace("\r\n", "\n")) if c.id == key else c for c in rubric.criteria)
            return replace(rubric, criteria=tuple(texts))


def undo(content: bytes, edits: Sequence[Edit], filename: str = "The rubric") -> bytes:
    """The file as it was before `edits`. Raises InputError where the edited places are not as they were left."""
    text = _text(content, filename)
    moved = 0
    places: list[tuple[int, Edit]] = []
    for edit in sorted(edits, key=lambda e: e.start):
        places.append((edit.start + moved, edit))
        moved += len(edit.new) - len(edit.old)
    for start, edit in reversed(places):
        if text[start : start + len(edit.new)] != edit.new:
            raise InputError(f"{filename} is not as the change left it.", hint="Undo the later change first.")
        text = text[:start] + edit.old + text[start + len(edit.new) :]
    return (_BOM * content.startswith(_BOM.encode()) + text).encode()


def _replace(text: str, spans: Sequence[Span], filename: str) -> tuple[str, tuple[Edit, ...]]:
    ordered = sorted(spans, key=lambda span: (span.start, span.end))
    for one, other in pairwise(ordered):
        if one.end > other.start or (one.start, one.end) == (other.start, other.end):
            raise InputError(f"Two changes touch the same place of {filename}.", hint="Make one change a criterion.")
    edits = tuple(Edit(span.start, text[span.start : span.end], span.new) for span in ordered)
    for span in reversed(ordered):
        text = text[: span.start] + span.new + text[span.end :]
    return text, edits


def _text(raw: bytes, filename: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{filename} is not UTF-8 (byte {error.start}).",
            hint="Save it as UTF-8: an official text must not depend on a guess.",
        ) from None
