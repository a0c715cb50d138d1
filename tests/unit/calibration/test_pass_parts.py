"""Sampling, packet, seal, ledger, due and log: the parts of a pass, one by one."""

from __future__ import annotations

import itertools
import json
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricator.calibration import ledger
from rubricator.calibration.due import due, learning_events
from rubricator.calibration.interpretation import caveat, confidence, needed, strength
from rubricator.calibration.levels import levels
from rubricator.calibration.log import render_log, sparkline, trend
from rubricator.calibration.masking import Masked
from rubricator.calibration.packet import BlindPacket, excerpt, make_packet, unread, words
from rubricator.calibration.ranking import Ranking
from rubricator.calibration.sampling import band_of, informative_choice, sample, top_band
from rubricator.calibration.score_range import dead_weight, repeatability, score_range
from rubricator.calibration.sealing import seal, verify_seal
from rubricator.calibration.totals import SubScores
from rubricator.core.rubric import Criterion, Rubric, Scale
from rubricator.core.scores import ScoreLog, Scoring
from rubricator.errors import InputError

SCALE = Scale(1, 5)
RUBRIC = Rubric("r", (Criterion("Hook", "h"), Criterion("Depth", "d", 2.0)), SCALE)


def log_of(*scores: float, criteria: bool = True) -> ScoreLog:
    return ScoreLog.collect(
        Scoring(f"a{n}", s, {"Hook": s, "Depth": 6 - s} if criteria else {}, f"2026-01-{n % 28 + 1:02d}")
        for n, s in enumerate(scores)
    )


def test_the_band_reaches_a_tenth_of_the_width_down() -> None:
    assert top_band(log_of(5, 4.7, 4.6, 4.59, 3), SCALE, 3).artifacts == ("a0", "a1", "a2")


def test_a_thin_band_takes_the_next_highest_with_all_that_tie() -> None:
    assert band_of(np.array([5, 4, 4, 3.0]), SCALE, 2) == [0, 1, 2]


@pytest.mark.parametrize("mode", ["stratified", "informative"])
def test_a_sample_is_seeded_and_passes_over_with_reasons(mode) -> None:
    log = log_of(*[5 - n / 100 for n in range(40)])
    band = top_band(log, SCALE, 5)

    def usable(artifact: str) -> str | None:
        return "missing on disk" if int(artifact[1:]) % 2 else None

    one, two = (sample(band, log, RUBRIC, 5, 9, mode, usable) for _ in range(2))

    assert one == two
    assert len(one.artifacts) == 5
    assert all(int(a[1:]) % 2 == 0 for a in one.artifacts)
    assert all(reason == "missing on disk" for _, reason in one.passed_over)
    assert sample(band, log, RUBRIC, 5, 10, "stratified", usable).artifacts != one.artifacts


def test_a_large_log_whose_artifacts_are_all_missing_is_told_soon() -> None:
    """Each artifact is asked about once, and refusals order nothing anew: half a second, not half an hour."""
    log = log_of(*[5 - n % 100 / 1000 for n in range(30_000)])
    asked: list[str] = []
    started = time.process_time()

    found = sample(top_band(log, SCALE, 5), log, RUBRIC, 5, 0, "stratified", lambda a: asked.append(a) or "missing")

    assert time.process_time() - started < 5
    assert found.artifacts == ()
    assert len(found.passed_over) == len(asked) == len(set(asked)) == 30_000


