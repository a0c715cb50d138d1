"""The process in which other people's parsers run: `python -m rubricator.adapters.text.worker`.

It reads requests from its standard input and writes replies to its standard output until the input ends, which it
does when the parent does.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from typing import IO, Final

from rubricator.adapters.text import registry
from rubricator.adapters.text.limits import Limits, Reading
from rubricator.adapters.text.protocol import OUT_OF_MEMORY, read_frame, to_json, write_frame

_GRACE_SECONDS: Final = 5.0


def serve(requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answer requests until there are no more."""
    while (header := read_frame(requests)) is not None and (data := read_frame(requests)) is not None:
        request = json.loads(header)
        limits = Limits(**request["limits"])
        _set_alarm(limits.max_seconds + _GRACE_SECONDS)
        reply = to_json(registry.read(data, Reading.of_file(request["name"], limits)))
        del data
        write_frame(replies, reply)
        _set_alarm(0)


def _set_alarm(seconds: float) -> None:
    """End this process by itself after a while, lest it outlives a parent that was killed over a hanging parser."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _bound_memory(size: int) -> None:
    """Bound the address space, where the platform can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # absent on Windows

        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Serve the parent over the standard streams, which nothing else may touch from here on."""
    _bound_memory(int(sys.argv[1]))
    replies = os.fdopen(os.dup(1), "wb")
    requests = os.fdopen(os.dup(0), "rb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # libraries print what they like
        os.dup2(nowhere, stream)
    try:
        serve(requests, replies)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except BrokenPipeError:  # the parent has lost interest
        os._exit(0)


if __name__ == "__main__":
    main()
