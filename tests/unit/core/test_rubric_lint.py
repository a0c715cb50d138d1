"""What a rubric's own text and weights give away."""

from __future__ import annotations

import pytest

from rubricator.core.rubric import Criterion, Rubric, Scale
from rubricator.core.rubric_lint import lint_rubric

GOOD = "5: all of it. 1: none of it."


def rules(*criteria: Criterion, **more) -> list[tuple[str, str]]:
    rubric = Rubric("r", criteria, more.pop("scale", Scale(1, 5)), **more)
    return [(fault.rule, fault.criterion) for fault in lint_rubric(rubric)]


def test_a_rubric_without_faults_has_none() -> None:
    assert rules(Criterion("A", f"Steps are named. {GOOD}"), Criterion("B", f"It is kind. {GOOD}")) == []


@pytest.mark.parametrize(
    ("criteria", "more", "found"),
    [
        ([Criterion("A", GOOD)], {"scale": None}, [("no-scale", "")]),
        ([Criterion("A", f"x {GOOD}", 0), Criterion("B", f"y z {GOOD}", 2)], {}, [("weight-cannot-matter", "A")]),
        ([Criterion("A", f"x {GOOD}", 1), Criterion("B", f"y z v {GOOD}", 999)], {}, [("weight-cannot-matter", "A")]),
        ([Criterion("A", f"x {GOOD}", 0)], {"aggregate": "minimum"}, []),
        ([Criterion("A", f"x {GOOD}", -1)], {}, [("negative-weight", "A")]),
        ([Criterion("A", f"x {GOOD}", -1)], {"aggregate": "points"}, []),
        ([Criterion("A", "")], {}, [("no-text", "A")]),
        (
            [Criterion("A", f"The reply names it. {GOOD}"), Criterion("B", f"The reply names that. {GOOD}")],
            {},
            [("duplicate", "B")],
        ),
        ([Criterion("Tone and depth", f"x {GOOD}")], {}, [("several-things", "Tone and depth")]),
        ([Criterion("Sandy", f"x {GOOD}")], {}, []),
        ([Criterion("A", f"It must a. It should b. It must c. It never d. {GOOD}")], {}, [("several-things", "A")]),
        ([Criterion("A", "It is kind.")], {}, [("no-anchors", "A")]),
        ([Criterion("A", "x\n\n- 1: none\n- 7: all")], {}, [("level-outside-scale", "A")]),
        ([Criterion("A", "x\n\n- 1-3: none\n- 3-5: all")], {}, [("levels-overlap", "A")]),
        ([Criterion("A", "x\n\n- 1-2: none\n- 3-5: all")], {}, []),
        ([Criterion("A", "It is kind.")], {"scale": Scale(0, 1)}, []),
        ([Criterion("A", "It is kind.\n\n- 5: always\n- 1: never")], {}, []),
        (
            [Criterion("A", GOOD, 2), Criterion("B", f"x y {GOOD}")],
            {"aggregate": "formula", "formula": "max(a, 1)"},
            [("weight-cannot-matter", "A"), ("weight-cannot-matter", "B")],
        ),
        ([Criterion("A", GOOD, 2)], {"aggregate": "formula", "formula": "a * weight_a"}, []),
    ],
)  # fmt: skip
def test_each_fault_is_found_where_it_is(criteria, more, found) -> None:
    assert rules(*criteria, **more) == found


def test_a_fault_says_what_to_do() -> None:
    fault = lint_rubric(Rubric("r", (Criterion("A", ""),), Scale(1, 5)))[0].to_json()
    assert set(fault) == {"rule", "criterion", "message", "fix"}
    assert all(fault.values())
