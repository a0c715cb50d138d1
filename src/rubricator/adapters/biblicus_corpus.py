"""The copy of the sources as a real Biblicus corpus, through Biblicus's own classes, in linear time.

Biblicus's own import reads its whole catalog for every file. Here the files and their sidecars are laid out first and
the catalog is written once, from the same models, as `biblicus reindex` would find it.
"""

from __future__ import annotations

import hashlib
import mimetypes
import os
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from rubricator.adapters.files import link_or_copy
from rubricator.core.scope import Root

SIDECAR_SUFFIX: Final = ".biblicus.yml"
_MAX_NAME_BYTES = 200
_MARKDOWN = (".md", ".markdown")
_NAMESPACE = uuid.UUID("5b0c7f6e-6d1c-5a53-9d2e-0d8f6f1b7c11")
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


@dataclass(frozen=True, slots=True)
class CorpusItem:
    """One source in the corpus: where it came from and where its copy lies, relative to the corpus folder.

    `sha256` is of the raw source; `copy_sha256` and `copy_size` are of the copy, which differs where it is re-encoded.
    """

    path: str
    stored: str
    source_uri: str
    root: Root
    date: str | None
    title: str | None
    sha256: str
    copy_sha256: str
    copy_size: int
    prepared_at: str


def stored_path(path: str) -> str:
    """Where a source's copy lies: its own path, but for names that Biblicus would take for something else."""
    parts = []
    for part in path.split("/"):
        safe = part
        if safe.endswith(SIDECAR_SUFFIX):
            safe += ".txt"
        if len(safe.encode()) > _MAX_NAME_BYTES:
            stem, dot, suffix = safe.rpartition(".")
            digest = hashlib.sha256(part.encode()).hexdigest()[:16]
            safe = f"{(stem or safe).encode()[:120].decode(errors='ignore')}-{digest}{dot}{suffix[:20]}"
        parts.append(safe)
    return "/".join(parts)


def keep_readable(copy: Path, encoding: str | None) -> Path:
    """Make sure that Biblicus can read a copy, and return the path under which it can.

    Biblicus stops at the first text file that is not UTF-8, and at Markdown whose front matter is no mapping. Such a
    copy is stored as UTF-8, or under a name that is not a text's; the source itself is never touched.
    """
    media_type = _media_type(copy.name)
    if not media_type.startswith("text/"):
        return copy
    content = copy.read_bytes()
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        try:
            copy.write_bytes(content.decode(encoding or "utf-8").encode())
        except (UnicodeDecodeError, LookupError):
            return copy.rename(copy.with_name(copy.name + ".bin"))
    if media_type == "text/markdown" and content.startswith(b"---\n") and not _front_matter_is_sound(copy):
        return copy.rename(copy.with_name(copy.name + ".txt"))
    return copy


def _front_matter_is_sound(copy: Path) -> bool:
    from biblicus.frontmatter import parse_front_matter

    try:
        metadata = parse_front_matter(copy.read_text(encoding="utf-8")).metadata
        return "dates" not in metadata and _is_plain(metadata)
    except Exception:  # noqa: BLE001 - whatever it raises here, `biblicus reindex` would raise too
        return False


def _is_plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    if isinstance(value, list):
        return all(_is_plain(item) for item in value)
    return value is None or isinstance(value, str | int | float | bool)


def write_sidecar(corpus: Path, item: CorpusItem) -> None:
    """Write the sidecar of one item: its id, source URI, scope and date."""
    target = corpus / (item.stored + SIDECAR_SUFFIX)
    target.write_text(yaml.dump(_metadata(item), Dumper=_DUMPER, allow_unicode=True, sort_keys=False), encoding="utf-8")


def write_catalog(corpus: Path, items: Iterable[CorpusItem]) -> None:
    """Initialise the corpus folder, if need be, and write its catalog of `items`."""
    from biblicus.corpus import Corpus
    from biblicus.models import CatalogItem, CorpusCatalog

    handle = Corpus(corpus.resolve()) if (corpus / "metadata" / "config.json").exists() else Corpus.init(corpus)
    empty = handle.load_catalog()
    entries = {}
    for item in items:
        item_id = _item_id(item)
        entries[item_id] = CatalogItem(
            id=item_id,
            relpath=item.stored,
            sha256=item.copy_sha256,
            bytes=item.copy_size,
            media_type=_media_type(item.stored),
            title=item.title,
            tags=[item.root.scope],
            metadata=_metadata(item),
            created_at=item.prepared_at,
            source_uri=item.source_uri,
        )
    catalog = CorpusCatalog(
        schema_version=empty.schema_version,
        generated_at=empty.generated_at,
        corpus_uri=empty.corpus_uri,
        raw_dir=empty.raw_dir,
        items=entries,
        order=sorted(entries, key=lambda item_id: (entries[item_id].created_at, item_id), reverse=True),
    )
    handle.catalog_path.write_text(catalog.model_dump_json(indent=2) + "\n", encoding="utf-8")


def clone(old: Path, new: Path, *, without: set[str]) -> None:
    """Lay out in `new` the files and sidecars of the corpus `old`, except the stored paths `without`.

    Files are shared between the two by hard links where the file system allows. Biblicus's own folders are left
    behind: they describe the old corpus.
    """
    left = without | {name + SIDECAR_SUFFIX for name in without}
    stack = [""]
    while stack:
        relative = stack.pop()
        (new / relative).mkdir(parents=True, exist_ok=True)
        with os.scandir(old / relative) as entries:
            for entry in entries:
                path = f"{relative}/{entry.name}" if relative else entry.name
                if entry.is_dir(follow_symlinks=False):
                    if relative or entry.name.endswith(".knowledge-base"):
                        stack.append(path)
                elif path not in left and relative:
                    link_or_copy(entry.path, new / path)


def _item_id(item: CorpusItem) -> str:
    return str(uuid.uuid5(_NAMESPACE, item.path))


def _media_type(stored: str) -> str:
    if stored.lower().endswith(_MARKDOWN):
        return "text/markdown"
    return mimetypes.guess_type(stored)[0] or "application/octet-stream"


def _metadata(item: CorpusItem) -> dict[str, Any]:
    """The sidecar's content, which is also the catalog's metadata."""
    metadata: dict[str, Any] = {
        "biblicus": {"id": _item_id(item), "source": item.source_uri},
        "tags": [item.root.scope],
        "scope": item.root.scope,
        "knowledge_base": item.root.name,
        "date": item.date,
        "path": item.path,
        "sha256": item.sha256,
    }
    if item.title:
        metadata["title"] = item.title
    return metadata
