"""Sealing the evaluator's scores: a salted hash at the start, which the scores revealed later must give again.

The salt, 128 random bits kept with the session until the ranking is committed, is what keeps the hash from being tried
out: there are few scores on a scale.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable

from rubricator.core.identity import tagged_hash
from rubricator.core.scores import Scoring


def seal(salt: str, scorings: Iterable[Scoring]) -> str:
    """The hash (64 hexadecimal digits) over salt, artifacts, scores and sub-scores, whatever their order."""
    rows = sorted(
        [s.artifact, repr(float(s.score)), sorted([name, repr(float(value))] for name, value in s.criteria.items())]
        for s in scorings
    )
    return tagged_hash("seal", [salt, rows])


def verify_seal(sealed: str, salt: str, scorings: Iterable[Scoring]) -> bool:
    """Whether these are the scores that were sealed."""
    return hmac.compare_digest(sealed, seal(salt, scorings))
