"""The synthesizer without a model: it labels by stated signals and leaves everything else as it is.

It never reads; it compares. What it can't compare it calls historical context, it never claims more than medium
confidence, and it says that no model has read anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from rubricator.core.authority import Authority
from rubricator.memory.figures import Figures, figures
from rubricator.memory.hits import Hit, iso, oldest_first
from rubricator.memory.query import DisputedItem
from rubricator.memory.rules import Rule, Support, best_support, rules
from rubricator.memory.sentences import statements
from rubricator.memory.signals import DEPARTS, SAME_MATTER, Signal, Vocabulary, modality, records_decision, signals
from rubricator.memory.synthesis import Classification, Synthesis

SYNTHESIZER: Final = "extractive"
NOTE: Final = "No model has read this: passages are labelled by figures, dates and words of duty, and by nothing else."

_SAYS_MORE: Final = frozenset({"rubric_gap", "possible_stale_rubric"})
_SHOWN_RULES: Final = 4
_BORNE_OUT: Final = 0.5
_BEARS: Final = 0.15
_WORD_FOR_WORD: Final = 0.75
"""A side that the rubric covers this far quotes it; the other does not, where it covers less than a third of that."""
_BETTER: Final = 1.2
"""A passage bears a claim out better than the rubric does when it covers this many times as much of it."""
_SILENT = re.compile(
    r"\b(?:do(?:es)? not|doesn['’]t|don['’]t|never|nothing|no rule|no word|not|nowhere)\b[^.]{0,30}"
    r"\b(?:say|says|said|state|states|mention|mentions|cover|covers|covered|specify|specifies|address|addresses|define"
    r"|defines|about|on that|for this|for that)\b|\b(?:silent|unclear|leaves? (?:it |that )?open)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Statement:
    """A sentence of a passage."""

    hit: Hit
    text: str


class _Reading:
    """An item beside the rubric's rules and the passages' sentences."""

    def __init__(self, item: DisputedItem, authority: Authority, hits: Sequence[Hit]) -> None:
        self.item = item
        self.hits = hits
        self.rules = rules(authority)
        self.statements = [_Statement(hit, text) for hit in hits for text in statements(hit.passage.text)]
        self.vocabulary = Vocabulary([*(r.text for r in self.rules), *(s.text for s in self.statements)])

    @cached_property
    def claim(self) -> str:
        """What the reviewer holds; without a comment, what the evaluator holds."""
        return self.item.feedback_comment.strip() or self.item.model_explanation.strip() or self.item.text

    @cached_property
    def by_rubric(self) -> Support:
        """How far the rubric bears out the claim."""
        return self._in_rubric(self.claim)

    @cached_property
    def by_evaluator(self) -> Support:
        """How far the rubric bears out the evaluator's explanation."""
        return self._in_rubric(self.item.model_explanation)

    def _in_rubric(self, text: str) -> Support:
        return best_support(text, [r.text for r in self.rules], self.vocabulary)

    @cached_property
    def by_passage(self) -> tuple[float, _Statement | None]:
        """The sentence of a passage that bears the claim out best, if it does so better than the rubric."""
        best: tuple[float, _Statement | None] = (0.0, None)
        for hit in self.hits:
            own = [s for s in self.statements if s.hit is hit]
            found = best_support(self.claim, [s.text for s in own], self.vocabulary)
            if found.coverage > best[0]:
                best = (found.coverage, own[found.at])
        better = best[0] >= _BETTER * self.by_rubric.coverage and best[0] >= _BEARS
        return best if better else (0.0, None)

    def rule(self, support: Support) -> Rule | None:
        """The rule that a support is found in."""
        return self.rules[support.at] if support.at >= 0 else None

    @cached_property
    def bearing(self) -> tuple[Rule, ...]:
        """The rules that bear on the item, most first, each once."""
        sides = (self.claim, self.item.model_explanation)
        found = [self._by_figure(side) for side in sides]
        found += [self.rule(s) for s in (self.by_evaluator, self.by_rubric, self._in_rubric(self.item.text))]
        return tuple(dict.fromkeys(rule for rule in found if rule is not None))[:_SHOWN_RULES]

    def _by_figure(self, text: str) -> Rule | None:
        """The rule that states a figure of `text` and shares most with it."""
        stated = figures(text)
        sharing = [
            rule for rule in self.rules if any(stated.get(unit, set()) & of for unit, of in figures(rule.text).items())
        ]
        return max(sharing, key=lambda rule: self.vocabulary.overlap(text, rule.text), default=None)

    def closest(self, text: str) -> tuple[float, Rule | None]:
        """The rule, of those that bear on the item, that speaks of the same matter as `text`, if any does."""
        overlap, number = max(
            ((self.vocabulary.overlap(text, rule.text), -n) for n, rule in enumerate(self.bearing)), default=(0.0, 0)
        )
        return (overlap, self.bearing[-number]) if overlap >= SAME_MATTER else (overlap, None)


