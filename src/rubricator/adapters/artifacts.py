"""Reading artifacts as text, each at most once; one that can't be read costs only itself."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from rubricator.adapters.evaluators import Evaluator
from rubricator.adapters.score_log_file import texts_in_log

_MOST_BYTES: Final = 20 << 20


@dataclass(frozen=True, slots=True)
class _Read:
    text: str
    sha256: str
    reason: str | None


class Artifacts:
    """The artifacts of an evaluator by the names that its score log has for them."""

    def __init__(self, place: Evaluator) -> None:
        self._place = place
        self._read: dict[str, _Read] = {}
        self._first: dict[str, str] = {}

    def reason(self, artifact: str) -> str | None:
        """Why an artifact can't be shown, or None. One with the content of an earlier asked one is a duplicate."""
        read = self._get(artifact)
        if read.reason:
            return read.reason
        first = self._first.setdefault(read.sha256, artifact)
        return None if first == artifact else f"same content as {first}"

    def text(self, artifact: str) -> str:
        """An artifact's text, empty where it can't be read."""
        return self._get(artifact).text

    def digest(self, artifact: str) -> str:
        """The SHA-256 of an artifact's content."""
        return self._get(artifact).sha256

    def _get(self, artifact: str) -> _Read:
        if artifact not in self._read:
            in_log = artifact in self._texts or bool(self._place.columns and self._place.columns.text)
            self._read[artifact] = self._from_log(artifact) if in_log else self._from_file(artifact)
        return self._read[artifact]

    @cached_property
    def _texts(self) -> dict[str, str]:
        """What the log itself has of the artifacts: peers' logs often carry them."""
        place = self._place
        if place.kind != "configured" or (place.columns and not place.columns.text):
            return {}
        return texts_in_log(place.scores_path, place.columns, place.scores_format)

    def _from_log(self, artifact: str) -> _Read:
        text = self._texts.get(artifact, "")
        return _read(text, text.encode("utf-8", "surrogatepass"))

    def _from_file(self, artifact: str) -> _Read:
        base = self._place.base.resolve()
        try:
            path = (base / artifact).resolve()
            if not path.is_relative_to(base):
                return _Read("", "", "it lies outside the evaluator's folder")
            if not path.is_file():
                return _Read("", "", "missing on disk")
            if path.stat().st_size > _MOST_BYTES:
                return _Read("", "", "larger than 20 MiB")
            content = path.read_bytes()
        except (OSError, ValueError, RuntimeError) as error:
            return _Read("", "", f"it can't be read: {_why(error)}")
        if path.suffix.lower() in {".md", ".markdown", ".txt", ""}:
            try:
                return _read(content.decode("utf-8-sig"), content)
            except UnicodeDecodeError:
                pass
        return _extracted(content, path)


def _why(error: Exception) -> str:
    """The reason without the file's name. RuntimeError is pathlib's word for a circle of links up to Python 3.12."""
    if isinstance(error, RuntimeError):
        return "its links run in a circle"
    return getattr(error, "strerror", None) or "its name is no path"


def _extracted(content: bytes, path: Path) -> _Read:
    """The text of an artifact in another format, by the readers of rubric memory."""
    from rubricator.adapters.text import Extractor

    with Extractor() as extractor:
        extraction = extractor.read(content, path.name)
    text = "\n\n".join(document.text for document in extraction.documents)
    if not text.strip() and extraction.skipped:
        return _Read("", hashlib.sha256(content).hexdigest(), extraction.skipped[0].reason)
    return _read(text, content)


def _read(text: str, content: bytes) -> _Read:
    return _Read(text, hashlib.sha256(content).hexdigest(), None if text.strip() else "empty")
