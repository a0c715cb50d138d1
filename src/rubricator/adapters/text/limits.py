"""What reading one file may cost."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one file may cost. What goes over a limit is skipped with a reason that names it.

    `max_memory_bytes` bounds the address space of the worker process, where the platform can bound it. `max_depth`
    is how deep attachments may nest, `max_parts` how many documents and skipped parts one file may yield.
    """

    max_bytes: int = 64 * 2**20
    max_text_chars: int = 20_000_000
    max_seconds: float = 30.0
    max_memory_bytes: int = 2**30
    max_depth: int = 8
    max_parts: int = 500


def suffix_of(name: str) -> str:
    """The suffix of a file's name, in lower case and with its dot, or an empty string."""
    stem, dot, suffix = name.rpartition(".")
    return f".{suffix.lower()}" if dot and stem and "/" not in suffix else ""


class UnreadableError(Exception):
    """A file can't be read. The message is the reason, in words for its owner."""


@dataclass(slots=True)
class Budget:
    """What is left of a file's limits while it and the parts inside it are read."""

    chars: int
    parts: int

    def spend_chars(self, count: int) -> None:
        """Account for `count` characters of text. Raises UnreadableError when there are too many."""
        self.chars -= count
        if self.chars < 0:
            raise UnreadableError("holds more text than the limit allows; split it into smaller files")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a format's reader needs to know beside the bytes: how it was named, and what it may still cost."""

    name: str
    limits: Limits
    budget: Budget
    part: str = ""
    depth: int = 0
    names: set[str] = field(default_factory=set)
    """The part names taken so far, so that each names one document."""

    @classmethod
    def of_file(cls, name: str, limits: Limits) -> Reading:
        """The reading of a file itself, with the whole budget ahead."""
        return cls(name=name, limits=limits, budget=Budget(limits.max_text_chars, limits.max_parts))

    @property
    def suffix(self) -> str:
        """The suffix of the name, in lower case and with its dot, or an empty string."""
        return suffix_of(self.name)

    def inside(self, name: str) -> Reading:
        """The reading of a part called `name`. Raises UnreadableError past the limits on depth and number."""
        if self.depth >= self.limits.max_depth:
            raise UnreadableError(
                f"nested more than {self.limits.max_depth} levels deep; save the part as its own file"
            )
        self.budget.parts -= 1
        if self.budget.parts < 0:
            raise UnreadableError(f"more than {self.limits.max_parts} parts; save the rest as files of their own")
        return Reading(
            name=name,
            limits=self.limits,
            budget=self.budget,
            part=self.part_name(name),
            depth=self.depth + 1,
            names=self.names,
        )

    def part_name(self, name: str) -> str:
        """`name` as a part inside this one: printable, without slashes, and used for nothing else in the file."""
        plain = "".join("-" if char in "/\\" or not char.isprintable() else char for char in name).strip(" .")[:120]
        stem, dot, suffix = (plain or "unnamed").rpartition(".")
        if not stem:
            stem, dot, suffix = suffix, "", ""
        prefix = f"{self.part}/" if self.part else ""
        candidate, count = f"{prefix}{stem}{dot}{suffix}", 1
        while candidate in self.names:
            count += 1
            candidate = f"{prefix}{stem} ({count}){dot}{suffix}"
        self.names.add(candidate)
        return candidate
