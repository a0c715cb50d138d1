"""The server itself: what all tools share, and how each is called."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, Final, ParamSpec, TypeVar, cast

from anyio import from_thread
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from rubricator.errors import BlindnessError, RubricatorError
from rubricator.interfaces.mcp.owners_page import OwnersPage
from rubricator.workspace import Workspace

P = ParamSpec("P")
R = TypeVar("R")

Asked = Context[Any, Any]
"""What a tool is called with, beside its arguments."""

_INSTRUCTIONS: Final = (
    "Rubricator keeps rubrics true. memory_* fetch, with citations, what dated notes say about a score; the rubric in "
    "them is the only authority. calibration_* compare an evaluator with its owner's blind ranking: start a pass, give "
    "the owner the page's address, wait with calibration_rank, and only then look at the report. You can't rank, you "
    "never see a score before the owner has ranked, and an edit needs the owner's approval."
)
_RANKING_WORDS: Final = ("rank", "order", "preference")


class RubricatorServer(MCPServer[Any]):
    """An MCP server over one workspace. `page` serves the owner's pages, `tickets` are contracts handed to the host.

    `scores_asked` are the scores whose memory was used, the last one first.
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__("rubricator", version=version("rubricator"), instructions=_INSTRUCTIONS, log_level="ERROR")
        self.workspace = workspace
        self.page = OwnersPage(workspace)
        self.tickets: dict[str, dict[str, Any]] = {}
        self.scores_asked: list[tuple[str, str]] = []
        self._arguments: dict[str, set[str]] = {}

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> Any:  # what the SDK's own returns
        """Call a tool; an argument that it does not have is refused, and one that ranks is told why."""
        if not self._arguments:
            self._arguments = {t.name: set(t.input_schema.get("properties", {})) for t in await self.list_tools()}
        known = self._arguments.get(name)
        strange = sorted(set(arguments) - known) if known is not None else []
        ranks = [word for word in ([name] if known is None else strange) if any(w in word for w in _RANKING_WORDS)]
        if ranks:
            raise refused(BlindnessError(
                "No tool takes a ranking: it must be made by a person who reads.",
                hint="Give the owner the address that calibration_start returned, and wait with calibration_rank.",
            ))  # fmt: skip
        if strange:
            raise ToolError(f"{name} has no argument {', '.join(strange)}; it has {', '.join(sorted(known or ()))}.")
        return await super().call_tool(name, arguments, context)


def served(ctx: Asked) -> RubricatorServer:
    """The server behind a call."""
    return cast(RubricatorServer, ctx.mcp_server)


def told(function: Callable[P, R]) -> Callable[P, R]:
    """Turn the errors of a tool into what its caller can act on."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except RubricatorError as error:
            raise refused(error) from None

    return run


def as_json(value: Any) -> str:
    """A result as JSON text."""
    return json.dumps(value, ensure_ascii=False)


def progress(ctx: Asked) -> Callable[[int, int], None]:
    """Progress of work in a thread, as notifications to a client that asked for them."""

    def update(done: int, total: int) -> None:
        from_thread.run(ctx.report_progress, float(done), float(total))

    return update


def refused(error: RubricatorError) -> ToolError:
    """An error of ours as a tool says it."""
    return ToolError(f"{error.code}: {error.message} {error.hint}".strip())
