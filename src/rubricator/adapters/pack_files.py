"""Evidence packs on disk, one file each, so that their page can be opened later: the pack and the rubric it read."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from rubricator.adapters.files import replace_atomically
from rubricator.core.authority import Authority
from rubricator.core.identity import tagged_hash
from rubricator.errors import InputError, StorageError
from rubricator.memory.pack import EvidencePack

_ID = re.compile(r"[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class KeptPack:
    """A pack as it was kept: under its id, with the time and the official rubric of then."""

    id: str
    kept_at: str
    authority: Authority
    pack: Mapping[str, Any]


class PackFiles:
    """The packs under `folder`, readable by its owner alone: they hold what the disputed items say."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, pack: EvidencePack, authority: Authority, now: datetime) -> str:
        """Keep a pack and return its id, the same for the same item, rubric and synthesizer. Raises StorageError."""
        made = {key: pack.synthesizer.get(key) for key in ("kind", "model")}
        of = [pack.item, authority.citation_id, authority.scorecard, authority.score, made]
        identity = tagged_hash("pack", of)[:12]
        official = {key: value for key, value in asdict(authority).items() if key not in {"metadata", "diagnostics"}}
        kept = {"kept_at": now.isoformat(timespec="seconds"), "authority": official, "pack": pack.to_json()}
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_atomically(self._folder / f"{identity}.json", json.dumps(kept))
        except OSError as error:
            raise StorageError(
                f"The pack can't be kept in {self._folder}: {error.strerror}.",
                hint="Set RUBRICATOR_CACHE_DIR to a writable folder, or give --no-keep.",
            ) from error
        return identity

    def find(self, identity: str) -> KeptPack:
        """The pack with this id. Raises InputError where there is none that can be read."""
        kept = self._read(identity) if _ID.fullmatch(identity) else None
        if kept is None:
            raise InputError(f"There is no pack {identity[:40]!r}.", hint="Make it again: `rubricator memory pack`.")
        return kept

    def all(self) -> list[KeptPack]:
        """Every pack that can be read, newest first."""
        names = sorted(path.stem for path in self._folder.glob("*.json") if _ID.fullmatch(path.stem))
        kept = [found for name in names if (found := self._read(name)) is not None]
        return sorted(kept, key=lambda found: found.kept_at, reverse=True)

    def _read(self, identity: str) -> KeptPack | None:
        try:
            value = json.loads((self._folder / f"{identity}.json").read_bytes())
            return KeptPack(identity, value["kept_at"], Authority(**value["authority"]), value["pack"])
        except (OSError, ValueError, RecursionError, KeyError, TypeError):
            return None
