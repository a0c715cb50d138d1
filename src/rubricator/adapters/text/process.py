"""The parent's side of the worker: started when needed, killed when it takes too long, and started anew."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Final

from rubricator.adapters.text.limits import Limits
from rubricator.adapters.text.protocol import OUT_OF_MEMORY, from_json, read_frame, write_frame
from rubricator.memory.document import Extraction, Skip

_COMMAND: Final = (sys.executable, "-P", "-m", "rubricator.adapters.text.worker")
_ENVIRONMENT: Final = {
    "MALLOC_ARENA_MAX": "2",  # each arena and each thread reserves address space, which is what is bounded
    "RAYON_NUM_THREADS": "1",
    "TOKIO_WORKER_THREADS": "1",
}


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why a file was not read."""

    reason: str
    timed_out: bool = False


class WorkerProcess:
    """Reads files in a process of their own, one after the other, and outlives every failure of that process."""

    def __init__(self, limits: Limits, command: Sequence[str] = _COMMAND) -> None:
        self._limits = limits
        self._command = (*command, str(limits.max_memory_bytes))
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = threading.Lock()

    def read(self, data: bytes, name: str) -> Extraction:
        """What the worker makes of a file. A worker that fails is replaced, and the file skipped with the reason."""
        with self._turn:
            if self._process is not None and self._process.poll() is not None:
                self._stop()
            used = self._process is not None
            result = self._attempt(data, name)
            if isinstance(result, _Failure) and used and not result.timed_out:
                # What earlier files left behind may be to blame; the outcome must depend on this file alone.
                result = self._attempt(data, name)
            return Extraction(skipped=(Skip(result.reason),)) if isinstance(result, _Failure) else result

    def close(self) -> None:
        """End the worker, if one runs."""
        with self._turn:
            self._stop()

    def _attempt(self, data: bytes, name: str) -> Extraction | _Failure:
        try:
            process = self._process or self._start()
        except OSError as error:
            return _Failure(f"the process that reads such files can't be started: {error.strerror}")
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            _kill(process)

        timer = threading.Timer(self._limits.max_seconds, expire)
        timer.daemon = True
        timer.start()
        try:
            reply = self._exchange(process, data, name)
        finally:
            timer.cancel()
        if reply is not None and not expired.is_set():
            with suppress(ValueError, KeyError, TypeError):
                return from_json(reply)
        code = self._stop()
        if expired.is_set():
            return _Failure(f"took longer than {self._limits.max_seconds:g} s to read", timed_out=True)
        if code == OUT_OF_MEMORY:
            return _Failure(f"takes more than {self._limits.max_memory_bytes // 2**20:,} MiB of memory to read")
        return _Failure("the parser crashed over this file; it may be damaged, so try saving it anew")

    def _exchange(self, process: subprocess.Popen[bytes], data: bytes, name: str) -> bytes | None:
        requests, replies = process.stdin, process.stdout
        assert requests is not None
        assert replies is not None
        header = json.dumps({"name": name, "limits": asdict(self._limits)}).encode()
        with suppress(OSError, ValueError):  # a worker that is gone, or whose pipe is
            write_frame(requests, header)
            write_frame(requests, data)
            return read_frame(replies)
        return None

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(  # noqa: S603 - our own module, run by our own interpreter
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_ENVIRONMENT},
            start_new_session=True,
        )
        return self._process

    def _stop(self) -> int | None:
        """Kill the worker, and return the code with which it had ended by itself, if it had."""
        process, self._process = self._process, None
        if process is None:
            return None
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.05)  # one that is about to say why it ends gets the time to
        _kill(process)
        code = process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        return code


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the worker and whatever it started."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
