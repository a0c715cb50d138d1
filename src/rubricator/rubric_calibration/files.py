"""Rubric files and score logs by themselves, without an evaluator around them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rubricator.adapters.score_log_file import read_scores
from rubricator.core.rubric import Rubric
from rubricator.core.rubric_lint import RubricFault, lint_rubric
from rubricator.core.scores import ScoreLog
from rubricator.errors import InputError, RefusedError
from rubricator.formats.rubric_files import read_rubric
from rubricator.formats.writing import write_rubric


class RubricFiles:
    """Reads and converts rubric files, and reads score logs. `ranked` gives the score logs of open passes."""

    def __init__(self, ranked: Callable[[], dict[Path, str]]) -> None:
        self._ranked = ranked

    def rubric(self, path: Path, *, format: str | None = None) -> Rubric:
        """The rubric in a file, whatever its format. Raises InputError for a file that is none."""
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise InputError(f"{path} can't be read: {error.strerror}.", hint="Check the path.") from error
        return read_rubric(raw, path.name, format=format)

    def convert(self, path: Path, to: str, *, format: str | None = None) -> tuple[str, list[str]]:
        """The rubric of a file as a new file in the format `to`, and what that format does not keep."""
        return write_rubric(self.rubric(path, format=format), to)

    def lint(self, path: Path, *, format: str | None = None) -> list[RubricFault]:
        """What in a rubric will surprise its owner."""
        return lint_rubric(self.rubric(path, format=format))

    def scores(self, path: Path, *, format: str | None = None) -> ScoreLog:
        """The score log in a file. Raises RefusedError while its artifacts are being ranked blind."""
        session = self._ranked().get(path.resolve())
        if session is not None:
            raise RefusedError(
                f"{path.name} is the score log of {session}, whose ranking is not committed.",
                hint="Rank first, or decline: `rubricator calibrate decline`.",
            )
        return read_scores(path, format=format)
