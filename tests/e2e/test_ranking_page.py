"""The ranking page in a real browser: by mouse, by keyboard alone, resumed, declined; and what it leaks."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.evaluators import drifted_rows, write_evaluator

from .chromium import axe, shot
from .ranking_server import serving

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture
def demo(installed, tmp_path) -> tuple[Path, str]:
    folder = tmp_path / "demo"
    begun = installed.json("rubricator", "demo", "calibrate", str(folder))
    return folder, begun["session"]


def order(page) -> list[str]:
    """The labels from best to worst."""
    return page.eval_on_selector_all("#order .item", "items => items.map(i => i.dataset.label)")


def titles(page) -> dict[str, str]:
    """The first words of each artifact by label."""
    found = page.eval_on_selector_all(
        "#order .item", "items => items.map(i => [i.dataset.label, i.querySelector('.hint').textContent])"
    )
    return dict(found)


def wanted(page) -> list[str]:
    """An owner's order, best first: the articles stuffed with numbers last."""
    hollow = ("4 lights", "9 tips", "Your data", "Our promise")
    named = titles(page)
    return sorted(named, key=lambda label: (named[label].startswith(hollow), named[label]))


def test_the_whole_pass_by_mouse(installed, demo, page) -> None:
    folder, session = demo
    rubric = folder / "evaluators" / "help-articles" / "rubric.md"
    before = rubric.read_text(encoding="utf-8")
    with serving(installed, folder, session) as served:
        page.goto(served.url)
        assert "token" not in page.url
        axe(page, "ranking")
        shot(page, "ranking")
        page.click("#view")
        axe(page, "side by side")
        shot(page, "side-by-side")
        page.click("#view")
        for label in "ABCDE":
            page.click(f".tab[data-show='{label}']")
            assert page.is_visible(f"#sheet-{label}")
        for place, label in enumerate(wanted(page)):
            drag(page, label, place)
        assert order(page) == wanted(page)
        page.click("#order .item:first-child [data-do=note]")
        page.fill("#order .item:first-child textarea", "Says what to do, and what it costs.")
        page.click("#commit")
        axe(page, "dialog")
        shot(page, "dialog")
        page.click("#commit-yes")
        page.wait_for_selector("#two-title")
        assert page.inner_text("h1").startswith("The rubric has drifted")
        assert "Unread" in page.inner_text(".notice")
        why = page.inner_text("[aria-labelledby=why-title]")
        assert "Concrete numbers" in why
        assert "came 2026-02-16" in why
        assert "Says what to do" in page.text_content("[aria-labelledby=two-title]")
        axe(page, "reveal")
        shot(page, "reveal")
        proposal = page.locator("fieldset.proposal", has_text="Concrete numbers")
        proposal.get_by_label("Approve").check()
        page.check("[name=remember]")
        page.click("button:has-text('Apply what I approved')")
        page.wait_for_selector("#done-title")
        axe(page, "done")
        shot(page, "done")

    assert rubric.read_text(encoding="utf-8") != before
    log = (rubric.parent / "calibration" / "LOG.md").read_text(encoding="utf-8")
    assert "“Concrete numbers”" in log
    entry = installed.json("rubricator", "calibrate", "log", "help-articles", cwd=folder)["entries"][-1]
    assert entry["state"] == "closed"
    assert list((rubric.parent / "rubric.knowledge-base").rglob("calibration-*.md"))


def drag(page, label: str, place: int) -> None:
    """Drag an artifact to a place by its grip."""
    if order(page)[place] == label:
        return
    start = page.locator(f".item[data-label='{label}'] .grip").bounding_box()
    goal = page.locator(f".item[data-label='{order(page)[place]}']").bounding_box()
    page.mouse.move(start["x"] + 4, start["y"] + 8)
    page.mouse.down()
    page.mouse.move(start["x"] + 6, start["y"] - 6, steps=4)
    page.mouse.move(goal["x"] + 60, goal["y"] + 6, steps=12)
    page.wait_for_timeout(250)
    page.mouse.up()
    page.wait_for_timeout(250)


