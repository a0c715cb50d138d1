"""The settings: read from the environment once, frozen, and handed down."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from rubricator.errors import InputError


@dataclass(frozen=True, slots=True, repr=False)
class Settings:
    """Where things are and how to reach them.

    `scorecard_cache_dir` holds the scorecard folders (`SCORECARD_CACHE_DIR`, default `scorecards`). `cache_dir` holds
    what can be rebuilt (`RUBRICATOR_CACHE_DIR`, default `tmp/rubric-memory`). Where `plexus_api_url` is set
    (`PLEXUS_API_URL`, with `PLEXUS_API_KEY`), the official rubric comes from there.
    """

    scorecard_cache_dir: Path
    cache_dir: Path
    plexus_api_url: str = ""
    plexus_api_key: str = ""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None, *, directory: Path | None = None) -> Self:
        """The settings that `environment` (default: this process's) gives; relative paths start at `directory`."""
        env = os.environ if environment is None else environment

        def folder(name: str, default: str) -> Path:
            value = env.get(name) or default
            if "://" in value:
                raise InputError(
                    f"{name} is {value!r}: object storage is not supported by this version.",
                    hint="Give the path of a local folder.",
                )
            path = Path(value).expanduser()
            if path.is_absolute():
                return path
            try:
                return (directory or Path()).absolute() / path
            except FileNotFoundError:
                raise InputError(
                    "The working directory does not exist any more.", hint="Change to another, or set absolute paths."
                ) from None

        return cls(
            scorecard_cache_dir=folder("SCORECARD_CACHE_DIR", "scorecards"),
            cache_dir=folder("RUBRICATOR_CACHE_DIR", "tmp/rubric-memory"),
            plexus_api_url=env.get("PLEXUS_API_URL", "").strip(),
            plexus_api_key=env.get("PLEXUS_API_KEY", "").strip(),
        )

    def __repr__(self) -> str:
        key = "set" if self.plexus_api_key else "not set"
        return (
            f"Settings(scorecard_cache_dir={str(self.scorecard_cache_dir)!r}, cache_dir={str(self.cache_dir)!r}, "
            f"plexus_api_url={self.plexus_api_url!r}, plexus_api_key=<{key}>)"
        )
