"""The rubric as single rules: its sentences, each under the section that is cited for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rubricator.core.authority import Authority
from rubricator.memory.sentences import statements
from rubricator.memory.signals import Vocabulary
from rubricator.memory.terms import terms, words_of

_LABEL = re.compile(r"[*_]{2}[^*_]{1,40}[*_]{2}:?")
"""A few words in bold that open a paragraph: they name what the next sentence says."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A sentence of the rubric, word for word, with the citation of its section."""

    citation_id: str
    heading: str
    text: str

    def to_json(self, source: str) -> dict[str, Any]:
        """The rule as JSON; `source` is the rubric's file."""
        return {"citation_id": self.citation_id, "source": source, "heading": self.heading, "quote": self.text}


def rules(authority: Authority) -> list[Rule]:
    """The rules of a rubric, in its order. Headings are none."""
    return [
        Rule(section.citation_id, section.heading, text)
        for section in authority.sections()
        for text in statements(section.text)
    ]


@dataclass(frozen=True, slots=True)
class Support:
    """How far a text is borne out: the share of its telling words that stand together, where, and how many they are."""

    coverage: float
    at: int
    words: int = 0


def best_support(text: str, statements: Sequence[str], vocabulary: Vocabulary) -> Support:
    """The statement that, with the one after it, covers most of `text`; -1 with coverage 0 where none covers any."""
    asked = words_of(text)
    found = Support(0.0, -1)
    held = [terms(statement) for statement in statements]
    for number, own in enumerate(held):
        following = held[number + 1] if number + 1 < len(held) else []
        coverage = vocabulary.coverage(asked, [*own, *following])
        if coverage > found.coverage + 1e-9:
            alone, after = vocabulary.coverage(asked, own), vocabulary.coverage(asked, following)
            following_says = after > alone or bool(following and _LABEL.fullmatch(statements[number]))
            words = len(set(asked).intersection([*own, *following]))
            found = Support(coverage, number + following_says, words)
    return found


def nearest_rules(about: str, among: Sequence[Rule], most: int) -> list[Rule]:
    """The rules that share most words with a text, at most so many, in their own order."""
    vocabulary = Vocabulary([rule.text for rule in among])
    asked = words_of(about)
    near = sorted(range(len(among)), key=lambda n: (-vocabulary.coverage(asked, terms(among[n].text)), n))[:most]
    return [among[n] for n in sorted(near)]
