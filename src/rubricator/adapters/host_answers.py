"""The host agent as answerer: it is shown what is asked, and its answers are taken from what it gave."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from rubricator.errors import AnswerNeededError
from rubricator.inference.contract import Question
from rubricator.inference.runner import Reply

KIND: Final = "host"


class HostAnswers:
    """Answers by their request's handle: `{"answers": {"<request>": {...}}}`, or one answer for all that is asked."""

    kind = KIND
    identity = KIND

    def __init__(self, given: Mapping[str, Any] | None = None) -> None:
        answers = (given or {}).get("answers")
        self._answers: Mapping[str, Any] = answers if isinstance(answers, Mapping) else {}
        self._alone = given if given and "answers" not in given else None

    def ask(self, asked: Question) -> Reply:
        """The host's answer. Raises AnswerNeededError with the question where it has given none."""
        answer = self._answers.get(asked.request, self._alone)
        if answer is None:
            raise AnswerNeededError(
                "The host agent has to answer first.",
                hint="Give its answers with --answer FILE.",
                requests=(request_json(asked),),
            )
        return Reply(json.dumps(answer), KIND)

    def close(self) -> None:
        """There is nothing to let go of."""


def request_json(asked: Question) -> dict[str, Any]:
    """A question as the host sees it."""
    return {
        "request": asked.request,
        "contract": asked.contract,
        "version": asked.version,
        "instructions": asked.instructions,
        "input": asked.message,
        "answer_schema": dict(asked.schema),
    }
