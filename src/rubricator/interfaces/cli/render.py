"""How results look in a terminal: plain text, one fact a line, no colour needed to read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from rubricator.core.fence import visible
from rubricator.core.scope import SCOPES
from rubricator.memory.citation_check import CitationCheck
from rubricator.memory.hits import excerpt, location
from rubricator.memory.lint import Finding
from rubricator.memory.recent import Recent
from rubricator.memory.terms import words_of
from rubricator.rubric_memory import SearchResult
from rubricator.workspace import Prewarmed

_SHOWN_SKIPS = 10


def paths(found: dict[str, Any]) -> None:
    """Where everything of a score lies."""
    _line(f"{found['scorecard']} / {found['score']}")
    _line(f"  folder    {found['folder']}")
    _line(f"  rubric    {found['rubric'] or 'none: no citation context can be made'}")
    _line(f"  record    {found['record'] or 'none'}")
    for root in found["roots"]:
        span = f"{root['earliest']} to {root['latest']}" if root["earliest"] else "no dates"
        undated = f", {root['undated']} undated" if root["undated"] else ""
        _line(f"  {root['scope']:<9} {root['root']}: {root['files']} files, {span}{undated}")
    if not found["roots"]:
        _line("  no knowledge base applies to this score")
    for refused in found["refused"]:
        _line(f"  refused   {refused['path']}: {refused['reason']}")
    _line(f"  prepared  {found['prepared']}{'' if found['prepared_exists'] else ' (not yet)'}")


def prewarmed(done: Prewarmed) -> None:
    """A prepared corpus."""
    manifest = done.prepared.manifest
    _line(f"{done.prepared.status}: {done.scorecard} / {done.score} in {done.seconds:.2f} s")
    for source in manifest.sources():
        _line(f"  {source['scope']:<9} {source['root']}: {source['files']} files")
    _line(f"  {manifest.indexed} of {manifest.files} files indexed, {manifest.passages} passages")
    skipped = manifest.passed_over()
    for entry in skipped[:_SHOWN_SKIPS]:
        _line(f"  skipped   {entry['path']}: {entry['reason']}")
    if len(skipped) > _SHOWN_SKIPS:
        _line(f"  skipped   {len(skipped) - _SHOWN_SKIPS} more; --json lists them all")
    _line(f"  corpus    {done.prepared.corpus_path}")


def search(result: SearchResult, query_id: object = None) -> None:
    """The hits of one query."""
    if query_id is not None:
        _line(f"# {query_id}: {' '.join(result.query.split())}")
    wanted = words_of(result.query)
    for hit in result.hits:
        passage = hit.passage
        _line(f"{hit.rank:>2}. [{passage.citation_id}] {passage.source}")
        facts = [
            hit.scope,
            hit.date.isoformat() if hit.date else "undated",
            location(passage),
            f"relevance {hit.relevance:.1f}",
        ]
        if hit.copies:
            facts.append(f"also in {', '.join(copy.source for copy in hit.copies)}")
        _line(f"    {' · '.join(facts)}")
        _line(f"    {excerpt(passage.text, wanted)}")
    if not result.hits:
        _line("Nothing found.")
    for note in result.diagnostics:
        click.echo(visible(note), err=True)


def recent(found: Recent) -> None:
    """What was added lately."""
    counts = Counter(source.scope for source in found.sources)
    by_scope = ", ".join(f"{counts[scope]} {scope}" for scope in SCOPES)
    _line(f"{len(found.sources)} sources from {found.since} to {found.until}: {by_scope}")
    for source in found.sources:
        _line(f"{source.date}  {source.scope:<9} {source.source} [{source.citation_id}]")
        _line(f"            {f'{source.title}: ' if source.title else ''}{source.excerpt}")
    if found.undated:
        click.echo(f"{found.undated} undated sources were left out.", err=True)


def citation_check(result: CitationCheck) -> None:
    """What an answer cites."""
    _line(f"{len(result.cited)} citations, {len(result.quotes)} quotations")
    for citation in result.unknown:
        _line(f"  does not exist: [{citation}]")
    for quote in result.misquoted:
        _line(f"  not in [{'], ['.join(quote.citation_ids)}]: “{quote.quote}”")
    for citation in result.unused or ():
        _line(f"  not used: [{citation}]")
    if result.passed:
        _line("  every id exists, and every quotation is where the answer says")


def lint(findings: Sequence[Finding]) -> None:
    """What will surprise."""
    for finding in findings:
        _line(f"{finding.path}: {finding.message} [{finding.rule}]")
        _line(f"    {finding.fix}")
    _line(f"{len(findings)} finding{'s' if len(findings) > 1 else ''}" if findings else "Nothing to report.")


def gate(found: dict[str, Any]) -> None:
    """The agenda, and what of the questions is left out, each with what it rests on."""
    cited = {question["number"]: question["citations"] for question in found["questions"]}
    counts = found["counts"]
    _line(f"{counts['keep']} to ask, {counts['transform']} to confirm, {counts['suppress']} answered already")
    for title, entries in (
        ("Agenda", [(e["number"], e["question"]) for e in found["agenda"]]),
        ("Answered", [(q["number"], q["question"]) for q in found["questions"] if q["agenda"] is None]),
    ):
        if entries:
            _line(f"\n{title}")
        for number, text in entries:
            _line(f"  {number}. {' '.join(text.split())}")
            for citation in cited[number]:
                day = f" {citation['date']}" if citation["date"] else ""
                _line(f"     [{citation['citation_id']}]{day} {' '.join(citation['quote'].split())}")


def _line(text: str) -> None:
    """Print one line, with what a source's name or text could do to a terminal written out."""
    click.echo(visible(text))
