"""The question gate: which questions to experts are still worth asking, given what rubric and corpus already say.

The core is deterministic: a question is answered where a sentence or two hold enough of its telling words, and, when it
asks for a number, a date or a person, something of that kind. A model may refine a status, never the words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from rubricator.core.authority import Authority
from rubricator.core.fence import one_line
from rubricator.errors import InputError
from rubricator.memory.figures import figures
from rubricator.memory.hits import Hit, iso, shortened
from rubricator.memory.pack import should_say
from rubricator.memory.rules import Rule, Support, best_support, rules
from rubricator.memory.sentences import statements
from rubricator.memory.signals import Vocabulary, signals
from rubricator.memory.terms import tells

Action = Literal["keep", "transform", "suppress"]
Status = Literal[
    "answered_by_rubric", "answered_by_corpus", "partially_answered", "conflicting_evidence", "true_open_question"
]
STATUSES: Final[Mapping[Status, Action]] = {
    "answered_by_rubric": "suppress",
    "answered_by_corpus": "transform",
    "partially_answered": "transform",
    "conflicting_evidence": "keep",
    "true_open_question": "keep",
}
"""What becomes of a question of each status."""

ANSWERED: Final = 0.6
"""The share of a question's telling words that must stand together for an answer."""
PARTLY: Final = 0.45
_FEWEST_WORDS: Final = 2
"""One word in common, however telling, is no answer."""
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(\S.*)")
_MOST_CITED: Final = 4
_LONGEST: Final = 400
_MOST_COLONS: Final = 2
"""A longer run without a full stop, or more colons, is a table's row: everybody's words, and no answer."""
_ASKS: Final = (
    (
        re.compile(
            r"\bhow (?:much|many|long|often|soon|old|far)\b|\bwhat (?:sum|amount|share|number|limit)\b|\bwhich limit\b",
            re.IGNORECASE,
        ),
        "figure",
    ),
    (
        re.compile(r"^\W*(?:since |until |by )?when\b|\b(?:what|which) (?:date|day|year|month)\b", re.IGNORECASE),
        "date",
    ),
)
_HOW = re.compile(r"\bhow (?:much|many|long|often|soon|old|far)\b", re.IGNORECASE)
_DATE_LIKE = re.compile(
    r"\d{4}-\d{2}-\d{2}|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b(?:19|20)\d{2}\b|day\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Gated:
    """One question: its status, what becomes of it, the question to ask instead, and what it rests on."""

    number: int
    question: str
    status: Status
    citations: tuple[dict[str, Any], ...]
    asked: str

    @property
    def action(self) -> Action:
        """What becomes of the question."""
        return STATUSES[self.status]

    def to_json(self) -> dict[str, Any]:
        """The gated question as JSON; `agenda` is None where it is suppressed."""
        return {
            "number": self.number,
            "question": self.question,
            "action": self.action,
            "status": self.status,
            "agenda": self.asked if self.action != "suppress" else None,
            "citations": [dict(citation) for citation in self.citations],
        }


def read_questions(text: str) -> list[str]:
    """The questions in a Markdown list, or one a line where there is no list. Raises InputError where there is none."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    listed = [match[1].strip() for line in lines if (match := _ITEM.match(line))]
    found = listed or [line.strip() for line in lines]
    if not found:
        raise InputError("There is no question in it.", hint="Write a Markdown list, or a JSON list of strings.")
    return found


def gate(questions: Sequence[str], authority: Authority, found: Sequence[Sequence[Hit]]) -> list[Gated]:
    """The status of each question, by what the rubric and the passages found for it say."""
    ruled = rules(authority)
    return [
        _gated(number, question, ruled, authority, hits)
        for number, (question, hits) in enumerate(zip(questions, found, strict=True), start=1)
    ]


def _gated(number: int, question: str, ruled: Sequence[Rule], authority: Authority, hits: Sequence[Hit]) -> Gated:
    said = [rule.text for rule in ruled]
    stated = [(hit, statements(hit.passage.text)) for hit in hits]
    vocabulary = Vocabulary([*said, *(text for _, own in stated for text in own)])
    rubric = best_support(_telling(question), said, vocabulary)
    rule = ruled[rubric.at] if rubric.at >= 0 else None
    answers = _answers(question, stated, vocabulary)
    if rule and _reaches(ANSWERED, rubric) and _holds(question, said, rubric.at):
        if newer := _departing(rule, answers):
            both = (_of_rule(rule, authority), _of_hit(*newer))
            return Gated(number, question, "conflicting_evidence", both, _against(question, rule, newer))
        return Gated(number, question, "answered_by_rubric", (_of_rule(rule, authority),), question)
    if opposed := _opposed(answers):
        cited = tuple(_of_hit(hit, text) for hit, text in opposed)
        return Gated(number, question, "conflicting_evidence", cited, _which_holds(question, opposed))
    if answers:
        hit, text = answers[0]
        cited = tuple(_of_hit(h, t) for h, t in answers[:_MOST_CITED])
        return Gated(number, question, "answered_by_corpus", cited, should_say(text, hit.passage.citation_id))
    if rule and _reaches(PARTLY, rubric):
        return Gated(number, question, "partially_answered", (_of_rule(rule, authority),), _rest(question, rule))
    return Gated(number, question, "true_open_question", (), question)


def gate_by(
    number: int, question: str, status: Status, authority: Authority, cited_rules: Sequence[Rule], cited: Sequence[Hit]
) -> Gated:
    """The gated question that a status and its citations come to; the words are made here."""
    found = [(hit, _nearest(question, hit)) for hit in sorted(cited, key=lambda h: iso(h.date) or "")]
    citations = (*(_of_rule(r, authority) for r in cited_rules), *(_of_hit(hit, text) for hit, text in found))
    asked = question
    if status == "answered_by_corpus" and found:
        asked = should_say(found[-1][1], found[-1][0].passage.citation_id)
    elif status == "partially_answered" and cited_rules:
        asked = _rest(question, cited_rules[0])
    elif status == "conflicting_evidence" and found:
        asked = _which_holds(question, found)
    return Gated(number, question, status, citations, asked)


def agenda(gated: Sequence[Gated]) -> dict[str, Any]:
    """The gated questions and the agenda: what to ask, in order, conflicts first, then what the rubric should say."""
    order = ("conflicting_evidence", "true_open_question", "partially_answered", "answered_by_corpus")
    asked = sorted((g for g in gated if g.action != "suppress"), key=lambda g: (order.index(g.status), g.number))
    return {
        "questions": [g.to_json() for g in gated],
        "agenda": [{"number": g.number, "question": g.asked} for g in asked],
        "counts": {action: sum(g.action == action for g in gated) for action in ("keep", "transform", "suppress")},
    }


def _answers(
    question: str, stated: Sequence[tuple[Hit, Sequence[str]]], vocabulary: Vocabulary
) -> list[tuple[Hit, str]]:
    """The passages that answer, each with its answering sentence, best first. A question answers none."""
    found = []
    for hit, own in stated:
        support = best_support(_telling(question), own, vocabulary)
        if not _reaches(ANSWERED, support) or not _holds(question, own, support.at):
            continue
        text = own[support.at]
        if len(text) <= _LONGEST and text.count(": ") <= _MOST_COLONS and not text.endswith("?"):
            found.append((-round(support.coverage, 6), hit.rank, hit, text))
    return [(hit, text) for _, _, hit, text in sorted(found, key=lambda entry: entry[:2])]


def _telling(question: str) -> str:
    """The question without the words that ask; empty where no other says anything."""
    rest = _HOW.sub(" ", question)
    return rest if tells(rest) else ""


def _reaches(share: float, support: Support) -> bool:
    return support.coverage >= share and support.words >= _FEWEST_WORDS


def _opposed(answers: Sequence[tuple[Hit, str]]) -> list[tuple[Hit, str]]:
    """Two dated answers that depart from each other, the older first; empty where there are none."""
    dated = _dated(answers)
    for later in range(len(dated) - 1, 0, -1):
        for earlier in reversed(range(later)):
            (one, old), (other, new) = dated[earlier], dated[later]
            if one.date != other.date and _depart(new, old):
                return [dated[earlier], dated[later]]
    return []


def _departing(rule: Rule, answers: Sequence[tuple[Hit, str]]) -> tuple[Hit, str] | None:
    """The newest dated answer, if it departs from the rule: then the rubric's answer may not be the last word."""
    dated = _dated(answers)
    return dated[-1] if dated and _depart(dated[-1][1], rule.text) else None


def _depart(statement: str, other: str) -> bool:
    """Whether one answer states another figure than the other, or forbids what that allows."""
    return any(signal.kind in {"other_figure", "opposed"} for signal in signals(statement, other))


def _dated(answers: Sequence[tuple[Hit, str]]) -> list[tuple[Hit, str]]:
    """The dated answers, oldest first."""
    return sorted((a for a in answers if a[0].date), key=lambda a: (iso(a[0].date) or "", a[0].rank))


def _holds(question: str, statements: Sequence[str], at: int) -> bool:
    """Whether the sentence, or one beside it, holds the kind of thing that is asked for."""
    near = " ".join(statements[max(0, at - 1) : at + 2])
    for asks, kind in _ASKS:
        if asks.search(question):
            return bool(figures(near)) if kind == "figure" else bool(_DATE_LIKE.search(near))
    return True


def _nearest(question: str, hit: Hit) -> str:
    own = statements(hit.passage.text) or [hit.passage.text]
    support = best_support(question, own, Vocabulary(own))
    return own[max(support.at, 0)]


def _which_holds(question: str, opposed: Sequence[tuple[Hit, str]]) -> str:
    said = "; ".join(
        f"{iso(hit.date) or 'undated'}: “{shortened(one_line(text))}” [{hit.passage.citation_id}]"
        for hit, text in opposed
    )
    return f"{question.rstrip()} Sources disagree, newest last: {said}. Which holds?"


def _against(question: str, rule: Rule, newer: tuple[Hit, str]) -> str:
    hit, text = newer
    rubric = f"the rubric says “{shortened(one_line(rule.text))}” [{rule.citation_id}]"
    return (
        f"{question.rstrip()} Here {rubric}, but {iso(hit.date)} has “{shortened(one_line(text))}” "
        f"[{hit.passage.citation_id}]. Which holds?"
    )


def _rest(question: str, rule: Rule) -> str:
    return f"The rubric says “{shortened(one_line(rule.text))}” [{rule.citation_id}]. Does that settle it: {question}"


def _of_rule(rule: Rule, authority: Authority) -> dict[str, Any]:
    return {"kind": "rubric", **rule.to_json(authority.source), "date": None}


def _of_hit(hit: Hit, text: str) -> dict[str, Any]:
    return {
        "kind": "passage",
        "citation_id": hit.passage.citation_id,
        "source": hit.passage.source,
        "date": iso(hit.date),
        "quote": text,
    }
