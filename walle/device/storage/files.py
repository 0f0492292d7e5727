"""Files on the device by their digest: complete ones, and partial downloads.

The name of a file in `files/` guarantees that its content has that SHA-256: a file gets its name only after it was
hashed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from walle.device.storage.disk import TEMPORARY, Disk, remove_temporaries

_CHUNK = 1 << 18


def sha256_of(path: Path) -> str:
    """Return the SHA-256 (hex) of a file's content, which is read in chunks."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


@dataclass
class Partial:
    """A partial download: its bytes so far, and the strong ETag that they belong to (None: cannot be resumed)."""

    path: Path
    etag_path: Path

    @property
    def offset(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    @property
    def etag(self) -> str | None:
        try:
            etag = json.loads(self.etag_path.read_bytes())
        except (OSError, ValueError):
            return None
        return etag if isinstance(etag, str) else None

    def restart(self, etag: str | None) -> None:
        """Start from the beginning, and remember the ETag of the content to follow."""
        self.path.write_bytes(b"")
        self.etag_path.write_bytes(json.dumps(etag).encode())

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self.etag_path.unlink(missing_ok=True)


class Files:
    """The content-addressed files under one folder, and the partial downloads beside them."""

    def __init__(self, folder: Path, partial: Path, disk: Disk) -> None:
        self._folder, self._partial, self.disk = folder, partial, disk
        folder.mkdir(parents=True, exist_ok=True)
        partial.mkdir(parents=True, exist_ok=True)
        remove_temporaries(folder)

    def path(self, digest: str) -> Path:
        return self._folder / digest

    def holds(self, digest: str) -> bool:
        """Return whether the file is complete and intact; a damaged one is removed, so that it is fetched again."""
        path = self.path(digest)
        if not path.exists():
            return False
        if sha256_of(path) == digest:
            return True
        self.disk.remove(path, step="damaged file")
        return False

    def partial(self, digest: str) -> Partial:
        path = self._partial / digest
        return Partial(path, path.with_suffix(".etag"))

    def complete(self, digest: str) -> Path:
        """Turn a partial download, whose digest the caller has verified, into a complete file."""
        partial = self.partial(digest)
        self.disk.sync_file(partial.path)
        partial.path.chmod(0o444)
        self.disk.rename(partial.path, self.path(digest), step="file")
        partial.discard()
        return self.path(digest)

    def collect(self, keep: set[str], *, stale_before: float) -> None:
        """Remove all files not in `keep`, and partial downloads not modified since `stale_before` (Unix seconds)."""
        for path in self._known(self._folder):
            if path.name not in keep:
                self.disk.remove(path, step="garbage file")
        for path in self._known(self._partial):
            if path.stat().st_mtime < stale_before:
                self.disk.remove(path, step="stale download")

    @staticmethod
    def _known(folder: Path) -> Iterator[Path]:
        yield from sorted(path for path in folder.iterdir() if not path.name.startswith(TEMPORARY))
