"""What is installed, and what is missing: the facts behind `rubricator doctor`."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from pathlib import Path
from typing import Any

CORE = (
    *("biblicus", "tantivy", "PyStemmer", "selectolax", "charset-normalizer", "PyYAML", "click", "filelock"),
    *("numpy", "scipy", "orjson", "starlette", "uvicorn", "python-multipart", "jinja2", "markdown-it-py"),
    "pydantic",
    "backports.zstd",
)
EXTRAS = {"documents": ("kreuzberg",), "llm": ("openai",), "mcp": ("mcp",), "tactus": ("tactus",)}
PURPOSES = {
    "documents": "more file formats",
    "llm": "asking a model endpoint",
    "mcp": "serving agents",
    "tactus": "asking through Tactus procedures",
}


def version(package: str) -> str | None:
    """The version of an installed package, or None."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def packages() -> dict[str, Any]:
    """The versions of Python, of Rubricator, of what it needs, and of what its extras need."""
    return {
        "rubricator": version("rubricator"),
        "python": platform.python_version(),
        "platform": sys.platform,
        "core": {package: version(package) for package in CORE},
        "extras": {
            extra: {
                "installed": all(version(package) for package in wanted),
                "packages": {package: version(package) for package in wanted},
                "for": PURPOSES[extra],
                "install": f'pip install "rubricator[{extra}]"',
            }
            for extra, wanted in EXTRAS.items()
        },
    }


def folder_state(path: Path) -> dict[str, Any]:
    """Whether a folder exists and can be written; for one that doesn't exist, whether it can be made."""
    nearest = path
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    return {"path": str(path), "exists": path.is_dir(), "writable": os.access(nearest, os.W_OK)}
