"""Resources and prompts: cited passages, rubrics and logs by address, and the two skills."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from rubricator import RubricMemory
from rubricator.core.fence import fenced
from rubricator.errors import RubricatorError
from rubricator.interfaces.mcp.server import RubricatorServer, as_json
from rubricator.skills import body


def register(server: RubricatorServer) -> None:
    """Give a server its resources and prompts."""
    workspace = server.workspace

    @server.resource("rubricator://citation/{citation_id}", mime_type="text/plain")
    def citation(citation_id: str) -> str:
        """The passage or rubric section behind a citation id, and where it stands."""
        found = _cited(server, citation_id)
        if found is None:
            raise ResourceNotFoundError(f"No score here has {citation_id}. Fetch a context, and use its ids.")
        return found

    @server.resource("rubricator://rubric/{evaluator}", mime_type="application/json")
    def rubric(evaluator: str) -> str:
        """An evaluator's rubric: criteria, weights, texts."""
        return _or_not_found(lambda: as_json(workspace.calibration.rubric(evaluator).to_json()))

    @server.resource("rubricator://log/{evaluator}", mime_type="application/json")
    def log(evaluator: str) -> str:
        """An evaluator's calibration log: agreement over the passes, and what was changed."""
        return _or_not_found(lambda: as_json(workspace.calibration.log(evaluator)))

    @server.prompt("rubric-calibration")
    def calibration_skill() -> str:
        """How to run a blind calibration pass with its owner, and read what it found."""
        return body("rubric-calibration")

    @server.prompt("rubric-memory")
    def memory_skill() -> str:
        """How to fetch a rubric's citation context, and cite it."""
        return body("rubric-memory")


def _or_not_found(read: Callable[[], str]) -> str:
    try:
        return read()
    except RubricatorError as error:
        raise ResourceNotFoundError(f"{error.message} {error.hint}") from None


def _cited(server: RubricatorServer, citation_id: str) -> str | None:
    """The text of a citation: of a score that was asked about, or else of whichever score has it."""
    workspace = server.workspace
    every = ((card, score) for card in workspace.scorecards() for score in workspace.scores(card))
    for scorecard, score in dict.fromkeys(chain(server.scores_asked, every)):
        try:
            with workspace.memory(scorecard, score) as memory:
                found = _in_memory(memory, citation_id)
        except RubricatorError:
            continue
        if found is not None:
            return f"{scorecard} / {score}, {found}"
    return None


def _in_memory(memory: RubricMemory, citation_id: str) -> str | None:
    """Where a citation stands and what it says; text of the knowledge base is fenced as quotation."""
    if citation_id.startswith("rubric:"):
        sections = (s for s in memory.authority.sections() if s.citation_id == citation_id)
        return next((f"the official rubric\n\n{section.text}" for section in sections), None)
    passages = (p for p in memory.cited_source(citation_id) if p.citation_id == citation_id)
    return next((f"{passage.source}\n\n{fenced(passage.text, 'quotation')}" for passage in passages), None)
