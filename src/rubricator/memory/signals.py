"""What can be told without reading: whether a passage agrees with a sentence of the rubric or departs from it.

Only five signals count, each stated with the words that carry it: the same figure, another figure under the same unit,
an opposed modality (forbidden here, allowed there), the same prohibition, and words of change. All need two sentences
that speak of the same thing; nothing else is taken for agreement or conflict.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rubricator.memory.figures import figures, shown
from rubricator.memory.terms import terms, words_of

Modality = Literal["forbidden", "required", "allowed", "exempt"]
Kind = Literal["same_figure", "other_figure", "opposed", "same_rule", "change"]

SAME_MATTER: Final = 0.35
"""Two sentences speak of the same thing from this overlap on."""
DEPARTS: Final = 0.5
"""To tell that one departs from the other takes this overlap: near misses abound."""
_FEWEST_SHARED: Final = 2

_MODALITIES: Final[tuple[tuple[Modality, re.Pattern[str]], ...]] = (
    (
        "exempt",
        re.compile(
            r"\b(?:need(?:s)? not|(?:do|does|did)(?: not|n['’]t) (?:need|have) to|not (?:required|needed|necessary)"
            r"|(?:do|does)(?: not|n['’]t) (?:apply|bind|count)|exempt|waived?|optional)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "forbidden",
        re.compile(
            r"\b(?:(?:must|may|can|shall|should|will)(?: not|n['’]t)|cannot|never|not (?:allowed|permitted|enough)"
            r"|no (?:[\w’']+ ){1,5}(?:may|can|shall|must|will)|forbid(?:s|den)?|prohibit(?:s|ed)?|no longer"
            r"|rules? out)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "required",
        re.compile(
            r"\b(?:must|shall|(?:is|are) required|requires?|ha(?:s|ve) to|needs? to|always|is needed)\b", re.IGNORECASE
        ),
    ),
    (
        "allowed",
        re.compile(r"\b(?:may|can|allow(?:s|ed)?|permit(?:s|ted)?|free to|entitled|discretion)\b", re.IGNORECASE),
    ),
)
_OPPOSED: Final = frozenset(
    frozenset(pair)
    for pair in (("forbidden", "allowed"), ("forbidden", "required"), ("forbidden", "exempt"), ("required", "exempt"))
)
_CLAUSE = re.compile(r"[,;:]\s+|\s+(?:but|and)\s+(?=(?:must|may|can|shall|should|will|need|never)\b)", re.IGNORECASE)
_CONDITION = re.compile(r"\s*(?:and |or )?(?:if|when|where|unless|in case|for example|while|although)\b", re.IGNORECASE)
_CHANGE = re.compile(
    r"\b(?:no longer|instead of|from now on|supersed\w+|replac\w+|reset\w*|rais(?:e|ed|ing)|lower(?:ed|ing)?"
    r"|increas(?:e|ed|ing)|reduc(?:e|ed|ing)|lift(?:ed|ing)?|waiv(?:e|ed|ing)|chang(?:e|ed|ing)"
    r"|new (?:limit|rule|policy)"
    r"|abolish\w*|discontinu\w+|ended?|is now|are now)\b",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:decided|decision|agreed|approved|resolved|we (?:will|have decided)|effective|as of|in force|takes effect"
    r"|motion (?:passes|carried))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Signal:
    """One reason to call a passage supporting or conflicting, with the words that it rests on."""

    kind: Kind
    words: str

    @property
    def departs(self) -> bool:
        """Whether it speaks against the rubric's sentence."""
        return self.kind in {"other_figure", "opposed", "change"}


class Vocabulary:
    """How telling each term is among a number of sentences: inverse document frequency, as in BM25."""

    def __init__(self, texts: Iterable[str]) -> None:
        counted = Counter[str]()
        total = 0
        for text in texts:
            counted.update(set(terms(text)))
            total += 1
        self._total = total
        self._holding = counted
        self._told: dict[str, frozenset[str]] = {}

    def weight(self, found: Iterable[str]) -> float:
        """The sum of the terms' weights."""
        return math.fsum(
            math.log(1 + (self._total - self._holding[term] + 0.5) / (self._holding[term] + 0.5)) for term in found
        )

    def coverage(self, asked: Sequence[str], given: Iterable[str]) -> float:
        """The weight of the terms of `asked` that stand in `given`, as a share of all; 0 where there is none."""
        wanted = set(asked)
        whole = self.weight(wanted)
        return self.weight(wanted.intersection(given)) / whole if whole else 0.0

    def overlap(self, one: str, other: str) -> float:
        """How much two sentences share, as a share of the one that says less; 0 below two words in common."""
        a, b = self._words(one), self._words(other)
        shared = a & b
        if len([term for term in shared if not term[:1].isdigit()]) < _FEWEST_SHARED:
            return 0.0
        least = min(self.weight(a), self.weight(b))
        return self.weight(shared) / least if least else 0.0

    def _words(self, text: str) -> frozenset[str]:
        """The telling words of a sentence, kept: the same few are compared with many."""
        if text not in self._told:
            self._told[text] = frozenset(words_of(text))
        return self._told[text]


def modality(text: str, about: str = "") -> Modality | None:
    """What a sentence does with its matter; None where it says nothing of the kind, or several things at once.

    With `about`, only the clause counts that has most words in common with it; a condition (`if ...`) is no clause.
    """
    rest = _clause(text, set(words_of(about))) if about else text
    found = []
    for name, pattern in _MODALITIES:
        if pattern.search(rest):
            found.append(name)
            rest = pattern.sub(" ", rest)
    return found[0] if len(found) == 1 else None


def records_decision(text: str) -> bool:
    """Whether a passage says that something was decided."""
    return bool(_DECISION.search(text))


def _clause(text: str, sought: set[str]) -> str:
    clauses = [clause for clause in _CLAUSE.split(text) if not _CONDITION.match(clause)]
    return max(clauses, key=lambda clause: len(sought.intersection(words_of(clause))), default=text)


def signals(statement: str, rule: str) -> list[Signal]:
    """What speaks for or against a `rule` in a `statement` about the same matter."""
    found: list[Signal] = []
    stated, ruled = figures(statement), figures(rule)
    for unit in sorted(stated.keys() & ruled.keys()):
        same = stated[unit] & ruled[unit]
        kind: Kind = "same_figure" if same else "other_figure"
        found.append(Signal(kind, ", ".join(shown(value, unit) for value in sorted(same or stated[unit]))))
    one, other = modality(statement, rule), modality(rule, statement)
    if one and other and frozenset({one, other}) in _OPPOSED:
        found.append(Signal("opposed", f"{one} here, {other} in the rubric"))
    elif one and one == other == "forbidden":
        found.append(Signal("same_rule", "forbidden in both"))
    if change := _CHANGE.search(statement):
        found.append(Signal("change", change[0]))
    return found
