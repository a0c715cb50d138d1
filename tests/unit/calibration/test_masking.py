"""What looks like a score is masked; what doesn't stays."""

from __future__ import annotations

import pytest

from rubricator.calibration.masking import MASK, mask


@pytest.mark.parametrize(
    "text",
    """Score: 4.8
score = 4.8317
**Score**: 4.9
4.9/5
4.9 / 5.0
4.9 out of 5
9/10
rated it 4.9
an overall rating of 4.8
{"score": 4.9}
★★★★☆
⭐️⭐️⭐️
scored 87%
Hook: 5
Hook — 4.5
<!-- eval score=4.9 -->
Overall — 4.5
scored a 4.9
Grade: 95
got 4.83 points
5 stars
img-4.8317.png
x=4%2E8317
４．８３１７
4,8317
Total: 19
quality=4.8""".splitlines(),
)
def test_a_score_is_masked(text) -> None:
    masked = mask(text, [4.8317], ["Hook"])

    assert MASK in masked.text
    assert not any(c.isdigit() for c in masked.text.replace("５", "5"))
    assert sum(count for _, count in masked.counts()) == len(masked.traces) >= 1


@pytest.mark.parametrize(
    "text",
    """24/7
5 kg
1/2 cup
2026-11-02
v4.9
4.9 million
on 9/10/2026
chapter 4.8
a score of musicians
he scored twice
a total of 12 people
The rate is 5%
at 10:30
marks & spencer
point 3 of the plan
5 out of 7 days
a quality product for 20 years""".splitlines(),
)
def test_a_number_that_is_no_score_stays(text) -> None:
    assert mask(text, [4.8317, 5, 3], ["Hook"]).text == text


def test_front_matter_fields_of_scores_go_and_others_stay() -> None:
    masked = mask(
        "---\ntitle: Five\nrating: five\nevaluation:\n  hook: high\nHook: good\n---\nBody of 5 words.\n", [], ["Hook"]
    )

    assert "title: Five" in masked.text
    assert "Body of 5 words." in masked.text
    assert "high" not in masked.text
    assert "rating" not in masked.text
    assert "good" not in masked.text


def test_number_cells_go_only_in_tables_of_scores() -> None:
    scores, prices = "| Item | Score |\n|---|---|\n| x | 4.9 |", "| Item | Price |\n|---|---|\n| x | 4.9 |"

    assert "4.9" not in mask(scores).text
    assert mask(prices).text == prices


def test_a_trace_says_where_and_what() -> None:
    (trace,) = mask("one\ntwo Score: 4.9 three").traces

    assert (trace.line, trace.text) == (2, "Score: 4.9")
