"""What the tests of pages share: where Chromium is, and what is asked of every page.

RUBRICATOR_SCREENSHOTS names a folder for the pictures of each stage; those in docs/images are made with it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

CHROMIUM = next((p for name in ("chromium", "chromium-browser") if (p := shutil.which(name))), None)
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
_AXE = Path(__file__).parent / "vendor" / "axe.min.js"
_SIZES = {"1280": (1280, 900), "390": (390, 844)}


def axe(page, stage: str) -> None:
    """No serious or critical fault of accessibility. The script is put in past the page's own policy."""
    page.evaluate(_AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    grave = [v for v in found["violations"] if v["impact"] in {"serious", "critical"}]
    told = [(v["id"], [node["target"] for node in v["nodes"]][:3]) for v in grave]
    assert told == [], stage


def shot(page, stage: str) -> None:
    """Pictures of a stage in both sizes, where they are asked for."""
    folder = os.environ.get("RUBRICATOR_SCREENSHOTS")
    if not folder:
        return
    for name, (width, height) in _SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(200)
        page.screenshot(path=str(Path(folder) / f"{stage}-{name}.png"), full_page=stage != "dialog")
    page.set_viewport_size({"width": 1280, "height": 900})
