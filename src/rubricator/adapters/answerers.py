"""From settings to an answerer: which of the ways to answer is used, and with what."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rubricator.adapters.answer_cache import AnswerFiles
from rubricator.adapters.prompts import prompt
from rubricator.inference.runner import Answerer, Inference
from rubricator.settings import ModelSettings


def inference(model: ModelSettings, cache: Path | None, answers: Mapping[str, Any] | None = None) -> Inference | None:
    """The way to ask that `model` names; None for `none`. `answers` are the host agent's. Close it when done."""
    answerer = _answerer(model, answers)
    if answerer is None:
        return None
    return Inference(
        answerer, prompt, time.monotonic, AnswerFiles(cache) if cache is not None else None, model.token_budget
    )


def described(model: ModelSettings) -> dict[str, Any]:
    """Who is asked, as people may see it: {"answerer", "model", "where", "key"}; the last three None for nobody.

    `where` is the host that texts would go to, or the provider's name where that knows its own; `key` only whether one
    is set.
    """
    if model.answerer in {"none", "host"}:
        return {"answerer": model.answerer, "model": None, "where": None, "key": None}
    from rubricator.adapters.endpoint_answerer import shown_host

    own = model.answerer == "tactus" and not model.base_url
    where = model.provider if own else shown_host(model.base_url)
    return {
        "answerer": model.answerer,
        "model": model.model or None,
        "where": where,
        "key": "set" if model.api_key else "not set",
    }


def _answerer(model: ModelSettings, answers: Mapping[str, Any] | None) -> Answerer | None:
    if model.answerer == "host" or answers is not None:
        from rubricator.adapters.host_answers import HostAnswers

        return HostAnswers(answers)
    if model.answerer == "endpoint":
        from rubricator.adapters.endpoint_answerer import EndpointAnswerer

        return EndpointAnswerer(
            model=model.model, base_url=model.base_url, api_key=model.api_key, timeout=model.timeout
        )
    if model.answerer == "tactus":
        from rubricator.adapters.tactus_answerer import TactusAnswerer

        return TactusAnswerer(
            provider=model.provider,
            model=model.model,
            base_url=model.base_url,
            api_key=model.api_key,
            timeout=model.timeout,
        )
    return None
