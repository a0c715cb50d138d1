"""Puts the server together."""

from __future__ import annotations

from rubricator.interfaces.mcp import calibration_tools, contract_tools, memory_tools, resources
from rubricator.interfaces.mcp.server import RubricatorServer
from rubricator.workspace import Workspace


def create_server(workspace: Workspace) -> RubricatorServer:
    """The MCP server over a workspace, with all tools, resources and prompts."""
    server = RubricatorServer(workspace)
    for part in (memory_tools, calibration_tools, contract_tools, resources):
        part.register(server)
    return server
