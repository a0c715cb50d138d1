"""An offline stand-in for an agent's choice of skill: by the words that a prompt shares with the descriptions.

It has no understanding. Its figures say whether descriptions tell their skills apart by their words, and nothing about
what a model will do. A prompt is compared with each phrase of a description and with all of it (cosine of tf-idf over
stems and pairs of stems); what a description says it is not for counts against it. The constants were set on the
development prompts.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

import Stemmer

_WORD: Final = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")
_PHRASE: Final = re.compile(r'"([^"]+)"')
_NOT: Final = re.compile(r"\b(?:not for|do not use|never for)\b", re.IGNORECASE)
_STOP: Final = frozenset(
    "a an and any are as at be before by can could did do does for from get has have how i if in is it its let "
    "me no not of on one or she so such that the their them then there these they this to up us use was we "
    "what when where which who why will with would you your".split()
)
_STEEPNESS: Final = 12.0
_LEAST: Final = 0.11
_SHARED: Final = 0.4
_AGAINST: Final = 0.3

Vector = Mapping[str, float]


def route(prompt: str, descriptions: Mapping[str, str]) -> dict[str, float]:
    """How likely each skill is to fire on `prompt`, 0 to 1, by its description; at most one is above 0.5."""
    phrases = {name: _phrases(text) for name, text in descriptions.items()}
    every = [part for wanted, unwanted in phrases.values() for part in (*wanted, *unwanted)]
    weights = _idf(every)
    asked = _vector(prompt, weights)
    affinity = {}
    for name, (wanted, unwanted) in phrases.items():
        near = sorted((_cosine(asked, _vector(p, weights)) for p in wanted), reverse=True)
        whole = _cosine(asked, _vector(" ".join(wanted), weights))
        towards = (1 - _SHARED) * sum(near[:1]) + _SHARED * (sum(near[1:3]) / 2 + whole)
        away = max((_cosine(asked, _vector(p, weights)) for p in unwanted), default=0.0)
        affinity[name] = towards - _AGAINST * max(0.0, away - towards)
    rates = {}
    for name, value in affinity.items():
        rival = max((other for key, other in affinity.items() if key != name), default=0.0)
        rates[name] = 1 / (1 + math.exp(-_STEEPNESS * (value - max(rival, _LEAST))))
    return rates


def _phrases(description: str) -> tuple[list[str], list[str]]:
    """What a description says a skill is for and what it is not for, in phrases."""
    towards, *away = _NOT.split(description)
    return _parts(towards), [part for text in away for part in _parts(text)]


def _parts(text: str) -> list[str]:
    quoted = _PHRASE.findall(text)
    rest = re.split(r"[.:;,()]|\band\b|\bor\b", _PHRASE.sub(" ", text))
    return [part for part in (*quoted, *rest) if len(_stems(part)) > 1]


def _stems(text: str) -> list[str]:
    words = [word for word in _WORD.findall(text.lower().replace("'", "")) if word not in _STOP]
    stemmer = Stemmer.Stemmer("english")
    return [str(stem) for stem in stemmer.stemWords(words)]


def _terms(text: str) -> list[str]:
    stems = _stems(text)
    return [*stems, *(f"{a} {b}" for a, b in pairwise(stems))]


def _idf(texts: list[str]) -> dict[str, float]:
    counts = Counter(term for text in texts for term in set(_terms(text)))
    return {term: math.log(1 + len(texts) / count) for term, count in counts.items()}


def _vector(text: str, weights: Mapping[str, float]) -> Vector:
    unknown = math.log(1 + len(weights))
    return {term: count * weights.get(term, unknown / 3) for term, count in Counter(_terms(text)).items()}


def _cosine(a: Vector, b: Vector) -> float:
    dot = sum(value * b.get(term, 0.0) for term, value in a.items())
    size = math.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values()))
    return dot / size if size else 0.0
