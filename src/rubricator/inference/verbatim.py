"""Held to the letter: quotations that must stand where they are said to stand, prose that cites what was given."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from rubricator.core.identity import cited_ids, miswritten_ids

MOST_PROSE = 1200
"""Characters of a model's own prose in one field."""

_QUOTED = re.compile(r"“([^“”]{12,})”|\"([^\"]{12,})\"|«([^«»]{12,})»")


def located(quote: str, text: str) -> str | None:
    """The words of `text` that `quote` is, as `text` spells them; None where it holds them not. White space is free."""
    words = quote.split()
    if not words:
        return None
    match = re.search(r"\s+".join(re.escape(word) for word in words), text)
    return match[0] if match else None


def faults_of_prose(prose: str, where: str, known: Collection[str], texts: Iterable[str]) -> list[str]:
    """What is wrong with a model's own words: ids that were not given, and quotations that stand in nothing given."""
    found = [f"{where}: {key} is no citation id that was given." for key in cited_ids(prose) if key not in known]
    found += [f"{where}: {like} is no citation id." for like in miswritten_ids(prose)]
    given = list(texts)
    for groups in _QUOTED.findall(prose):
        quote = next(group for group in groups if group)
        if not any(located(quote.strip(" .,;:"), text) for text in given):
            found.append(f"{where}: “{quote}” stands in nothing that was given; say it without quotation marks.")
    return found
