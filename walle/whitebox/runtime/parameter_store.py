"""The parameter store (PRETZEL's Object Store): each parameter of all plans once in memory, by its checksum.

A parameter is a raw file, mapped read-only if it is not small: the kernel keeps its pages once for all processes, reads
them when they are first touched, and may drop them when memory is short. It is verified before its first use on the
machine, and again when its file changed.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from walle.whitebox.runtime.errors import ParameterUnavailable
from walle.whitebox.runtime.ledger import ParameterLedger
from walle.whitebox.runtime.verified_files import FileState, VerifiedFiles, digest_of, state_of

_SUFFIX: Final = ".bin"
_POPULATE_READ: Final = 22
"""MADV_POPULATE_READ, of Linux 5.14."""

_COPIED: Final = 16 << 10
"""Parameters of as many bytes at most are read, not mapped: mapping takes a handle, a map entry, and half a page."""

Array = NDArray[Any]


class StoredParameter(Protocol):
    """A reference to a parameter, as in a graph (walle.whitebox.graph.Parameter).

    `shape` is that of the whole array; `start` and `stop` are a part of its last axis.
    """

    @property
    def digest(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def start(self) -> int: ...
    @property
    def stop(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class StoreStatistics:
    """What the store holds.

    In bytes: what is in use, each parameter once; what would be if each plan had its own; what is mapped, and may be.
    """

    shared_bytes: int
    unshared_bytes: int
    mapped_bytes: int
    capacity_bytes: int
    parameters: int
    evicted: int
    corrupt: tuple[str, ...]


class _Mapped(NamedTuple):
    whole: Array
    state: FileState


class ParameterStore:
    """The parameters in a folder, `<sha256 hex>.bin` each, of which `capacity_bytes` are mapped at most.

    Arrays stay valid as long as they are referenced, whatever is evicted; what a lease holds is never evicted.
    """

    def __init__(self, folder: Path, capacity_bytes: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._ledger = ParameterLedger(capacity_bytes)
        self._verified = VerifiedFiles(folder)
        self._mapped: dict[str, _Mapped] = {}
        self._corrupt: set[str] = set()
        self._evicted = 0

    @property
    def folder(self) -> Path:
        return self._folder

    def path(self, digest: str) -> Path:
        """Return where the file of a parameter is, or belongs."""
        if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
            raise ParameterUnavailable(digest, "has no SHA-256 in hex as its name")
        return self._folder / f"{digest}{_SUFFIX}"

    def has(self, digest: str) -> bool:
        """Return whether there is a file for a parameter that was not found corrupt."""
        return digest not in self._corrupt and self.path(digest).exists()

    def install(self, digest: str, source: Path) -> None:
        """Take a file into the store, if it has none for this digest or a corrupt one; it is verified at its first use.

        The file is linked, or copied from another file system, and appears whole or not at all.
        """
        if self.has(digest):
            return
        path = self.path(digest)
        partial = path.with_suffix(f".{os.getpid()}.partial")
        partial.unlink(missing_ok=True)
        try:
            os.link(source, partial)
        except OSError:
            partial.write_bytes(source.read_bytes())
        partial.replace(path)
        # Renaming one link of a file onto another one does nothing at all.
        partial.unlink(missing_ok=True)
        self._corrupt.discard(digest)

    def get(self, parameter: StoredParameter) -> Array:
        """Return the array of a parameter, read-only, without a copy. Raises ParameterUnavailable."""
        whole = self._map(parameter.digest).whole
        dtype = np.dtype(parameter.dtype)
        if whole.nbytes != dtype.itemsize * int(np.prod(parameter.shape, dtype=np.int64)):
            expected = f"{parameter.dtype} of shape {parameter.shape}"
            raise ParameterUnavailable(parameter.digest, f"has {whole.nbytes} bytes; {expected} was expected")
        array = whole.view(dtype).reshape(parameter.shape)
        if parameter.start or parameter.stop is not None:
            array = array[..., parameter.start : parameter.stop]
        return array

    def lease(self) -> ParameterLease:
        """Return a lease, through which one plan gets its parameters."""
        return ParameterLease(self)

    def prefault(self, digests: Iterable[str]) -> None:
        """Have all pages of parameters read and mapped now, so that no prediction waits for them."""
        for digest in digests:
            whole = self._map(digest).whole
            pages = whole.base.obj if isinstance(whole.base, memoryview) else None
            if isinstance(pages, mmap.mmap):
                try:
                    pages.madvise(_POPULATE_READ)
                except OSError:
                    whole[:: mmap.PAGESIZE].max()

    def audit(self) -> frozenset[str]:
        """Verify again what is in memory and whose file changed; return what was found corrupt, once.

        What is returned is not mapped any longer; arrays that exist may be what the file is now, and must not be used.
        """
        found = set()
        for digest, mapped in list(self._mapped.items()):
            try:
                descriptor = self._open(digest)
            except ParameterUnavailable:
                # What was mapped of a file that was removed stays as it was: nobody can write to it by its name.
                continue
            try:
                state = state_of(os.fstat(descriptor))
                if state != mapped.state:
                    self._verify(digest, descriptor, state)
                    self._mapped[digest] = _Mapped(mapped.whole, state)
            except ParameterUnavailable:
                self._forget(digest)
                found.add(digest)
            finally:
                os.close(descriptor)
        return frozenset(found)

    def statistics(self) -> StoreStatistics:
        ledger = self._ledger
        return StoreStatistics(
            ledger.shared_bytes,
            ledger.unshared_bytes,
            ledger.mapped_bytes,
            ledger.capacity,
            len(self._mapped),
            self._evicted,
            tuple(sorted(self._corrupt)),
        )

    def use(self, digest: str) -> None:
        """Count one more user of a parameter that was got."""
        self._ledger.use(digest)

    def release(self, digest: str) -> None:
        """Count one user less."""
        self._ledger.release(digest)

    def _map(self, digest: str) -> _Mapped:
        mapped = self._mapped.get(digest)
        if mapped is not None:
            return mapped
        descriptor = self._open(digest)
        try:
            state = state_of(os.fstat(descriptor))
            self._verify(digest, descriptor, state)
            self._make_room(digest, state[1])
            whole = _contents(descriptor, state[1])
        finally:
            os.close(descriptor)
        mapped = self._mapped[digest] = _Mapped(whole, state)
        self._ledger.map(digest, state[1])
        return mapped

    def _open(self, digest: str) -> int:
        try:
            return os.open(self.path(digest), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise ParameterUnavailable(digest, "is missing") from None

    def _verify(self, digest: str, descriptor: int, state: FileState) -> None:
        if self._verified.has(digest, state):
            return
        found = digest_of(descriptor)
        # A file that is written to while it is read has another state afterwards.
        if found != digest or state_of(os.fstat(descriptor)) != state:
            self._corrupt.add(digest)
            raise ParameterUnavailable(digest, f"is corrupt: its file has the checksum {found[:16]}")
        self._corrupt.discard(digest)
        self._verified.add(digest, state)

    def _make_room(self, digest: str, size: int) -> None:
        going = self._ledger.room_for(size)
        if going is None:
            reason = f"of {size} bytes does not fit: {self._ledger.capacity} bytes may be mapped, all others are in use"
            raise ParameterUnavailable(digest, reason)
        for each in going:
            self._forget(each)
            self._evicted += 1

    def _forget(self, digest: str) -> None:
        # The pages are unmapped with the last array that refers to them.
        del self._mapped[digest]
        self._ledger.unmap(digest)


def _contents(descriptor: int, size: int) -> Array:
    """Return the bytes of a file, read-only: mapped, or as a copy where a page and a handle would cost more."""
    if size <= _COPIED:
        return np.frombuffer(os.pread(descriptor, size, 0), np.uint8)
    return np.frombuffer(mmap.mmap(descriptor, size, mmap.MAP_SHARED, mmap.PROT_READ), np.uint8)


class ParameterLease:
    """The parameters that one plan uses, each counted once, until the lease is closed."""

    __slots__ = ("_digests", "_store")

    def __init__(self, store: ParameterStore) -> None:
        self._store = store
        self._digests: set[str] = set()

    @property
    def digests(self) -> frozenset[str]:
        return frozenset(self._digests)

    def get(self, parameter: StoredParameter) -> Array:
        """Return the array of a parameter, and keep it from being evicted. Raises ParameterUnavailable."""
        array = self._store.get(parameter)
        if parameter.digest not in self._digests:
            self._digests.add(parameter.digest)
            self._store.use(parameter.digest)
        return array

    def close(self) -> None:
        """Give all parameters back."""
        while self._digests:
            self._store.release(self._digests.pop())
