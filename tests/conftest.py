"""What all tests share: scorecard folders to try things on, and where other people's data lies, if it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from rubricator import Settings, Workspace

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"

RECORD = 'name: "{name}"\nversion: v1\nchampionVersionId: v1\n'
RUBRIC = "# {name}\n\nThe agent must say the customer's name.\n\n## Exceptions\n\nNone is allowed without a note.\n"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Other people's data, kept beside the repository."""
    if not SHARED.is_dir():
        pytest.skip("the shared data is not beside this repository")
    return SHARED


@pytest.fixture
def write_tree(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """Writes files under a new scorecard cache and returns it."""

    def write(files: Mapping[str, str | bytes]) -> Path:
        cache = tmp_path / "scorecards"
        for name, content in files.items():
            path = cache / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return cache

    return write


@pytest.fixture
def support_qa(write_tree: Callable[[Mapping[str, str | bytes]], Path]) -> Path:
    """A small scorecard with knowledge bases in all three scopes."""
    base = "Support QA"
    return write_tree(
        {
            f"{base}/Refunds- Eligibility.md": RUBRIC.format(name="Refunds: Eligibility"),
            f"{base}/Refunds- Eligibility.yaml": RECORD.format(name="Refunds: Eligibility"),
            f"{base}/Greeting.md": RUBRIC.format(name="Greeting"),
            f"{base}/Greeting.yaml": RECORD.format(name="Greeting"),
            f"{base}/scorecard.knowledge-base/2025-01-10/kickoff.md": (
                "# Kickoff\n\nThe waiver limit for late fees is 25 dollars, as Dana decided.\n"
            ),
            f"{base}/Refunds.knowledge-base/2025-06-02/limit.md": (
                "# Limit\n\nDana raised the waiver limit for late fees to 40 dollars because of the storm.\n"
            ),
            f"{base}/Refunds- Eligibility.knowledge-base/2026-02-03/limit.md": (
                "# Limit again\n\nThe waiver limit for late fees is back to 30 dollars, with a note by the manager.\n"
            ),
            f"{base}/Refunds- Eligibility.knowledge-base/unknown-date/cheat-sheet.txt": (
                "Waiver limit: ask the manager when in doubt about late fees.\n"
            ),
            f"{base}/Greeting.knowledge-base/2025-03-03/names.md": "# Names\n\nA first name is enough in a greeting.\n",
        }
    )


@pytest.fixture
def workspace(support_qa: Path, tmp_path: Path) -> Workspace:
    """A workspace over the small scorecard."""
    return Workspace(Settings(scorecard_cache_dir=support_qa, cache_dir=tmp_path / "cache"))
