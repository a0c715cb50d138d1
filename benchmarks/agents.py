"""What the MCP server costs an agent: tokens of tools/list, and milliseconds of each tool over the demo.

usage: python benchmarks/agents.py
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path

from mcp import Client

from rubricator import Workspace
from rubricator.interfaces.mcp.create import create_server
from rubricator.memory.tokens import count_tokens

SCORE = {"scorecard": "Harbor Home Support QA", "score": "Refunds: Eligibility"}
ROUNDS = 9


async def measure(folder: Path) -> None:
    environment = {"SCORECARD_CACHE_DIR": str(folder / "scorecards"), "RUBRICATOR_CACHE_DIR": str(folder / "cache")}
    item = json.loads((folder / "item.json").read_text(encoding="utf-8"))
    calls = {
        "memory_paths": SCORE,
        "memory_search": {**SCORE, "query": "goodwill limit"},
        "memory_context": {**SCORE, "item": item},
        "memory_recent": {**SCORE, "since": "2026-01-01"},
        "memory_gate": {**SCORE, "questions": ["What is the goodwill limit?"]},
        "memory_pack": {**SCORE, "item": item},
        "memory_check_citations": {**SCORE, "answer": "So [kb:0123456789]."},
        "contract_input": {**SCORE, "task": "pack", "item": item},
        "contract_answer": {"ticket": "none", "answers": {}},
        "evaluators": {},
        "calibration_due": {},
        "calibration_start": {"evaluator": "help-articles"},
        "calibration_status": {},
        "calibration_rank": {"wait_seconds": 0},
        "calibration_report": {},
        "calibration_propose": {},
        "calibration_apply": {"approve": ["p1"]},
        "calibration_log": {"evaluator": "help-articles"},
    }
    workspace = Workspace.open(folder, environment=environment)
    workspace.prewarm(SCORE["scorecard"], SCORE["score"])
    async with Client(create_server(workspace)) as client:
        tools = (await client.list_tools()).tools
        listed = json.dumps([t.model_dump(mode="json", by_alias=True, exclude_none=True) for t in tools])
        print(f"tools/list: {len(tools)} tools, {count_tokens(listed)} tokens")
        assert {tool.name for tool in tools} == set(calls)
        for name, arguments in calls.items():
            taken = []
            for _ in range(1 if name == "calibration_start" else ROUNDS):
                before = time.perf_counter()
                await client.call_tool(name, arguments)
                taken.append((time.perf_counter() - before) * 1000)
            print(f"  {name}: median {statistics.median(taken):.0f} ms, slowest {max(taken):.0f} ms")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        demo = Path(name) / "demo"
        Workspace.copy_demo(demo)
        asyncio.run(measure(demo))
