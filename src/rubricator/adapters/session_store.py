"""Sessions on disk: a folder for each under `.rubricator/sessions`, readable by their owner alone."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from filelock import FileLock

from rubricator.errors import InputError, StorageError

_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,99}")
_LONGEST_NAME: Final = 40


class SessionStore:
    """Small JSON documents by session and name; each write replaces the whole document at a stroke."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def create(self, evaluator: str, now: datetime) -> str:
        """A new session's id: the date, the evaluator's name made safe, and four random digits."""
        name = re.sub(r"[^a-z0-9]+", "-", evaluator.lower()).strip("-")[:_LONGEST_NAME].strip("-") or "evaluator"
        try:
            self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._root.chmod(0o700)
            ignore = self._root / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="utf-8")
            while True:
                session = f"{now.date().isoformat()}-{name}-{secrets.token_hex(2)}"
                try:
                    (self._root / session).mkdir(mode=0o700)
                except FileExistsError:
                    continue
                return session
        except OSError as error:
            raise self._failed(error) from error

    def sessions(self) -> list[str]:
        """The ids of all sessions that were begun, in order."""
        if not self._root.is_dir():
            return []
        return sorted(p.name for p in self._root.iterdir() if _ID.fullmatch(p.name) and (p / "session.json").exists())

    def write(self, session: str, name: str, value: Mapping[str, Any]) -> None:
        """Keep a document. Raises StorageError where it can't be written; the old one is then still there.

        What UTF-8 can't write, half a surrogate pair, becomes a question mark, so that it stops nothing later.
        """
        path = self._folder(session) / f"{name}.json"
        draft = path.with_name(f".{name}.{os.getpid()}.{secrets.token_hex(2)}")
        try:
            content = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise self._failed(error) from error

    def read(self, session: str, name: str) -> dict[str, Any]:
        """A document that must be there. Raises InputError for an unknown session."""
        found = self.find(session, name)
        if found is None:
            raise self._unknown(session)
        return found

    def find(self, session: str, name: str) -> dict[str, Any] | None:
        """A document, or None."""
        try:
            value: dict[str, Any] = json.loads((self._folder(session) / f"{name}.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise StorageError(
                f"{name}.json of the session {session} can't be read.", hint="Start a new pass."
            ) from error
        return value

    @contextmanager
    def locked(self, session: str) -> Iterator[None]:
        """Nobody else changes the session meanwhile."""
        folder = self._folder(session)
        if not folder.is_dir():
            raise self._unknown(session)
        with FileLock(folder / ".lock", mode=0o600):
            yield

    def _folder(self, session: str) -> Path:
        if not _ID.fullmatch(session):
            raise InputError("That is no session's id.", hint="See `rubricator calibrate log` for those there are.")
        return self._root / session

    def _unknown(self, session: str) -> InputError:
        known = ", ".join(self.sessions()[-5:]) or "none"
        return InputError(f"There is no session {session} here.", hint=f"The last ones are: {known}.")

    def _failed(self, error: OSError) -> StorageError:
        return StorageError(
            f"The sessions in {self._root} can't be written: {error.strerror}.", hint="Check the folder."
        )
