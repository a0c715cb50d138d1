"""Errors: one tree, stable codes, documented exit codes, and a sentence on what to do next."""

from __future__ import annotations

import inspect
import re

import pytest

from rubricator import errors
from rubricator.errors import (
    AnswerError,
    AnswerNeededError,
    ApprovalError,
    AuthorityError,
    BlindnessError,
    ConflictError,
    EndpointError,
    InputError,
    InsufficientError,
    NameRefusedError,
    NoCriteriaError,
    RefusedError,
    RubricatorError,
    ServiceError,
    StorageError,
)

ALL = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, RubricatorError)]


@pytest.mark.parametrize(
    ("kind", "parent", "code", "exit_code"),
    [
        (InputError, RubricatorError, "bad_input", 2),
        (NameRefusedError, InputError, "name_refused", 2),
        (RefusedError, RubricatorError, "refused", 3),
        (NoCriteriaError, InputError, "no_criteria", 2),
        (AuthorityError, RefusedError, "no_authority", 3),
        (BlindnessError, RefusedError, "blindness", 3),
        (InsufficientError, RefusedError, "insufficient", 3),
        (ConflictError, RefusedError, "conflict", 3),
        (ApprovalError, RefusedError, "approval", 3),
        (ServiceError, RubricatorError, "service_failed", 4),
        (StorageError, ServiceError, "storage_failed", 4),
        (EndpointError, ServiceError, "endpoint_failed", 4),
        (AnswerError, ServiceError, "no_answer", 4),
        (AnswerNeededError, RubricatorError, "answer_needed", 0),
    ],
)
def test_each_error_has_its_place_code_and_exit_code(kind, parent, code, exit_code) -> None:
    assert kind.__bases__ == (parent,)
    assert (kind.code, kind.exit_code) == (code, exit_code)


def test_codes_are_unique_and_machine_readable() -> None:
    codes = [kind.code for kind in ALL]

    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", code) for code in codes)


def test_every_error_of_the_tree_is_named_with_its_exit_code_in_the_modules_docstring() -> None:
    assert errors.__doc__
    for kind in ALL:
        assert kind.__name__ in errors.__doc__
    stated = dict(re.findall(r"(\w+) \(exit (\d)\)", errors.__doc__))
    assert stated == {kind.__name__: str(kind.exit_code) for kind in RubricatorError.__subclasses__()}


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_an_error_says_what_happened_and_what_to_do_next(kind) -> None:
    error = kind("The rubric is empty.", hint="Write it first.")

    assert (error.message, error.hint) == ("The rubric is empty.", "Write it first.")
    assert str(error) == "The rubric is empty. Write it first."
    assert error.args == ("The rubric is empty.",)


def test_an_error_without_a_hint_is_its_message() -> None:
    assert str(RubricatorError("It failed.")) == "It failed."
    assert RubricatorError("It failed.").hint == ""


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_the_root_catches_them_all(kind) -> None:
    with pytest.raises(RubricatorError):
        raise kind("x")
