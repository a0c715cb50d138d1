"""Answers on disk, one file each under the hash of what they depend on, so that a re-run costs nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from rubricator.adapters.files import replace_atomically


class AnswerFiles:
    """The cache under `folder`. A file that can't be read is no answer; one that can't be written is only a loss."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, key: str) -> Mapping[str, Any] | None:
        """What was kept under a key, or None."""
        try:
            value = json.loads((self._folder / f"{key}.json").read_bytes())
        except (OSError, ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    def keep(self, key: str, value: Mapping[str, Any]) -> None:
        """Keep an answer, readable by its owner alone."""
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_atomically(self._folder / f"{key}.json", json.dumps(value))