def test_a_stratified_sample_spreads_over_the_scores() -> None:
    log = log_of(*[5 - n / 100 for n in range(40)])

    for seed in range(20):
        chosen = sample(top_band(log, SCALE, 5), log, RUBRIC, 5, seed, "stratified", lambda _: None).artifacts
        assert len({int(a[1:]) // 8 for a in chosen}) >= 4


def test_an_informative_sample_tells_criteria_apart() -> None:
    flat = np.tile([0.2, 0.2, 0.2], (30, 1))
    flat[3], flat[11], flat[20] = [0.4, 0.2, 0.2], [0.2, 0.4, 0.2], [0.2, 0.2, 0.4]

    assert set(informative_choice(flat, 3, seed=1)) == {3, 11, 20}


@pytest.mark.parametrize("n", [2, 13, 0, -1])
def test_samples_have_three_to_twelve(n) -> None:
    with pytest.raises(InputError, match="not possible"):
        sample(top_band(log_of(5, 4, 3), SCALE, 3), log_of(5, 4, 3), RUBRIC, n, 0, "stratified", lambda _: None)


def test_too_few_make_a_smaller_sample_that_says_so() -> None:
    log = log_of(5, 4.9, 4.8)

    found = sample(top_band(log, SCALE, 5), log, RUBRIC, 5, 0, "stratified", lambda _: None)

    assert len(found.artifacts) == 3
    assert found.notes == ("Only 3 artifacts could be shown, not 5.",)


def test_a_long_packet_is_shown_in_excerpts_and_says_so() -> None:
    long = "\n\n".join(f"Paragraph {n}. " + "word " * 120 for n in range(30))
    packet, labels = make_packet("s", {"long": Masked(long, ()), "short": Masked("a short one", ())}, seed=1)
    by_name = {labels[a.label]: a for a in packet.artifacts}

    assert packet.reading_minutes <= 15.5
    assert by_name["long"].excerpt
    assert "left out" in by_name["long"].text
    assert by_name["long"].text.startswith("Paragraph 0.")
    assert not by_name["short"].excerpt
    assert "shown as excerpts" in packet.notes[-1]
    assert BlindPacket.from_json(json.loads(json.dumps(packet.to_json()))) == packet


@given(st.text(max_size=2000), st.integers(1, 100))
def test_an_excerpt_is_never_much_longer_than_asked(text, most) -> None:
    short = excerpt(text, most)

    assert short == text or words(short) <= most + 8 * 4


def test_words_are_counted_in_scripts_without_spaces_too() -> None:
    assert words("It's a well-known thing") == 4
    assert words("読むのに時間") == 3


def test_nobody_reads_seven_hundred_words_a_minute() -> None:
    assert unread(700, 59)
    assert not unread(700, 61)


@given(st.permutations([("a", 4.8317), ("b", 4.2), ("c", 3.0)]))
def test_a_seal_holds_whatever_the_order_and_breaks_with_any_score(rows) -> None:
    scorings = [Scoring(a, s, {"Hook": s}) for a, s in rows]
    sealed = seal("salt", [Scoring(a, s, {"Hook": s}) for a, s in [("a", 4.8317), ("b", 4.2), ("c", 3.0)]])

    assert verify_seal(sealed, "salt", scorings)
    assert not verify_seal(sealed, "other", scorings)
    assert not verify_seal(sealed, "salt", [*scorings[:2], Scoring(scorings[2].artifact, 1.0, {"Hook": 1.0})])


def chain(*types: str) -> list[ledger.Event]:
    events: list[ledger.Event] = []
    for n, kind in enumerate(types):
        last = events[-1] if events else None
        events.append(ledger.following(last, type=kind, at=f"2026-01-0{n + 1}", session="s", data={"n": n}))
    return events


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("altered", lambda lines: [lines[0].replace('"n":0', '"n":1'), *lines[1:]]),
        ("removed", lambda lines: [lines[0], *lines[2:]]),
        ("moved", lambda lines: [lines[1], lines[0], *lines[2:]]),
        ("doubled", lambda lines: [lines[0], lines[0], *lines[1:]]),
        ("garbage", lambda lines: [lines[0], "{", *lines[1:]]),
        ("first gone", lambda lines: lines[1:]),
        ("field added", lambda lines: [lines[0].replace('{"at"', '{"approved_by":"me","at"'), *lines[1:]]),
        ("field twice", lambda lines: [lines[0].replace('{"n":0}', '{"n":9,"n":0}'), *lines[1:]]),
        ("data no map", lambda lines: [lines[0].replace('{"n":0}', "[0]"), *lines[1:]]),
        ("schema", lambda lines: [lines[0].replace('"schema":1', '"schema":7'), *lines[1:]]),
        ("no number", lambda lines: [lines[0].replace('{"n":0}', '{"n":NaN}'), *lines[1:]]),
        ("list", lambda lines: [*lines, "[]"]),
    ],
)
def test_a_ledger_that_was_meddled_with_is_noticed(name, change) -> None:
    lines = [event.line() for event in chain("pass_started", "ranking_committed", "pass_result")]

    assert ledger.read(lines)[1] == []
    assert ledger.read(change(lines))[1], name


