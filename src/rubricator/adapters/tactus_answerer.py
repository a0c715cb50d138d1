"""Tactus procedures as answerer: one `.tac` file a contract, run by the real runtime in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, Final

from rubricator.errors import EndpointError, InputError
from rubricator.inference.contract import Question
from rubricator.inference.runner import Reply

_COMMAND: Final = (sys.executable, "-P", "-m", "rubricator.adapters.tactus_worker")
_ATTEMPTS: Final = 4
_START_SECONDS: Final = 60.0
_LONGEST_REASON: Final = 300


class TactusAnswerer:
    """Asks a model through Tactus. `provider` is Tactus's word for whose model it is; the rest as for an endpoint."""

    kind = "tactus"

    def __init__(self, *, provider: str, model: str, base_url: str, api_key: str, timeout: float) -> None:
        self._provider = provider
        self._model = model
        self._base_url = base_url
        self._key = api_key
        self._timeout = timeout
        self._process: subprocess.Popen[str] | None = None
        self._turn = threading.Lock()

    @property
    def identity(self) -> str:
        """Provider, model and address."""
        return f"{self._provider}/{self._model} at {self._base_url}"

    def ask(self, asked: Question) -> Reply:
        """The procedure's reply. Raises InputError without Tactus or a model, EndpointError where none comes."""
        if not self._model:
            raise InputError("No model is named.", hint="Set RUBRICATOR_MODEL, or give --model.")
        if find_spec("tactus") is None:
            raise InputError(
                "Running Tactus procedures needs the extra `tactus`.", hint="pip install 'rubricator[tactus]'"
            )
        with self._turn:
            reply = self._exchange(self._job(asked))
        if "error" in reply:
            reason = str(reply["error"]).replace(self._key or "\0", "…")[:_LONGEST_REASON]
            raise EndpointError(f"Tactus got no answer: {reason}", hint="Check the model, its address and its key.")
        return Reply(
            str(reply["answer"]),
            f"{self._provider}/{self._model}",
            _count(reply.get("tokens_in")),
            _count(reply.get("tokens_out")),
            float(reply["cost"]) if reply.get("cost") else None,
        )

    def close(self) -> None:
        """End the process, if one runs."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _job(self, asked: Question) -> dict[str, Any]:
        return {
            "contract": asked.contract,
            "procedure": procedure(asked.contract),
            "input": {
                "instructions": asked.system,
                "message": asked.message,
                "refused": asked.refused,
                "complaint": asked.complaint,
                "provider": self._provider,
                "model": self._model,
                "timeout": self._timeout,
            },
        }

    def _exchange(self, job: dict[str, Any]) -> dict[str, Any]:
        """Send a job and wait for its reply, for as long as all of its attempts may take and no longer."""
        process = self._process or self._start()
        late = threading.Event()

        def expire() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(_START_SECONDS + _ATTEMPTS * self._timeout, expire)
        timer.daemon = True
        timer.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(job) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = ""
        finally:
            timer.cancel()
        if not line:
            self.close()
            return {"error": f"it took too long ({self._timeout:g} s a try)" if late.is_set() else "its process ended"}
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _start(self) -> subprocess.Popen[str]:
        addresses = ("OPENAI_API_BASE", "OPENAI_BASE_URL") if self._base_url else ()
        self._process = subprocess.Popen(  # noqa: S603 - our own module, run by our own interpreter
            _COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={
                **os.environ,
                "OPENAI_API_KEY": self._key or "none",
                "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else it fetches a list of prices
                **dict.fromkeys(addresses, self._base_url),
            },
        )
        return self._process


def procedure(contract: str) -> str:
    """The Tactus procedure of a contract."""
    return files("rubricator.adapters").joinpath("procedures", f"{contract}.tac").read_text(encoding="utf-8")


def _count(value: Any) -> int | None:
    return int(value) if value else None
