"""Retrieval on public meeting passages (QMSum), and preparation of 3,000 files: Rubricator beside the peer."""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from report import SCRIPTS, SHARED, Report, peer, timed
from rubricator import SearchOptions, Settings, Workspace
from scale import generate

DATA = SHARED / "data" / "retrieval" / "qmsum-val"
NAMES = ("--scorecard", "Meetings", "--score", "Topics")


def run(report: Report) -> None:
    print("retrieval: QMSum")
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        _quality(report, work)
        _preparation(report, work)


def _quality(report: Report, work: Path) -> None:
    sys.path.insert(0, str(SHARED / "bench"))
    from score_retrieval import evaluate, read_run

    qrels = json.loads((DATA / "qrels.json").read_text())
    folder = work / "cards" / "Meetings" / "scorecard.knowledge-base" / "2024-01-01"
    shutil.copytree(DATA / "docs", folder)
    (work / "cards" / "Meetings" / "Topics.md").write_text("# Topics\n\nMeetings are summarised by topic.\n")
    environment = {"SCORECARD_CACHE_DIR": str(work / "cards"), "RUBRICATOR_CACHE_DIR": str(work / "cache")}
    rubricator = [str(SCRIPTS / "rubricator"), "memory"]
    timed([*rubricator, "prewarm", *NAMES], environment)
    queries = str(DATA / "queries.jsonl")
    searching = [*rubricator, "search", *NAMES, "--queries", queries, "-k", "10", "--order", "relevance", "--json"]
    ours = timed(searching, environment)
    (work / "ours.jsonl").write_text(ours.stdout)
    theirs = json.loads(peer(str(folder), queries, str(work / "theirs.jsonl")).stdout.splitlines()[-1])
    mine, other = (evaluate(read_run(str(work / name)), qrels) for name in ("ours.jsonl", "theirs.jsonl"))
    report.add("QMSum nDCG@10, --order relevance", f"{mine['ndcg10']}", "0.30", met=mine["ndcg10"] >= 0.30)
    report.add("QMSum nDCG@10, peer's default", f"{other['ndcg10']}")

    workspace = Workspace(Settings(work / "cards", work / "cache"))
    asked = [json.loads(line)["query"] for line in Path(queries).read_text().splitlines()]
    with workspace.memory("Meetings", "Topics") as memory:
        started = time.perf_counter()
        for query in asked:
            memory.search(query, SearchOptions(order="relevance"))
        warm = (time.perf_counter() - started) / len(asked) * 1000
    ratio = theirs["ms_per_query"] / warm
    report.add(
        "warm query, against the peer", f"{warm:.2f} ms : {theirs['ms_per_query']} ms = {ratio:.0f}x", "100x",
        met=ratio >= 100,
    )  # fmt: skip
    one = [*rubricator, "search", *NAMES, asked[0]]
    median = statistics.median(timed(one, environment).seconds for _ in range(9))
    report.add("whole process `memory search`, median of 9", f"{median:.2f} s", "0.5 s", met=median < 0.5)


def _preparation(report: Report, work: Path) -> None:
    cards = work / "generated"
    folder = generate(cards, 3000)
    (work / "one.jsonl").write_text(json.dumps({"id": "q", "query": "waiver limit"}) + "\n")
    environment = {"SCORECARD_CACHE_DIR": str(cards), "RUBRICATOR_CACHE_DIR": str(work / "generated-cache")}
    names = ("--scorecard", "Generated", "--score", "Anything")
    ours = timed([str(SCRIPTS / "rubricator"), "memory", "prewarm", *names], environment).seconds
    told = peer(str(folder), str(work / "one.jsonl"), str(work / "none.jsonl"), "--import-tree").stdout
    theirs = json.loads(told.splitlines()[-1])["build_seconds"]
    ratio = theirs / ours
    report.add(
        "preparing 3,000 files, against --import-tree", f"{ours:.1f} s : {theirs:.0f} s = {ratio:.0f}x", "50x",
        met=ratio >= 50,
    )  # fmt: skip
