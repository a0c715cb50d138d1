"""The copy of the sources as a real Biblicus corpus, through Biblicus's own classes, in linear time.

Biblicus's own import reads its whole catalog for every file. Here the files and their sidecars are laid out first and
the catalog is written once, from the same models, as `biblicus reindex` would find it.
"""

from __future__ import annotations

import hashlib
import json
import mimetypes
import uuid
from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from rubricator.adapters.files import link_or_copy, write_file
from rubricator.core.scope import KNOWLEDGE_BASE, Root

SIDECAR_SUFFIX: Final = ".biblicus.yml"
CATALOG: Final = "metadata/catalog.json"
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


def stored_path(path: str, digest: str, taken: Container[str]) -> str:
    """Where a source's copy goes: one folder a knowledge base, in it one name made from the rest of the path.

    The folders in between are not made again, since a file system takes longer over a new folder than over a file. A
    name in `taken` belongs to another source or to an earlier content still in force; then a hash makes another one.
    """
    base, _, rest = path.partition("/")
    name = rest.replace("/", "--")
    if name.endswith(SIDECAR_SUFFIX):
        name += ".txt"  # not to be taken for a sidecar itself
    if f"{base}/{name}" not in taken and len(name.encode()) <= _MAX_NAME_BYTES:
        return f"{base}/{name}"
    stem, dot, suffix = name.rpartition(".")
    short = (stem or suffix).encode()[:120].decode(errors="ignore")
    return (
        f"{base}/{short}.{hashlib.sha256((path + digest).encode()).hexdigest()[:12]}{dot}{suffix[:20] if stem else ''}"
    )


def readable_copy(content: bytes, stored: str, encoding: str | None) -> tuple[bytes, str]:
    """A source's content and path as Biblicus can read them.

    Biblicus stops at the first text file that is not UTF-8, and at Markdown whose front matter is no mapping. Such a
    copy is stored as UTF-8, or under a name that is not a text's; the source itself is never touched.
    """
    media_type = _media_type(stored)
    if not media_type.startswith("text/"):
        return content, stored
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        try:
            text = content.decode(encoding or "utf-8")
        except (UnicodeDecodeError, LookupError):
            return content, stored + ".bin"
        content = text.encode()
    if media_type == "text/markdown" and text.startswith("---\n") and not _front_matter_is_sound(text):
        return content, stored + ".txt"
    return content, stored


def _front_matter_is_sound(text: str) -> bool:
    from biblicus.frontmatter import parse_front_matter

    try:
        metadata = parse_front_matter(text).metadata
        return "dates" not in metadata and _is_plain(metadata)
    except Exception:  # noqa: BLE001 - whatever it raises here, `biblicus reindex` would raise too
        return False


def _is_plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    if isinstance(value, list):
        return all(_is_plain(item) for item in value)
    return value is None or isinstance(value, str | int | float | bool)


def write_item(corpus: Path, item: CorpusItem, content: bytes) -> None:
    """Write one item's copy, and its sidecar with id, source URI, scope and date."""
    target = f"{corpus}/{item.stored}"
    try:
        write_file(target, content)
    except FileNotFoundError:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        write_file(target, content)
    metadata = _metadata(item)
    # Printable JSON is YAML, and far quicker to write; what is not printable needs YAML's own escapes.
    sidecar = json.dumps(metadata, ensure_ascii=False)
    if not sidecar.isprintable():
        sidecar = yaml.dump(metadata, Dumper=_DUMPER, allow_unicode=True, sort_keys=False)
    write_file(target + SIDECAR_SUFFIX, f"{sidecar}\n".encode())


def write_catalog(
    corpus: Path, target: Path, *, last: Path | None, gone: Iterable[str], made: Iterable[CorpusItem]
) -> None:
    """Write to `target` the catalog of a corpus: that in `last`, without the paths `gone`, with the items `made`.

    The corpus keeps the catalog it has until `publish_catalog`.
    """
    from biblicus.corpus import Corpus
    from biblicus.models import CatalogItem, CorpusCatalog

    if last is None:
        catalog = Corpus.init(corpus).load_catalog()
    else:
        catalog = CorpusCatalog.model_validate_json(last.read_bytes())
    for path in gone:
        catalog.items.pop(_item_id(path), None)
    for item in made:
        metadata = _metadata(item)
        item_id = metadata["biblicus"]["id"]
        catalog.items[item_id] = CatalogItem(
            id=item_id,
            relpath=item.stored,
            sha256=item.copy_sha256,
            bytes=item.copy_size,
            media_type=_media_type(item.stored),
            title=item.title,
            tags=[item.root.scope],
            metadata=metadata,
            created_at=item.prepared_at,
            source_uri=item.source_uri,
        )
    newest_first = sorted(((item.created_at, item_id) for item_id, item in catalog.items.items()), reverse=True)
    catalog.order = [item_id for _, item_id in newest_first]
    target.write_text(catalog.model_dump_json(), encoding="utf-8")


def is_published(corpus: Path, catalog: Path) -> bool:
    """Whether the corpus shows this catalog."""
    try:
        return (corpus / CATALOG).samefile(catalog) or (corpus / CATALOG).read_bytes() == catalog.read_bytes()
    except OSError:
        return False


def publish_catalog(corpus: Path, catalog: Path) -> None:
    """Make the corpus show this catalog, at a stroke."""
    draft = corpus / f"{CATALOG}.draft"
    draft.unlink(missing_ok=True)
    link_or_copy(catalog, draft)
    draft.replace(corpus / CATALOG)


def remove_items(corpus: Path, stored: Iterable[str]) -> None:
    """Remove copies and their sidecars."""
    for path in stored:
        if not _is_inside(path):
            continue
        (corpus / path).unlink(missing_ok=True)
        (corpus / (path + SIDECAR_SUFFIX)).unlink(missing_ok=True)


def is_corpus(corpus: Path) -> bool:
    """Whether Biblicus can open the folder."""
    try:
        return all((corpus / name).stat().st_size for name in (CATALOG, "metadata/config.json"))
    except OSError:
        return False


def _is_inside(path: object) -> bool:
    """Whether a path is that of a copy in a corpus, whoever wrote it down."""
    return isinstance(path, str) and ".." not in path.split("/") and path.split("/")[0].endswith(KNOWLEDGE_BASE)


def strays(corpus: Path, stored: Container[str]) -> list[str]:
    """The copies in the corpus that are not among `stored`: what a killed build left."""
    files = (path.relative_to(corpus).as_posix() for path in corpus.glob(f"*{KNOWLEDGE_BASE}/*"))
    copies = (path.removesuffix(SIDECAR_SUFFIX) for path in files)
    return [path for path in copies if path not in stored]


def _item_id(path: str) -> str:
    return str(uuid.uuid5(_NAMESPACE, path))


def _media_type(stored: str) -> str:
    if stored.lower().endswith(_MARKDOWN):
        return "text/markdown"
    return mimetypes.guess_type(stored)[0] or "application/octet-stream"


def _metadata(item: CorpusItem) -> dict[str, Any]:
    """The sidecar's content, which is also the catalog's metadata."""
    metadata: dict[str, Any] = {
        "biblicus": {"id": _item_id(item.path), "source": item.source_uri},
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
