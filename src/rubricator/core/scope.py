"""Names, scopes and dates: which knowledge bases apply to a score, and when a source was written."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rubricator.errors import NameRefusedError

Scope = Literal["score", "prefix", "scorecard"]

SCOPES: Final[tuple[Scope, ...]] = ("score", "prefix", "scorecard")
"""The scopes, most specific first: the order of citations."""

KNOWLEDGE_BASE: Final = ".knowledge-base"
SCORECARD_STEM: Final = "scorecard"

_FORBIDDEN = frozenset('<>:"/\\|?*[]')
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$", *(f"{d}{n}" for d in ("com", "lpt") for n in range(1, 10))}
)
_MAX_STEM_BYTES = 255 - len(KNOWLEDGE_BASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_DATE_LIKE = re.compile(
    r"(?<!\d)\d{4}[-_.]\d{1,2}[-_.]\d{1,2}(?!\d)|(?<!\d)\d{1,2}[-_.]\d{1,2}[-_.]\d{4}(?!\d)|^\d{8}$"
)


def folder_name(name: str, *, what: str = "score") -> str:
    r"""The file-system stem of a scorecard's or score's name.

    Each of `< > : " / \ | ? * [ ]` and every unprintable character becomes `-`; the result is stripped. Raises
    NameRefusedError for a name that is empty, too long or would escape its folder (`.`, `..`), that collides with the
    scorecard's own knowledge base (`scorecard`, for a score), or that is a device on Windows (`CON`).
    """
    stem = "".join("-" if c in _FORBIDDEN or not c.isprintable() else c for c in name).strip()
    hint = f"Rename the {what}, or ask for it by another name."
    if not stem.strip(". "):
        raise NameRefusedError(f"The {what} name {name!r} would escape its folder.", hint=hint)
    if what == "score" and same_name(stem.casefold(), SCORECARD_STEM):
        raise NameRefusedError(f"The score name {name!r} collides with {SCORECARD_STEM}{KNOWLEDGE_BASE}.", hint=hint)
    if len(stem.encode("utf-8", "surrogatepass")) > _MAX_STEM_BYTES:
        raise NameRefusedError(f"The {what} name {name[:60]!r}… is too long for a file system.", hint=hint)
    if unicodedata.normalize("NFKC", stem.split(".")[0]).strip().casefold() in _DEVICES:
        raise NameRefusedError(f"The {what} name {name!r} is a device on Windows, not a file.", hint=hint)
    return stem


def same_name(one: str, other: str) -> bool:
    """Whether two names are the same but for their Unicode form (a Mac writes `é` as two characters)."""
    return _composed(one) == _composed(other)


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def collision_key(name: str) -> str:
    """Names with equal keys can't be told apart on every file system: case, Unicode form, trailing dots, spaces."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).rstrip(". ")


def is_prefix(stem: str, score_stem: str) -> bool:
    """Whether a prefix folder's `stem` applies to `score_stem`.

    It must be a leading part of the score's stem that ends at a space, `-` or `(`; neither the score's own stem nor
    `scorecard` is a prefix.
    """
    stem, score_stem = _composed(stem), _composed(score_stem)
    if not stem or stem in {score_stem, SCORECARD_STEM} or not score_stem.startswith(stem):
        return False
    return score_stem[len(stem)] in " -(" or stem[-1] in " -("


@dataclass(frozen=True, slots=True)
class Root:
    """A knowledge-base folder that applies to a score. `name` is the folder's name within the scorecard folder."""

    scope: Scope
    name: str

    @property
    def stem(self) -> str:
        """The folder's name without `.knowledge-base`."""
        return self.name.removesuffix(KNOWLEDGE_BASE)


def applicable_roots(folder_names: Iterable[str], score_stem: str) -> list[Root]:
    """The roots that apply to a score, in scope order, the longest prefix first.

    `folder_names` are the names of the folders in the scorecard folder; those that are no knowledge base, or one of
    another score, are left out.
    """
    found: list[Root] = []
    for name in folder_names:
        stem = name.removesuffix(KNOWLEDGE_BASE)
        if stem == name:
            continue
        if same_name(stem, score_stem):
            found.append(Root("score", name))
        elif stem == SCORECARD_STEM:
            found.append(Root("scorecard", name))
        elif is_prefix(stem, score_stem):
            found.append(Root("prefix", name))
    return sorted(found, key=lambda root: (SCOPES.index(root.scope), -len(_composed(root.stem)), root.name))


def parse_date(text: str) -> dt.date | None:
    """The date that `text` is, if it is exactly `YYYY-MM-DD` and a real date."""
    if not _DATE.fullmatch(text):
        return None
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        return None


def source_date(folders: Sequence[str]) -> dt.date | None:
    """A source's date from the names of its ancestor folders within the knowledge base, outermost first.

    The nearest that is exactly `YYYY-MM-DD` counts; without one the source is undated.
    """
    return next((date for folder in reversed(folders) if (date := parse_date(folder))), None)


def looks_like_date(folder: str) -> bool:
    """Whether a folder's name was probably meant as a date but isn't one: `2026-4-24`, `2026-02-30`."""
    return parse_date(folder) is None and bool(_DATE_LIKE.search(folder))
