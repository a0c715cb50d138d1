"""Kept packs: found by id, private, and a file that is broken costs only itself."""

from __future__ import annotations

import datetime as dt
import stat

import pytest
from tests.evidence import hit, official

from rubricator.adapters.pack_files import PackFiles
from rubricator.errors import InputError, StorageError
from rubricator.memory.extractive import extract
from rubricator.memory.pack import build_pack
from rubricator.memory.query import DisputedItem

AUTHORITY = official("# Loans\n\nBooks are lent for 21 days.")
NOW = dt.datetime(2026, 12, 1, 9, tzinfo=dt.UTC)


def pack(comment: str = "Books are lent for 21 days."):
    item = DisputedItem(text="A book.", feedback_comment=comment)
    hits = [hit("Books are lent for 21 days.", "2026-01-01")]
    return build_pack(item, AUTHORITY, hits, extract(item, AUTHORITY, hits))


def test_a_pack_is_found_again_with_the_rubric_it_read(tmp_path) -> None:
    packs = PackFiles(tmp_path / "packs")
    kept = packs.find(packs.keep(pack(), AUTHORITY, NOW))

    assert kept.pack == pack().to_json()
    assert kept.authority.rubric == AUTHORITY.rubric
    assert [s.citation_id for s in kept.authority.sections()] == [s.citation_id for s in AUTHORITY.sections()]
    assert stat.S_IMODE((tmp_path / "packs").stat().st_mode) == 0o700


def test_the_same_item_is_kept_once_and_the_newest_comes_first(tmp_path) -> None:
    packs = PackFiles(tmp_path)
    first = packs.keep(pack(), AUTHORITY, NOW)
    other = packs.keep(pack("It was 20 days."), AUTHORITY, NOW + dt.timedelta(hours=1))

    assert packs.keep(pack(), AUTHORITY, NOW) == first != other
    assert [kept.id for kept in packs.all()] == [other, first]


@pytest.mark.parametrize("broken", [b"", b"[]", b"{}", b"\xff", b'{"kept_at": "x", "authority": {}, "pack": {}}'])
def test_a_broken_file_costs_only_itself(tmp_path, broken) -> None:
    packs = PackFiles(tmp_path)
    kept = packs.keep(pack(), AUTHORITY, NOW)
    (tmp_path / "0123456789ab.json").write_bytes(broken)

    assert [found.id for found in packs.all()] == [kept]
    with pytest.raises(InputError):
        packs.find("0123456789ab")


@pytest.mark.parametrize("identity", ["", "../packs", "0" * 12, "0123456789AB", "x" * 5000])
def test_an_unknown_id_is_refused(tmp_path, identity) -> None:
    with pytest.raises(InputError):
        PackFiles(tmp_path).find(identity)


def test_a_folder_that_can_not_be_written_is_said(tmp_path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="can't be kept"):
        PackFiles(tmp_path / "file" / "packs").keep(pack(), AUTHORITY, NOW)
