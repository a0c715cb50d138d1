"""Resources and prompts: cited passages, rubrics and logs by address, and the two skills."""

from __future__ import annotations

from collections.abc import Callable

from mcp.server.mcpserver.exceptions import ResourceNotFoundError

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
    """The text of a citation, of whichever score has it; knowledge-base text is fenced as quotation."""
    workspace = server.workspace
    for scorecard in workspace.scorecards():
        for score in workspace.scores(scorecard):
            try:
                with workspace.memory(scorecard, score) as memory:
                    for section in memory.authority.sections() if citation_id.startswith("rubric:") else ():
                        if section.citation_id == citation_id:
                            return f"{scorecard} / {score}, the official rubric\n\n{section.text}"
                    for passage in memory.cited_source(citation_id) if citation_id.startswith("kb:") else ():
                        if passage.citation_id == citation_id:
                            head = f"{scorecard} / {score}, {passage.source}"
                            return f"{head}\n\n{fenced(passage.text, 'quotation')}"
            except RubricatorError:
                continue
    return None