@pytest.mark.parametrize("field", ["schema", "seq", "type", "at", "session", "data", "prev", "hash"])
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
def test_a_line_of_odd_values_is_a_problem_and_stops_nothing(field, value) -> None:
    line = json.dumps(json.loads(chain("pass_started")[0].line()) | {field: value})

    events, problems = ledger.read([line])

    assert problems
    assert ledger.entries(events) == []


def test_what_utf8_cannot_write_stops_no_ledger() -> None:
    event = ledger.following(None, type="pass_halted", at="", session="s", data={"reason": "half \ud800 a pair"})

    assert event.data["reason"] == "half ? a pair"
    assert ledger.read([event.line().encode().decode()]) == ([event], [])


def test_later_types_of_events_are_passed_over() -> None:
    (entry,) = ledger.entries(chain("pass_started", "something_new", "pass_closed"))

    assert entry["state"] == "closed"


@pytest.mark.parametrize(("sha", "outcome"), [("new", "applied"), ("old", "abandoned"), ("other", "conflict")])
def test_an_intention_without_a_deed_is_decided_by_the_file(sha, outcome) -> None:
    intent = ledger.following(
        None, type="change_intended", at="", session="s", data={"before_sha256": "old", "after_sha256": "new"}
    )

    assert ledger.recover([intent], sha) == (intent, outcome)
    deed = ledger.following(intent, type="changes_applied", at="", session="s", data={})
    assert ledger.recover([intent, deed], sha) is None


def test_learning_events_name_what_changed_and_never_the_calendar() -> None:
    then = RUBRIC
    now = Rubric("r", (Criterion("Hook", "h, and more", 3.0), Criterion("Tone", "t")), SCALE)

    kinds = [(event.kind, event.criterion) for event in learning_events(then, now)]

    assert kinds == [("weight", "Hook"), ("reworded", "Hook"), ("added", "Tone"), ("removed", "Depth")]
    assert learning_events(then, then) == []
    assert due("x", then, then, since="2020-01-01")["due"] is False
    assert due("x", None, now, since=None)["reason"] == "There was no pass yet."


def test_the_log_shows_drift_over_time() -> None:
    passes = [
        {"session": f"s{n}", "date": f"2026-0{n + 1}-01", "finding": "drift", "n": 8, "kendall_tau_b": tau,
         "predicted": None, "changes": [], "drivers": [{"criterion": "Hook", "probability": 0.9}], "reverted": False,
         "inversions": 2}
        for n, tau in enumerate([-0.9, 0.95])
    ]  # fmt: skip

    assert trend(passes)["direction"] == "up"
    assert trend(passes[:1])["direction"] is None
    assert trend([{**p, "n": 4} for p in passes])["direction"] == "unclear"
    assert trend([{**passes[0], "n": 5, "kendall_tau_b": 0.6}, {**passes[1], "n": 5, "kendall_tau_b": 1.0}])[
        "direction"
    ] == "unclear"  # fmt: skip
    page = render_log("letters", passes)
    assert page.index("2026-02-01") < page.index("2026-01-01")
    assert "| 0.95 |" in page
    assert sparkline([-1, 0, 1, None]) == "▁▅█·"


@pytest.mark.parametrize("n", [3, 4, 5, 6])
@pytest.mark.parametrize("tau", [1.0, 0.4, 0.0, -0.4, -1.0])
def test_the_interval_of_a_trend_is_that_of_plain_enumeration(n, tau) -> None:
    """Under the model's order at either end, a tau as far out as this one has a chance of 2.5%."""
    (point,) = trend([{"date": "", "n": n, "kendall_tau_b": tau}])["kendall_tau_b"]
    pairs = n * (n - 1) // 2
    counts = np.array(
        [sum(a > b for a, b in itertools.combinations(order, 2)) for order in itertools.permutations(range(n))]
    )

    def mean_and_chance(order: float) -> tuple[float, float]:
        weights = np.exp(-order * counts)
        weights /= weights.sum()
        inverted = np.ceil((1 - tau) / 2 * pairs - 1e-9)
        return 1 - 2 * float(weights @ counts) / pairs, float(weights[counts <= inverted].sum())

    assert point["low"] <= tau <= point["high"]
    if tau == -1:
        assert point["low"] == -1
    else:
        grid = [mean_and_chance(order) for order in np.linspace(-6, 6, 1201)]
        assert point["low"] == pytest.approx(next(mean for mean, chance in grid if chance > 0.025), abs=0.01)
    assert point["low"] == -trend([{"date": "", "n": n, "kendall_tau_b": -tau}])["kendall_tau_b"][0]["high"]


