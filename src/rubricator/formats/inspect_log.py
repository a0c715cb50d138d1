"""Inspect: a log as score log, and the scorers that it records as the rubric they stand for.

`.json` logs and `.eval` archives (`header.json`, `samples/*.json`, Zstandard since 2026) are read by their documented
layout, which takes no `inspect_ai`. Values become numbers as Inspect's `value_to_float` makes them: C 1, P 0.5, I and N
0. NaN is how Inspect writes that a sample was not scored.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from backports.zstd import zipfile

from rubricator.core.rows import to_number
from rubricator.core.rubric import Criterion, Rubric
from rubricator.errors import InputError
from rubricator.formats.content import Content
from rubricator.formats.logged import LogFormat, Logged, Outcome, shown, without_total
from rubricator.formats.reading import Found, RubricFormat, numbered

_LETTERS: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS: Final = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_MOST_PART: Final = 64 << 20
_MOST_WHOLE: Final = 1 << 30
_MOST_PARTS: Final = 100_000
_ATTACHMENT: Final = "attachment://"
_EDITED: Final = "{} of the scores were edited after the run; the edited ones count."


def _header(content: Content) -> Mapping[str, Any] | None:
    """The log without its samples, or None for another file."""
    if content.is_zip:
        with _archive(content) as archive:
            name = next((n for n in ("header.json", "_journal/start.json") if n in archive.namelist()), None)
            found = _part(archive, name) if name else None
    else:
        found = content.json
    is_log = isinstance(found, Mapping) and isinstance(found.get("eval"), Mapping) and "task" in found["eval"]
    return found if is_log else None


def _samples(content: Content) -> Iterator[Any]:
    """The samples; None for one that can't be read."""
    if not content.is_zip:
        yield from content.json.get("samples") or ()
        return
    with _archive(content) as archive:
        names = [name for name in archive.namelist() if name.startswith("samples/") and name.endswith(".json")]
        spent = 0
        for name in names:
            if spent > _MOST_WHOLE:
                raise InputError(f"{content.filename} unpacks to more than 1 GiB.", hint="Split the log.")
            spent += archive.getinfo(name).file_size
            yield _part(archive, name)


def _archive(content: Content) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(io.BytesIO(content.raw))
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise InputError(f"{content.filename} is a damaged archive: {error}.", hint="Export the log again.") from None
    if len(archive.infolist()) > _MOST_PARTS:
        raise InputError(f"{content.filename} holds more than {_MOST_PARTS} files.", hint="Split the log.")
    return archive


def _part(archive: zipfile.ZipFile, name: str) -> Any:
    """The JSON of one file of an archive, None where it is damaged. The size that it says it has is not relied on."""
    try:
        with archive.open(name) as file:
            raw = file.read(_MOST_PART + 1)
    except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, ValueError, NotImplementedError):
        return None
    except Exception as error:
        if type(error).__module__.partition(".")[0] in {"zlib", "lzma", "_lzma", "bz2", "backports"}:
            return None
        raise
    if len(raw) > _MOST_PART:
        return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _rubric(content: Content) -> Rubric:
    header = _header(content) or {}
    task = str(header["eval"].get("task") or content.stem)
    scorers = header["eval"].get("scorers") or []
    results = header.get("results") if isinstance(header.get("results"), Mapping) else {}
    recorded = {
        str(s.get("name")): s.get("options") or s.get("params") or {}
        for s in (*(results or {}).get("scores", ()), *scorers)
        if isinstance(s, Mapping) and s.get("name")
    }
    first = next((s for s in _samples(content) if isinstance(s, Mapping) and s.get("scores")), None)
    found = []
    for name, score in (first or {}).get("scores", {}).items():
        text = _options(recorded.get(name) or {})
        value = score.get("value") if isinstance(score, Mapping) else None
        parts = [str(key) for key in value] if isinstance(value, Mapping) else []
        found += [Found(Criterion(part, text)) for part in parts] or [Found(Criterion(str(name), text))]
    found = found or [Found(Criterion(name, _options(options))) for name, options in recorded.items()]
    if not found:
        raise InputError(f"{content.filename} is an Inspect log without a scorer.", hint="Score it: inspect score.")
    notes = ("The texts are the options that the log records of its scorers; their prompts are in the task's code.",)
    return Rubric(task, tuple(entry.criterion for entry in numbered(found)), format="inspect", notes=notes)


