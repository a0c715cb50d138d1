"""Settings: read once from the environment, frozen, and silent about secrets."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from rubricator.errors import InputError
from rubricator.settings import Settings

HERE = Path("/work/here")


def test_the_defaults_lie_under_the_working_directory(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = Settings.from_environment({})

    assert settings.scorecard_cache_dir == tmp_path / "scorecards"
    assert settings.cache_dir == tmp_path / "tmp" / "rubric-memory"
    assert (settings.plexus_api_url, settings.plexus_api_key) == ("", "")


@pytest.mark.parametrize("empty", [{}, {"SCORECARD_CACHE_DIR": "", "RUBRICATOR_CACHE_DIR": ""}])
def test_what_is_empty_counts_as_not_set(empty) -> None:
    assert Settings.from_environment(empty, directory=HERE) == Settings(
        scorecard_cache_dir=HERE / "scorecards", cache_dir=HERE / "tmp/rubric-memory"
    )


def test_relative_paths_start_at_the_directory_and_absolute_ones_stand() -> None:
    environment = {"SCORECARD_CACHE_DIR": "cards", "RUBRICATOR_CACHE_DIR": "/var/cache/rubricator"}
    settings = Settings.from_environment(environment, directory=HERE)

    assert settings.scorecard_cache_dir == HERE / "cards"
    assert settings.cache_dir == Path("/var/cache/rubricator")


def test_a_home_folder_is_resolved(monkeypatch) -> None:
    monkeypatch.setenv("HOME", "/home/dana")
    settings = Settings.from_environment(
        {"SCORECARD_CACHE_DIR": "~/cards", "RUBRICATOR_CACHE_DIR": "~/cache"}, directory=HERE
    )

    assert settings.scorecard_cache_dir == Path("/home/dana/cards")
    assert settings.cache_dir == Path("/home/dana/cache")


def test_this_processs_environment_is_the_default(monkeypatch) -> None:
    monkeypatch.setenv("SCORECARD_CACHE_DIR", "/from/the/process")

    assert Settings.from_environment(directory=HERE).scorecard_cache_dir == Path("/from/the/process")
    assert Settings.from_environment({}, directory=HERE).scorecard_cache_dir == HERE / "scorecards"


@pytest.mark.parametrize("address", ["s3://bucket/cards", "gs://b", "https://example.com/cards"])
def test_object_storage_is_refused_with_what_to_do(address) -> None:
    with pytest.raises(InputError, match="SCORECARD_CACHE_DIR") as refusal:
        Settings.from_environment({"SCORECARD_CACHE_DIR": address}, directory=HERE)

    assert address in refusal.value.message
    assert refusal.value.hint


def test_object_storage_is_refused_for_the_cache_too() -> None:
    with pytest.raises(InputError, match="RUBRICATOR_CACHE_DIR"):
        Settings.from_environment({"RUBRICATOR_CACHE_DIR": "s3://bucket/cache"}, directory=HERE)


def test_the_endpoint_comes_with_its_key_and_without_stray_spaces() -> None:
    settings = Settings.from_environment(
        {"PLEXUS_API_URL": " https://plexus.example/graphql\n", "PLEXUS_API_KEY": " secret\n"}, directory=HERE
    )

    assert settings.plexus_api_url == "https://plexus.example/graphql"
    assert settings.plexus_api_key == "secret"


def test_the_key_is_never_shown() -> None:
    with_key = Settings(HERE, HERE, "https://plexus.example", "secret")

    assert "secret" not in repr(with_key)
    assert "secret" not in str(with_key)
    assert "secret" not in f"{with_key!r:>10}"
    assert "plexus_api_key=<set>" in repr(with_key)
    assert "plexus_api_key=<not set>" in repr(Settings(HERE, HERE))


def test_settings_are_frozen() -> None:
    settings = Settings(HERE, HERE)

    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.cache_dir = Path("/elsewhere")
