"""Lint: each surprise is named once, where it is, with what to do about it; what is in order is not named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rubricator.memory.lint import Facts, lint

BASE = "Fees.knowledge-base"


def found(**facts: Any) -> list[tuple[str, str]]:
    facts = {"scores": ("Fees",), "knowledge_bases": (BASE,)} | facts
    return [(finding.rule, finding.path) for finding in lint(Facts(**facts))]


def files(*paths: str) -> tuple[tuple[str, str], ...]:
    return tuple((path, path) for path in paths)


def test_a_folder_in_order_has_no_findings() -> None:
    assert (
        found(
            scores=("Fees", "Fees- Late"),
            knowledge_bases=(BASE, "Fees- Late.knowledge-base", "scorecard.knowledge-base"),
            files=files(f"{BASE}/2026-04-24/a.md", f"{BASE}/unknown-date/b.md", f"{BASE}/2026-04-24/calls/c.md"),
            champions=(("Fees", True), ("Fees- Late", True)),
        )
        == []
    )


def test_nothing_at_all_has_no_findings() -> None:
    assert lint(Facts((), ())) == []


@pytest.mark.parametrize(
    "folder", ["2026-4-24", "2026-02-30", "2026-04-24 call", "24.04.2026", "2026_04_24", "20260424"]
)
def test_a_folder_that_looks_like_a_date_is_named_once(folder) -> None:
    assert found(files=files(f"{BASE}/{folder}/a.md", f"{BASE}/{folder}/b.md")) == [("not-a-date", f"{BASE}/{folder}")]


def test_date_like_folders_are_seen_at_every_depth_and_above_skipped_files() -> None:
    assert found(
        files=files(f"{BASE}/2026-04-24/2026-4-25/a.md"), skipped=((f"{BASE}/2026-13-01/b.bin", "unknown format"),)
    ) == [
        ("not-a-date", f"{BASE}/2026-04-24/2026-4-25"),
        ("not-a-date", f"{BASE}/2026-13-01"),
        ("skipped", f"{BASE}/2026-13-01/b.bin"),
    ]


def test_a_files_own_name_and_the_knowledge_bases_are_no_folders() -> None:
    base = "2026-4-24.knowledge-base"

    assert found(scores=("2026-4-24",), knowledge_bases=(base,), files=files(f"{base}/2026-4-24.md")) == [
        ("no-date-folder", f"{base}/2026-4-24.md")
    ]


@pytest.mark.parametrize("folders", ["", "calls/", "calls/2026/", "Unknown-Date/"])
def test_a_source_outside_of_any_date_folder_is_named(folders) -> None:
    assert found(files=files(f"{BASE}/{folders}a.md")) == [("no-date-folder", f"{BASE}/{folders}a.md")]


def test_a_knowledge_base_that_no_score_uses_is_named() -> None:
    bases = (BASE, "Fee.knowledge-base", "Other.knowledge-base", "scorecard.knowledge-base", "Call.knowledge-base")

    assert found(scores=("Fees", "Call Opening"), knowledge_bases=bases) == [
        ("matches-no-score", "Fee.knowledge-base"),
        ("matches-no-score", "Other.knowledge-base"),
    ]


def test_a_score_without_rubric_is_named() -> None:
    assert found(rubricless=("Late",)) == [("no-rubric", "Late.yaml")]


def test_skipped_files_are_named_with_their_reason() -> None:
    findings = lint(
        Facts(("Fees",), (BASE,), skipped=((f"{BASE}/a.pdf", "no text in it"), (f"{BASE}/b.bin", "unknown format")))
    )

    assert [(f.rule, f.path) for f in findings] == [("no-text", f"{BASE}/a.pdf"), ("skipped", f"{BASE}/b.bin")]
    assert "no text in it" in findings[0].message
    assert "unknown format" in findings[1].message


def test_the_same_file_in_two_knowledge_bases_is_a_duplicate() -> None:
    wide = "scorecard.knowledge-base"
    same = ((f"{wide}/2026-01-01/a.md", "d1"), (f"{BASE}/2026-01-01/b.md", "d1"), (f"{BASE}/2026-01-02/c.md", "d2"))

    (finding,) = lint(Facts(("Fees",), (BASE, wide), files=same))

    assert (finding.rule, finding.path) == ("duplicate", f"{BASE}/2026-01-01/b.md")
    assert f"{wide}/2026-01-01/a.md" in finding.message


def test_the_same_file_twice_in_one_knowledge_base_is_no_duplicate_across_scopes() -> None:
    assert found(files=((f"{BASE}/2026-01-01/a.md", "d"), (f"{BASE}/2026-01-02/b.md", "d"))) == []


def test_a_rubric_without_champion_is_named() -> None:
    assert found(champions=(("Fees", False), ("Late", True))) == [("no-champion", "Fees.md")]


def test_names_that_collide_are_named() -> None:
    assert found(collisions=(("fees.md", "Fees.md"),)) == [("same-name", "Fees.md")]


def test_findings_come_by_path_and_rule_whatever_the_order_of_the_facts() -> None:
    paths = (f"{BASE}/2026-4-24/a.md", f"{BASE}/z.md", f"{BASE}/b.md")
    expected = [
        ("not-a-date", f"{BASE}/2026-4-24"),
        ("no-date-folder", f"{BASE}/b.md"),
        ("no-date-folder", f"{BASE}/z.md"),
    ]

    assert found(files=files(*paths)) == expected
    assert found(files=files(*reversed(paths))) == expected


def test_every_finding_says_what_to_do_and_is_json() -> None:
    findings = lint(
        Facts(
            ("Fees",),
            (BASE, "X.knowledge-base"),
            files=((f"{BASE}/2026-4-24/a.md", "1"), (f"{BASE}/b.md", "2"), ("X.knowledge-base/2026-01-01/b.md", "2")),
            skipped=((f"{BASE}/c", "no text"), (f"{BASE}/d", "too big")),
            champions=(("Fees", False),),
            rubricless=("Late",),
            collisions=(("a", "A"),),
        )
    )

    assert {finding.rule for finding in findings} == {
        "not-a-date",
        "no-date-folder",
        "matches-no-score",
        "no-rubric",
        "no-text",
        "skipped",
        "duplicate",
        "no-champion",
        "same-name",
    }
    assert all(finding.path and finding.message.endswith(".") and finding.fix.endswith(".") for finding in findings)
    assert all(json.loads(json.dumps(finding.to_json())) == finding.to_json() for finding in findings)
