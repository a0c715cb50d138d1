"""Questions and disputed items over a real scorecard tree: Rubricator beside the peer's default."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from report import SHARED, Report, peer
from rubricator import DisputedItem, Settings, Workspace

DATA = SHARED / "data" / "kb"
CARD = "Council Policies"


def run(report: Report) -> None:
    print("knowledge: Council Policies")
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        workspace = Workspace(Settings(DATA / "scorecards", work / "cache"))
        questions = [json.loads(line) for line in (DATA / "questions-dev.jsonl").read_text().splitlines()]
        ours = _ours(workspace, questions)
        theirs = _theirs(work, workspace, questions)
        for name, found in (("", ours), (", peer's default", theirs)):
            _count(report, name, questions, found)
        _items(report, workspace)


def _ours(workspace: Workspace, questions: list[dict[str, Any]]) -> dict[str, list[set[str]]]:
    """For each question, the sources of its first ten hits; a hit's copies are in its place."""
    found = {}
    for question in questions:
        with workspace.memory(CARD, question["score"]) as memory:
            hits = memory.search(question["query"]).hits
        found[question["id"]] = [{hit.passage.source, *(copy.source for copy in hit.copies)} for hit in hits]
    return found


def _theirs(work: Path, workspace: Workspace, questions: list[dict[str, Any]]) -> dict[str, list[set[str]]]:
    """The same from the peer, which sees the same files under names that hold their paths."""
    by_score: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for question in questions:
        by_score[question["score"]].append(question)
    found: dict[str, list[set[str]]] = {}
    for number, (score, asked) in enumerate(by_score.items()):
        folder = work / f"peer{number}"
        folder.mkdir()
        for root in workspace.paths(CARD, score)["roots"]:
            for file in Path(root["path"]).rglob("*"):
                if file.is_file():
                    name = str(file.relative_to(DATA / "scorecards" / CARD)).replace("/", "__")
                    shutil.copyfile(file, folder / name)
        queries, result = work / f"queries{number}.jsonl", work / f"run{number}.jsonl"
        queries.write_text("\n".join(json.dumps({"id": q["id"], "query": q["query"]}) for q in asked))
        peer(str(folder), str(queries), str(result))
        for line in result.read_text().splitlines():
            row = json.loads(line)
            found[row["id"]] = [{hit["source"].replace("__", "/")} for hit in row["hits"]]
    return found


def _count(report: Report, name: str, questions: list[dict[str, Any]], found: dict[str, list[set[str]]]) -> None:
    answerable = [q for q in questions if q["relevant"]]
    for depth, target in ((10, 0.81), (5, 0.70)):
        share = sum(any(set(q["relevant"]) & s for s in found[q["id"]][:depth]) for q in answerable) / len(answerable)
        mine = not name
        report.add(
            f"a relevant source among the first {depth}{name}", f"{share:.0%} of {len(answerable)}",
            f"{target:.0%}" if mine else "", met=share >= target if mine else None,
        )  # fmt: skip
    later = [q for q in questions if q["kind"] == "superseded"]
    newest = sum(any(q["newest"] in s for s in found[q["id"]][:10]) for q in later)
    report.add(
        f"superseded: the newest source among the first 10{name}", f"{newest} of {len(later)}",
        "" if name else "2 of 3", met=None if name else 3 * newest >= 2 * len(later),
    )  # fmt: skip
    none = [q for q in questions if not q["relevant"]]
    counts = ", ".join(str(len(found[q["id"]])) for q in none)
    report.add(f"unanswerable: hits shown for each{name}", counts)


def _items(report: Report, workspace: Workspace) -> None:
    items = [json.loads(line) for line in (DATA / "items-dev.jsonl").read_text().splitlines()]
    whole = 0
    for item in items:
        context = workspace.context(CARD, item["score"], query=DisputedItem.from_json(item))
        cited = {c["source"] for c in context.citations} | {s for c in context.citations for s in c.get("copies", ())}
        whole += set(item["expect"]["must_cite"]) <= cited
    report.add("disputed items with every source they must cite", f"{whole} of {len(items)}", "5 of 6", met=whole >= 5)
