"""The authority: the official rubric that citations stand under, resolved once and never overridden."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from rubricator.core.identity import citation_id
from rubricator.core.markdown import headings
from rubricator.errors import AuthorityError

_NOTHING = re.compile(r"[\s\ufeff\u200b-\u200d\u2060]*|\s*\*No \w+ specified for this score\.\*\s*")
"""What holds no policy: blanks, what can't be seen, and the note that Plexus keeps where a score has no rubric."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a rubric: a heading and the text up to the next heading, or what stands before the first."""

    citation_id: str
    heading: str
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Authority:
    """The active rubric of a score: version id, full text and where both came from.

    `source` is the rubric's file within the scorecard folder, or the endpoint's name for it. `champion` is False when
    the version at hand is known not to be the active one; `diagnostics` then says so.
    """

    scorecard: str
    score: str
    score_version_id: str
    rubric: str
    source: str
    champion: bool = True
    metadata: dict[str, Any] = field(default_factory=dict)
    diagnostics: tuple[str, ...] = ()

    @property
    def citation_id(self) -> str:
        """The handle of the rubric as a whole. It depends on the version and the text, not on how both were found."""
        return citation_id("rubric", self.score_version_id, self.rubric)

    def sections(self) -> list[Section]:
        """The rubric cut at its headings, in order; joined, the texts give the rubric back to the letter.

        What stands before the first heading is a section without one, unless it is blank.
        """
        cuts = headings(self.rubric)
        if self.rubric and (not cuts or self.rubric[: cuts[0][0]].strip()):
            cuts = [(0, "", 0), *cuts]
        elif cuts:
            cuts = [(0, *cuts[0][1:]), *cuts[1:]]
        ends = [start for start, _, _ in cuts[1:]] + [len(self.rubric)]
        seen: dict[str, int] = {}
        found: list[Section] = []
        for (start, heading, level), end in zip(cuts, ends if cuts else (), strict=True):
            text = self.rubric[start:end]
            occurrence = seen.get(text, 0)
            seen[text] = occurrence + 1
            handle = citation_id("rubric", f"{self.score_version_id}#", text, occurrence)
            found.append(Section(handle, heading, level, text))
        return found


def make_authority(
    *,
    scorecard: str,
    score: str,
    rubric: str,
    source: str,
    metadata: dict[str, Any],
    diagnostics: tuple[str, ...] = (),
) -> Authority:
    """An authority from a rubric and its version record (`version`, `championVersionId`, `id`, `parent`, ...).

    Raises AuthorityError for a rubric that is empty. A version that is not the champion, or whose champion is not
    known, is used with a diagnostic that says so.
    """
    if _NOTHING.fullmatch(rubric):
        raise AuthorityError(
            f"The rubric of {scorecard} / {score} is empty ({source}).",
            hint="No citation context exists without authority: pull or write the rubric first.",
        )
    version = _text(metadata.get("version"))
    champion = _text(metadata.get("championVersionId"))
    notes = list(diagnostics)
    if champion and version and champion != version:
        notes.append(
            f"The rubric at hand is version {version}, but the active version is {champion}: "
            "what it says may be out of date."
        )
    elif not champion:
        notes.append("The score has no championVersionId: whether this rubric is the active version is not known.")
    return Authority(
        scorecard=scorecard,
        score=score,
        score_version_id=version or champion or "unversioned",
        rubric=rubric,
        source=source,
        champion=bool(champion) and version in {champion, ""},
        metadata=metadata,
        diagnostics=tuple(notes),
    )


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()