def tab_to(page, test: str) -> None:
    """Press Tab until the focused element passes a test."""
    for _ in range(120):
        if page.evaluate(f"(() => {{ const e = document.activeElement; return {test}; }})()"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard never reached: {test}")


def test_the_whole_pass_by_keyboard_alone(installed, demo, page) -> None:
    folder, session = demo
    rubric = folder / "evaluators" / "help-articles" / "rubric.md"
    before = rubric.read_text(encoding="utf-8")
    with serving(installed, folder, session) as served:
        page.goto(served.url)
        goal = wanted(page)
        tab_to(page, "e.classList.contains('tab') && e.dataset.show === 'B'")
        page.keyboard.press("Enter")
        assert page.is_visible("#sheet-B")
        for place, label in enumerate(goal):
            tab_to(page, f"e.classList.contains('item') && e.dataset.label === '{label}'")
            for _ in range(order(page).index(label) - place):
                page.keyboard.press("ArrowUp")
            page.evaluate("document.activeElement.blur()")
        assert order(page) == goal
        tab_to(page, f"e.classList.contains('item') && e.dataset.label === '{goal[-1]}'")
        page.keyboard.press("=")
        assert "can't be told apart" in page.inner_text("#said")
        tab_to(page, "e.id === 'commit'")
        page.keyboard.press("Enter")
        assert page.inner_text("#commit-order").endswith(f"{goal[-2]} = {goal[-1]}")
        tab_to(page, "e.id === 'commit-yes'")
        page.keyboard.press("Enter")
        page.wait_for_selector("#two-title")
        tab_to(page, "e.name && e.name.startsWith('decision-')")
        while "Concrete numbers" not in page.evaluate("document.activeElement.closest('fieldset').textContent"):
            page.keyboard.press("Tab")
            tab_to(page, "e.name && e.name.startsWith('decision-')")
        while page.evaluate("document.activeElement.value") != "approve":
            page.keyboard.press("ArrowUp")
        assert page.evaluate("document.querySelectorAll('input[value=approve]:checked').length") == 1
        tab_to(page, "e.tagName === 'BUTTON' && e.textContent.includes('Apply')")
        page.keyboard.press("Enter")
        page.wait_for_selector("#done-title")

    assert rubric.read_text(encoding="utf-8") != before
    report = installed.json("rubricator", "calibrate", "report", session, cwd=folder)
    assert report["owner_ties"] == 1


def test_a_pass_goes_on_after_a_reload_and_a_restarted_server(installed, demo, page) -> None:
    folder, session = demo
    with serving(installed, folder, session) as served:
        page.goto(served.url)
        page.click(".item[data-label='C'] [data-do=up]")
        page.click(".item[data-label='E'] [data-do=tie]")
        page.click(".item[data-label='A'] [data-do=note]")
        page.fill("#note-A", "dull")
        page.wait_for_timeout(2500)
        kept = order(page)
        page.reload()
        assert order(page) == kept
    with serving(installed, folder, session) as served:
        page.goto(served.url)
        assert order(page) == kept == ["A", "C", "B", "D", "E"]
        assert "is-tied" in page.get_attribute(".item[data-label='E']", "class")
        assert page.input_value("#note-A") == "dull"
        assert page.inner_text("#timer") != "0:00"
        page.click("#commit")
        page.click("#commit-yes")
        page.wait_for_selector("#two-title")
    report = installed.json("rubricator", "calibrate", "report", session, cwd=folder)
    assert report["owner_ties"] == 1
    assert [row["note"] for row in report["sample"]] == ["dull", "", "", "", ""]
    assert report["reading"]["artifacts"]["A"] > 0


def test_declining_in_the_page_halts_the_pass(installed, demo, page) -> None:
    folder, session = demo
    with serving(installed, folder, session) as served:
        page.goto(served.url)
        page.click("#decline")
        axe(page, "decline")
        page.fill("#reason", "no time")
        page.click("#decline-yes")
        page.wait_for_selector("h1:has-text('halted')")
        axe(page, "halted")
        shot(page, "halted")
    done = installed.run("rubricator", "calibrate", "report", session, "--json", cwd=folder)
    assert done.returncode == 3


def test_hostile_artifacts_do_nothing(installed, tmp_path, page) -> None:
    hostile = (
        "# Piece {n}\n\n<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\n\n"
        "[click](javascript:document.title='owned') ![pic](http://127.0.0.1:9/x.png)\n\n<style>*{{display:none}}</style>\n\n"
        "<form action=/decline method=post><button>Commit</button></form> \u202eevil\u202c\n"
    )
    write_evaluator(tmp_path, drifted_rows(), text=lambda n: hostile.format(n=n))
    session = installed.json("rubricator", "calibrate", "start", "letters", cwd=tmp_path)["session"]
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with serving(installed, tmp_path, session) as served:
        page.goto(served.url)
        page.wait_for_timeout(500)
        assert page.title().startswith("Rank blind")
        assert page.locator(".prose a, .prose img, .prose form, .prose script, .prose style").count() == 0
        assert all(url.startswith((f"http://127.0.0.1:{served.port}/", "data:")) for url in asked)


def test_no_byte_of_the_page_carries_a_score(installed, tmp_path, page) -> None:
    sentinels = [4.8317, 4.7729, 4.6643, 4.7551, 4.6119]
    rows = drifted_rows()
    subs = {key: 3.1415 + n / 1000 for n, key in enumerate(rows[0])}
    planted = "# Piece {n}\n\nScore: {s}/5, see letters-{s}.md and rating={s}. " + "word " * 40
    folder = write_evaluator(
        tmp_path,
        [subs] * 5,
        totals=sentinels,
        text=lambda n: planted.format(n=n, s=sentinels[n]),
    )
    with installed.start(["rubricator", "calibrate", "start", "letters"], cwd=tmp_path) as process:
        said = "".join(process.communicate(timeout=60))
    session = next((tmp_path / ".rubricator" / "sessions").glob("2*")).name
    bodies: list[bytes] = [said.encode()]

    def keep(response) -> None:
        bodies.append(str(response.url).encode() + str(response.headers).encode())
        if response.status == 200:
            bodies.append(response.body())

    page.on("response", keep)
    with serving(installed, tmp_path, session) as served:
        page.goto(served.url)
        page.wait_for_timeout(1500)
        served.call()
        served.call("/ranking", {"ranking": [["A"]]})
        served.call("/decisions", {"approve": ["p1"]})
        bodies += served.seen
    bodies.append((folder / "calibration" / "ledger.jsonl").read_bytes())
    bodies += [p.read_bytes() for p in (tmp_path / ".rubricator").rglob("*") if p.is_file()]
    for value in [*sentinels, *subs.values()]:
        for spelling in (f"{value:g}", f"{value:.2f}", f"{value:g}".replace(".", ",")):
            assert not [body[:80] for body in bodies if spelling.encode() in body], spelling
