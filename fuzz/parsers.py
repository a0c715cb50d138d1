"""Throws mutated files at the parsers: whatever comes, the answer is a rubric, a score log or a typed error.

`make fuzz` runs it for ten minutes: with atheris, which follows the code's branches, where that is installed, and with
Hypothesis beside it. A crash is printed with the bytes that made it.

usage: python fuzz/parsers.py [--minutes 10] [--engine atheris|hypothesis]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
import time
from importlib.resources import files
from pathlib import Path

from rubricator.adapters.score_log_file import read_scores, texts_in_log
from rubricator.errors import InputError
from rubricator.formats.rubric_files import FORMATS, Retire, Reweight, Reword, edit_rubric, read_rubric
from rubricator.formats.score_logs import LOG_FORMATS

NAMES = ["r.md", "r.yaml", "r.json", "r.jsonl", "r.csv", "r.eval", "r"]
SCRATCH = Path(tempfile.mkdtemp(prefix="rubricator-fuzz-"))


def seeds() -> list[bytes]:
    """A valid file of each format to start from: the demo's."""
    folder = files("rubricator") / "demo" / "peers"
    found = [entry.read_bytes() for entry in folder.iterdir() if entry.is_file()]
    return [*found, b"---\nscale: [1, 5]\n---\n## A\n- weight: 2\n\ntext\n", b'{"artifact": "a", "score": 1}\n']


def one(data: bytes) -> None:
    """Put one file to every reader. Only InputError may come out."""
    for name in NAMES:
        with contextlib.suppress(InputError):
            rubric = read_rubric(data, name)
            rubric.total(rubric.by_id(dict.fromkeys((c.name for c in rubric.criteria), 0.5)))
            rubric.to_json()
            key = rubric.criteria[0].id
            for change in (Reweight(key, 0.5), Reword(key, "new words"), Retire(key)):
                with contextlib.suppress(InputError):
                    edit_rubric(data, name, [change])
        path = SCRATCH / name
        path.write_bytes(data)
        with contextlib.suppress(InputError):
            read_scores(path)
            texts_in_log(path, None)
    forced = data[0] if data else 0
    with contextlib.suppress(InputError):
        read_rubric(data, "r.json", format=list(FORMATS)[forced % len(FORMATS)])
    with contextlib.suppress(InputError):
        read_scores(SCRATCH / "r.json", format=list(LOG_FORMATS)[forced % len(LOG_FORMATS)])


def by_hypothesis(minutes: float) -> int:
    """Values of JSON with the keys that the formats look for, and cut, spliced and changed seeds."""
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    keys = sorted({key for seed in seeds() for key in _keys(seed)})
    scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.sampled_from(keys)
    values = st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(keys) | st.text(max_size=6), inner, max_size=6)
        ),
        max_leaves=25,
    )

    @st.composite
    def spliced(draw: object) -> bytes:
        a, b = draw(st.sampled_from(seeds())), draw(st.sampled_from(seeds()))  # type: ignore[operator]
        cut, paste = draw(st.integers(0, len(a))), draw(st.integers(0, len(b)))  # type: ignore[operator]
        return a[:cut] + draw(st.binary(max_size=8)) + b[paste : paste + draw(st.integers(0, 400))] + a[cut:]  # type: ignore[operator]

    tried = 0
    ends = time.monotonic() + minutes * 60

    @settings(max_examples=500, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.binary(max_size=200) | spliced() | values.map(lambda v: json.dumps(v).encode()))
    def run(data: bytes) -> None:
        nonlocal tried
        tried += 1
        if time.monotonic() < ends:
            one(data)

    while time.monotonic() < ends:
        run()
    return tried


def by_atheris(minutes: float) -> None:
    """Coverage-guided: does not return."""
    import atheris

    corpus = SCRATCH / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(seeds()):
        (corpus / str(number)).write_bytes(seed)
    atheris.instrument_all()
    atheris.Setup(
        [sys.argv[0], f"-max_total_time={int(minutes * 60)}", "-max_len=4096", "-timeout=20", str(corpus)], one
    )
    atheris.Fuzz()


def _keys(seed: bytes) -> set[str]:
    try:
        value = json.loads(seed)
    except ValueError:
        return set()
    found: set[str] = set()
    left = [value]
    while left:
        inner = left.pop()
        if isinstance(inner, dict):
            found |= set(inner)
            left += inner.values()
        elif isinstance(inner, list):
            left += inner
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--engine", choices=["atheris", "hypothesis"])
    args = parser.parse_args()
    engine = args.engine
    if engine is None:
        import importlib.util

        engine = "atheris" if importlib.util.find_spec("atheris") else "hypothesis"
    if engine == "atheris":
        by_atheris(args.minutes)
    else:
        print(f"{by_hypothesis(args.minutes)} files, and no error but typed ones")


if __name__ == "__main__":
    main()
