"""What a synthesizer says of one disputed item: labels and citation ids. The words are attached elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rubricator.memory.confidence import Confidence
from rubricator.memory.rules import Rule

Classification = Literal[
    "rubric_supported", "rubric_conflicting", "rubric_gap", "historical_context", "possible_stale_rubric"
]
"""What the rubric and the evidence make of the reviewer's side: the rubric bears it out; the rubric speaks against it;
the rubric leaves it open; something of the past explains it and changes nothing; something newer departs from the
rubric."""


@dataclass(frozen=True, slots=True)
class Synthesis:
    """A reading of the evidence. Ids are citation ids of passages that were retrieved.

    `rules` are the sentences of the rubric that bear on the item. `explicit` is the passage that says what the rubric
    doesn't (for a gap, or a rubric that may be stale). `signals` are, by id, why a passage was labelled, and `words`
    the sentence of it that was meant. `made_by` says who made it.
    """

    classification: Classification
    rules: tuple[Rule, ...]
    supporting: tuple[str, ...]
    conflicting: tuple[str, ...]
    likely_reason: str
    confidence: Confidence
    questions: tuple[str, ...] = ()
    explicit: str = ""
    signals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    made_by: Mapping[str, Any] = field(default_factory=dict)
