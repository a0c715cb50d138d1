"""Rubric files: one entrance for reading and for editing in place, whatever the format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, Self

from rubricator.core.rubric import Rubric, criterion_id
from rubricator.errors import InputError
from rubricator.formats.autorubric import AUTORUBRIC
from rubricator.formats.content import Content, well_formed
from rubricator.formats.deepeval import DEEPEVAL
from rubricator.formats.edits import Span
from rubricator.formats.healthbench import HEALTHBENCH
from rubricator.formats.inspect_log import INSPECT
from rubricator.formats.openai_evals import OPENAI_GRADERS, OPENAI_SPECS
from rubricator.formats.plain_markdown import PLAIN_MARKDOWN
from rubricator.formats.plexus_score import PLEXUS_SCORE
from rubricator.formats.prometheus import PROMETHEUS
from rubricator.formats.promptfoo import PROMPTFOO
from rubricator.formats.reading import RubricFormat, named_after
from rubricator.formats.rubric_spec import RUBRIC_SPEC
from rubricator.formats.strangers import stranger
from rubricator.formats.vault_rubric import VAULT
from rubricator.formats.vault_yaml import VAULT_YAML

_SNIFFED: Final = (
    VAULT,
    PLAIN_MARKDOWN,
    PROMPTFOO,
    INSPECT,
    RUBRIC_SPEC,
    HEALTHBENCH,
    AUTORUBRIC,
    PROMETHEUS,
    OPENAI_GRADERS,
    OPENAI_SPECS,
    PLEXUS_SCORE,
    DEEPEVAL,
    VAULT_YAML,
)
"""In this order: the first that knows a file has it."""
FORMATS: Final = {format.name: format for format in _SNIFFED}
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


def format_of(content: Content, format: str | None = None) -> RubricFormat:
    """The format of a rubric file: the one that is named, else the first that knows the content.

    Raises InputError for an unknown name, or saying what the file is instead.
    """
    if format is not None:
        if format not in FORMATS:
            raise InputError(f"{format!r} is no rubric format.", hint=f"There are: {', '.join(FORMATS)}.")
        return FORMATS[format]
    found = next((known for known in _SNIFFED if known.matches(content)), None)
    if found is None:
        raise InputError(
            f"{content.filename} is in no rubric format that is known{stranger(content)}.",
            hint=f"Known are: {', '.join(FORMATS)}. Name one to force it.",
        )
    return found


def read_rubric(raw: bytes, filename: str, *, format: str | None = None) -> Rubric:
    """The rubric in a file's content. Raises InputError, naming the place, for what can't be read as one."""
    content = Content(raw, filename)
    return _read(format_of(content, format), content)


def edit_rubric(raw: bytes, filename: str, changes: Sequence[Change], *, format: str | None = None) -> Edited:
    """The file with `changes` made and every other byte as it was.

    The result is read again, and must be the rubric with just these changes. Raises InputError where a criterion is not
    there, two changes touch one place, or the file's form does not allow the change.
    """
    content = Content(raw, filename)
    chosen = format_of(content, format)
    rubric = _read(chosen, content)
    if chosen.spans is None:
        raise InputError(
            f"{filename} can't be edited in place: {chosen.title} is read, and not written.",
            hint="Make the change by hand, where the rubric is kept.",
        )
    wanted = rubric
    spans: list[Span] = []
    for change in changes:
        if rubric.criterion(change.criterion) is None:
            raise InputError(
                f"{filename} has no criterion {change.criterion!r}.", hint="Look at the rubric's headings."
            )
        spans += chosen.spans(content, change)
        wanted = changed(wanted, change)
    edited, edits = _replace(content.text, spans, filename)
    result = (_BOM * raw.startswith(_BOM.encode()) + edited).encode()
    again = _read(chosen, Content(result, filename))
    if again.version != _renamed(wanted, rubric, again).version:
        raise InputError(
            f"{filename} can't be edited in place: the result would read otherwise than was approved.",
            hint="Make the change by hand.",
        )
    return Edited(result, edits)


def _renamed(wanted: Rubric, before: Rubric, after: Rubric) -> Rubric:
    """What is wanted, with the new names of criteria that are named after their text, and whose text changed."""
    names = {c.id for c in before.criteria if named_after(c.text) in c.name}
    pairs = zip(wanted.criteria, after.criteria, strict=False)
    renamed = tuple(replace(c, name=a.name) if c.id in names and c.text == a.text else c for c, a in pairs)
    return replace(wanted, criteria=renamed) if len(wanted.criteria) == len(after.criteria) else wanted


def _read(chosen: RubricFormat, content: Content) -> Rubric:
    with well_formed(content, chosen.title):
        return chosen.read(content)


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
    text = Content(content, filename).text
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
