"""Exports of tracing tools, which keep scores one by one beside what was asked and answered.

Langfuse (scores and traces of its API), LangSmith (runs with feedback), Phoenix (spans with evaluations) and MLflow
(evaluation tables and traces with assessments), by their documentation; none makes a total.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from rubricator.formats.content import Content
from rubricator.formats.logged import LogFormat, Logged, Outcome, shown, without_total
from rubricator.formats.rows import rows

Row = Mapping[str, Any]


def _rows(content: Content) -> list[Row]:
    """The records of an export: a list, a page of an API (`data`), an MLflow table, JSON lines, or a table."""
    if content.delimiter:
        return [row for _, row in rows(content)]
    value = content.json
    if isinstance(value, Mapping) and isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        columns = [str(column) for column in value["columns"]]
        return [dict(zip(columns, row, strict=False)) for row in value["data"] if isinstance(row, list)]
    for key in ("data", "traces", "runs"):
        if isinstance(value, Mapping) and isinstance(value.get(key), list):
            value = value[key]
    if isinstance(value, list):
        return [row for row in value if isinstance(row, Mapping)]
    if isinstance(value, Mapping):
        return [value]
    return [row for _, row in rows(content) if isinstance(row, Mapping)]


def _format(
    name: str, title: str, matches: Callable[[Row], bool], named: Callable[[list[Row]], Iterator[tuple[Any, ...]]]
) -> LogFormat:
    """A format whose `named` gives artifact, scores by name, time, what was asked and what was answered."""

    def told(content: Content) -> bool:
        whole = content.json is not None
        first = next(iter(_rows(content)) if whole else (row for _, row in rows(content)), None)
        return isinstance(first, Mapping) and matches(first)

    def read(content: Content, notes: list[str]) -> Iterator[Outcome]:
        for artifact, scores, when, asked, answered in named(_rows(content)):
            scoring = without_total(str(artifact), scores, notes, scored_at=str(when or ""))
            if scoring is None:
                yield "it has no score that is a number"
                continue
            yield Logged(scoring, shown(_parsed(asked), _parsed(answered)))

    return LogFormat(name, title, told, read)


def _parsed(value: Any) -> Any:
    """What a cell holds; tables keep nested values as JSON."""
    if isinstance(value, str) and value[:1] in "{[":
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _langfuse(rows: list[Row]) -> Iterator[tuple[Any, ...]]:
    """Scores, a row each, put together by trace; or traces with their `scores`."""
    traces: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for row in rows:
        if isinstance(row.get("scores"), list):
            scores = {str(s.get("name")): s.get("value") for s in row["scores"] if isinstance(s, Mapping)}
            yield row.get("id"), scores, row.get("timestamp"), row.get("input"), row.get("output")
        elif row.get("traceId") and row.get("dataType") != "CATEGORICAL":
            key = f"{row['traceId']}/{row['observationId']}" if row.get("observationId") else str(row["traceId"])
            scores, times = traces.setdefault(key, ({}, []))
            scores[str(row.get("name"))] = row.get("value")
            times.append(str(row.get("timestamp") or row.get("createdAt") or ""))
    for key, (scores, times) in traces.items():
        yield key, scores, max(times, default=""), None, None


def _langsmith(rows: list[Row]) -> Iterator[tuple[Any, ...]]:
    for row in rows:
        scores: dict[str, Any] = {
            str(key): stats.get("avg") for key, stats in _mapping(row.get("feedback_stats")).items()
            if isinstance(stats, Mapping)
        }  # fmt: skip
        given = _mapping(row.get("evaluation_results")).get("results") or row.get("feedback") or ()
        for entry in given if isinstance(given, list) else ():
            if isinstance(entry, Mapping):
                scores[str(entry.get("key"))] = entry.get("score")
        scores |= {key.removeprefix("feedback."): value for key, value in row.items() if key.startswith("feedback.")}
        run = _mapping(row.get("run")) or row
        yield run.get("id"), scores, run.get("end_time"), run.get("inputs"), run.get("outputs")


def _phoenix(rows: list[Row]) -> Iterator[tuple[Any, ...]]:
    for row in rows:
        scores = {
            key.removeprefix("eval.").removesuffix(".score"): value
            for key, value in row.items()
            if key.startswith("eval.") and key.endswith(".score")
        }
        for entry in row.get("annotations") or () if isinstance(row.get("annotations"), list) else ():
            if isinstance(entry, Mapping):
                scores[str(entry.get("name"))] = _mapping(entry.get("result")).get("score", entry.get("score"))
        asked = row.get("attributes.input.value", row.get("input"))
        answered = row.get("attributes.output.value", row.get("output"))
        yield row.get("context.span_id") or row.get("span_id"), scores, row.get("end_time"), asked, answered


def _mlflow(rows: list[Row]) -> Iterator[tuple[Any, ...]]:
    for number, row in enumerate(rows):
        info = _mapping(row.get("info"))
        scores = {
            key.removesuffix("/score").removesuffix("/v1").removesuffix("/value"): value
            for key, value in row.items()
            if key.endswith(("/score", "/value"))
        }
        for entry in info.get("assessments") or row.get("assessments") or ():
            if isinstance(entry, Mapping):
                feedback = _mapping(entry.get("feedback"))
                name = entry.get("assessment_name") or entry.get("name")
                scores[str(name)] = feedback.get("value", entry.get("value"))
        key = info.get("trace_id") or row.get("trace_id") or row.get("request_id") or f"row {number + 1}"
        asked = row.get("inputs", row.get("request", info.get("request_preview")))
        answered = row.get("outputs", row.get("predictions", row.get("response", info.get("response_preview"))))
        yield key, scores, info.get("request_time"), asked, answered


def _mapping(value: Any) -> Mapping[str, Any]:
    found = _parsed(value)
    return found if isinstance(found, Mapping) else {}


def _is_langfuse(row: Row) -> bool:
    scores = row.get("scores")
    listed = isinstance(scores, list) and all(isinstance(s, Mapping) and "name" in s and "value" in s for s in scores)
    return {"traceId", "name", "value"} <= set(row) or (listed and "id" in row)


def _is_langsmith(row: Row) -> bool:
    return any(key in row for key in ("feedback_stats", "evaluation_results")) or any(
        key.startswith("feedback.") for key in row
    )


def _is_phoenix(row: Row) -> bool:
    scored = any(key.startswith("eval.") and key.endswith(".score") for key in row)
    return scored or ("context.span_id" in row and "annotations" in row)


def _is_mlflow(row: Row) -> bool:
    scored = any(key.endswith(("/v1/score", "/value")) for key in row)
    return scored or "assessments" in row or "assessments" in _mapping(row.get("info"))


TRACE_LOGS: Final = (
    _format("langfuse", "Langfuse's scores and traces", _is_langfuse, _langfuse),
    _format("langsmith", "LangSmith's runs with feedback", _is_langsmith, _langsmith),
    _format("phoenix", "Phoenix's spans with evaluations", _is_phoenix, _phoenix),
    _format("mlflow", "MLflow's evaluation tables and traces", _is_mlflow, _mlflow),
)
