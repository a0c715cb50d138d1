"""Finding the evaluators of a workspace: the vault's folders, `rubricator.toml`, and scores with a score log."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from rubricator.adapters import tree
from rubricator.adapters.score_log_file import newest_time, read_scores
from rubricator.core.rubric import Rubric, Scale
from rubricator.core.scores import ScoreLog
from rubricator.errors import InputError, NoCriteriaError, RubricatorError
from rubricator.formats import edits
from rubricator.formats.rubric_files import read_rubric
from rubricator.formats.score_logs import Columns
from rubricator.settings import CONFIGURATION

Kind = Literal["vault", "configured", "plexus"]

SCORES_SUFFIX: Final = ".scores.jsonl"
_VAULT_RUBRICS: Final = ("rubric.md", "rubric.yaml", "rubric.yml")
_KEYS: Final = {"rubric", "scores", "artifacts", "format", "scores_format", "columns", "scale"}
_COLUMN_KEYS: Final = {"artifact", "score", "criteria", "scored_at", "rubric", "group", "text"}
_USUAL_SCALES: Final = ((0, 1), (1, 5), (0, 5), (1, 10), (0, 10), (0, 100))
_RECENT: Final = 3


@dataclass(frozen=True)
class Evaluator:
    """Where an evaluator's files are. Artifact paths in its log are relative to `base`.

    `scale` is the configured one, for rubrics that state none; `columns` say how to read a log that isn't the vault's.
    `format` and `scores_format` force the formats of the two files, which are otherwise told by their content.
    """

    name: str
    kind: Kind
    rubric_path: Path
    scores_path: Path
    base: Path
    calibration_dir: Path
    columns: Columns | None = None
    format: str | None = None
    scale: Scale | None = None
    scores_format: str | None = None

    def scores(self, *, upto: int | None = None) -> ScoreLog:
        """The score log, or the part of it that lies before byte `upto`."""
        return read_scores(self.scores_path, self.columns, format=self.scores_format, upto=upto)

    def read(self, raw: bytes) -> Rubric:
        """The rubric in the file's content, with the configured scale where it states none.

        A score's rubric is free text, and may mark no criteria: then nothing can be attributed, but agreement can.
        """
        try:
            rubric = read_rubric(raw, self.rubric_path.name, format=self.format)
        except NoCriteriaError:
            if self.kind != "plexus":
                raise
            rubric = Rubric(self.name, ())
        named = replace(rubric, name=self.name) if rubric.name in {"rubric", self.rubric_path.stem} else rubric
        return replace(named, scale=named.scale or self.scale)


@dataclass(frozen=True)
class Evaluators:
    """The evaluators that were found, and what was passed over in looking for them."""

    places: tuple[Evaluator, ...]
    diagnostics: tuple[str, ...]

    def find(self, name: str) -> Evaluator:
        """The evaluator of that name; a score may be named without its scorecard where that is enough.

        Raises InputError for an unknown or an ambiguous name.
        """
        exact = [place for place in self.places if place.name == name]
        short = [place for place in self.places if place.name.rpartition(" / ")[2] == name]
        found = exact or short
        if len(found) == 1:
            return found[0]
        if found:
            raise InputError(
                f"{name!r} could be {', '.join(place.name for place in found)}.", hint="Give the whole name."
            )
        raise InputError(f"There is no evaluator {name!r}.", hint=self._known(name))

    def most_recent(self) -> Evaluator:
        """The evaluator with the newest scored artifact: among the logs written last, the latest `scored_at`."""
        if not self.places:
            raise InputError("There is no evaluator here.", hint=self._known(""))
        if len(self.places) == 1:
            return self.places[0]
        by_file = sorted(self.places, key=lambda place: -newest_time(place.scores_path))
        return max(by_file[:_RECENT], key=lambda place: (_newest_scored(place), newest_time(place.scores_path)))

    def _known(self, name: str) -> str:
        names = [place.name for place in self.places]
        if not names:
            return (
                "An evaluator is a folder evaluators/<name>/ with rubric.md and scores.jsonl, or an entry of "
                f"{CONFIGURATION}. `rubricator demo calibrate` makes one to try."
                + (f" Passed over: {' '.join(self.diagnostics)}" if self.diagnostics else "")
            )
        near = difflib.get_close_matches(name, names, n=1)
        return (f"Did you mean {near[0]!r}? " if near else "") + f"There are: {', '.join(names)}."


def discover(directory: Path, scorecards: Path) -> Evaluators:
    """All evaluators of a workspace. One that is broken is passed over and named."""
    places: list[Evaluator] = []
    notes: list[str] = []
    root = directory / "evaluators"
    for folder in sorted(root.iterdir()) if root.is_dir() else []:
        rubric = next((folder / name for name in _VAULT_RUBRICS if (folder / name).is_file()), None)
        if rubric:
            log = next((p for p in (folder / "scores.jsonl", folder / "scores.csv") if p.is_file()), None)
            places.append(
                Evaluator(folder.name, "vault", rubric, log or folder / "scores.jsonl", folder, folder / "calibration")
            )
    for name, entry in _configured(directory, notes).items():
        try:
            places.append(_from_entry(directory, name, entry))
        except RubricatorError as error:
            notes.append(f"{CONFIGURATION}, evaluators.{name}: {error.message}")
    for scorecard in tree.scorecards(scorecards):
        folder = scorecards / scorecard
        for log in sorted(folder.glob(f"*{SCORES_SUFFIX}")):
            stem = log.name.removesuffix(SCORES_SUFFIX)
            rubric = folder / f"{stem}{tree.RUBRIC_SUFFIX}"
            if not rubric.is_file():
                notes.append(f"{log} was passed over: there is no rubric {rubric.name} beside it.")
                continue
            places.append(
                Evaluator(
                    f"{scorecard} / {stem}",
                    "plexus",
                    rubric,
                    log,
                    folder,
                    folder / f"{stem}.calibration",
                    format="vault",
                )
            )
    seen: dict[str, Evaluator] = {}
    for place in places:
        if place.name in seen:
            notes.append(f"{place.rubric_path} was passed over: {place.name!r} is an evaluator already.")
        else:
            seen[place.name] = place
    return Evaluators(tuple(seen.values()), tuple(notes))


def scale_of(rubric: Rubric, log: ScoreLog) -> tuple[Scale, str]:
    """The rubric's scale; where it states none, the smallest usual one that holds all scores, with a note."""
    if rubric.scale:
        return rubric.scale, ""
    scores = [scoring.score for scoring in log.newest.values()]
    low, high = min(scores), max(scores)
    for start, end in _USUAL_SCALES:
        if start <= low and high <= end:
            return Scale(start, end), f"The rubric states no scale; {start} to {end} was assumed."
    try:
        return Scale(low, high), "The rubric states no scale; the range of the log was assumed."
    except InputError:  # its message would tell a score
        raise InputError(
            "The rubric states no scale, and the logged scores suggest none.",
            hint="Write one into its front matter, such as scale: [1, 5].",
        ) from None


