"""The MCP server: both halves for an agent. It fetches context with citations, and starts a pass that a person ranks.

No tool takes a ranking, and nothing that a tool, a resource or an error says before a ranking is committed can hold a
score: what is said of an open pass is made from the `OpenPass` alone.
"""
