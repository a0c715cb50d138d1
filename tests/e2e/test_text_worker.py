"""Text extraction against files that hang, crash or bloat whoever reads them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rubricator.adapters.text import Extractor, Limits
from rubricator.adapters.text.process import WorkerProcess
from rubricator.memory.document import Extraction, Skip

CAPTION = b"WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n"
SLOW = b"<div>" * 200_000
posix = pytest.mark.skipif(os.name != "posix", reason="needs signals, pipes and limits as POSIX has them")


def python(code: str, limits: Limits | None = None) -> WorkerProcess:
    """A worker that runs `code` in place of the real one."""
    return WorkerProcess(limits or Limits(), (sys.executable, "-c", code))


def reason(extraction: Extraction) -> str:
    assert not extraction.documents
    return extraction.skipped[0].reason


@pytest.fixture
def extractor() -> Iterator[Extractor]:
    with Extractor() as extractor:
        yield extractor


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file"


def extract(extractor: Extractor, path: Path, data: bytes, name: str) -> Extraction:
    path.write_bytes(data)
    return extractor.extract(path, name)


def test_a_file_that_takes_too_long_costs_its_worker_and_no_more(file: Path) -> None:
    with Extractor(Limits(max_seconds=1)) as extractor:
        started = time.monotonic()
        assert reason(extract(extractor, file, SLOW, "a.html")) == "took longer than 1 s to read"
        assert time.monotonic() - started < 4
    with Extractor() as extractor:
        assert extract(extractor, file, CAPTION, "a.vtt").documents[0].text == "Hello"


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.abort()",
        "import sys; sys.exit(0)",
        "import ctypes; ctypes.string_at(0)",
        "import sys; sys.stdout.write('noise that is no frame'); sys.stdout.flush()",
        "import struct, sys; sys.stdout.buffer.write(struct.pack('>Q', 2**60)); sys.stdout.flush()",
        "import struct, sys; sys.stdout.buffer.write(struct.pack('>Q', 2) + b'[]'); sys.stdout.flush()",
        "import struct, sys; sys.stdout.buffer.write(struct.pack('>Q', 4) + b'{{{{'); sys.stdout.flush()",
    ],
)
def test_a_worker_that_fails_is_a_reason(code: str) -> None:
    worker = python(code)
    assert "crashed" in reason(worker.read(CAPTION, "a.vtt"))
    assert "crashed" in reason(worker.read(CAPTION * 50_000, "a.vtt"))
    worker.close()


def test_a_worker_that_hangs_is_killed() -> None:
    worker = python("import time; time.sleep(60)", Limits(max_seconds=0.3))
    started = time.monotonic()
    assert "took longer" in reason(worker.read(bytes(2**22), "a.vtt"))
    assert time.monotonic() - started < 5
    worker.close()


def test_a_worker_that_cant_be_started_is_a_reason() -> None:
    assert "can't be started" in reason(WorkerProcess(Limits(), ("/no/such/program",)).read(CAPTION, "a.vtt"))


@posix
def test_a_file_that_takes_too_much_memory_is_a_reason(file: Path) -> None:
    rows = b"a,b\n" + b"1,2\n" * 4_000_000
    with Extractor(Limits(max_memory_bytes=200 * 2**20)) as extractor:
        assert "200 MiB of memory" in reason(extract(extractor, file, rows, "a.csv"))
        assert extract(extractor, file, CAPTION, "a.vtt").documents


def test_a_worker_killed_between_two_files_is_replaced(extractor: Extractor, file: Path) -> None:
    first = extract(extractor, file, CAPTION, "a.vtt")
    process = extractor._worker._process
    assert process is not None
    process.kill()
    assert extract(extractor, file, CAPTION, "a.vtt") == first


@pytest.mark.parametrize(
    ("data", "name"),
    [(b"<div>" * 50_000 + b"core", "a.html"), (b"[" * 1_000_000, "a.json"), (b"<a>" * 1_000_000, "a.xml")],
)
def test_deep_nesting_is_read_or_refused(extractor: Extractor, file: Path, data: bytes, name: str) -> None:
    extraction = extract(extractor, file, data, name)
    assert extraction.documents or extraction.skipped
    assert extract(extractor, file, CAPTION, "a.vtt").documents


def test_a_huge_file_is_passed_over_at_once(extractor: Extractor, file: Path) -> None:
    file.touch()
    os.truncate(file, 2 * 2**30)
    started = time.monotonic()
    assert reason(extractor.extract(file, "a.log")) == (
        "2,048 MiB, over the limit of 64 MiB; split it, or keep an excerpt"
    )
    assert time.monotonic() - started < 1


def test_more_text_than_the_limit_is_a_reason(file: Path) -> None:
    with Extractor(Limits(max_text_chars=100)) as extractor:
        assert "more text" in reason(extract(extractor, file, b"word " * 30, "a.md"))
        assert "more text" in reason(extract(extractor, file, CAPTION + b"word " * 30, "a.vtt"))


@posix
def test_what_is_no_regular_file_is_passed_over(extractor: Extractor, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "not a regular file" in reason(extractor.extract(pipe, "a.txt"))
    assert "not a regular file" in reason(extractor.extract(Path("/dev/zero"), "a.txt"))
    assert reason(extractor.extract(tmp_path, "a.txt"))


def test_a_file_that_cant_be_opened_is_a_reason(extractor: Extractor, tmp_path: Path) -> None:
    assert reason(extractor.extract(tmp_path / "missing", "a.txt")) == "can't be read: No such file or directory"
    assert reason(extractor.extract(Path("nul\0"), "a.txt"))


def test_an_empty_file_starts_no_worker(extractor: Extractor, file: Path) -> None:
    assert extract(extractor, file, b"", "a.pdf") == Extraction(skipped=(Skip("no text: the file is empty"),))
    assert extract(extractor, file, b"# Words\n", "a.md").documents
    assert extractor._worker._process is None


@posix
def test_a_worker_ends_with_its_parent(file: Path) -> None:
    file.write_bytes(CAPTION)
    code = (
        "import os, signal, sys; from pathlib import Path; from rubricator.adapters.text import Extractor\n"
        "extractor = Extractor(); assert extractor.extract(Path(sys.argv[1]), 'a.vtt').documents\n"
        "print(extractor._worker._process.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL
    pid = int(done.stdout)
    deadline = time.monotonic() + 10
    while _lives(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _lives(pid)


def _lives(pid: int) -> bool:
    """Whether a process runs. One that has ended and waits to be reaped does not."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
