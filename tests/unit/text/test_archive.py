"""Zips that are no documents, and those that mean harm."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest

from rubricator.adapters.text.archive import Archive
from rubricator.adapters.text.limits import UnreadableError


def zipped(name: str, data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return stream.getvalue()


def test_a_zip_of_files_is_to_be_unpacked(reason: Callable[..., str]) -> None:
    assert "unpack it" in reason(zipped("a.txt", b"words"), "a.zip")


@pytest.mark.parametrize("name", ["a.zip", "a.docx", "users.json"])
def test_a_bomb_is_not_unpacked(reason: Callable[..., str], name: str) -> None:
    assert "unpacks to 100 MiB" in reason(zipped("word/document.xml", bytes(100 * 2**20)), name)


def test_a_member_that_lies_about_its_size_is_not_unpacked_further() -> None:
    data = bytearray(zipped("a.txt", b"x" * 100_000))
    honest = (100_000).to_bytes(4, "little")
    assert data.count(honest) == 2
    lying = bytes(data).replace(honest, (10).to_bytes(4, "little"))
    with pytest.raises(UnreadableError):
        Archive(lying).member("a.txt")


def test_an_encrypted_zip_is_named_as_such(reason: Callable[..., str]) -> None:
    data = bytearray(zipped("a.txt", b"words"))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in reason(bytes(data), "a.zip")


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"PK\x05\x06" + bytes(18), zipped("a", b"b")[:-10]])
def test_a_damaged_or_empty_zip_is_a_reason(reason: Callable[..., str], data: bytes) -> None:
    assert reason(data, "a.zip")
