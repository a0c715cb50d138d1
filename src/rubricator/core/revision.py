"""One revision of a file in its history."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Revision:
    """A file as one revision had it.

    `at` is its time (ISO 8601, empty for what isn't recorded yet), `subject` the first line of its message.
    """

    id: str
    at: str
    subject: str
    author: str
    content: bytes