def test_a_reason_makes_no_heading_in_the_log() -> None:
    (entry,) = ledger.entries(chain("pass_halted"))

    assert "\n## forged" not in render_log("letters", [{**entry, "reason": "no\n\n## forged"}])


def test_scores_close_together_are_compressed() -> None:
    assert score_range([4.8, 4.85, 4.9, 4.9, 2], SCALE).compressed
    assert not score_range([4.8, 4.85, 4.9, 3, 2], SCALE).compressed
    spread = score_range([1, 5, 5, 5], SCALE)
    assert (spread.levels, spread.share_in_top_band, spread.min, spread.max) == (2, 0.75, 1, 5)
    assert score_range([], SCALE).sd is None


def test_repeated_scores_give_the_repeatability_and_the_newest_counts() -> None:
    log = ScoreLog.collect(
        [Scoring("a", 4.0, scored_at="2026-02-01"), Scoring("a", 5.0, scored_at="2026-01-01"), Scoring("b", 3.0)]
    )

    assert log.newest["a"].score == 4.0
    assert log.repeats == {"a": (5.0, 4.0)}
    assert repeatability(log).sd == pytest.approx(0.5**0.5)
    assert repeatability(log_of(1, 2)).sd is None


def test_dead_weight_is_named_with_its_reason() -> None:
    made = Rubric(
        "r", (Criterion("Same", ""), Criterion("Tiny", "", 0.001), Criterion("Big", "", 5), Criterion("None", ""))
    )
    table = SubScores.of(made, [{"Same": 3, "Tiny": n % 2, "Big": n} for n in range(5)])

    assert dict(dead_weight(made, table, 1e-6)) == {
        "Same": "its sub-score is the same for every artifact",
        "Tiny": "taking it out changes the order of no pair",
        "None": "no artifact has a sub-score on it",
    }


def test_float_noise_neither_makes_nor_breaks_a_tie() -> None:
    assert levels([0.1 + 0.2, 0.3, 0.30001], 4e-6) == [0, 0, 1]


@pytest.mark.parametrize(("n", "tau"), [(3, None), (4, None), (5, 1.0), (6, 0.866667), (7, 0.714286)])
def test_the_tau_that_is_beyond_chance(n, tau) -> None:
    assert needed(n) == (None if tau is None else pytest.approx(tau, abs=1e-5))


def test_figures_say_what_they_cannot() -> None:
    assert "only a perfect match is beyond chance" in caveat(5, 0.2)
    assert "not even a perfect match" in caveat(4, None)
    assert (confidence(5, 0.2), confidence(5, 0.016), confidence(12, 0.001)) == ("low", "medium", "high")
    assert strength(None) == "undefined"


@pytest.mark.parametrize(
    "given_ranking",
    [None, {}, [], [["A"]], [["A", "B"], ["B"]], [["A"], ["B"], ["Z"]], [[]], [["A"], ["B"], 3], "AB"],
)
def test_a_ranking_names_every_label_once(given_ranking) -> None:
    with pytest.raises(InputError):
        Ranking.parse(given_ranking, ["A", "B"])


def test_a_ranking_orders_its_pairs() -> None:
    ranking = Ranking.parse([["C"], ["A", "B"], "D"], "ABCD")

    assert set(ranking.preferences()) == {("A", "C"), ("B", "C"), ("D", "C"), ("D", "A"), ("D", "B")}
    assert ranking.positions("ABCD") == [1, 1, 0, 2]
