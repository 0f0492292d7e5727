"""A content-addressed store in a folder of a local file system.

    <root>/ab/cd/abcd...   artifacts, read-only, two levels of folders by the first four digits
    <root>/incoming/       content that is still being written

Order of a put: write a temporary file while hashing, compare with the expected digest, fsync the file, rename it to its
place, fsync the folders above it. A process may die at any point: an artifact is there completely or not at all, and
leftovers in `incoming` are never read, only deleted. Several contents take the same steps together: all files are
written and synced, then all renamed, then each folder synced once.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from threading import Semaphore
from typing import BinaryIO, Final

from walle.artifacts.store import ArtifactMissing, Content, DigestMismatch, PutResult, StoredArtifact
from walle.protocol.names import DIGEST_PATTERN, check_digest

_CHUNK: Final = 1 << 20
_INCOMING: Final = "incoming"
# The most files that wait for the disk at once, and the most that are open meanwhile.
_SYNCERS: Final = 16
_UNSYNCED: Final = 64
# Variants of exclusive files are personal: only the owner and the group (a web server) may read the store.
_FOLDER_MODE: Final = 0o750
_FILE_MODE: Final = 0o440


class LocalStore:
    """A store under `root`, which is created by the first put. Any number of processes may share it."""

    remote = False

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root)

    def put(self, content: Content, expected: str | None = None) -> PutResult:
        """Store the content, durably once this returns; storing it again is harmless.

        Raises DigestMismatch, and stores nothing, if `expected` is given and is not the content's digest.
        """
        if expected is not None:
            check_digest(expected)
        if isinstance(content, bytes) and (stored := self._refresh(content, expected)):
            return stored
        descriptor, temporary = self._temporary()
        try:
            stored = _write(descriptor, content, expected)
            _sync(descriptor)
            self._sync_above(self._publish(temporary, stored.digest))
        finally:
            temporary.unlink(missing_ok=True)
        return stored

    def put_all(self, contents: Iterable[Content]) -> list[PutResult]:
        """Store each content, all of them durably once this returns; faster than single `put`s.

        Each content is read to its end before the next one. If one fails, none is certain to be stored.
        """
        temporaries: list[Path] = []
        stored: list[PutResult] = []
        unsynced = Semaphore(_UNSYNCED)
        try:
            with ThreadPoolExecutor(_SYNCERS) as syncers:
                syncs: list[Future[None]] = []
                for content in contents:
                    unsynced.acquire()
                    descriptor, temporary = self._temporary()
                    temporaries.append(temporary)
                    stored.append(_write(descriptor, content))
                    syncs.append(syncers.submit(_sync, descriptor))
                    syncs[-1].add_done_callback(lambda _: unsynced.release())
                for sync in syncs:
                    sync.result()
                places = list(map(self._publish, temporaries, (result.digest for result in stored)))
                # In parallel: the disk flushes its cache only once for all that wait together.
                list(syncers.map(_sync_folder, self._above(places)))
        finally:
            for temporary in temporaries:
                temporary.unlink(missing_ok=True)
        return stored

    def put_file(self, path: Path | str, expected: str | None = None) -> PutResult:
        """Store a copy of a file's content, as `put` does."""
        with Path(path).open("rb") as file:
            return self.put(file, expected)

    def open(self, digest: str) -> BufferedReader:
        """Return the content, open for reading; the caller closes it. Raises ArtifactMissing."""
        try:
            return self._place(digest).open("rb")
        except FileNotFoundError:
            raise ArtifactMissing(digest) from None

    def path(self, digest: str) -> Path:
        """Return the file with the content, which must never be written to. Raises ArtifactMissing."""
        place = self.at_hand(digest)
        if place is None:
            raise ArtifactMissing(digest)
        return place

    def at_hand(self, digest: str) -> Path | None:
        """Return the file with the content if it is here."""
        place = self._place(digest)
        return place if place.is_file() else None

    def size(self, digest: str) -> int:
        """Return the size in bytes. Raises ArtifactMissing."""
        try:
            return self._place(digest).stat().st_size
        except FileNotFoundError:
            raise ArtifactMissing(digest) from None

    def has(self, digest: str) -> bool:
        return self._place(digest).is_file()

    def renew(self, digest: str) -> bool:
        """Make a present artifact as new as if it had been put now; return False if it is absent."""
        place = self._place(digest)
        try:
            os.utime(place)
        except FileNotFoundError:
            return False
        self._sync_above(place)
        return True

    def delete(self, digest: str, *, unless_since: float | None = None) -> bool:
        """Remove an artifact; return False if it was absent, or was put or renewed since then (Unix seconds).

        Readers that have it open can read on.
        """
        place = self._place(digest)
        aside = self.root / _INCOMING / f"{digest}.deleted"
        try:
            # Renamed first: from then on it is absent for renewals, so that their callers put it again.
            place.rename(aside)
        except FileNotFoundError:
            return False
        spared = unless_since is not None and aside.stat().st_mtime >= unless_since
        if spared:
            with suppress(FileExistsError):
                os.link(aside, place)
        aside.unlink()
        return not spared

    def iterate(self) -> Iterator[StoredArtifact]:
        """Yield every artifact, by ascending digest; those put or deleted meanwhile may or may not be included."""
        for folder in sorted(self.root.glob("[0-9a-f][0-9a-f]/[0-9a-f][0-9a-f]")):
            for path in sorted(folder.iterdir()):
                if DIGEST_PATTERN.fullmatch(path.name):
                    with suppress(FileNotFoundError):
                        status = path.stat()
                        yield StoredArtifact(path.name, status.st_size, status.st_mtime)

    def verify(self, digest: str) -> PutResult:
        """Read an artifact and compare it with its digest. Raises ArtifactMissing or DigestMismatch.

        A damaged artifact is repaired by deleting it and putting the content again.
        """
        with self.open(digest) as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
            if found != digest:
                raise DigestMismatch(digest, found)
            return PutResult(digest, file.tell())

    def sweep_temporary(self, now: float, older_than: float) -> int:
        """Remove the temporary files of dead writers; return their number.

        `now` is in Unix seconds. `older_than` is in seconds since a file's last write: longer than any live writer
        pauses.
        """
        swept = 0
        for path in self.root.joinpath(_INCOMING).glob("*"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < now - older_than:
                    path.unlink()
                    swept += 1
        return swept

    def _place(self, digest: str) -> Path:
        check_digest(digest)
        return self.root / digest[:2] / digest[2:4] / digest

    def _refresh(self, content: bytes, expected: str | None) -> PutResult | None:
        """Make present content as new, and as durable, as if it had been put now; return None if it is absent."""
        stored = PutResult(_checked(hashlib.sha256(content).hexdigest(), expected), len(content))
        try:
            complete = self._place(stored.digest).stat().st_size == stored.size
        except FileNotFoundError:
            return None
        return stored if complete and self.renew(stored.digest) else None

    def _temporary(self) -> tuple[int, Path]:
        descriptor, name = tempfile.mkstemp(dir=self._make_folder(_INCOMING))
        return descriptor, Path(name)

    def _publish(self, temporary: Path, digest: str) -> Path:
        place = self._place(digest)
        self._make_folder(digest[:2], digest[2:4])
        temporary.replace(place)
        return place

    def _make_folder(self, *names: str) -> Path:
        folder = self.root.joinpath(*names)
        if not folder.is_dir():
            self.root.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
            for depth in range(1, len(names) + 1):
                self.root.joinpath(*names[:depth]).mkdir(mode=_FOLDER_MODE, exist_ok=True)
        return folder

    def _sync_above(self, place: Path) -> None:
        for folder in self._above([place]):
            _sync_folder(folder)

    def _above(self, places: Iterable[Path]) -> set[Path]:
        """Return all folders above: another process may have created some just now and not have synced them yet."""
        return {folder for place in places for folder in (place.parent, place.parent.parent, self.root)}


def _sync_folder(folder: Path) -> None:
    _sync(os.open(folder, os.O_RDONLY | os.O_DIRECTORY))


def _write(descriptor: int, content: Content, expected: str | None = None) -> PutResult:
    """Write the content to an open file, which is closed only if that fails."""
    try:
        with open(descriptor, "wb", buffering=0, closefd=False) as file:
            stored = _copy(content, file, expected)
        os.fchmod(descriptor, _FILE_MODE)
    except BaseException:
        os.close(descriptor)
        raise
    return stored


def _sync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _copy(content: Content, file: BinaryIO, expected: str | None) -> PutResult:
    digest, size = hashlib.sha256(), 0
    for chunk in _chunks(content):
        digest.update(chunk)
        size += len(chunk)
        view = memoryview(chunk)
        while view:
            view = view[file.write(view) :]
    return PutResult(_checked(digest.hexdigest(), expected), size)


def _chunks(content: Content) -> Iterable[bytes]:
    if isinstance(content, bytes):
        return (content,)
    read = getattr(content, "read", None)
    return content if read is None else iter(lambda: read(_CHUNK), b"")


def _checked(found: str, expected: str | None) -> str:
    if expected is not None and found != expected:
        raise DigestMismatch(expected, found)
    return found
