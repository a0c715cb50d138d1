"""The registry: which file is read by which reader, told by its first bytes and by its name."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast

from rubricator.adapters.text import sniff
from rubricator.adapters.text.limits import Reading, UnreadableError, suffix_of
from rubricator.memory.document import Extraction, Skip

EXTRACTOR_VERSION: Final = 1
"""Raised whenever the same file would yield another text or other blocks, so that what was prepared is done anew."""

Reader = Callable[[bytes, Reading], Extraction]


@dataclass(frozen=True, slots=True)
class Format:
    """A family of files that one reader reads.

    `reader` names the module that holds its `read`, loaded when first needed. `extra` names the optional dependencies
    that it takes, and `available` whether they are installed here.
    """

    name: str
    suffixes: tuple[str, ...]
    reader: str
    extra: str = ""

    @property
    def available(self) -> bool:
        """Whether this installation can read it."""
        return not self.extra or importlib.util.find_spec("kreuzberg") is not None


PLAIN: Final = Format("plain text", (".txt", ".text", ".log", ".yaml", ".yml", ".rst", ".org", "(no suffix)"), "plain")

SUPPORTED: Final = (
    Format("Markdown", (".md", ".markdown"), "plain"),
    PLAIN,
    Format("mail", (".eml",), "mail"),
    Format("mailbox", (".mbox",), "mail"),
    Format("web page", (".html", ".htm", ".xhtml"), "html"),
    Format("captions", (".vtt", ".srt", ".sbv"), "captions"),
    Format("table", (".csv", ".tsv"), "tables"),
    Format("JSON", (".json", ".jsonl", ".ndjson"), "structured"),
    Format("notebook", (".ipynb",), "structured"),
    Format("XML", (".xml", ".rss", ".atom"), "xml"),
    Format("zip", (".zip",), "containers"),
    Format("slides", (".pptx",), "containers"),
    Format("PDF", (".pdf",), "documents", "documents"),
    Format("document", (".docx", ".odt", ".rtf", ".epub"), "documents", "documents"),
    Format("spreadsheet", (".xlsx", ".xls"), "documents", "documents"),
    Format("Outlook message", (".msg",), "documents", "documents"),
)
"""Every format this version reads, as `doctor` and the documentation list them."""

_BY_SUFFIX: Final = {suffix: each for each in SUPPORTED for suffix in each.suffixes}
_BINARY: Final = frozenset({"containers", "documents"})


def formats() -> tuple[Format, ...]:
    """Every format this version reads."""
    return SUPPORTED


def recognise(data: bytes, name: str) -> Format:
    """The format of a file. Its first bytes count for more than its suffix, which may be absent or wrong."""
    suffix = suffix_of(name)
    container = sniff.container(data)
    if container:
        return _BY_SUFFIX[container]
    named = _BY_SUFFIX.get(suffix, PLAIN)
    if named.reader in _BINARY or (named is PLAIN and not suffix):
        return _BY_SUFFIX.get(sniff.text_format(data), PLAIN)
    return named


def read(data: bytes, reading: Reading) -> Extraction:
    """All that one file, or one part of a file, holds. What can't be read is skipped; only MemoryError is raised."""
    return read_as(recognise(data, reading.name), data, reading)


def read_as(found: Format, data: bytes, reading: Reading) -> Extraction:
    """As `read`, for a file whose format was found before."""
    try:
        reader = cast("Reader", importlib.import_module(f"rubricator.adapters.text.{found.reader}").read)
        return reader(data, reading)
    except UnreadableError as error:
        reason = str(error)
    except MemoryError:
        raise
    except RecursionError:
        reason = f"{found.name} nested too deeply to read"
    except Exception as error:  # noqa: BLE001 - a foreign parser may raise anything over a foreign file
        reason = f"damaged or unusual {found.name}: {type(error).__name__}: {error}"[:300]
    return Extraction(skipped=(Skip(reason, reading.part),))
