"""An inference contract: what is given, what must come back, and what is wrong with an answer.

Both sides are typed values with JSON schemas made from them. Text by others is marked `Untrusted` and reaches whoever
answers as fenced quotation, whatever it says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, PlainSerializer, ValidationError

from rubricator.core.fence import fenced
from rubricator.core.identity import tagged_hash, with_prefixes

Untrusted = Annotated[str, PlainSerializer(lambda text: fenced(text, "quotation"), return_type=str)]
"""Text of a corpus, an artifact or an item: fenced wherever it goes."""


class Given(BaseModel):
    """What a contract gives. Its JSON form is what an answerer sees."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Answer(BaseModel):
    """What a contract wants back. Nothing else is accepted beside its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


G = TypeVar("G", bound=Given)
A = TypeVar("A", bound=Answer)


@dataclass(frozen=True)
class Contract(Generic[G, A]):
    """One contract. `check` says what is wrong with an answer beyond its schema, in words that its author can act on.

    `ids` are the citation ids that were given: one written without its prefix is read as the id that it can only be.
    `version` changes whenever the prompt, a schema or a check does.
    """

    name: str
    version: int
    given: type[G]
    answer: type[A]
    check: Callable[[G, A], Sequence[str]]
    ids: Callable[[G], Collection[str]] = lambda _: ()

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the answer."""
        return self.answer.model_json_schema()

    def read(self, given: G, text: str) -> tuple[A | None, list[str]]:
        """The answer in `text`, which may have prose around its JSON, or None and what is wrong with it."""
        found = _json_object(text)
        if found is None:
            return None, ["There is no JSON object in it."]
        try:
            answer = self.answer.model_validate(with_prefixes(found, self.ids(given)))
        except ValidationError as error:
            return None, [_worded(problem) for problem in error.errors(include_url=False)]
        problems = list(self.check(given, answer))
        return (None, problems) if problems else (answer, [])


@dataclass(frozen=True, slots=True)
class Question:
    """One thing asked: the contract's prompt and schema, the message, and what was wrong with an answer before."""

    contract: str
    version: int
    instructions: str
    message: str
    schema: Mapping[str, Any]
    refused: str = ""
    problems: tuple[str, ...] = ()

    @property
    def request(self) -> str:
        """The handle of what is asked, from its content alone (12 hexadecimal digits)."""
        asked = [self.contract, self.version, self.instructions, self.message, dict(self.schema)]
        return tagged_hash("inference-request", asked)[:12]

    @property
    def system(self) -> str:
        """The instructions with the schema, for whoever takes no schema apart from them."""
        schema = json.dumps(dict(self.schema), ensure_ascii=False)
        return f"{self.instructions.strip()}\n\nAnswer with one JSON object of this schema and nothing else:\n{schema}"

    @property
    def complaint(self) -> str:
        """What is said to the author of a refused answer; empty where none was refused."""
        if not self.problems:
            return ""
        listed = "\n".join(f"- {problem}" for problem in self.problems)
        return f"That answer can't be used:\n{listed}\nAnswer again, with one JSON object that mends all of this."

    @property
    def messages(self) -> list[dict[str, str]]:
        """The question as messages of a chat."""
        found = [{"role": "system", "content": self.system}, {"role": "user", "content": self.message}]
        if self.problems:
            found.append({"role": "assistant", "content": self.refused})
            found.append({"role": "user", "content": self.complaint})
        return found


def question(contract: Contract[G, A], given: G, instructions: str) -> Question:
    """What to ask so that `contract` is answered for `given`."""
    message = render(given.model_dump(mode="json"))
    return Question(contract.name, contract.version, instructions, message, contract.schema)


def render(value: Mapping[str, Any]) -> str:
    """A given as Markdown: a heading a field, one more level for what lies in a list."""
    return "\n\n".join(_field(name, value, 2) for name, value in value.items() if value not in (None, "", []))


def _field(name: str, value: Any, level: int) -> str:
    head = f"{'#' * level} {name.replace('_', ' ')}"
    if isinstance(value, Mapping):
        return "\n\n".join([head, *(_field(key, inner, level + 1) for key, inner in value.items() if inner)])
    if isinstance(value, list):
        return "\n\n".join([head, *(_entry(number, entry, level + 1) for number, entry in enumerate(value, start=1))])
    return f"{head}\n\n{value}"


def _entry(number: int, entry: Any, level: int) -> str:
    if not isinstance(entry, Mapping):
        return f"- {entry}"
    head = str(entry.get("citation_id") or entry.get("number") or number)  # a running number passes for an id
    rest = {k: v for k, v in entry.items() if k not in {"citation_id", "number"}}
    short = {k: v for k, v in rest.items() if not (isinstance(v, str) and "\n" in v) and not isinstance(v, list)}
    long = {k: v for k, v in rest.items() if k not in short and v}
    facts = "\n".join(f"- {key}: {value}" for key, value in short.items() if value is not None)
    blocks = [_field(k, v, level + 1) if isinstance(v, list) else str(v) for k, v in long.items()]
    return "\n\n".join([f"{'#' * level} {head}", *([facts] if facts else []), *blocks])


def _json_object(text: str) -> Any:
    """The last JSON object that `text` holds at its outermost level, or None: models think aloud first."""
    decoder = json.JSONDecoder()
    found, at = None, text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        found = value if isinstance(value, dict) else found
        at = text.find("{", end)
    return found


def _worded(problem: Any) -> str:
    where = ".".join(str(part) for part in problem["loc"]) or "the answer"
    return f"{where}: {problem['msg']}."
