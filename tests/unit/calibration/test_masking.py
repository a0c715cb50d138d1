"""What looks like a score is masked; what doesn't stays."""

from __future__ import annotations

import time

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
quality=4.8
_Score_: 4
Score → 4
Score => 4
Score ≈ 4
Score (out of all): 4
Score：4
qualityScore: 4
<score>4</score>
<rating value="4"/>
<meta name="score" content="4">
"scores": [5, 4, 3]
87% score
we rated this piece 4.
4½ stars
Grade: A+
nine out of ten
depth_of_insight: 4
Depth-of-Insight (4)
img-04.8317.png
x=4&#x2e;8317
４．８３1７
٤٫٨٣١٧""".splitlines(),
)
def test_a_score_is_masked(text) -> None:
    masked = mask(text, [4.8317], ["Hook", "Depth of insight"])

    assert MASK in masked.text
    assert not any(c.isdigit() for c in masked.text)
    assert "A+" not in masked.text
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
he scored goals in 2012
rated it in 30 minutes
strategies: 5 of them
one out of many
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


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("---\ntitle: x\ngrade: superb\n---\nBody\n", "superb"),
        ("---\nscores:\n- superb\n\n- superb\ntags: [a]\n---\nBody\n", "superb"),
        ("---\n'llmScore': superb\n---\nBody\n", "superb"),
        ("+++\nrating = superb\n+++\nBody\n", "superb"),
        ("| Item | Score |\n|---|---|\n| Style | 7 |\n| Tone | 7 of 9 |\n| Flow | 7% |\n", "7"),
        ("Item | Score\n---|---\nStyle | 7\n", "7"),
        ("Item\tScore\nStyle\t7\n", "7"),
        ("Scores:\n\n- Style: 7\n- Tone: **7**\n", "7"),
    ],
)
def test_fields_tables_and_lists_are_masked_whatever_ends_their_lines(text, secret, end) -> None:
    masked = mask(text.replace("\n", end))

    assert secret not in masked.text
    assert "\r" not in masked.text
    assert any(word in masked.text for word in ("Body", "Item", "Style"))


def test_only_the_fields_that_speak_of_scores_go() -> None:
    text = "---\nscores:\n- 5\ntags: [a]\nstrategy: b\n  deep: c\nupgrade: d\n---\nBody\n"

    assert mask(text).text == text.replace("scores:\n- 5", MASK)


def test_a_weak_word_masks_only_its_own_column() -> None:
    assert mask("| Price | Total |\n|---|---|\n| 7 | 19 |\n").text == (
        f"| Price | Total |\n|---|---|\n| 7 | {MASK} |\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "---\n" + "score scores " * 20_000 + "\n---\n",
        "---\n" + " " * 100_000 + "\n---\n",
        "score" + " " * 100_000,
        "score" + "*" * 100_000,
        "scored a " * 30_000,
        "| score | 4 |\n" * 20_000,
        "|" + "*" * 100_000,
        "score:\n- " + "a" * 200_000,
        "4" * 200_000,
        "★ " * 100_000,
    ],
    ids=range(10),
)
def test_no_text_makes_masking_slow(text) -> None:
    """Each takes a fraction of a second where time grows with length, and minutes where it grows with its square."""
    started = time.process_time()
    mask(text, [4.8317], ["Hook"])

    assert time.process_time() - started < 5


def test_number_cells_go_only_in_tables_of_scores() -> None:
    scores, prices = "| Item | Score |\n|---|---|\n| x | 4.9 |", "| Item | Price |\n|---|---|\n| x | 4.9 |"

    assert "4.9" not in mask(scores).text
    assert mask(prices).text == prices


def test_a_trace_says_where_and_what() -> None:
    (trace,) = mask("one\ntwo Score: 4.9 three").traces

    assert (trace.line, trace.text) == (2, "Score: 4.9")
