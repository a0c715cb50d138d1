"""Zip archives, unpacked only as far as is safe."""

from __future__ import annotations

import io
import zipfile
from typing import Final

from rubricator.adapters.text.limits import UnreadableError

_MAX_MEMBERS: Final = 20_000
_MAX_UNPACKED: Final = 512 * 2**20
_MAX_RATIO: Final = 200
_RATIO_MATTERS_FROM: Final = 20 * 2**20
_ENCRYPTED_FLAG: Final = 0x1

_BOMB: Final = "a zip that unpacks to {size:,} MiB: too large to be safe; unpack it and keep the files that matter"


class Archive:
    """A zip whose declared sizes have been checked, and whose members are read no further than they declare."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self._members = {info.filename: info for info in self._zip.infolist()}
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
            raise UnreadableError(f"this zip is damaged: {error}; make it again, or unpack it") from error
        _check(list(self._members.values()), len(data))

    @property
    def names(self) -> list[str]:
        """The names of all members, in their own order."""
        return list(self._members)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def member(self, name: str) -> bytes:
        """The bytes of one member. Raises UnreadableError when it is damaged or larger than it declares."""
        info = self._members[name]
        try:
            with self._zip.open(info) as stream:
                data = stream.read(info.file_size + 1)
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, RuntimeError, EOFError) as error:
            raise UnreadableError(f"{name} in this zip can't be unpacked: {error}") from error
        except Exception as error:  # zlib, bz2 and lzma each have an error of their own
            raise UnreadableError(f"{name} in this zip is damaged: {error}") from error
        if len(data) > info.file_size:
            raise UnreadableError(f"{name} in this zip is larger than it declares, which only a zip bomb does")
        return data


def _check(members: list[zipfile.ZipInfo], packed: int) -> None:
    if any(info.flag_bits & _ENCRYPTED_FLAG for info in members):
        raise UnreadableError("an encrypted zip; unpack it with its password and keep the files themselves")
    unpacked = sum(info.file_size for info in members)
    too_dense = unpacked > _RATIO_MATTERS_FROM and unpacked > packed * _MAX_RATIO
    if unpacked > _MAX_UNPACKED or too_dense or len(members) > _MAX_MEMBERS:
        raise UnreadableError(_BOMB.format(size=unpacked // 2**20))
