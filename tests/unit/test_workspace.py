from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import unicodedata
from pathlib import Path

import pytest

from rubricator import AuthorityError, InputError, SearchOptions, Settings, StorageError, Workspace
from rubricator.memory.query import DisputedItem

CARD, SCORE = "Support QA", "Refunds: Eligibility"
LIMIT = "what is the waiver limit for late fees"


def tree_bytes(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def sources(workspace: Workspace, query: str = LIMIT, **options: object) -> list[str]:
    with workspace.memory(CARD, SCORE) as memory:
        return [hit.passage.source for hit in memory.search(query, SearchOptions(**options)).hits]  # type: ignore[arg-type]


def test_paths_lists_the_roots_most_specific_first(workspace: Workspace) -> None:
    found = workspace.paths(CARD, SCORE)
    assert [root["scope"] for root in found["roots"]] == ["score", "prefix", "scorecard"]
    assert found["roots"][0] | {"path": ""} == {
        "scope": "score",
        "root": "Refunds- Eligibility.knowledge-base",
        "path": "",
        "files": 2,
        "undated": 1,
        "earliest": "2026-02-03",
        "latest": "2026-02-03",
    }
    assert found["prepared_exists"] is False


def test_first_built_then_reused_then_updated_with_only_the_changed_file(
    workspace: Workspace, support_qa: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = workspace.prewarm(CARD, SCORE)
    assert (built.prepared.status, built.prepared.manifest.files) == ("built", 4)
    assert workspace.prewarm(CARD, SCORE).prepared.status == "reused"
    changed = support_qa / CARD / "Refunds.knowledge-base/2025-06-02/limit.md"
    changed.write_text("# Limit\n\nThe waiver limit for late fees is now 45 dollars.\n")
    extracted: list[str] = []
    extractor = workspace._corpora.extractor
    original = type(extractor).read
    monkeypatch.setattr(
        type(extractor), "read", lambda self, data, name: extracted.append(name) or original(self, data, name)
    )
    updated = workspace.prewarm(CARD, SCORE)
    assert updated.prepared.status == "updated"
    assert extracted == ["limit.md"]
    assert updated.prepared.manifest.fingerprint != built.prepared.manifest.fingerprint
    with workspace.memory(CARD, SCORE) as memory:
        texts = [hit.passage.text for hit in memory.search(LIMIT).hits]
    assert any("45 dollars" in text for text in texts)
    assert not any("40 dollars" in text for text in texts)


def test_an_update_ranks_as_a_fresh_build_does(workspace: Workspace, support_qa: Path, tmp_path: Path) -> None:
    workspace.prewarm(CARD, SCORE)
    kb = support_qa / CARD / "Refunds- Eligibility.knowledge-base"
    (kb / "2026-02-03/limit.md").write_text("Nothing about limits any more, only about late parcels.\n")
    (kb / "2026-03-01").mkdir()
    (kb / "2026-03-01/new.md").write_text("The waiver limit is 31 dollars.\n")
    (kb / "unknown-date/cheat-sheet.txt").unlink()
    fresh = Workspace(Settings(support_qa, tmp_path / "other"))

    def seen(one: Workspace) -> list[tuple[str, float]]:
        with one.memory(CARD, SCORE) as memory:
            return [(hit.passage.citation_id, round(hit.relevance, 4)) for hit in memory.search(LIMIT).hits]

    assert seen(workspace) == seen(fresh)
    assert workspace.prewarm(CARD, SCORE).prepared.manifest.fingerprint == (
        fresh.prewarm(CARD, SCORE).prepared.manifest.fingerprint
    )


def test_a_copy_of_the_tree_elsewhere_has_the_same_fingerprint_and_citations(
    workspace: Workspace, support_qa: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "another machine"
    shutil.copytree(support_qa, elsewhere)
    other = Workspace(Settings(elsewhere, tmp_path / "cache2"))
    ours, theirs = workspace.prewarm(CARD, SCORE).prepared.manifest, other.prewarm(CARD, SCORE).prepared.manifest
    assert (ours.fingerprint, ours.key) == (theirs.fingerprint, theirs.key)
    one = workspace.context(CARD, SCORE, query=LIMIT)
    two = other.context(CARD, SCORE, query=LIMIT)
    assert one.markdown == two.markdown


def test_a_passage_has_one_citation_id_whatever_the_query_and_rank(workspace: Workspace) -> None:
    with workspace.memory(CARD, SCORE) as memory:
        first = {h.passage.source: (h.passage.citation_id, h.rank) for h in memory.search(LIMIT).hits}
        second = {
            h.passage.source: (h.passage.citation_id, h.rank)
            for h in memory.search("storm dollars manager", SearchOptions(order="relevance", floor=0)).hits
        }
    common = first.keys() & second.keys()
    assert len(common) >= 2
    assert all(first[source][0] == second[source][0] for source in common)
    assert any(first[source][1] != second[source][1] for source in common)


def test_touching_or_moving_files_without_changing_them_builds_nothing(workspace: Workspace, support_qa: Path) -> None:
    workspace.prewarm(CARD, SCORE)
    for path in support_qa.rglob("*.md"):
        os.utime(path, ns=(1, 1))
    assert workspace.prewarm(CARD, SCORE).prepared.status == "reused"


def test_a_change_that_keeps_size_and_time_stamp_is_seen_right_after_a_build(
    workspace: Workspace, support_qa: Path
) -> None:
    changed = support_qa / CARD / "Refunds.knowledge-base/2025-06-02/limit.md"
    before = changed.stat()
    workspace.prewarm(CARD, SCORE)
    changed.write_text(changed.read_text().replace("40", "60"))
    os.utime(changed, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert workspace.prewarm(CARD, SCORE).prepared.status == "updated"


def test_force_builds_anew(workspace: Workspace) -> None:
    workspace.prewarm(CARD, SCORE)
    assert workspace.prewarm(CARD, SCORE, force=True).prepared.status == "built"


def test_a_new_overlay_moves_the_others_back_in_order(workspace: Workspace, support_qa: Path) -> None:
    shutil.rmtree(support_qa / CARD / "Refunds.knowledge-base")
    assert sources(workspace)[-1].startswith("scorecard")
    restored = support_qa / CARD / "Refunds.knowledge-base/2025-06-02"
    restored.mkdir(parents=True)
    (restored / "limit.md").write_text("The waiver limit for late fees is 40 dollars.\n")
    assert [source.split(".")[0] for source in dict.fromkeys(sources(workspace))][-2:] == ["Refunds", "scorecard"]


def test_raw_folders_are_never_written(workspace: Workspace, support_qa: Path) -> None:
    before = tree_bytes(support_qa)
    workspace.prewarm(CARD, SCORE)
    workspace.context(CARD, SCORE, query=LIMIT)
    workspace.lint(CARD)
    assert tree_bytes(support_qa) == before


def test_the_cache_ignores_itself(workspace: Workspace) -> None:
    workspace.prewarm(CARD, SCORE)
    assert (workspace.settings.cache_dir / "prepared" / ".gitignore").read_text().endswith("*\n")


def test_windows_of_time(workspace: Workspace) -> None:
    assert sources(workspace, as_of=dt.date(2025, 12, 31)) == [
        "Refunds.knowledge-base/2025-06-02/limit.md",
        "scorecard.knowledge-base/2025-01-10/kickoff.md",
    ]
    assert sources(workspace, since=dt.date(2026, 1, 1)) == ["Refunds- Eligibility.knowledge-base/2026-02-03/limit.md"]
    assert sources(workspace, until=dt.date(2024, 1, 1)) == []


def test_undated_sources_left_out_by_a_window_are_said(workspace: Workspace) -> None:
    with workspace.memory(CARD, SCORE) as memory:
        notes = memory.search(LIMIT, SearchOptions(as_of=dt.date(2025, 12, 31))).diagnostics
    assert notes == ("1 undated sources were left out: nothing says when they were known.",)


def test_the_other_score_sees_only_its_own_and_the_scorecard(workspace: Workspace) -> None:
    with workspace.memory(CARD, "Greeting") as memory:
        found = memory.search("waiver limit first name greeting", SearchOptions(floor=0)).hits
    assert {hit.passage.source.split(".")[0] for hit in found} == {"Greeting", "scorecard"}


def test_a_context_without_a_rubric_is_refused_but_search_works(workspace: Workspace, support_qa: Path) -> None:
    (support_qa / CARD / "Refunds- Eligibility.md").unlink()
    with pytest.raises(AuthorityError, match="has no rubric"):
        workspace.context(CARD, SCORE, query=LIMIT)
    assert sources(workspace)


def test_a_disputed_item_is_a_query(workspace: Workspace) -> None:
    item = DisputedItem(text="The caller asked about late fees.", feedback_comment="The waiver limit is 30 dollars.")
    context = workspace.context(CARD, SCORE, query=item)
    assert context.evidence[0]["source"].startswith("Refunds- Eligibility")


def test_recent_is_newest_first_and_counts_undated(workspace: Workspace) -> None:
    with workspace.memory(CARD, SCORE) as memory:
        found = memory.recent(since=dt.date(2025, 1, 1), until=dt.date(2026, 12, 31)).to_json()
    assert [source["date"] for source in found["sources"]] == ["2026-02-03", "2025-06-02", "2025-01-10"]
    assert found["undated"] == 1
    assert found["scope_counts"] == {"score": 1, "prefix": 1, "scorecard": 1}


def test_citations_of_an_answer_are_checked_against_the_corpus_and_the_rubric(workspace: Workspace) -> None:
    context = workspace.context(CARD, SCORE, query=LIMIT)
    kb = next(entry for entry in context.evidence if entry["source"].endswith("2026-02-03/limit.md"))
    rubric = context.authority
    answer = (
        f'The note is needed: "back to 30 dollars, with a note" [{kb["citation_id"]}]. '
        f'And "must say the customer\'s name" [{rubric["citation_id"]}]. Also [kb:0000000000].'
    )
    with workspace.memory(CARD, SCORE) as memory:
        check = memory.check_citations(answer, [citation["citation_id"] for citation in context.citations])
    assert check.unknown == ("kb:0000000000",)
    assert not check.misquoted
    assert len(check.quotes) == 2
    assert not check.passed


def test_the_prepared_corpus_is_one_that_biblicus_opens(workspace: Workspace) -> None:
    from biblicus.corpus import Corpus

    prepared = workspace.prewarm(CARD, SCORE).prepared
    corpus = Corpus.open(prepared.corpus_path)
    items = corpus.list_items()
    assert len(items) == 4
    dated = next(item for item in items if "2026-02-03" in item.relpath)
    assert (dated.metadata["scope"], dated.metadata["date"]) == ("score", "2026-02-03")
    assert (dated.source_uri or "").startswith("file://")
    before = {item.id for item in items}
    corpus.reindex()
    assert {item.id for item in corpus.list_items()} == before


def test_what_biblicus_would_stumble_over_is_stored_so_that_it_does_not(workspace: Workspace, support_qa: Path) -> None:
    from biblicus.corpus import Corpus

    kb = support_qa / CARD / "scorecard.knowledge-base/2025-01-10"
    (kb / "latin.md").write_bytes("# Gebühren\n\nDie Gebühr für verspätete Zahlung.\n".encode("cp1252"))
    (kb / "list.md").write_text("---\n- not\n- a mapping\n---\nThe late fee list.\n")
    (kb / "dates.md").write_text("---\ndates: {published_at: [1]}\n---\nThe late fee dates.\n")
    (kb / "x.biblicus.yml").write_text("late: fee\n")
    (kb / ("long" * 60 + ".md")).write_text("The late fee has a long name.\n")
    prepared = workspace.prewarm(CARD, SCORE).prepared
    assert prepared.manifest.skipped == ()
    corpus = Corpus.open(prepared.corpus_path)
    assert corpus.reindex()["skipped"] == 0
    assert len(corpus.list_items()) == prepared.manifest.indexed == 9
    assert "Gebühr" in next(p for p in prepared.corpus_path.rglob("*latin.md")).read_text(encoding="utf-8")


def test_links_that_leave_the_knowledge_base_are_refused_and_reported(workspace: Workspace, support_qa: Path) -> None:
    secret = support_qa.parent / "secret.txt"
    secret.write_text("The waiver limit is a secret.\n")
    kb = support_qa / CARD / "Refunds- Eligibility.knowledge-base"
    (kb / "out.txt").symlink_to(secret)
    (kb / "inside.md").symlink_to(kb / "2026-02-03/limit.md")
    (kb / "loop").symlink_to(kb)
    os.mkfifo(kb / "pipe")
    (support_qa / CARD / "Refunds- Eligibility (x).knowledge-base").symlink_to(kb)
    found = {entry["path"]: entry["reason"] for entry in workspace.prewarm(CARD, SCORE).to_json()["skipped"]}
    base = "Refunds- Eligibility.knowledge-base"
    assert "leaves the knowledge base" in found[f"{base}/out.txt"]
    assert "link to a folder" in found[f"{base}/loop"]
    assert "not a regular file" in found[f"{base}/pipe"]
    assert f"{base}/inside.md" not in found
    assert not any("secret" in source for source in sources(workspace, "secret"))


@pytest.mark.parametrize("score", ["../Greeting", "CON", "..", "scorecard", "", "Gree", "greeting"])
def test_names_that_are_not_a_score_end_in_a_clear_error(workspace: Workspace, score: str) -> None:
    with pytest.raises(InputError) as caught:
        workspace.prewarm(CARD, score)
    assert caught.value.hint


def test_a_name_in_another_unicode_form_is_the_same_name(workspace: Workspace, support_qa: Path) -> None:
    name = "Café Étoile"
    folder = support_qa / CARD / f"{unicodedata.normalize('NFD', name)}.knowledge-base" / "2025-01-01"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("The waiver limit in the café.\n")
    prewarmed = workspace.prewarm(CARD, unicodedata.normalize("NFC", name))
    assert prewarmed.prepared.manifest.files == 2


def test_file_names_that_are_no_text_are_indexed_and_named(workspace: Workspace, support_qa: Path) -> None:
    folder = os.fsencode(support_qa / CARD / "Refunds- Eligibility.knowledge-base/2026-02-03")
    Path(os.fsdecode(folder + b"/bad\xffname.md")).write_text("The zebra limit.\n")
    assert sources(workspace, "zebra") == ["Refunds- Eligibility.knowledge-base/2026-02-03/bad\\xffname.md"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_costs_only_itself(workspace: Workspace, support_qa: Path) -> None:
    (support_qa / CARD / "Refunds.knowledge-base/2025-06-02/limit.md").chmod(0)
    done = workspace.prewarm(CARD, SCORE)
    assert [reason for _, reason in done.prepared.manifest.skipped] == ["can't be read: Permission denied"]


def test_a_cache_that_is_no_folder_ends_in_a_clear_error(support_qa: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    blocked = Workspace(Settings(support_qa, tmp_path / "file"))
    with pytest.raises(StorageError, match="can't be written") as caught:
        blocked.prewarm(CARD, SCORE)
    assert "RUBRICATOR_CACHE_DIR" in caught.value.hint


def test_a_damaged_cache_is_built_anew(workspace: Workspace) -> None:
    prepared = workspace.prewarm(CARD, SCORE).prepared
    shutil.rmtree(prepared.folder / prepared.manifest.generation / "index")
    assert workspace.prewarm(CARD, SCORE).prepared.status == "built"
    prepared.manifest_path.write_text("{")
    assert workspace.prewarm(CARD, SCORE).prepared.status == "built"
    assert sources(workspace)


def test_a_publication_that_was_cut_off_is_finished_by_whoever_comes_next(workspace: Workspace) -> None:
    prepared = workspace.prewarm(CARD, SCORE).prepared
    stray = next(prepared.corpus_path.glob("Refunds.knowledge-base/*.md")).with_name("superseded.md")
    stray.write_text("An earlier content.\n")
    (prepared.generation / "to-remove.json").write_text(json.dumps(["Refunds.knowledge-base/superseded.md"]))
    catalog = prepared.corpus_path / "metadata/catalog.json"
    catalog.unlink()
    catalog.write_text("{}")
    again = workspace.prewarm(CARD, SCORE).prepared
    assert (again.status, again.manifest.generation) == ("reused", prepared.manifest.generation)
    assert not stray.exists()
    assert len(json.loads(catalog.read_text())["items"]) == 4


def test_what_a_killed_build_left_is_removed_by_the_next(workspace: Workspace, support_qa: Path) -> None:
    prepared = workspace.prewarm(CARD, SCORE).prepared
    (prepared.folder / "g000099").mkdir()
    stray = prepared.corpus_path / "Refunds.knowledge-base" / "half-done.md"
    stray.write_text("Written by a build that was killed.\n")
    (support_qa / CARD / "Refunds.knowledge-base/2025-06-02/limit.md").write_text("The waiver limit is 41 dollars.\n")
    again = workspace.prewarm(CARD, SCORE).prepared
    assert again.status == "updated"
    assert not stray.exists()
    assert not (prepared.folder / "g000099").exists()


def test_a_build_that_fails_leaves_the_last_corpus_and_nothing_else(
    workspace: Workspace, support_qa: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared = workspace.prewarm(CARD, SCORE).prepared
    before = tree_bytes(prepared.folder)
    changed = support_qa / CARD / "Refunds.knowledge-base/2025-06-02/limit.md"
    changed.write_text("The waiver limit is 42 dollars.\n")
    with monkeypatch.context() as patch:
        patch.setattr("rubricator.adapters.prepared.write_records", lambda records: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            workspace.prewarm(CARD, SCORE)
    assert tree_bytes(prepared.folder) == before
    assert workspace.prewarm(CARD, SCORE).prepared.status == "updated"


def test_the_manifest_tells_what_the_corpus_was_made_from(workspace: Workspace) -> None:
    prepared = workspace.prewarm(CARD, SCORE).prepared
    manifest = json.loads(prepared.manifest_path.read_text())
    assert manifest["retriever"] == "bm25"
    assert manifest["schema_version"] == 1
    assert [source["files"] for source in manifest["sources"]] == [2, 1, 1]
    assert manifest["skipped"] == []
    assert dt.datetime.fromisoformat(manifest["prepared_at"]).tzinfo is not None


def test_lint_names_what_will_surprise(workspace: Workspace, support_qa: Path) -> None:
    card = support_qa / CARD
    base = card / "Refunds.knowledge-base"
    for folder in ("2026-4-24", "2026-02-30", "2026-04-24 call"):
        (base / folder).mkdir()
        (base / folder / "note.md").write_text(f"A note from {folder}.\n")
    (base / "loose.md").write_text("A loose note.\n")
    (base / "2025-06-02" / "empty.md").write_text(" \n")
    (card / "Nobody.knowledge-base").mkdir()
    shutil.copytree(base / "2025-06-02", card / "scorecard.knowledge-base/2025-06-02")
    (card / "Greeting.yaml").write_text("name: Greeting\nversion: v1\n")
    found = {(finding.rule, finding.path) for finding in workspace.lint(CARD)}
    assert {
        ("not-a-date", "Refunds.knowledge-base/2026-4-24"),
        ("not-a-date", "Refunds.knowledge-base/2026-02-30"),
        ("not-a-date", "Refunds.knowledge-base/2026-04-24 call"),
        ("no-date-folder", "Refunds.knowledge-base/loose.md"),
        ("no-text", "Refunds.knowledge-base/2025-06-02/empty.md"),
        ("matches-no-score", "Nobody.knowledge-base"),
        ("duplicate", "Refunds.knowledge-base/2025-06-02/limit.md"),
        ("no-champion", "Greeting.md"),
    } <= found
    assert not any("cheat-sheet" in path for _, path in found)


def test_doctor_says_what_is_missing_and_how_to_get_it(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "none", tmp_path / "cache", "https://user-free.example/graphql?token=secret", "key")
    found = Workspace(settings).doctor()
    assert any("SCORECARD_CACHE_DIR" in line for line in found["missing"])
    assert found["folders"]["prepared corpora"] | {"path": ""} == {"path": "", "exists": False, "writable": True}
    assert found["authority"] == "Plexus at https://user-free.example/graphql"
    assert {"Markdown", "mail", "PDF"} <= {entry["name"] for entry in found["formats"]}
    assert "secret" not in json.dumps(found)


def test_scores_are_named_by_their_records_where_those_fit_their_files(workspace: Workspace, support_qa: Path) -> None:
    (support_qa / CARD / "Odd.yaml").write_text("name: Something Else\n")
    (support_qa / CARD / "Bad.yaml").write_text("name: [1, 2\n")
    assert workspace.scores(CARD) == ["Bad", "Greeting", "Odd", "Refunds: Eligibility"]
    assert workspace.scorecards() == [CARD]


def test_a_score_may_be_asked_for_by_name_or_stem_and_is_prepared_once(workspace: Workspace) -> None:
    assert workspace.prewarm(CARD, "Refunds: Eligibility").prepared.status == "built"
    assert workspace.prewarm(CARD, "Refunds- Eligibility").prepared.status == "reused"


def test_of_two_names_that_differ_in_unicode_form_one_is_refused_and_nothing_stale_is_found(
    workspace: Workspace, support_qa: Path
) -> None:
    folder = support_qa / CARD / "Refunds.knowledge-base/2025-06-02"
    (folder / unicodedata.normalize("NFC", "café.md")).write_text("The alpha zebra.\n")
    (folder / unicodedata.normalize("NFD", "café.md")).write_text("The beta lion.\n")
    first = workspace.prewarm(CARD, SCORE)
    assert workspace.prewarm(CARD, SCORE).prepared.status == "reused"
    assert ["Unicode form" in entry["reason"] for entry in first.to_json()["skipped"]] == [True]
    found = [query for query in ("zebra", "lion") if sources(workspace, query)]
    assert len(found) == 1
    (folder / unicodedata.normalize("NFC", "café.md")).unlink()
    (folder / unicodedata.normalize("NFD", "café.md")).unlink()
    assert sources(workspace, found[0]) == []


@pytest.mark.parametrize(
    ("part", "content"),
    [
        ("passages.sqlite", ""),
        ("catalog.json", ""),
        ("catalog.json", "{}"),
        ("index/meta.json", ""),
        ("files.json", '{"fields": [], "rows": [[1]]}'),
        ("to-remove.json", "x"),
        ("to-remove.json", '["../../../../outside.txt"]'),
        ("../manifest.json", '{"generation": 5}'),
        ("../manifest.json", '{"generation": "gx", "corpus": "c"}'),
        ("../garbage/file", "x"),
    ],
)
def test_a_damaged_part_of_the_cache_heals(workspace: Workspace, support_qa: Path, part: str, content: str) -> None:
    prepared = workspace.prewarm(CARD, SCORE).prepared
    outside = workspace.settings.cache_dir / "outside.txt"
    outside.write_text("mine")
    damaged = prepared.generation / part
    damaged.parent.mkdir(exist_ok=True)
    damaged.write_text(content)
    assert sources(workspace)
    (support_qa / CARD / "Refunds.knowledge-base/2025-06-02/limit.md").write_text("The waiver limit is 43 dollars.\n")
    assert "Refunds.knowledge-base/2025-06-02/limit.md" in sources(workspace, "43 dollars")
    assert outside.read_text() == "mine"


def test_options_that_mean_nothing_are_refused() -> None:
    for options in ({"limit": 0}, {"per_source": 0}, {"order": "x"}):
        with pytest.raises(InputError):
            SearchOptions(**options)  # type: ignore[arg-type]


def test_a_record_of_nested_aliases_is_not_written_out(workspace: Workspace, support_qa: Path) -> None:
    nest = ["a: &a [x]"] + [
        f"{n}: &{n} [{', '.join(['*' + p] * 9)}]" for p, n in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    (support_qa / CARD / "Greeting.yaml").write_text("\n".join([*nest, "version: *i", "name: Greeting"]))
    assert workspace.authority(CARD, "Greeting").score_version_id == "unversioned"


def test_a_pipe_in_the_place_of_a_rubric_is_no_rubric(workspace: Workspace, support_qa: Path) -> None:
    (support_qa / CARD / "Greeting.md").unlink()
    os.mkfifo(support_qa / CARD / "Greeting.md")
    with pytest.raises(AuthorityError, match="not a regular file"):
        workspace.authority(CARD, "Greeting")
