"""Text extraction: one raw file in, its documents and what was passed over out.

Foreign files are read by foreign parsers, in a process that can be killed; no file's content raises an exception.
"""

from __future__ import annotations

from rubricator.adapters.text.extractor import Extractor
from rubricator.adapters.text.limits import Limits
from rubricator.adapters.text.registry import EXTRACTOR_VERSION, SUPPORTED, Format, formats

__all__ = ["EXTRACTOR_VERSION", "SUPPORTED", "Extractor", "Format", "Limits", "formats"]
