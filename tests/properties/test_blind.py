"""Blindness: whatever the scores are and wherever they are planted, nothing before the ranking carries one."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from tests.evaluators import CRITERIA, prose, write_evaluator

from rubricator.errors import RubricatorError
from rubricator.interfaces.cli import main
from rubricator.interfaces.web.app import create_app
from rubricator.rubric_calibration import RubricCalibration
from rubricator.workspace import Workspace

SCORES = st.integers(30_001, 49_999).filter(lambda n: n % 10).map(lambda n: n / 10_000)
PLACES = [
    "Score: {s}/5",
    "---\nscore: {s}\ntitle: x\n---\n",
    "rated it {s} overall",
    "see letters-{s}.md",
    '<img alt="{s}" src="a-{s}.png">',
    "<!-- {s} -->",
    "| Hook | Score |\n|---|---|\n| {s} | {s} |",
    "https://example.org/?rating={s}",
    "Hook: {s}",
    "{comma} of five",
    "a number, {s}, in the middle",
]


def spellings(value: float) -> list[str]:
    return [f"{value}", f"{value}".replace(".", ","), f"{value:.2f}"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(SCORES, min_size=5, max_size=5, unique=True),
    st.lists(SCORES, min_size=5, max_size=5, unique=True),
    st.lists(st.sampled_from(PLACES), min_size=1, max_size=4),
    st.sampled_from(["stratified", "informative"]),
    st.integers(0, 1000),
)
def test_nothing_before_the_ranking_carries_a_score(totals, subs, places, mode, seed) -> None:
    with tempfile.TemporaryDirectory() as name:
        workspace = Path(name)

        def text(number: int) -> str:
            value = totals[number]
            planted = "\n\n".join(p.format(s=value, comma=str(value).replace(".", ",")) for p in places)
            return (
                f"{planted}\n\n{prose(number, 30)}"
                if planted.startswith("---")
                else f"{prose(number, 30)}\n\n{planted}"
            )

        rows = [dict(zip(CRITERIA, subs, strict=True)) for _ in totals]
        folder = write_evaluator(workspace, rows, totals=totals, text=text)
        with (folder / "scores.jsonl").open("a", encoding="utf-8") as log:
            log.write(f'{{"artifact": "artifacts/none.md", "score": "{totals[0]} of 5"}}\n')
        calibration = RubricCalibration(workspace, workspace / "scorecards")
        started = calibration.start("letters", seed=seed, mode=mode)
        told = [json.dumps(started)]
        for verb in ("report", "propose", "explain"):
            try:
                getattr(calibration, verb)(started["session"])
            except RubricatorError as error:
                told.append(str(error))
        told += [json.dumps(calibration.due("letters")), json.dumps(calibration.log("letters"))]
        told += [json.dumps(calibration.verify("letters")), json.dumps(calibration.sessions())]
        client = TestClient(
            create_app(Workspace.open(workspace, environment={}), port=8000), base_url="http://localhost:8000"
        )
        address = f"/sessions/{started['session']}"
        for path, body in [
            (f"{address}?token={started['token']}", None),
            (f"/api{address}?token={started['token']}", None),
            (f"/api{address}/draft", {"order": ["A"], "notes": {"A": "x"}}),
            (f"/api{address}/ranking", {"ranking": [["A"], ["A"]]}),
            (f"/api{address}/decisions", {"approve": ["p1"]}),
            (f"/api{address}/nothing", {}),
            ("/static/ranking.js", None),
        ]:
            answer = client.get(path) if body is None else client.post(path, json={**body, "token": started["token"]})
            told += [answer.text, str(answer.headers), str(answer.url)]
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), contextlib.suppress(SystemExit):
            main(["calibrate", "--workspace", name, "report", started["session"], "--json"])
        told += [out.getvalue(), err.getvalue()]
        told.append((folder / "calibration" / "ledger.jsonl").read_text(encoding="utf-8"))
        told += [
            p.read_text(encoding="utf-8")
            for p in (workspace / ".rubricator").rglob("*.json")
            if p.name != "session.json"
        ]
        assert any("Rank 5 artifacts blind" in words for words in told), "the page was looked at"
        for value in [*totals, *subs]:
            for spelling in spellings(value):
                leaks = [(words[max(0, words.find(spelling) - 60) :][:90]) for words in told if spelling in words]
                assert leaks == [], spelling


def test_the_packet_has_no_room_for_a_score() -> None:
    from dataclasses import fields

    from rubricator.calibration.packet import BlindArtifact, BlindPacket

    assert {f.name for f in fields(BlindArtifact)} == {"label", "text", "words", "excerpt", "masked"}
    assert {f.name for f in fields(BlindPacket)} == {"session", "artifacts", "reading_minutes", "notes"}


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(5)), st.integers(0, 10_000))
def test_labels_say_nothing_of_scores(order, seed) -> None:
    """The same artifacts get the same labels whatever their scores are, since only the seed decides."""
    from rubricator.calibration.masking import Masked
    from rubricator.calibration.packet import make_packet

    texts = {f"a{n}": Masked(f"text {n}", ()) for n in range(5)}

    _, labels = make_packet("s", {f"a{n}": texts[f"a{n}"] for n in order}, seed=seed)

    assert labels == make_packet("s", texts, seed=seed)[1]
