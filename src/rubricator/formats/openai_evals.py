"""OpenAI evals: model-graded specifications (`evals/registry/modelgraded`) and graders, `multi` with its formula."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rubricator.core.formula import Formula
from rubricator.core.rows import to_number
from rubricator.core.rubric import Criterion, Rubric, Scale
from rubricator.formats.content import Content
from rubricator.formats.logged import as_text
from rubricator.formats.reading import Found, described, structured

_GRADERS: Final = {"multi", "score_model", "label_model", "string_check", "text_similarity", "python"}


def _specs(value: Any) -> dict[str, Mapping[str, Any]]:
    if not isinstance(value, Mapping) or not value:
        return {}
    specs = {str(name): spec for name, spec in value.items() if isinstance(spec, Mapping)}
    graded = all("prompt" in spec and {"choice_strings", "choice_scores"} & set(spec) for spec in specs.values())
    return specs if graded and len(specs) == len(value) else {}


def _read_specs(content: Content) -> tuple[Rubric, list[Found]]:
    found = []
    scales: set[Scale | None] = set()
    for name, spec in _specs(content.value).items():
        scores, choices = spec.get("choice_scores"), spec.get("choice_strings")
        if isinstance(scores, Mapping):
            scales.add(_between(scores.values()))
            choices = [f"{choice}: {score}" for choice, score in scores.items()]
        else:
            scales.add(_between(choices or ()) if scores == "from_strings" else None)
            choices = f"Choices: {choices}" if isinstance(choices, str) else choices
        text = described({"prompt": as_text(spec["prompt"]), "choices": choices}, "prompt", "choices")
        found.append(Found(Criterion(name, text)))
    notes = ("The specifications have different scales.",) if len(scales) > 1 else ()
    return Rubric(content.stem, (), next(iter(scales)) if len(scales) == 1 else None, notes=notes), found


def _between(points: Iterable[Any]) -> Scale | None:
    """The scale from the lowest to the highest of what choices count; None where they count nothing or all the same."""
    numbers = [number for number in map(to_number, points) if number is not None]
    return Scale(min(numbers), max(numbers)) if numbers and min(numbers) < max(numbers) else None


def _is_grader(value: Any) -> bool:
    return isinstance(value, Mapping) and str(value.get("type")) in _GRADERS


def _grader(value: Any) -> Mapping[str, Any] | None:
    inner = value.get("grader") if isinstance(value, Mapping) else None
    return next((found for found in (value, inner) if _is_grader(found)), None)


def _read_graders(content: Content) -> tuple[Rubric, list[Found]]:
    grader = _grader(content.value) or {}
    name = str(grader.get("name") or content.stem)
    if grader["type"] != "multi":
        return Rubric(name, (), _range(grader)), [Found(Criterion(name, _rule(grader)))]
    graders = grader.get("graders")
    named = graders if isinstance(graders, Mapping) else {}
    found = [Found(Criterion(str(key), _rule(inner))) for key, inner in named.items() if isinstance(inner, Mapping)]
    formula = str(grader.get("calculate_output") or "").strip()
    Formula.parse(formula)
    return Rubric(name, (), Scale(0, 1), "formula", formula), found


def _rule(grader: Mapping[str, Any]) -> str:
    """What a grader looks at, in its own words."""
    given = {
        "input": as_text(grader.get("input")),
        "rule": " ".join(str(grader[k]) for k in ("operation", "evaluation_metric", "reference") if grader.get(k)),
        "labels": grader.get("labels"),
        "passing": f"Passing: {', '.join(map(str, grader['passing_labels']))}" if grader.get("passing_labels") else "",
        "source": grader.get("source"),
    }
    return described(given, "input", "rule", "labels", "passing", "source")


def _range(grader: Mapping[str, Any]) -> Scale:
    ends = grader.get("range")
    numbers = [to_number(end) for end in ends] if isinstance(ends, list) else []
    if len(numbers) == 2 and None not in numbers:  # noqa: PLR2004 - two ends
        return Scale(*numbers)  # type: ignore[arg-type]
    return Scale(0, 1)


OPENAI_SPECS: Final = structured(
    "openai_modelgraded", "OpenAI evals, model-graded", lambda v: bool(_specs(v)), _read_specs
)
OPENAI_GRADERS: Final = structured(
    "openai_grader", "OpenAI graders", lambda value: _grader(value) is not None, _read_graders
)
