"""A file's content as the formats look at it: its bytes, its text, and the JSON or YAML that the text holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any, Final

import yaml

from rubricator.errors import InputError

_MOST_NODES: Final = 100_000
_MOST_YAML: Final = 4 << 20
_ZIP: Final = b"PK\x03\x04"
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Content:
    """What a file holds. `filename` is for messages, and for the name of a rubric that has none."""

    raw: bytes
    filename: str

    @property
    def stem(self) -> str:
        """The file's name without its suffix."""
        return PurePath(self.filename).stem

    @property
    def suffix(self) -> str:
        """The file's suffix, in lower case."""
        return PurePath(self.filename).suffix.lower()

    @property
    def is_zip(self) -> bool:
        """Whether the file is a zip archive."""
        return self.raw.startswith(_ZIP)

    @property
    def is_markdown(self) -> bool:
        """Whether the file's name says that it is Markdown or plain text."""
        return self.suffix in {".md", ".markdown", ".txt", ""}

    @property
    def delimiter(self) -> str | None:
        """What stands between the columns, where the file's name says that it is a table."""
        return {".csv": ",", ".tsv": "\t"}.get(self.suffix)

    @property
    def body(self) -> bytes:
        """The bytes without a byte order mark."""
        return self.raw.removeprefix(_BOM)

    @cached_property
    def text(self) -> str:
        """The text. Raises InputError unless it is UTF-8: an official text must not depend on a guess."""
        try:
            return self.raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(
                f"{self.filename} is not UTF-8 (byte {error.start}).",
                hint="Save it as UTF-8: an official text must not depend on a guess.",
            ) from None

    @cached_property
    def json(self) -> Any:
        """The JSON that the text is, or None."""
        try:
            return None if self.is_zip else json.loads(self.body)
        except (ValueError, RecursionError):
            return None

    @cached_property
    def value(self) -> Any:
        """The JSON or YAML that the text is; None for other kinds of file. Raises InputError for broken YAML."""
        if self.json is not None:
            return self.json
        other = self.is_zip or self.is_markdown or self.delimiter or self.suffix in {".jsonl", ".ndjson"}
        return None if other else self._yaml[1]

    @property
    def root(self) -> Any:
        """The YAML node of the whole text."""
        return self._yaml[0]

    @cached_property
    def _yaml(self) -> tuple[Any, Any]:
        if len(self.raw) > _MOST_YAML:
            raise InputError(f"{self.filename} is no JSON, and too large for YAML.", hint="Check the file.")
        try:
            root = yaml.compose(self.text, Loader=yaml.SafeLoader)
            _count(root, [0])
            return root, yaml.safe_load(self.text)
        except (yaml.YAMLError, ValueError, RecursionError, AttributeError) as error:
            raise InputError(
                f"{self.filename} can't be read as JSON or YAML: {_why(error)}.", hint="Check the file."
            ) from None


@contextmanager
def well_formed(content: Content, title: str) -> Iterator[None]:
    """Reading what `title` writes: where a hostile file has fields of the wrong kind, that is an InputError.

    Nothing of the file is quoted, since what is said of a score log may be read before a ranking is committed.
    """
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        raise InputError(
            f"{content.filename} is not what {title} writes: its fields are of the wrong kind.",
            hint="Check the file, or name its format.",
        ) from None


def _why(error: Exception) -> str:
    """What is wrong with YAML, with the line where that is known."""
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    first = str(problem or error).splitlines() or [""]
    return f"line {mark.line + 1}: {first[0]}" if mark else first[0]


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
