"""Hostile rubric files and score logs: whatever they hold, out comes a value or a typed error, in bounded time."""

from __future__ import annotations

import importlib.util
import io
import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rubricator.adapters.score_log_file import read_scores
from rubricator.errors import InputError
from rubricator.formats.rubric_files import FORMATS, read_rubric

ROOT = Path(__file__).resolve().parents[2]


def parsers():
    spec = importlib.util.spec_from_file_location("fuzz_parsers", ROOT / "fuzz" / "parsers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FUZZ = parsers()
KEYS = sorted({key for seed in FUZZ.seeds() for key in FUZZ._keys(seed)})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(KEYS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(VALUES)
def test_any_value_with_the_keys_of_the_formats_is_read_or_refused(value) -> None:
    FUZZ.one(json.dumps(value).encode())


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(FUZZ.seeds()), st.data())
def test_a_damaged_file_is_read_or_refused(seed, data) -> None:
    cut = data.draw(st.integers(0, len(seed)))
    FUZZ.one(seed[:cut] + data.draw(st.binary(max_size=6)) + seed[cut + data.draw(st.integers(0, 20)) :])


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_yaml_builds_no_objects(name, tmp_path) -> None:
    mark = tmp_path / "mark"
    text = f'a: !!python/object/apply:os.system ["touch {mark}"]\ncriteria: []\n'
    with pytest.raises(InputError):
        read_rubric(text.encode(), "r.yaml", format=name if name not in {"vault", "markdown"} else None)
    assert not mark.exists()


def test_a_nest_of_aliases_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    with pytest.raises(InputError, match="too many values"):
        read_rubric("\n".join(lines).encode(), "r.yaml")


@pytest.mark.parametrize("raw", [b"[" * 100_000, b'{"a":' * 100_000, b"[" * 3000 + b"]" * 3000])
def test_deep_json_is_refused(raw, tmp_path) -> None:
    with pytest.raises(InputError):
        read_rubric(raw, "r.json")
    path = tmp_path / "r.json"
    path.write_bytes(raw)
    with pytest.raises(InputError):
        read_scores(path)


def test_a_zip_bomb_is_bounded(tmp_path) -> None:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps({"eval": {"task": "t"}}))
        file.writestr("samples/1_epoch_1.json", b'{"a": "' + b" " * (80 << 20) + b'"}')
    assert len(raw.getvalue()) < 200_000
    path = tmp_path / "bomb.eval"
    path.write_bytes(raw.getvalue())
    with pytest.raises(InputError, match="no line that can be used"):
        read_scores(path)
