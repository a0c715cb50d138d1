"""The process in which Tactus runs: `python -m rubricator.adapters.tactus_worker`, a job a line, a reply a line.

It is a process of its own because Tactus takes its address and its key from the environment, logs as it likes, and can
then be ended when it hangs.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Run one procedure: {"answer", "tokens_in", "tokens_out", "cost"}, or {"error"}."""
    from tactus.adapters.memory import MemoryStorage
    from tactus.core.runtime import TactusRuntime

    runtime = TactusRuntime(
        procedure_id=job["contract"],
        storage_backend=MemoryStorage(),
        openai_api_key=os.environ.get("OPENAI_API_KEY"),
    )
    done = asyncio.run(runtime.execute(job["procedure"], context=job["input"], format="lua"))
    if not done.get("success"):
        return {"error": str(done.get("error") or "it gave no reason")}
    result = done.get("result") or {}
    return {**{key: result.get(key) for key in ("answer", "tokens_in", "tokens_out")}, "cost": done.get("total_cost")}


def main() -> None:
    """Serve the parent over the standard streams, which nothing else may touch from here on."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # libraries print what they like
        os.dup2(nowhere, stream)
    sys.stdin = sys.__stdin__
    for line in requests:
        try:
            reply = run(json.loads(line))
        except Exception as error:  # noqa: BLE001 - whatever Tactus raises ends this job, and not the worker
            reply = {"error": f"{type(error).__name__}: {error}"}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
