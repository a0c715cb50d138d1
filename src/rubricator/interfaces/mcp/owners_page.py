"""The owner's pages, served beside the MCP server so that a person can rank while an agent waits."""

from __future__ import annotations

import threading
from functools import cached_property

from rubricator.interfaces.web import serve_beside
from rubricator.workspace import Workspace


class OwnersPage:
    """The pages of a workspace's sessions on a free port of this machine, served from when they are first needed."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._turn = threading.Lock()

    def address(self, session: str) -> str:
        """The address of a session's page, with its token."""
        with self._turn:
            port = self._port
        token = self._workspace.calibration.token(session)
        return f"http://127.0.0.1:{port}/sessions/{session}?token={token}"

    @cached_property
    def _port(self) -> int:
        return serve_beside(self._workspace)
