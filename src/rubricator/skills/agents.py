"""Agents that choose a skill in a trial: a model behind an endpoint, or the command of an agent such as `claude -p`.

Every tool call is scanned. A skill fires where one names it, or reads its SKILL.md.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from rubricator.adapters.endpoint_answerer import client
from rubricator.errors import EndpointError, InputError
from rubricator.settings import ModelSettings
from rubricator.skills import install
from rubricator.skills.trial import descriptions, siblings

_SYSTEM: Final = (
    "You are an agent. Before you answer, decide whether one of these skills fits the request; if one does, call the "
    "tool `skill` with its name. If none fits, answer in one sentence without it.\n\n<available_skills>\n{}\n"
    "</available_skills>"
)
_CALLS: Final = {"tool_use", "tool_call", "function_call", "mcp_tool_call"}


class ModelAgent:
    """A model that is given the skills as an agent is, and a tool to take one."""

    def __init__(self, settings: ModelSettings) -> None:
        self._model = settings.model
        self._client = client(settings.model, settings.base_url, settings.api_key, settings.timeout)
        self._skills = descriptions()

    def fired(self, prompt: str) -> list[str]:
        """The skills that the model's tool calls name."""
        import openai

        listed = "\n".join(
            f"<skill><name>{n}</name><description>{d}</description></skill>" for n, d in self._skills.items()
        )
        tool: Any = {"type": "function", "function": {
            "name": "skill", "description": "Take a skill, by its name.",
            "parameters": {"type": "object", "required": ["name"],
                           "properties": {"name": {"type": "string", "enum": list(self._skills)}}}}}  # fmt: skip
        messages: Any = [{"role": "system", "content": _SYSTEM.format(listed)}, {"role": "user", "content": prompt}]
        try:
            done = self._client.chat.completions.create(model=self._model, messages=messages, tools=[tool])
        except openai.APIError as error:
            raise EndpointError(
                f"The model {self._model} gave no answer: {type(error).__name__}.", hint="Check its address and key."
            ) from None
        calls = done.choices[0].message.tool_calls or [] if done.choices else []
        told = [call.model_dump() for call in calls]
        return [name for name in self._skills if any(_names(call, name) for call in told)]

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class CommandAgent:
    """An agent's own command, run in a folder with the skills installed; the prompt is its last argument.

    It must print its tool calls as JSON lines, as `claude -p --output-format stream-json --verbose` does.
    """

    def __init__(self, command: str, *, timeout: float) -> None:
        self._command = shlex.split(command)
        self._timeout = timeout
        if not self._command:
            raise InputError(
                "The agent's command is empty.",
                hint='Such as --command "claude -p --verbose --output-format stream-json".',
            )

    def fired(self, prompt: str) -> list[str]:
        """The skills that the agent's tool calls name, or whose SKILL.md they read."""
        with tempfile.TemporaryDirectory(prefix="rubricator-trial-") as folder:
            for place in (".claude/skills", ".agents/skills"):
                _install(Path(folder) / place)
            try:
                done = subprocess.run(  # noqa: S603 - the command is the user's own
                    [*self._command, prompt], cwd=folder, capture_output=True, encoding="utf-8", errors="replace",
                    timeout=self._timeout, check=False, stdin=subprocess.DEVNULL,
                )  # fmt: skip
            except OSError as error:
                raise InputError(
                    f"{self._command[0]} can't be run: {error.strerror}.", hint="Check --command."
                ) from None
            except subprocess.TimeoutExpired:
                raise EndpointError(
                    f"{self._command[0]} took longer than {self._timeout:g} s.", hint="Raise RUBRICATOR_TIMEOUT."
                ) from None
        if done.returncode:
            raise EndpointError(f"{self._command[0]} ended with {done.returncode}.", hint=done.stderr.strip()[:200])
        calls = [call for line in done.stdout.splitlines() for call in _calls(_json(line))]
        return [name for name in descriptions() if any(_names(call, name) for call in calls)]

    def close(self) -> None:
        """There is nothing to let go of."""


def _install(folder: Path) -> None:
    install(folder)
    for name, words in siblings().items():
        (folder / name).mkdir(parents=True)
        text = f"---\nname: {name}\ndescription: {json.dumps(words)}\n---\nDo what the description says.\n"
        (folder / name / "SKILL.md").write_text(text, encoding="utf-8")


def _json(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _calls(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every tool call anywhere in a line of an agent's output."""
    if isinstance(value, Mapping):
        if value.get("type") in _CALLS:
            yield value
            return
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _calls(inner)


def _names(call: Mapping[str, Any], skill: str) -> bool:
    """Whether a tool call takes a skill: names it alone, or reads its instructions."""
    text = json.dumps(call)
    return bool(re.search(rf'\\?"{re.escape(skill)}\\?"|[/\\]{re.escape(skill)}[/\\]+SKILL\.md', text))
