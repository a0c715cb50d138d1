"""What files are that people take for a rubric or a score log, and which are neither: said instead of a shrug."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from typing import Any

from rubricator.formats.content import Content


def stranger(content: Content) -> str:
    """What the file seems to be, as the end of a sentence; empty where nothing is known of it."""
    what = _archive(content) or _table(content) or _value(content)
    return f": it seems to be {what}" if what else ""


def _archive(content: Content) -> str:
    return "a zip archive, and no log of Inspect's" if content.is_zip else ""


def _table(content: Content) -> str:
    if content.delimiter is None:
        return ""
    head = content.raw[:4096].decode("utf-8", "replace").splitlines() or [""]
    try:
        columns = {name.strip() for name in next(csv.reader(head[:1]), [])}
    except csv.Error:
        return ""
    if {"Status", "Score", "Named Scores"} <= columns:
        return "promptfoo's CSV export, which leaves out what each assertion gave; export JSON (-o results.json)"
    if {"input", "expected_output"} <= columns:
        return "DeepEval's goldens: inputs and expected outputs, with nothing scored"
    return f"a table with the columns {', '.join(sorted(columns)[:8])}; a score log of it needs a mapping of columns"


def _value(content: Content) -> str:
    value = content.value
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return _entries(value)
    if not isinstance(value, Mapping):
        return "" if value is None else "no mapping or list of them"
    inner = value.get("results")
    if isinstance(inner, Mapping) and isinstance(inner.get("results"), list):
        return "promptfoo's results without a configuration beside them: a score log, and no rubric"
    if isinstance(value.get("eval"), Mapping):
        return "a log of Inspect's"
    if value and all(isinstance(v, Mapping) and ("class" in v or "metrics" in v) for v in value.values()):
        named = sorted({_spec(v) for v in value.values()} - {""})
        graded = f" (graded by {', '.join(named)})" if named else ""
        return f"OpenAI's registry of evals, which names graded specifications{graded} and holds none"
    return f"a mapping with the keys {', '.join(map(str, list(value)[:8]))}"


def _entries(value: list[Any]) -> str:
    keys = set(value[0])
    if {"input", "expected_output"} <= keys or {"scenario", "expected_outcome"} <= keys:
        return "DeepEval's goldens: inputs and expected outputs, with nothing scored"
    return f"a list of entries with the keys {', '.join(map(str, list(value[0])[:8]))}"


def _spec(entry: Mapping[str, Any]) -> str:
    args = entry.get("args")
    return str(args.get("modelgraded_spec") or "") if isinstance(args, Mapping) else ""
