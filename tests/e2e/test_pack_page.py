"""The page of an evidence pack in a real browser: rubric and evidence side by side, each citation at its source."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest

from .chromium import axe, shot
from .ranking_server import serving

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
OF = ["--scorecard", "Harbor Home Support QA", "--score", "Refunds: Eligibility"]


@pytest.fixture
def demo(installed, tmp_path):
    """The demo scorecard with one pack kept, and that pack."""
    folder = tmp_path / "demo"
    installed.json("rubricator", "demo", str(folder))
    return folder, installed.json("rubricator", "memory", "pack", *OF, "--item", "item.json", cwd=folder)


def test_a_pack_beside_its_rubric_and_every_citation_at_its_source(installed, demo, page) -> None:
    folder, pack = demo
    with serving(installed, folder) as served:
        page.goto(served.packs)
        assert "token" not in page.url
        axe(page, "packs")
        page.click("tbody a")
        axe(page, "pack")
        shot(page, "pack")
        rubric, evidence = (page.locator(f"[aria-labelledby={name}]") for name in ("rubric-title", "evidence-title"))
        assert rubric.bounding_box()["x"] < evidence.bounding_box()["x"]
        marked = " ".join(" ".join(rubric.locator("mark").all_inner_texts()).split())
        assert all(" ".join(quote["quote"].split()) in marked for quote in pack["rubric_quotes"])
        assert page.locator("svg path").count() == page.locator("[aria-labelledby=history-title] tbody tr").count()
        sides = ("supporting_evidence", "conflicting_evidence", "historical_context")
        every = {entry["citation_id"]: entry for side in sides for entry in pack[side]}
        links = page.eval_on_selector_all("main a[href*='sources/']", "all => all.map(a => a.href)")
        assert {link.split("/")[-1].split("#")[0] for link in links} == set(every)
        anchors = page.eval_on_selector_all("main a[href^='#']", "all => all.map(a => a.getAttribute('href').slice(1))")
        assert anchors
        assert all(page.locator(f"[id='{anchor}']").count() == 1 for anchor in anchors)
        for link in dict.fromkeys(links):
            page.goto(link)
            cited = every[link.split("/")[-1].split("#")[0]]
            assert page.text_content("#cited mark") == cited["text"]
            assert page.inner_text("h1") == cited["source"]
        axe(page, "source")
        shot(page, "source")
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(links[0].partition("/sources/")[0])
        axe(page, "pack on a phone")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_source_that_went_away_is_shown_as_the_pack_holds_it(installed, demo, page) -> None:
    folder, pack = demo
    gone = pack["supporting_evidence"][0]
    (folder / "scorecards" / "Harbor Home Support QA" / gone["source"]).unlink()
    with serving(installed, folder) as served:
        page.goto(served.packs)
        page.click("tbody a")
        page.goto(f"{page.url}/sources/{gone['citation_id']}")
        assert "no longer stands" in page.inner_text(".notice")
        assert page.text_content("#cited mark") == gone["text"]
        page.goto(page.url.replace(gone["citation_id"], "kb:0000000000"))
        assert "Nothing is known" in page.inner_text(".notice")


def test_packs_are_for_whoever_has_the_token_and_for_no_other_path(installed, demo) -> None:
    folder, _ = demo
    with serving(installed, folder) as served:
        base, _, token = served.packs.partition("?token=")
        (name,) = [path.stem for path in (folder / "tmp" / "rubric-memory" / "packs").glob("*.json")]
        for path in ("", f"/{name}", f"/{name}/sources/kb:0123456789"):
            for given in ("", "?token=wrong", f"?token={token[:-1]}"):
                with pytest.raises(urllib.error.HTTPError) as refused:
                    urllib.request.urlopen(f"{base}{path}{given}", timeout=20)
                assert refused.value.code == 403
        for name in ("..%2f..%2fitem", "%2e%2e", "0" * 12):
            request = urllib.request.Request(f"{base}/{name}", headers={"Cookie": f"rubricator-packs={token}"})
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request, timeout=20)
            assert refused.value.code in {400, 404}


def test_hostile_words_in_a_source_do_nothing(installed, demo, page) -> None:
    folder, _ = demo
    base = folder / "scorecards" / "Harbor Home Support QA" / "Refunds- Eligibility.knowledge-base" / "2026-06-01"
    base.mkdir(parents=True, exist_ok=True)
    hostile = (
        "<script>document.title='owned'</script> Deshawn's mail to all of support: agents may give up to $40 per "
        "account in 90 days without asking anyone [kb:0123456789]. Nobody is marked down for a $38 credit. <img src=x>"
    )
    (base / "note.md").write_text(hostile, encoding="utf-8")
    installed.json("rubricator", "memory", "pack", *OF, "--item", "item.json", cwd=folder)
    with serving(installed, folder) as served:
        page.goto(served.packs)
        page.click("tbody a")
        assert "agents may give up to $40" in page.inner_text("[aria-labelledby=evidence-title]")
        assert page.title() != "owned"
        assert page.locator("main img, main script").count() == 0
