"""DeepEval: G-Eval metrics as rubrics, test runs as score logs.

A metric has `criteria`, `evaluation_steps` and a `rubric` of score ranges. One metric gives one score from all of its
steps, so each step is a criterion; of several metrics, each is one. DeepEval makes no total of several metrics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rubricator.core.rubric import Criterion, Rubric, Scale
from rubricator.formats.content import Content
from rubricator.formats.logged import LogFormat, Logged, Outcome, shown, without_total
from rubricator.formats.reading import Found, described, named_after, numbered, structured


def _metrics(value: Any) -> list[Mapping[str, Any]]:
    entries = value.get("metrics") if isinstance(value, Mapping) and "metrics" in value else value
    listed = entries if isinstance(entries, list) else [entries]
    wanted = [m for m in listed if isinstance(m, Mapping) and (_steps(m) or isinstance(m.get("criteria"), str))]
    return wanted if wanted and len(wanted) == len(listed) else []


def _steps(metric: Mapping[str, Any]) -> list[str]:
    steps = metric.get("evaluation_steps") or metric.get("evaluationSteps")
    return [str(step) for step in steps] if isinstance(steps, list) else []


def _ranges(metric: Mapping[str, Any]) -> str:
    entries = [entry for entry in metric.get("rubric") or () if isinstance(entry, Mapping)]
    lines = []
    for entry in entries:
        span = entry.get("score_range") or entry.get("scoreRange") or ()
        bounds = "-".join(dict.fromkeys(str(end) for end in span)) if isinstance(span, list | tuple) else str(span)
        lines.append(f"- {bounds}: {entry.get('expected_outcome') or entry.get('expectedOutcome')}")
    return "\n".join(lines)


def _read(content: Content) -> tuple[Rubric, list[Found]]:
    metrics = _metrics(content.value)
    if len(metrics) == 1 and _steps(metrics[0]):
        metric = metrics[0]
        found = [Found(Criterion(named_after(step), step)) for step in _steps(metric)]
        notes = ("G-Eval gives one score for all steps: there are no sub-scores to attribute a difference by.",)
        return Rubric(str(metric.get("name") or content.stem), (), Scale(0, 1), notes=notes), numbered(found)
    found = []
    for metric in metrics:
        fields = {"criteria": metric.get("criteria"), "steps": _steps(metric), "ranges": _ranges(metric)}
        name = str(metric.get("name") or named_after(str(metric.get("criteria") or "")))
        found.append(Found(Criterion(name, described(fields, "criteria", "steps", "ranges"))))
    whole = content.value.get("name") if isinstance(content.value, Mapping) else None
    return Rubric(str(whole or content.stem), (), Scale(0, 1)), numbered(found)


def _cases(value: Any) -> list[Any] | None:
    for key in ("testCases", "test_cases", "test_results"):
        cases = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(cases, list) and any(isinstance(case, Mapping) and _data(case) for case in cases):
            return cases
    return None


def _data(case: Mapping[str, Any]) -> list[Any]:
    found = case.get("metricsData") or case.get("metrics_data")
    return found if isinstance(found, list) else []


def _log(content: Content, notes: list[str]) -> Iterator[Outcome]:
    for number, case in enumerate(_cases(content.json) or ()):
        if not isinstance(case, Mapping):
            yield "it is no JSON object"
            continue
        scores = {str(m.get("name")): m.get("score") for m in _data(case) if isinstance(m, Mapping)}
        name = str(case.get("name") or f"test case {number + 1}")
        scoring = without_total(name, scores, notes)
        if scoring is None:
            yield "no metric gave a score"
            continue
        yield Logged(scoring, shown(case.get("input"), case.get("actualOutput") or case.get("actual_output")))


DEEPEVAL: Final = structured("deepeval", "DeepEval's G-Eval metrics", lambda value: bool(_metrics(value)), _read)
DEEPEVAL_LOG: Final = LogFormat(
    "deepeval", "DeepEval's test runs", lambda content: _cases(content.json) is not None, _log
)
