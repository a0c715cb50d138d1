"""Text extraction: one raw file in, its documents and what was passed over out.

Foreign files are read by foreign parsers, in a process that can be killed; no file's content raises an exception.
"""

from __future__ import annotations

from typing import Final

from rubricator.adapters.text.extractor import Extractor
from rubricator.adapters.text.limits import Limits
from rubricator.adapters.text.registry import SUPPORTED, Format, formats

EXTRACTOR_VERSION: Final = 1
"""Raised whenever the same file would yield another text or other blocks, so that what was prepared is done anew."""

__all__ = ["EXTRACTOR_VERSION", "SUPPORTED", "Extractor", "Format", "Limits", "formats"]
