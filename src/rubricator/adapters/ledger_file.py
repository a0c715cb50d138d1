"""The ledger on disk: one event a line, appended under a lock and flushed to the disk before anything goes on."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import FileLock

from rubricator.calibration import ledger
from rubricator.calibration.ledger import Event
from rubricator.errors import StorageError


class LedgerFile:
    """The ledger at `path`. A line that a killed process left unfinished is moved beside it by the next append.

    A last line that only lacks its end, as some editors leave it, is an event like any other and gets its end.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, type: str, session: str, data: Mapping[str, Any], at: datetime) -> Event:  # noqa: A002 - the field's word
        """Append an event. Raises StorageError where that can't be done, or where the chain is broken already."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self.path}.lock", mode=0o644):
                self._end_last_line()
                events, problems = ledger.read(self._lines())
                if problems:
                    raise StorageError(
                        f"The ledger {self.path} is not whole: {problems[0]}.",
                        hint="Nothing was written. Restore it from a copy, or set it aside and begin a new one.",
                    )
                last = events[-1] if events else None
                stamp = at.isoformat(timespec="seconds")
                event = ledger.following(last, type=type, at=stamp, session=session, data=data)
                handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
                try:
                    line = f"{event.line()}\n".encode()
                    while line:
                        line = line[os.write(handle, line) :]
                    os.fsync(handle)
                finally:
                    os.close(handle)
        except OSError as error:
            raise StorageError(
                f"The ledger {self.path} can't be written: {error.strerror}.", hint="Check its folder."
            ) from error
        return event

    def events(self) -> list[Event]:
        """The events as far as the chain holds."""
        return ledger.read(self._lines())[0]

    def verify(self) -> list[str]:
        """Every problem of the chain; a piece that a killed process left is one until the next append moves it."""
        return ledger.read(self._lines())[1]

    def torn(self) -> list[str]:
        """The names of the files that hold unfinished lines of killed processes."""
        return sorted(p.name for p in self.path.parent.glob(f"{self.path.name}.torn-*"))

    def _lines(self) -> list[str]:
        try:
            lines = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
        except FileNotFoundError:
            return []
        return lines if lines[-1] else lines[:-1]

    def _end_last_line(self) -> None:
        """Move a last line that is no whole event into a file of its own: a write never finished was never an event."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return
        whole, end, rest = content.rpartition(b"\n")
        if not rest:
            return
        with self.path.open("r+b") as file:
            if ledger.is_event(rest.decode("utf-8", "replace")):
                file.seek(0, os.SEEK_END)
                file.write(b"\n")
            else:
                self._keep_torn(rest)
                file.truncate(len(whole) + len(end))
            file.flush()
            os.fsync(file.fileno())

    def _keep_torn(self, piece: bytes) -> None:
        for number in itertools.count(1):
            try:
                with self.path.with_name(f"{self.path.name}.torn-{number}").open("xb") as file:
                    file.write(piece)
                    file.flush()
                    os.fsync(file.fileno())
            except FileExistsError:
                continue
            return
