"""The error tree: every error says what happened, where, and what to do next.

- RubricatorError
    - InputError (exit 2): bad input or usage
        - NameRefusedError: a scorecard or score name that can't be a folder
        - NoCriteriaError: a rubric in which no criterion is marked
    - RefusedError (exit 3): a rule of the domain says no
        - AuthorityError: there is no official rubric to stand under
        - BlindnessError: a ranking that no person made, or a score that would be seen too early
        - InsufficientError: too little to rank, so that a pass could say nothing
        - ConflictError: a file is not what it was when the decision was made
        - ApprovalError: what was approved can't be done as it is
    - ServiceError (exit 4): something outside failed
        - StorageError: the disk is full, read-only or gone
        - EndpointError: a remote service did not answer usefully
        - AnswerError: a model gave no answer that can be used, and nothing is made up in its place
    - AnswerNeededError (exit 0): the host agent has to answer before this can go on
"""

from __future__ import annotations

from typing import Any, ClassVar


class RubricatorError(Exception):
    """The root of all errors that Rubricator raises on purpose.

    `message` says what happened and where, `hint` what to do next. `code` is stable and machine-readable,
    `exit_code` is what the command line ends with.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


class InputError(RubricatorError):
    """What was given can't be used: a path, an option, a file's content."""

    code = "bad_input"
    exit_code = 2


class NameRefusedError(InputError):
    """A scorecard or score name would escape its folder, or collide with a reserved one."""

    code = "name_refused"


class NoCriteriaError(InputError):
    """A rubric in which no criterion is marked."""

    code = "no_criteria"


class RefusedError(RubricatorError):
    """A rule of the domain forbids what was asked."""

    code = "refused"
    exit_code = 3


class AuthorityError(RefusedError):
    """No official rubric can be resolved, so nothing may be built that needs one."""

    code = "no_authority"


class BlindnessError(RefusedError):
    """A ranking must be made by a person, and without a score in sight."""

    code = "blindness"


class InsufficientError(RefusedError):
    """There is too little to rank: a pass over it could say nothing."""

    code = "insufficient"


class ConflictError(RefusedError):
    """A file is not what it was when the decision to change it was made."""

    code = "conflict"


class ApprovalError(RefusedError):
    """What was approved can't be done as it is: words are missing, or two changes don't go together."""

    code = "approval"


class ServiceError(RubricatorError):
    """Something outside Rubricator failed: a disk, a server, a subprocess."""

    code = "service_failed"
    exit_code = 4
    missing: tuple[str, ...] = ()
    """What there is none of because of it."""


class StorageError(ServiceError):
    """The cache folder can't be written or read."""

    code = "storage_failed"


class EndpointError(ServiceError):
    """A remote endpoint can't be reached, refuses, or answers with something else."""

    code = "endpoint_failed"


class AnswerError(ServiceError):
    """A model gave no answer that can be used: `problems` says why, `missing` what there is none of."""

    code = "no_answer"

    def __init__(
        self, message: str, *, hint: str = "", missing: tuple[str, ...] = (), problems: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, hint=hint)
        self.missing = missing
        self.problems = problems


class AnswerNeededError(RubricatorError):
    """The host agent has to answer first: `requests` are the questions, as JSON."""

    code = "answer_needed"
    exit_code = 0

    def __init__(self, message: str, *, hint: str = "", requests: tuple[dict[str, Any], ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.requests = requests