def _options(options: Any) -> str:
    given = options.items() if isinstance(options, Mapping) else ()
    return "\n".join(f"{key}: {value}" for key, value in given)


def _log(content: Content, notes: list[str]) -> Iterator[Outcome]:
    header = _header(content) or {}
    created = str(header["eval"].get("created") or "")
    edited = 0
    for sample in _samples(content):
        if not isinstance(sample, Mapping):
            yield "it can't be read"
            continue
        scores = sample.get("scores")
        if sample.get("error") or not isinstance(scores, Mapping) or not scores:
            yield "it was not scored, or failed"
            continue
        edited += sum(bool(s.get("history")) for s in scores.values() if isinstance(s, Mapping))
        when = _edited_at(scores) or str(sample.get("completed_at") or created)
        name = f"sample {sample.get('id')}"
        epochs = f", epoch {sample.get('epoch')}" if sample.get("epoch") not in {None, 1} else ""
        found = without_total(f"{name}{epochs}", _values(scores), notes, scored_at=when, group=name)
        if found is None:
            yield "it was not scored"
            continue
        yield Logged(found, _text(sample))
    if edited:
        notes.append(_EDITED.format(edited))


def _values(scores: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a sample's scores by scorer; by key where a scorer gives several."""
    found: dict[str, float] = {}
    for name, score in scores.items():
        value = score.get("value") if isinstance(score, Mapping) else score
        parts = value.items() if isinstance(value, Mapping) else [(name, value)]
        for key, part in parts:
            number = _to_float(part)
            label = str(key) if str(key) not in found else f"{name}: {key}"
            if number is not None:
                found[label] = number
    return found


def _to_float(value: Any) -> float | None:
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and value in _LETTERS:
        return _LETTERS[value]
    if isinstance(value, str) and value.casefold() in _WORDS:
        return _WORDS[value.casefold()]
    number = to_number(value)
    return None if number is None or math.isnan(number) else number


def _edited_at(scores: Mapping[str, Any]) -> str:
    """When a score was last edited by hand, by the provenance of the edits."""
    times = [
        str(edit["provenance"].get("timestamp") or "")
        for score in scores.values()
        if isinstance(score, Mapping)
        for edit in score.get("history") or ()
        if isinstance(edit, Mapping) and isinstance(edit.get("provenance"), Mapping)
    ]
    return max(times, default="")


def _text(sample: Mapping[str, Any]) -> str:
    attachments = sample.get("attachments")
    kept = attachments if isinstance(attachments, Mapping) else {}
    output = sample.get("output")
    choices = output.get("choices") if isinstance(output, Mapping) else None
    message = choices[0].get("message") if isinstance(choices, list) and choices else None
    answer = message.get("content") if isinstance(message, Mapping) else None
    return shown(_attached(sample.get("input"), kept), _attached(answer, kept))


def _attached(value: Any, kept: Mapping[str, Any]) -> Any:
    """`value` with what was moved out of it put back."""
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        return kept.get(value.removeprefix(_ATTACHMENT), value)
    if isinstance(value, list):
        return [_attached(entry, kept) for entry in value]
    if isinstance(value, Mapping):
        return {key: _attached(entry, kept) for key, entry in value.items()}
    return value


def _is_log(content: Content) -> bool:
    return _header(content) is not None


INSPECT: Final = RubricFormat("inspect", "Inspect, the scorers of a log", _is_log, _rubric)
INSPECT_LOG: Final = LogFormat("inspect", "Inspect's logs, .eval and .json", _is_log, _log)