def _newest_scored(place: Evaluator) -> str:
    try:
        log = place.scores()
    except InputError:
        return ""
    return max((scoring.scored_at for scoring in log.newest.values()), default="")


def _configured(directory: Path, notes: list[str]) -> Mapping[str, Any]:
    path = directory / CONFIGURATION
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get("evaluators", {})
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        notes.append(f"{path} can't be read: {error}.")
        return {}
    if not isinstance(found, dict):
        notes.append(f"{path}: `evaluators` is not a table. Write [evaluators.<name>].")
        return {}
    return found


def _from_entry(directory: Path, name: str, entry: Any) -> Evaluator:
    if not isinstance(entry, dict):
        raise InputError("it is not a table.", hint=f"Write [evaluators.{name}].")
    if strange := sorted(set(entry) - _KEYS):
        raise InputError(f"{', '.join(strange)} is not a key.", hint=f"Keys are {', '.join(sorted(_KEYS))}.")
    paths = {}
    for key in ("rubric", "scores"):
        if not isinstance(entry.get(key), str):
            raise InputError(f"`{key}` is missing.", hint="Give the file's path.")
        paths[key] = directory / entry[key]
    artifacts = entry.get("artifacts")
    rubric = paths["rubric"]
    return Evaluator(
        name,
        "configured",
        rubric,
        paths["scores"],
        directory / artifacts if isinstance(artifacts, str) else paths["scores"].parent,
        rubric.parent / f"calibration-{name}",
        _columns(entry.get("columns")),
        entry.get("format"),
        edits.scale(entry.get("scale"), "scale"),
        entry.get("scores_format"),
    )


def _columns(given: Any) -> Columns | None:
    if given is None:
        return None
    if not isinstance(given, dict):
        raise InputError("`columns` is not a table.", hint='Write columns = { artifact = "id", score = "total" }.')
    if strange := sorted(set(given) - _COLUMN_KEYS):
        raise InputError(f"columns: {', '.join(strange)} is not a key.", hint=f"Keys are {', '.join(_COLUMN_KEYS)}.")
    criteria = given.get("criteria")
    rest: dict[str, Any] = {key: str(value) for key, value in given.items() if key != "criteria"}
    if isinstance(criteria, str):
        return Columns(**rest, criteria_in=criteria)
    if isinstance(criteria, list):
        return Columns(**rest, criteria={str(name): str(name) for name in criteria})
    if isinstance(criteria, dict):
        return Columns(**rest, criteria={str(name): str(column) for name, column in criteria.items()})
    return Columns(**rest)
