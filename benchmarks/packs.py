"""Evidence packs without a model: what 100 items over one score cost, and what comes of six real ones.

usage: python benchmarks/packs.py [--items 100]
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

from report import SHARED
from rubricator import Workspace
from rubricator.adapters.prepared import PreparedCorpora
from rubricator.memory.query import DisputedItem

KNOWLEDGE = SHARED / "data" / "kb"


def opened(scorecards: Path, cache: str) -> Workspace:
    return Workspace.open(environment={"SCORECARD_CACHE_DIR": str(scorecards), "RUBRICATOR_CACHE_DIR": cache})


def lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (KNOWLEDGE / name).read_text(encoding="utf-8").splitlines()]


def cost(count: int) -> None:
    """`count` items over one score: preparations, and milliseconds for retrieval and shaping of each."""
    prepared = 0
    prepare = PreparedCorpora.prepare

    def counted(*args, **kwargs):
        nonlocal prepared
        done = prepare(*args, **kwargs)
        prepared += done.status in {"built", "updated"}
        return done

    PreparedCorpora.prepare = counted
    rows = lines("items-dev.jsonl")
    score = max((row["score"] for row in rows), key=[row["score"] for row in rows].count)
    items = [DisputedItem.from_json({**rows[n % len(rows)], "id": n}) for n in range(count)]
    with tempfile.TemporaryDirectory() as cache:
        workspace = opened(KNOWLEDGE / "scorecards", cache)
        with workspace.memory(rows[0]["scorecard"], score) as memory:
            memory.pack(items[0])
            taken = []
            for item in items:
                before = time.perf_counter()
                memory.pack(item)
                taken.append((time.perf_counter() - before) * 1000)
        over = time.perf_counter()
        for item in items:
            workspace.pack(rows[0]["scorecard"], score, item)
        anew = (time.perf_counter() - over) * 1000 / count
    PreparedCorpora.prepare = prepare
    spread = statistics.quantiles(taken, n=20)
    print(f"{count} items over {score}: corpus prepared {prepared} time(s)")
    print(f"  memory kept open: median {statistics.median(taken):.1f} ms, 95th percentile {spread[18]:.1f} ms an item")
    print(f"  memory opened for each item: {anew:.1f} ms an item")


def items() -> None:
    """The six real items: classification, confidence and what was cited, beside what the texts support."""
    right = cited = 0
    with tempfile.TemporaryDirectory() as cache:
        workspace = opened(KNOWLEDGE / "scorecards", cache)
        for row in lines("items-dev.jsonl"):
            pack = workspace.pack(row["scorecard"], row["score"], DisputedItem.from_json(row)).to_json()
            wanted = row["expect"]
            sides = ("supporting_evidence", "conflicting_evidence", "historical_context")
            found = {entry["source"] for side in sides for entry in pack[side]}
            found |= {quote["source"] for quote in pack["rubric_quotes"]}
            missed = [source for source in wanted["must_cite"] if source not in found]
            same = pack["evidence_classification"] == wanted["classification"]
            right, cited = right + same, cited + (not missed)
            print(f"{row['id']}: {pack['evidence_classification']} ({'right' if same else wanted['classification']}), "
                  f"confidence {pack['confidence']}, missed {missed or 'none'}")  # fmt: skip
    print(f"{right} of 6 classified as the texts support, all sources cited for {cited} of 6")


def questions() -> None:
    """The development questions, each put to the gate as it stands: statuses by kind of question."""
    counted: dict[str, dict[str, int]] = {}
    with tempfile.TemporaryDirectory() as cache:
        workspace = opened(KNOWLEDGE / "scorecards", cache)
        for row in lines("questions-dev.jsonl"):
            with workspace.memory("Council Policies", row["score"]) as memory:
                (gated,) = memory.gate([row["query"]])["questions"]
            kinds = counted.setdefault(row["kind"], {})
            kinds[gated["status"]] = kinds.get(gated["status"], 0) + 1
    for kind, statuses in sorted(counted.items()):
        print(f"{kind}: {', '.join(f'{count} {status}' for status, count in sorted(statuses.items()))}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100)
    args = parser.parse_args()
    cost(args.items)
    items()
    questions()


if __name__ == "__main__":
    main()
