"""Zip containers: told apart by what they hold, for their names say little."""

from __future__ import annotations

from rubricator.adapters.text import documents, slack, slides
from rubricator.adapters.text.archive import Archive
from rubricator.adapters.text.limits import Reading, UnreadableError
from rubricator.memory.document import Extraction


def read(data: bytes, reading: Reading) -> Extraction:
    """Read a zip container: an office document, an e-book, slides, or the export of a Slack workspace."""
    archive = Archive(data)
    if "ppt/presentation.xml" in archive:
        return slides.read(archive, reading)
    if suffix := _document(archive):
        return documents.read_as(data, suffix, reading)
    if slack.is_export(archive.names):
        return slack.read_export(archive, reading)
    raise UnreadableError("a zip that is no Slack export; unpack it and keep the files themselves")


def _document(archive: Archive) -> str:
    """The suffix of the document that a zip is, or an empty string."""
    if "word/document.xml" in archive:
        return ".docx"
    if any(name in archive for name in ("xl/workbook.xml", "xl/workbook.bin")):
        return ".xlsx"
    if "mimetype" in archive:
        kind = archive.member("mimetype")[:200]
        if b"opendocument.text" in kind:
            return ".odt"
        if b"epub" in kind:
            return ".epub"
    if any(name.startswith("word/") for name in archive.names):
        return ".docx"
    return ".epub" if "META-INF/container.xml" in archive else ""
