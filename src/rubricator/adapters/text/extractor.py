"""From one raw file to its extraction: what is checked before it is read, and where it is read."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Self

from rubricator.adapters.text import registry
from rubricator.adapters.text.draft import NO_TEXT
from rubricator.adapters.text.limits import Limits, Reading, UnreadableError
from rubricator.adapters.text.process import WorkerProcess
from rubricator.memory.document import Extraction, Skip


class Extractor:
    """Turns raw files into extractions, and never raises over what a file holds.

    Plain text is read right here. Everything else goes through a worker process, which is started when it is first
    needed and ends with `close`. May be shared between threads, which then take turns at the worker.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._worker = WorkerProcess(self._limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def max_bytes(self) -> int:
        """The size of the largest file that is read."""
        return self._limits.max_bytes

    @property
    def signature(self) -> str:
        """What an extraction depends on besides the file: the version of the readers, and which of them are here."""
        extras = sorted({each.extra for each in registry.SUPPORTED if each.extra and each.available})
        return "+".join([str(registry.EXTRACTOR_VERSION), *extras])

    def close(self) -> None:
        """End the worker process, if one runs."""
        self._worker.close()

    def extract(self, path: Path, name: str) -> Extraction:
        """All that the file at `path` holds. `name` is what it is called, should its path not say."""
        try:
            data = _contents(path, self._limits.max_bytes)
        except UnreadableError as error:
            return Extraction(skipped=(Skip(str(error)),))
        except (OSError, ValueError) as error:
            return Extraction(skipped=(Skip(f"can't be read: {getattr(error, 'strerror', None) or error}"),))
        return self.read(data, name)

    def read(self, data: bytes, name: str) -> Extraction:
        """All that a file called `name` with this content holds."""
        found = registry.recognise(data, name)
        if found.reader == registry.PLAIN.reader:
            return registry.read_as(found, data, Reading.of_file(name, self._limits))
        return self._worker.read(data, name)


def _contents(path: Path, max_bytes: int) -> bytes:
    """The bytes of a regular file of a bearable size. Raises UnreadableError over any other."""
    # Without O_NONBLOCK, opening a pipe would wait for somebody to write into it.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
    with open(os.open(path, flags), "rb") as file:  # noqa: PTH123 - a path can't be opened with flags
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableError("not a regular file (a folder, a pipe or a device)")
        data = file.read(max_bytes + 1) if status.st_size <= max_bytes else b""
    size = max(status.st_size, len(data))
    if size > max_bytes:
        raise UnreadableError(
            f"{_mib(size)} MiB, over the limit of {_mib(max_bytes)} MiB; split it, or keep an excerpt"
        )
    if not data:
        raise UnreadableError(f"{NO_TEXT}: the file is empty")
    return data


def _mib(size: int) -> str:
    return f"{size / 2**20:,.1f}".removesuffix(".0")
