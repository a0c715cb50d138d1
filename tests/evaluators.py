"""Evaluators to try passes on: made in a few lines, with an owner whose values are known."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

CRITERIA = {"Hook": 1.0, "Clarity": 1.0, "Depth": 1.0, "Voice": 1.0, "Numbers": 4.0}
WORDS = "river stone lamp walks slowly over the old bridge while a quiet town wakes".split()


def prose(number: int, words: int = 110) -> str:
    """A text of its own for each number."""
    return f"# Piece {number}\n\n" + " ".join(WORDS[(number * 7 + n * (number + 3)) % len(WORDS)] for n in range(words))


def write_evaluator(
    workspace: Path,
    rows: Sequence[Mapping[str, float]],
    *,
    name: str = "letters",
    criteria: Mapping[str, float] = CRITERIA,
    totals: Sequence[float] | None = None,
    text: Callable[[int], str] = prose,
) -> Path:
    """Write an evaluator whose artifacts have the sub-scores `rows`; totals are the weighted mean unless given."""
    folder = workspace / "evaluators" / name
    (folder / "artifacts").mkdir(parents=True)
    parts = [f"---\nname: {name}\nscale: [1, 5]\naggregate: weighted_mean\n---\n\n# Rubric\n"]
    parts += [f"\n## {c}\n- weight: {w:g}\n\nWhat {c} means, in the owner's own words.\n" for c, w in criteria.items()]
    (folder / "rubric.md").write_text("".join(parts), encoding="utf-8")
    lines = []
    for number, row in enumerate(rows):
        (folder / "artifacts" / f"a{number:02d}.md").write_text(text(number), encoding="utf-8")
        total = totals[number] if totals else weighted_mean(row, criteria)
        at = f"2026-10-{number % 28 + 1:02d}T08:00:00+00:00"
        line: dict[str, Any] = {"artifact": f"artifacts/a{number:02d}.md", "score": total, "scored_at": at}
        lines.append(json.dumps(line | ({"criteria": dict(row)} if row else {})))
    (folder / "scores.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def weighted_mean(row: Mapping[str, float], criteria: Mapping[str, float]) -> float:
    """The total that the rubric gives, in plain Python."""
    return sum(criteria[key] * row[key] for key in criteria) / sum(criteria.values())


def drifted_rows() -> list[dict[str, float]]:
    """Five artifacts in the top band, of which `Numbers` puts two pairs the wrong way round, and a tail."""
    top = [
        (4.0, 4.0, 4.0, 4.0, 5.0),
        (4.5, 4.5, 4.5, 4.5, 4.75),
        (5.0, 5.0, 5.0, 4.5, 4.0),
        (3.5, 3.5, 3.5, 3.5, 5.0),
        (3.0, 3.0, 3.5, 3.0, 5.0),
    ]
    tail = [(2.0 + n % 3 * 0.5, 2.0, 1.5 + n % 2, 3.0, 1.0 + n % 4 * 0.5) for n in range(12)]
    return [dict(zip(CRITERIA, row, strict=True)) for row in (*top, *tail)]


def owner_value(row: Mapping[str, float]) -> float:
    """What the owner values: everything but `Numbers`."""
    return sum(value for key, value in row.items() if key != "Numbers")


def by_text(folder: Path) -> dict[str, int]:
    """The number of each artifact by its first line, which no label gives away."""
    found = {}
    for path in sorted((folder / "artifacts").iterdir()):
        found[path.read_text(encoding="utf-8").splitlines()[0]] = int(path.stem[1:])
    return found


def groups_by(values: Mapping[str, float]) -> list[list[str]]:
    """Labels as a ranking, worst first, equal values tied."""
    return [[label for label, v in values.items() if v == value] for value in sorted(set(values.values()))]


NARROWED = "What Numbers means, in the owner's own words, where a reader can use it."


def judgement(request: Mapping[str, Any]) -> dict[str, Any]:
    """What a model might answer about `Numbers`, to either of the two questions of a pass."""
    if "smallest change to one criterion" in str(request["messages"]):
        return {"action": "narrow", "proposed_text": NARROWED, "weight": None, "rationale": "Figures alone are noise."}
    return {"criterion": "Numbers", "quote": "What Numbers means", "explanation": "Only figures tell them apart."}
