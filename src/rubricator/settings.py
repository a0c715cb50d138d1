"""The settings: read from the environment once, frozen, and handed down."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, Self, get_args

from rubricator.errors import InputError

AnswererKind = Literal["none", "endpoint", "tactus", "host"]
ANSWERERS: Final[tuple[AnswererKind, ...]] = get_args(AnswererKind)
CONFIGURATION: Final = "rubricator.toml"


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Who answers the inference contracts, and how to reach it.

    From `RUBRICATOR_ANSWERER`, `RUBRICATOR_MODEL`, `RUBRICATOR_PROVIDER`, `RUBRICATOR_BASE_URL` (else
    `OPENAI_BASE_URL`), `RUBRICATOR_API_KEY` (else `OPENAI_API_KEY`), `RUBRICATOR_TIMEOUT` (seconds of one request) and
    `RUBRICATOR_TOKEN_BUDGET` (of one run); all but the key also from `[inference]` in `rubricator.toml`, over which the
    environment stands. By default nobody answers.
    """

    answerer: AnswererKind = "none"
    provider: str = "openai"
    model: str = ""
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    timeout: float = 60.0
    token_budget: int = 200_000

    def over(self, *, answerer: str | None = None, model: str | None = None) -> ModelSettings:
        """These settings under what one command asks for. Raises InputError for an answerer that doesn't exist."""
        chosen = self
        if answerer is not None:
            kind = next((known for known in ANSWERERS if known == answerer), None)
            if kind is None:
                raise InputError(f"There is no answerer {answerer!r}.", hint=f"It is one of {', '.join(ANSWERERS)}.")
            chosen = replace(chosen, answerer=kind)
        return replace(chosen, model=model) if model is not None else chosen


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
    model: ModelSettings = ModelSettings()

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
            model=_model(env, (directory or Path()) / CONFIGURATION),
        )

    def __repr__(self) -> str:
        key = "set" if self.plexus_api_key else "not set"
        return (
            f"Settings(scorecard_cache_dir={str(self.scorecard_cache_dir)!r}, cache_dir={str(self.cache_dir)!r}, "
            f"plexus_api_url={self.plexus_api_url!r}, plexus_api_key=<{key}>, model={self.model!r})"
        )


def _model(env: Mapping[str, str], configuration: Path) -> ModelSettings:
    table = _inference_table(configuration)

    def setting(name: str, *others: str) -> str:
        given = (env.get(key, "").strip() for key in (f"RUBRICATOR_{name.upper()}", *others))
        return next((value for value in given if value), str(table.get(name, "")).strip())

    default = ModelSettings()
    return ModelSettings(
        provider=setting("provider") or default.provider,
        base_url=setting("base_url", "OPENAI_BASE_URL"),
        api_key=env.get("RUBRICATOR_API_KEY", "").strip() or env.get("OPENAI_API_KEY", "").strip(),
        timeout=_number("timeout", setting("timeout"), default.timeout),
        token_budget=int(_number("token_budget", setting("token_budget"), default.token_budget)),
    ).over(answerer=setting("answerer") or None, model=setting("model"))


def _inference_table(configuration: Path) -> Mapping[str, Any]:
    """`[inference]` of the configuration; where evaluators are looked for, unreadable ones are named."""
    try:
        text = configuration.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return {}
    import tomllib  # most runs have no such file

    try:
        found = tomllib.loads(text).get("inference", {})
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _number(name: str, text: str, default: float) -> float:
    try:
        value = float(text) if text else default
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise InputError(f"The setting {name} is {text!r}; it must be a positive number.", hint="Mend or remove it.")
    return value
