"""Authority from local files: `<Score Stem>.md` is the rubric, `<Score Stem>.yaml` its version record."""

from __future__ import annotations

import datetime as dt
import errno
from pathlib import Path
from typing import Any

import yaml

from rubricator.adapters import tree
from rubricator.core.authority import Authority, make_authority
from rubricator.errors import AuthorityError

_RECORD_KEYS = ("name", "key", "id", "externalId", "version", "championVersionId", "parent", "description")


class FileAuthority:
    """Resolves the rubric of a score from the files beside its knowledge base."""

    def __init__(self, cache_dir: Path) -> None:
        self._cache_dir = cache_dir

    def resolve(self, scorecard: str, score: str) -> Authority:
        """The authority of one score. Raises AuthorityError where the rubric is missing, empty or no text."""
        folder = tree.scorecard_folder(self._cache_dir, scorecard)
        stem = tree.score_stem(folder, score)
        rubric_path = folder / f"{stem}{tree.RUBRIC_SUFFIX}"
        record, notes = read_record(folder / f"{stem}{tree.RECORD_SUFFIX}")
        try:
            rubric = _content(rubric_path).decode("utf-8-sig")
        except FileNotFoundError:
            raise AuthorityError(
                f"{scorecard} / {score} has no rubric: {rubric_path} does not exist.",
                hint="No citation context exists without authority: pull or write the rubric first.",
            ) from None
        except UnicodeDecodeError as error:
            raise AuthorityError(
                f"The rubric {rubric_path} is not UTF-8 (byte {error.start}).",
                hint="Save it as UTF-8: an official text must not depend on a guess.",
            ) from None
        except OSError as error:
            raise AuthorityError(
                f"The rubric {rubric_path} can't be read: {error.strerror}.", hint="Check its permissions."
            ) from error
        return make_authority(
            scorecard=scorecard, score=score, rubric=rubric, source=rubric_path.name, metadata=record, diagnostics=notes
        )


def read_record(path: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A score's version record and what is wrong with it. A record that can't be read is empty, with a diagnostic."""
    try:
        value = yaml.load(_content(path), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - safe
    except FileNotFoundError:
        return {}, (f"{path.name} does not exist: the version of the rubric is not known.",)
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
        return {}, (f"{path.name} can't be read as YAML ({_first_line(error)}): the version is not known.",)
    if not isinstance(value, dict):
        return {}, (f"{path.name} is not a mapping: the version of the rubric is not known.",)
    # Scalars only: a nest of aliases is small in the file and endless when written out.
    return {
        key: value[key] if isinstance(value[key], str | int | float) else str(value[key])
        for key in _RECORD_KEYS
        if isinstance(value.get(key), str | int | float | dt.date)
    }, ()


def _content(path: Path) -> bytes:
    """What a regular file holds. Opening a pipe would wait for somebody to write into it."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "not a regular file")
    return path.read_bytes()


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
