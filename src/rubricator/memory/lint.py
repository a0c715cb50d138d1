"""What in a scorecard folder will surprise its owner: found by name and by content, never changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rubricator.core.scope import SCOPES, applicable_roots, looks_like_date, parse_date

UNDATED_FOLDER = "unknown-date"


@dataclass(frozen=True, slots=True)
class Finding:
    """One surprise: a stable rule name, where, what, and what to do about it."""

    rule: str
    path: str
    message: str
    fix: str

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Facts:
    """What the rules look at, all of it relative to one scorecard folder.

    `files` are (path, content digest) pairs of raw files; `skipped` are (path, reason) pairs; `champions` tells of each
    score with a rubric whether its record names a champion version.
    """

    scores: tuple[str, ...]
    knowledge_bases: tuple[str, ...]
    files: tuple[tuple[str, str], ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    champions: tuple[tuple[str, bool], ...] = ()
    rubricless: tuple[str, ...] = ()
    collisions: tuple[tuple[str, str], ...] = field(default=())


def lint(facts: Facts) -> list[Finding]:
    """The findings on `facts`, by path and rule."""
    rules = (_dates, _undated, _orphans, _skips, _duplicates, _champions, _names)
    return sorted((finding for rule in rules for finding in rule(facts)), key=lambda f: (f.path, f.rule))


def _dates(facts: Facts) -> Iterator[Finding]:
    seen = set()
    for path, _ in (*facts.files, *facts.skipped):
        parts = path.split("/")
        for depth, folder in enumerate(parts[1:-1], start=1):
            where = "/".join(parts[: depth + 1])
            if looks_like_date(folder) and where not in seen:
                seen.add(where)
                yield Finding(
                    "not-a-date",
                    where,
                    f"{folder!r} looks like a date but is not one, so it dates nothing.",
                    "Name the folder exactly YYYY-MM-DD; put the rest of the name in a folder or file below it.",
                )


def _undated(facts: Facts) -> Iterator[Finding]:
    for path, _ in facts.files:
        folders = path.split("/")[1:-1]
        if (
            not any(parse_date(folder) or looks_like_date(folder) for folder in folders)
            and UNDATED_FOLDER not in folders
        ):
            yield Finding(
                "no-date-folder",
                path,
                "The source is in no date folder, so it never appears in the policy history.",
                f"Move it into a folder named YYYY-MM-DD, or into {UNDATED_FOLDER}/ if its date is not known.",
            )


def _orphans(facts: Facts) -> Iterator[Finding]:
    used = {root.name for score in facts.scores for root in applicable_roots(facts.knowledge_bases, score)}
    for name in facts.knowledge_bases:
        if name not in used:
            yield Finding(
                "matches-no-score",
                name,
                "The knowledge base belongs to no score of this scorecard: nothing in it is ever found.",
                "Name it after a score, or a leading part of one that ends at a space, `-` or `(`.",
            )
    for score in facts.rubricless:
        yield Finding(
            "no-rubric",
            f"{score}.yaml",
            "The score has a record but no rubric: no citation context can be made for it.",
            f"Pull or write {score}.md.",
        )


def _skips(facts: Facts) -> Iterator[Finding]:
    for path, reason in facts.skipped:
        if reason.startswith("no text"):
            yield Finding("no-text", path, f"Nothing in it can be found: {reason}.", "Remove it, or add its text.")
        else:
            yield Finding("skipped", path, f"It is not indexed: {reason}.", "See the reason.")


def _duplicates(facts: Facts) -> Iterator[Finding]:
    by_digest: defaultdict[str, list[str]] = defaultdict(list)
    for path, digest in facts.files:
        by_digest[digest].append(path)
    for paths in by_digest.values():
        bases = {path.split("/")[0] for path in paths}
        if len(bases) > 1:
            first, *others = sorted(paths)
            yield Finding(
                "duplicate",
                first,
                f"The same file stands in other knowledge bases: {', '.join(others)}.",
                f"Keep one copy, in the widest scope that needs it ({', '.join(SCOPES)}).",
            )


def _champions(facts: Facts) -> Iterator[Finding]:
    for score, champion in facts.champions:
        if not champion:
            yield Finding(
                "no-champion",
                f"{score}.md",
                "Whether this rubric is the active version is not known.",
                f"Add `version` and `championVersionId` to {score}.yaml.",
            )


def _names(facts: Facts) -> Iterator[Finding]:
    for one, other in facts.collisions:
        yield Finding(
            "same-name",
            other,
            f"On other file systems it is the same name as {one!r}: one would overwrite the other.",
            "Rename one of them.",
        )
