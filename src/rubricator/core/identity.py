"""Canonical JSON, tagged hashes and the citation ids made from them."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import Any, Final, Literal

CitationKind = Literal["rubric", "kb"]

CITATION_ID: Final = re.compile(r"\b(?:rubric|kb):[0-9a-f]{10}(?![0-9A-Za-z])")
"""A citation id as it stands in running text."""
_BARE_DIGITS: Final = re.compile(r"(?<![\w:])[0-9a-f]{10}(?!\w)")
_ID_LIKE: Final = re.compile(
    r"(?i)\[\s*((?:rubric|kb)\s*:[^\]\[\n]{0,80}?)\s*\]|\b((?:rubric|kb):[0-9a-f]{6,}[0-9a-z]*)"
)


def canonical_json(value: Any) -> str:
    """`value` as JSON with one spelling: sorted keys, no spaces, no escapes beyond what JSON asks for.

    Raises ValueError for NaN and infinities, which JSON has no word for.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def tagged_hash(tag: str, value: Any) -> str:
    """SHA-256 over `value`'s canonical JSON, in hexadecimal (64 characters).

    The tag keeps hashes of different things apart even where their values are equal.
    """
    body = f"rubricator/{tag}\0{canonical_json(value)}"
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


def portable_path(path: str) -> str:
    """A relative path, `/` between its parts, in the one spelling used for ids and fingerprints: Unicode NFC."""
    return unicodedata.normalize("NFC", path)


def citation_id(kind: CitationKind, source: str, text: str, occurrence: int = 0) -> str:
    """The stable handle of `text` in `source`: the kind and 10 hexadecimal digits.

    It depends on content and location only. Location is the source's path within the scorecard folder and, where the
    same text stands there more than once, its `occurrence` from 0. So an edit further up leaves the id as it was.
    Forty bits make a collision within 100,000 passages a matter of half a percent; one would show as two passages
    under one id, never as a wrong text, since texts are looked up and not derived.
    """
    return f"{kind}:{tagged_hash(kind, [portable_path(source), text, occurrence])[:10]}"


def with_prefixes(value: Any, ids: Collection[str]) -> Any:
    """`value`, JSON, with the digits of one of `ids` that stand bare in its texts replaced by that id.

    Small models drop the prefix. Digits that two of the ids share stay as they are.
    """
    if isinstance(value, dict):
        return {key: with_prefixes(inner, ids) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_prefixes(inner, ids) for inner in value]
    if not isinstance(value, str):
        return value

    def whole(match: re.Match[str]) -> str:
        fitting = [key for key in ids if key.endswith(f":{match[0]}")]
        return fitting[0] if len(fitting) == 1 else match[0]

    return _BARE_DIGITS.sub(whole, value)


def cited_ids(text: str) -> list[str]:
    """The citation ids that stand in `text`, in order of first appearance, each once."""
    return list(dict.fromkeys(CITATION_ID.findall(text)))


def miswritten_ids(text: str) -> list[str]:
    """What stands in `text` as a citation id but is none: wrong length, wrong case, invented letters; each once."""
    found = (match.group(1) or match.group(2) for match in _ID_LIKE.finditer(text))
    return list(dict.fromkeys(like for like in found if not CITATION_ID.fullmatch(like)))


def fingerprint(entries: Iterable[tuple[str, str]]) -> str:
    """The fingerprint of a set of files from (path, content digest) pairs, whatever their order."""
    return tagged_hash("fingerprint", sorted([portable_path(path), digest] for path, digest in entries))
