"""A plain model endpoint as answerer: any server that speaks the OpenAI chat protocol, near or far."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rubricator.core.fence import one_line
from rubricator.errors import EndpointError, InputError
from rubricator.inference.contract import Question
from rubricator.inference.runner import Reply

if TYPE_CHECKING:
    import openai
    from openai import OpenAI
    from openai.types.chat import ChatCompletion

_MOST_SAID = 200
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


def shown_host(base_url: str) -> str:
    """The part of an endpoint's address that may be shown: no scheme, no name, no key. Empty: OpenAI's own.

    Raises InputError for what is no address.
    """
    try:
        parts = urlsplit(base_url or "https://api.openai.com/v1")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if host is None:
        raise InputError("The model's base URL is no address.", hint="Set RUBRICATOR_BASE_URL to http(s)://host/v1.")
    return f"{host}{f':{port}' if port else ''}{parts.path}"


def client(model: str, base_url: str, api_key: str, timeout: float, retries: int = 2) -> OpenAI:
    """The client of a model endpoint. Raises InputError without the extra, a model, or a key where one is needed."""
    try:
        from openai import OpenAI
    except ImportError:
        raise InputError(
            "Asking a model endpoint needs the extra `llm`.", hint="pip install 'rubricator[llm]'"
        ) from None
    if not model:
        raise InputError("No model is named.", hint="Set RUBRICATOR_MODEL, or give --model.")
    local = (urlsplit(base_url).hostname or "") in _LOCAL
    if not api_key and not local:
        raise InputError(
            f"There is no key for {shown_host(base_url)}.",
            hint="Set RUBRICATOR_API_KEY (or OPENAI_API_KEY), or RUBRICATOR_BASE_URL to a model on this machine.",
        )
    return OpenAI(api_key=api_key or "none", base_url=base_url or None, timeout=timeout, max_retries=retries)


class EndpointAnswerer:
    """Asks a model behind `base_url` (empty: OpenAI's own). `timeout` is in seconds, of one request.

    Failures that may pass (429, 5xx, a lost connection, no answer in time) are tried again `retries` times, waiting
    longer each time and as long as the server asks for.
    """

    kind = "endpoint"

    def __init__(self, *, model: str, base_url: str, api_key: str, timeout: float, retries: int = 2) -> None:
        self._model = model
        self._base_url = base_url
        self._key = api_key
        self._timeout = timeout
        self._retries = retries
        self._takes_schema = True

    @property
    def identity(self) -> str:
        """Model and address."""
        return f"{self._model} at {self._where}"

    def ask(self, asked: Question) -> Reply:
        """The model's reply. Raises InputError without a model or a key, EndpointError where none comes."""
        completion = self._completed(asked)
        usage = completion.usage
        cost = (usage.model_extra or {}).get("cost") if usage else None
        text = completion.choices[0].message.content if completion.choices else None
        return Reply(
            text or "",
            completion.model,
            usage.prompt_tokens if usage else None,
            usage.completion_tokens if usage else None,
            float(cost) if isinstance(cost, int | float) else None,
        )

    @property
    def _where(self) -> str:
        return shown_host(self._base_url)

    @cached_property
    def _client(self) -> OpenAI:
        return client(self._model, self._base_url, self._key, self._timeout, self._retries)

    def close(self) -> None:
        """Close the connections, where any were made."""
        if "_client" in self.__dict__:
            self._client.close()

    def _completed(self, asked: Question) -> ChatCompletion:
        client = self._client
        import openai

        try:
            return self._create(client, asked)
        except openai.BadRequestError as error:
            if not self._takes_schema:
                raise self._failed(error) from error
        except openai.APIError as error:
            raise self._failed(error) from error
        self._takes_schema = False  # a server without schemas gets the schema in words, which it has had all along
        try:
            return self._create(client, asked)
        except openai.BadRequestError as error:
            self._takes_schema = True  # it was not the schema that it refused
            raise self._failed(error) from error
        except openai.APIError as error:
            raise self._failed(error) from error

    def _create(self, client: OpenAI, asked: Question) -> ChatCompletion:
        extra: dict[str, Any] = {}
        if self._takes_schema:
            schema = {"name": asked.contract, "schema": dict(asked.schema), "strict": True}
            extra["response_format"] = {"type": "json_schema", "json_schema": schema}
        messages: Any = asked.messages
        completed: ChatCompletion = client.chat.completions.create(model=self._model, messages=messages, **extra)
        return completed

    def _told(self, error: openai.APIStatusError) -> str:
        """What the server says of its error, on one line, and never the key."""
        body = error.body
        said = str(body.get("message") or "") if isinstance(body, dict) else ""
        if self._key:
            said = said.replace(self._key, "...")
        return f" ({one_line(said)[:_MOST_SAID].rstrip(' .')})" if said else ""

    def _failed(self, error: Exception) -> EndpointError:
        import openai

        if isinstance(error, openai.APITimeoutError):
            said, hint = f"did not answer within {self._timeout:g} s", "Raise RUBRICATOR_TIMEOUT, or try again."
        elif isinstance(error, openai.APIConnectionError):
            said, hint = "can't be reached, or broke off", "Check RUBRICATOR_BASE_URL, and that the server runs."
        elif isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
            said, hint = "refuses the key", "Check RUBRICATOR_API_KEY."
        elif isinstance(error, openai.RateLimitError):
            said, hint = f"is busy, after {self._retries + 1} tries", "Wait, or ask for less."
        elif isinstance(error, openai.APIStatusError):
            said = f"answers with status {error.status_code}{self._told(error)}"
            hint = "Check the model's name, and whether the question fits its context."
        else:
            said, hint = "answers with something else than a chat completion", "Check RUBRICATOR_BASE_URL."
        return EndpointError(f"The model {self._model} at {self._where} {said}.", hint=hint)
