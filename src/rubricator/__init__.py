"""Rubricator keeps rubrics true.

    from rubricator import Workspace

    workspace = Workspace.open()
    context = workspace.context("Support QA", "Refunds: Eligibility", query="who may waive the fee?")
    prompt = context.markdown

The names below are the public interface; everything else may change. They are imported when they are first used, so
that `import rubricator` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rubricator.core.authority import Authority
    from rubricator.errors import (
        AuthorityError,
        EndpointError,
        InputError,
        RefusedError,
        RubricatorError,
        ServiceError,
        StorageError,
    )
    from rubricator.memory.citation_check import CitationCheck
    from rubricator.memory.context import CitationContext, into_prompt
    from rubricator.memory.hits import Hit
    from rubricator.memory.lint import Finding
    from rubricator.memory.pack import EvidencePack
    from rubricator.memory.passages import Passage, Span
    from rubricator.memory.query import DisputedItem
    from rubricator.memory.recent import Recent
    from rubricator.rubric_calibration import RubricCalibration
    from rubricator.rubric_calibration.open_pass import OpenPass
    from rubricator.rubric_memory import RubricMemory, SearchOptions, SearchResult
    from rubricator.settings import Settings
    from rubricator.workspace import Workspace

_HOMES = {
    "Authority": "core.authority",
    "AuthorityError": "errors",
    "CitationCheck": "memory.citation_check",
    "CitationContext": "memory.context",
    "DisputedItem": "memory.query",
    "EndpointError": "errors",
    "EvidencePack": "memory.pack",
    "Finding": "memory.lint",
    "Hit": "memory.hits",
    "InputError": "errors",
    "OpenPass": "rubric_calibration.open_pass",
    "Passage": "memory.passages",
    "Recent": "memory.recent",
    "RefusedError": "errors",
    "RubricCalibration": "rubric_calibration",
    "RubricMemory": "rubric_memory",
    "RubricatorError": "errors",
    "SearchOptions": "rubric_memory",
    "SearchResult": "rubric_memory",
    "ServiceError": "errors",
    "Settings": "settings",
    "Span": "memory.passages",
    "StorageError": "errors",
    "Workspace": "workspace",
    "into_prompt": "memory.context",
}

__all__ = [  # noqa: RUF022 - by what a newcomer needs first
    "Workspace",
    "RubricMemory",
    "SearchOptions",
    "SearchResult",
    "RubricCalibration",
    "OpenPass",
    "DisputedItem",
    "CitationContext",
    "into_prompt",
    "EvidencePack",
    "CitationCheck",
    "Authority",
    "Hit",
    "Passage",
    "Span",
    "Recent",
    "Finding",
    "Settings",
    "RubricatorError",
    "InputError",
    "RefusedError",
    "AuthorityError",
    "ServiceError",
    "EndpointError",
    "StorageError",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
