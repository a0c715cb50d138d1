"""Passes from Python: what the interfaces build on, with a clock that the test turns."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from tests.evaluators import by_text, drifted_rows, groups_by, write_evaluator

from rubricator.errors import ApprovalError, InputError, InsufficientError, RefusedError
from rubricator.rubric_calibration import RubricCalibration


class Clock:
    """A clock that stands still until it is turned."""

    def __init__(self) -> None:
        self.now = dt.datetime(2026, 12, 1, 9, 0, tzinfo=dt.UTC)

    def __call__(self) -> dt.datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def calibration(tmp_path, clock) -> RubricCalibration:
    write_evaluator(tmp_path, drifted_rows())
    return RubricCalibration(tmp_path, tmp_path / "scorecards", clock=clock)


def rank(calibration, clock, session, value, *, minutes=10) -> None:
    opened = calibration.open_pass(session)
    opened.seen()
    clock.now += dt.timedelta(minutes=minutes)
    place = calibration._evaluators.find(opened.evaluator)
    known = by_text(place.base)
    numbers = {a.label: known[a.text.splitlines()[0]] for a in opened.packet.artifacts}
    opened.commit(groups_by({label: value(n) for label, n in numbers.items()}), {"A": "fine"}, {"A": 30.0, "B": 1e9})


ORDER = {0: 2, 1: 3, 2: 4, 3: 1, 4: 0}


def test_a_pass_that_was_read_is_not_unread_and_keeps_its_times(calibration, clock) -> None:
    session = calibration.start("letters", seed=4)["session"]
    rank(calibration, clock, session, ORDER.get)

    report = calibration.report(session)

    assert report["unread"] is False
    assert report["reading"]["seconds"] == 600
    assert report["reading"]["artifacts"] == {"A": 30.0}, "a time longer than the pass itself is no time"
    assert report["sample"][0]["note"] == "fine"
    assert report["caveat"].startswith("Five artifacts are a direction")


def test_a_page_that_lay_open_overnight_was_not_read(calibration, clock) -> None:
    opened = calibration.open_pass(calibration.start("letters", seed=4)["session"])
    opened.seen()
    clock.now += dt.timedelta(hours=14)
    opened.commit([[a.label] for a in opened.packet.artifacts], seconds=dict.fromkeys("ABCDE", 1.0))

    assert calibration.report(opened.session)["unread"] is True


def test_a_common_number_is_masked_only_where_it_is_the_artifacts_own(tmp_path, clock) -> None:
    totals = [4.9, 4.8, 4.75, 4.65, 4.7]
    write_evaluator(tmp_path, [{}] * 5, totals=totals, text=lambda n: f"# Piece {n}\n\nAbout 4.9 million and 4.75 km.")
    opened = RubricCalibration(tmp_path, tmp_path, clock=clock)
    packet = opened.open_pass(opened.start("letters")["session"]).packet

    texts = {a.text.split()[2]: a.text for a in packet.artifacts}
    assert "4.9" not in texts["0"]
    assert "4.9" in texts["1"]
    assert all("4.75" not in text for text in texts.values())


def test_the_next_pass_shows_other_artifacts_or_says_that_there_are_too_few(tmp_path, clock) -> None:
    rows = [dict.fromkeys(drifted_rows()[0], 4.0 + n % 5 / 5) for n in range(30)]
    write_evaluator(tmp_path, rows)
    calibration = RubricCalibration(tmp_path, tmp_path, clock=clock)
    shown = []
    for _ in range(2):
        session = calibration.start("letters", seed=1)["session"]
        rank(calibration, clock, session, lambda n: n)
        shown.append({row["artifact"] for row in calibration.report(session)["sample"]})
    assert not shown[0] & shown[1]
    few = write_evaluator(tmp_path, drifted_rows()[:5], name="few")
    for number in range(2):
        started = calibration.start("few", seed=1)
        assert any(
            "too few others" in note for note in calibration._store.read(started["session"], "session")["notes"]
        ) == (number == 1)
        rank(calibration, clock, started["session"], lambda n: n)
    assert few.exists()


def test_without_sub_scores_the_pass_completes_and_says_what_it_cannot(tmp_path, clock) -> None:
    write_evaluator(tmp_path, [{}] * 8, totals=[4.9, 4.8, 4.7, 4.6, 4.65, 3, 2, 1])
    calibration = RubricCalibration(tmp_path, tmp_path, clock=clock)
    session = calibration.start("letters", seed=1)["session"]
    rank(calibration, clock, session, lambda n: n)

    report, proposals = calibration.report(session), calibration.propose(session)

    assert report["finding"] == "drift"
    assert "no sub-scores" in report["unattributed"]
    assert all(
        i["attribution"] | {"method": "none", "criterion": None} == i["attribution"] for i in report["inversions"]
    )
    assert proposals["proposals"] == []
    assert "no sub-scores" in proposals["message"]


def test_a_scores_free_rubric_is_an_evaluator_too(tmp_path, clock) -> None:
    card = tmp_path / "scorecards" / "Support QA"
    card.mkdir(parents=True)
    (card / "Greeting.md").write_text("The agent must greet.\n")
    lines = []
    for n in range(5):
        (card / f"call{n}.txt").write_text(f"# Piece {n}\n" + "word " * 30)
        lines.append(json.dumps({"artifact": f"call{n}.txt", "score": [5, 4, 3, 2, 1][n], "criteria": {"x": 1}}))
    (card / "Greeting.scores.jsonl").write_text("\n".join(lines))
    calibration = RubricCalibration(tmp_path, tmp_path / "scorecards", clock=clock)
    session = calibration.start("Greeting")["session"]
    opened = calibration.open_pass(session)
    numbers = {a.label: int(a.text.split()[2]) for a in opened.packet.artifacts}
    opened.commit(groups_by({k: -n for k, n in numbers.items()}))

    report = calibration.report(session)

    assert report["finding"] == "no_calibration_needed"
    assert report["kendall_tau_b"] == 1
    assert (card / "Greeting.calibration" / "LOG.md").exists()


def test_without_git_the_ledger_and_the_dates_are_the_history(tmp_path, clock) -> None:
    folder = write_evaluator(tmp_path, drifted_rows())
    rubric = folder / "rubric.md"
    rubric.write_text(
        rubric.read_text()
        .replace("## Numbers\n", "## Numbers\n- added: 2026-05-01\n")
        .replace("## Hook\n", "## Hook\n- added: 2025-01-01\n")
    )
    calibration = RubricCalibration(tmp_path, tmp_path, clock=clock)
    session = calibration.start("letters", seed=4)["session"]
    rank(calibration, clock, session, ORDER.get)

    report = calibration.report(session)

    assert [entry["at"][:10] for entry in report["revisions"]][:2] == ["2025-01-01", "2026-05-01"]
    assert report["revision_story"].startswith("Agreed (tau-b 1.00) until “Numbers” was added")


def test_two_approved_changes_that_clash_are_refused_and_a_narrowing_needs_words(calibration, clock) -> None:
    session = calibration.start("letters", seed=4)["session"]
    rank(calibration, clock, session, ORDER.get)
    result = calibration._store.read(session, "result")
    (first,) = [p for p in result["proposals"]["proposals"] if p["criterion"] == "Numbers"]
    narrow = {
        **first,
        "id": "p8",
        "action": "narrow",
        "needs_wording": True,
        "criterion": "Voice",
        "criterion_id": "voice",
        "after": {"weight": first["before"]["weight"], "text": None},
    }
    too_far = {**first, "id": "p9", "criterion": "Hook", "criterion_id": "hook", "after": {"weight": 90.0, "text": ""}}
    result["proposals"]["proposals"] = [first, narrow, too_far]
    calibration._store.write(session, "result", result)
    before = (calibration._directory / "evaluators" / "letters" / "rubric.md").read_bytes()

    with pytest.raises(ApprovalError, match="words for that are the owner's"):
        calibration.decide(session, approve=["p8"])
    with pytest.raises(ApprovalError, match="words for that are the owner's"):
        calibration.decide(session, approve=["p8"], edited={"p8": first["before"]["text"]})
    with pytest.raises(InputError, match="no proposal p7"):
        calibration.decide(session, approve=["p7"])
    with pytest.raises(InputError, match="approved and rejected"):
        calibration.decide(session, approve=[first["id"]], reject=[first["id"]])
    assert (calibration._directory / "evaluators" / "letters" / "rubric.md").read_bytes() == before
    done = calibration.decide(session, approve=["p8"], edited={"p8": "New words for voice."})
    assert done["changed"] is True
    assert b"New words for voice." in (calibration._directory / "evaluators" / "letters" / "rubric.md").read_bytes()
    with pytest.raises(RefusedError, match="decided already"):
        calibration.decide(session, approve=[first["id"]])


def test_learning_since_the_last_pass_makes_the_next_one_due(calibration, clock) -> None:
    assert calibration.due("letters")[0]["reason"] == "There was no pass yet."
    session = calibration.start("letters", seed=4)["session"]
    rank(calibration, clock, session, ORDER.get)
    calibration.decide(session, approve=["p1"])
    clock.now += dt.timedelta(days=900)
    assert calibration.due("letters")[0]["due"] is False, "a change that a pass made is no news, and time alone is none"
    rubric = calibration._directory / "evaluators" / "letters" / "rubric.md"
    rubric.write_text(rubric.read_text() + "\n## Warmth\n\nKind words.\n")
    (event,) = calibration.due("letters")[0]["events"]
    assert (event["kind"], event["criterion"]) == ("added", "Warmth")


def test_a_broken_evaluator_costs_the_others_nothing(calibration, tmp_path) -> None:
    (tmp_path / "evaluators" / "broken").mkdir()
    (tmp_path / "evaluators" / "broken" / "rubric.md").write_bytes(b"\xff\xfe")

    found = {entry["evaluator"]: entry for entry in calibration.due()}

    assert found["letters"]["due"] is True
    assert found["broken"]["due"] is None
    assert "not UTF-8" in found["broken"]["reason"]


def test_earlier_rankings_are_held_against_a_change(tmp_path, clock) -> None:
    rows = drifted_rows()
    write_evaluator(tmp_path, rows)
    calibration = RubricCalibration(tmp_path, tmp_path, clock=clock)
    sound = calibration.start("letters", seed=4)["session"]
    total = {n: sum((4 if k == "Numbers" else 1) * v for k, v in row.items()) for n, row in enumerate(rows)}
    rank(calibration, clock, sound, total.get)
    assert calibration.report(sound)["finding"] == "no_calibration_needed"
    calibration.decide(sound)
    session = calibration.start("letters", seed=4)["session"]
    rank(calibration, clock, session, ORDER.get)

    (proposal,) = [p for p in calibration.propose(session)["proposals"] if p["criterion"] == "Numbers"]

    assert {c["session"] for c in proposal["contradicts_earlier"]} == {sound}
    assert len(calibration.log("letters")["trend"]["kendall_tau_b"]) == 2


def test_too_few_artifacts_are_no_pass(tmp_path, clock) -> None:
    folder = write_evaluator(tmp_path, drifted_rows()[:4])
    (folder / "artifacts" / "a00.md").unlink()
    (folder / "artifacts" / "a01.md").write_bytes((folder / "artifacts" / "a02.md").read_bytes())

    with pytest.raises(InsufficientError) as error:
        RubricCalibration(tmp_path, tmp_path, clock=clock).start("letters")
    assert sorted(error.value.hint.split("; ")) == ["1 missing on disk", "1 same content"], (
        "no name: it may hold a score"
    )


def test_a_committed_pass_cannot_be_ranked_again_or_declined(calibration, clock) -> None:
    session = calibration.start("letters", seed=4)["session"]
    first, second = calibration.open_pass(session), calibration.open_pass(session)
    first.commit([[a.label] for a in first.packet.artifacts])

    with pytest.raises(RefusedError):
        second.commit([[a.label] for a in first.packet.artifacts])
    with pytest.raises(RefusedError):
        second.decline()
    with pytest.raises(RefusedError):
        calibration.open_pass(session)
    assert calibration.verify("letters")["valid"]


def test_all_tied_by_the_owner_says_nothing(calibration, clock) -> None:
    session = calibration.start("letters", seed=4)["session"]
    rank(calibration, clock, session, lambda _: 0)

    report = calibration.report(session)

    assert report["finding"] == "insufficient"
    assert report["kendall_tau_b"] is None
    assert "the owner ties all items" in report["undefined"].values()
    assert calibration.propose(session)["proposals"] == []