def extract(item: DisputedItem, authority: Authority, hits: Sequence[Hit]) -> Synthesis:
    """The synthesis of `hits` for a disputed item, by signals alone."""
    reading = _Reading(item, authority, hits)
    labelled = {hit.passage.citation_id: _label(reading, hit) for hit in hits}
    classification, reason, basis = _classify(reading)
    explicit = basis.hit if basis is not None and classification in _SAYS_MORE else None
    if explicit is not None and classification == "possible_stale_rubric":
        labelled[explicit.passage.citation_id][Signal("change", f"newer, {iso(explicit.date)}")] = ""
    conflicting = tuple(key for key, found in labelled.items() if any(s.departs for s in found))
    supporting = tuple(key for key, found in labelled.items() if found and key not in conflicting)
    words = {key: next(iter(text for text in found.values() if text), "") for key, found in labelled.items()}
    if basis is not None:
        words[basis.hit.passage.citation_id] = basis.text
    return Synthesis(
        classification=classification,
        rules=reading.bearing,
        supporting=supporting,
        conflicting=conflicting,
        likely_reason=reason,
        confidence="medium",
        explicit=explicit.passage.citation_id if explicit else "",
        words={key: text for key, text in words.items() if text},
        signals={key: tuple(f"{s.kind}: {s.words}" for s in found) for key, found in labelled.items() if found},
        made_by={"kind": SYNTHESIZER, "note": NOTE},
    )


def _label(reading: _Reading, hit: Hit) -> dict[Signal, str]:
    """The signals between a passage and the rules nearest to its sentences.

    A question states nothing, departing takes more overlap than agreeing, and words of change alone need another signal
    and a date. Each signal comes with the sentence that carries it.
    """
    found: dict[Signal, str] = {}
    for statement in (s for s in reading.statements if s.hit is hit and not s.text.endswith("?")):
        overlap, rule = reading.closest(statement.text)
        if rule is None:
            continue
        between = [s for s in signals(statement.text, rule.text) if overlap >= DEPARTS or not s.departs]
        told = [s for s in between if s.kind != "change" or (hit.date and len(between) > 1)]
        found = dict.fromkeys(told, statement.text) | found
    return found


def _classify(reading: _Reading) -> tuple[Classification, str, _Statement | None]:
    """The classification, the likely reason, and the sentence of a passage that it rests on, if it rests on one."""
    _, statement = reading.by_passage
    if _says_nothing(reading):
        reason = "The reviewer holds that the rubric does not settle this, and no rule of it does."
        return "rubric_gap", reason, statement
    settled = _by_figures(reading) or _by_modality(reading) or _by_wording(reading)
    if settled is not None:
        return (*settled, None)
    if statement is not None:
        return _by_corpus(reading, statement)
    if reading.by_rubric.coverage >= max(_BORNE_OUT, reading.by_evaluator.coverage):
        return "rubric_supported", _goes_by("The reviewer", reading.rule(reading.by_rubric)), None
    if not reading.bearing or max(reading.by_rubric.coverage, reading.by_evaluator.coverage) < _BEARS:
        return "rubric_gap", "No sentence of the rubric and no passage bears on what is disputed.", None
    return "historical_context", "No stated signal tells which side the rubric is on: it has to be read.", None


def _says_nothing(reading: _Reading) -> bool:
    """Whether the claim is that the rubric says nothing, and the rubric indeed covers little of it."""
    return bool(_SILENT.search(reading.claim)) and reading.by_rubric.coverage < _BORNE_OUT


