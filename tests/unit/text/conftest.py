"""Reading bytes as a named file, in this very process, with the invariants of blocks checked each time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rubricator.adapters.text import Limits, registry
from rubricator.adapters.text.limits import Reading
from rubricator.memory.document import Document, Extraction


def check_invariants(extraction: Extraction) -> None:
    parts = [document.part for document in extraction.documents]
    assert len(set(parts)) == len(parts)
    assert all(skip.reason for skip in extraction.skipped)
    for document in extraction.documents:
        document.text.encode()
        assert "\0" not in document.text
        assert document.blocks
        position = 0
        for block in document.blocks:
            assert position <= block.start < block.end <= len(document.text)
            assert document.text[block.start : block.end].strip()
            position = block.end


@pytest.fixture
def read() -> Callable[..., Extraction]:
    def read_bytes(data: bytes | str, name: str, limits: Limits | None = None) -> Extraction:
        raw = data if isinstance(data, bytes) else data.encode()
        extraction = registry.read(raw, Reading.of_file(name, limits or Limits()))
        check_invariants(extraction)
        return extraction

    return read_bytes


@pytest.fixture
def blocks(read: Callable[..., Extraction]) -> Callable[..., list[tuple[str, str]]]:
    """The kinds and texts of the blocks of the only document in a file."""

    def blocks_of(data: bytes | str, name: str) -> list[tuple[str, str]]:
        (document,) = read(data, name).documents
        return kinds(document)

    return blocks_of


@pytest.fixture
def reason(read: Callable[..., Extraction]) -> Callable[..., str]:
    """Why a file that yields nothing was skipped."""

    def reason_of(data: bytes | str, name: str, limits: Limits | None = None) -> str:
        extraction = read(data, name, limits)
        assert not extraction.documents
        (skip,) = extraction.skipped
        return skip.reason

    return reason_of


def kinds(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]