def _by_figures(reading: _Reading) -> tuple[Classification, str] | None:
    """The claim's figures held against those of the rule that shares most with it, under the same units.

    The rule must share a figure that is not merely one of the case's own facts; then any other figure departs.
    """
    facts, claimed = figures(reading.item.text), figures(reading.claim)
    policy = {unit: values - facts.get(unit, set()) for unit, values in claimed.items()}
    for rule in sorted(reading.rules, key=lambda r: -reading.vocabulary.overlap(reading.claim, r.text)):
        ruled = figures(rule.text)
        if not any(ruled.get(unit, set()) & values for unit, values in policy.items()):
            continue
        if all(claimed[unit] & ruled[unit] for unit in claimed.keys() & ruled.keys()):
            return "rubric_supported", _goes_by("The reviewer", rule)
        return "rubric_conflicting", _goes_by("The evaluator", rule)
    return None


def _by_modality(reading: _Reading) -> tuple[Classification, str] | None:
    """What the evaluator says is forbidden or required, held against the rule that its explanation is nearest to."""
    if not reading.item.feedback_comment.strip() or reading.by_evaluator.coverage < _BEARS:
        return None
    rule = reading.rule(reading.by_evaluator)
    said = modality(reading.item.model_explanation)
    ruled = modality(rule.text, reading.item.model_explanation) if rule else None
    if rule is None or said is None or ruled is None:
        return None
    if {said, ruled} == {"forbidden", "allowed"}:
        return "rubric_supported", _goes_by("The reviewer", rule)
    nearer = reading.by_evaluator.coverage > reading.by_rubric.coverage
    if said == ruled == "forbidden" and nearer:
        return "rubric_conflicting", _goes_by("The evaluator", rule)
    return None


def _by_wording(reading: _Reading) -> tuple[Classification, str] | None:
    """One side quotes the rubric nearly word for word, and the other has hardly a word from it or from a passage."""
    ours, theirs = reading.by_rubric.coverage, reading.by_evaluator.coverage
    if reading.by_passage[0] >= _BORNE_OUT or not reading.item.feedback_comment.strip():
        return None
    if theirs >= _WORD_FOR_WORD and 3 * ours < theirs:
        return "rubric_conflicting", _goes_by("The evaluator", reading.rule(reading.by_evaluator))
    if ours >= _WORD_FOR_WORD and 3 * theirs < ours:
        return "rubric_supported", _goes_by("The reviewer", reading.rule(reading.by_rubric))
    return None


def _by_corpus(reading: _Reading, statement: _Statement) -> tuple[Classification, str, _Statement]:
    """The claim rests on a passage rather than on the rubric: newer and unanswered, past, or filling a gap."""
    hit = statement.hit
    where = f"[{hit.passage.citation_id}] ({iso(hit.date) or 'undated'})"
    if reading.by_evaluator.coverage < _BEARS and reading.by_rubric.coverage < _BEARS:
        return "rubric_gap", f"The rubric leaves open what the reviewer takes from {where}.", statement
    rule = reading.rule(reading.by_evaluator) or reading.rule(reading.by_rubric)
    later = _restated_later(reading, statement)
    departs = any(s.departs for s in signals(statement.text, rule.text if rule else ""))
    if hit.date and (departs or records_decision(hit.passage.text)) and later is None:
        reason = (
            f"The reviewer goes by {where}, which is newer and departs from the rubric; the evaluator by the rubric."
        )
        return "possible_stale_rubric", reason, statement
    after = f" Later, [{later.passage.citation_id}] ({iso(later.date)}) goes by the rubric again." if later else ""
    reason = f"The reviewer goes by {where}; the rubric as it stands has no such rule.{after}"
    return "historical_context", reason, statement


def _restated_later(reading: _Reading, statement: _Statement) -> Hit | None:
    """A later passage that goes by the rules that bear on the item: it states a figure of theirs, none departed."""
    ruled: Figures = {}
    for rule in reading.bearing:
        for unit, values in figures(rule.text).items():
            ruled.setdefault(unit, set()).update(values)
    departed = {unit: values - ruled.get(unit, set()) for unit, values in figures(statement.text).items()}
    for later in oldest_first(reading.hits):
        if statement.hit.date and later.date and later.date > statement.hit.date:
            stated = figures(later.passage.text)
            if any(
                values & ruled.get(unit, set()) and not values & departed.get(unit, set())
                for unit, values in stated.items()
            ):
                return later
    return None


def _goes_by(who: str, rule: Rule | None) -> str:
    return f"{who} goes by the rubric [{rule.citation_id}]; the other side does not." if rule else ""
