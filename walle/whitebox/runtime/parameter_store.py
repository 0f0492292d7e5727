"""The parameter store (PRETZEL's Object Store): each parameter of all plans once in memory, by its checksum.

A parameter is a raw file. When a plan first needs it, it is verified and put into sealed memory, which is mapped
read-only and handed on to executors: it is there once for all, and stays what it was whatever happens to the file.
Where plans ask for a parameter without its zeros, it is in memory only so.
"""

from __future__ import annotations

import logging
import math
import os
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from walle.whitebox.runtime.errors import ParameterUnavailable
from walle.whitebox.runtime.ledger import ParameterLedger
from walle.whitebox.runtime.sealed_memory import map_sealed, prefault, sealed, sealed_copy
from walle.whitebox.runtime.verified_files import FileState, VerifiedFiles, digest_of, state_of
from walle.whitebox.zero_packing import pack_zeros, packed_count

log = logging.getLogger(__name__)

_DIGEST: Final = re.compile("[0-9a-f]{64}")
_SUFFIX: Final = ".bin"
_PACKED: Final = "+packed"
_KEPT_SUFFIX: Final = ".packed"

_COPIED: Final = 16 << 10
"""Parameters of as many bytes at most are read, not mapped: mapping takes handles, a map entry, and half a page."""

Array = NDArray[Any]


class StoredParameter(Protocol):
    """A reference to a parameter, as in a graph (walle.whitebox.graph.Parameter).

    `shape` is that of the whole array; `start` and `stop` are a part of its last axis; `packed` asks for all of it
    without zeros (walle.whitebox.zero_packing).
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
    @property
    def packed(self) -> bool: ...


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
    """A parameter in memory; `memory` is the descriptor of sealed memory, None for what was read, which is `raw`.

    `parts` are the arrays that were asked for.
    """

    whole: Array
    memory: int | None
    raw: bytes
    state: FileState
    parts: dict[StoredParameter, Array]


_NO_FILE: Final[FileState] = (0, 0, 0, 0)
"""The state of the file of a parameter that came from elsewhere; the first audit looks at its own."""


def _read(raw: bytes, state: FileState) -> _Mapped:
    return _Mapped(np.frombuffer(raw, np.uint8), None, raw, state, {})


class SharedParameter(NamedTuple):
    """What another process needs to have a parameter: a descriptor of sealed memory, or the bytes themselves."""

    key: str
    memory: int | None
    raw: bytes


def key_of(parameter: StoredParameter) -> str:
    """Return the name of a parameter in the form that is asked for."""
    return parameter.digest + _PACKED if parameter.packed else parameter.digest


def _size_of(parameter: StoredParameter) -> int:
    return np.dtype(parameter.dtype).itemsize * math.prod(parameter.shape)


def _digest_in(key: str) -> str:
    return key.removesuffix(_PACKED)


def part_of(whole: Array, parameter: StoredParameter) -> Array:
    """Return the array that a parameter is of its bytes. Raises ParameterUnavailable if it is of another size."""
    if parameter.packed:
        words = whole.view(np.uint64)
        if (count := packed_count(words)) != math.prod(parameter.shape):
            raise ParameterUnavailable(parameter.digest, f"has {count} numbers; {parameter.shape} was expected")
        return words
    dtype = np.dtype(parameter.dtype)
    if whole.nbytes != dtype.itemsize * math.prod(parameter.shape):
        expected = f"{parameter.dtype} of shape {parameter.shape}"
        raise ParameterUnavailable(parameter.digest, f"has {whole.nbytes} bytes; {expected} was expected")
    array = whole.view(dtype).reshape(parameter.shape)
    if parameter.start or parameter.stop is not None:
        array = array[..., parameter.start : parameter.stop]
    return array


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
        self._prefaulted: set[str] = set()
        self._corrupt: set[str] = set()
        self._evicted = 0
        self._counting = threading.Lock()
        """Held while the ledger changes: plans are registered in one thread and give parameters back in another."""

    @property
    def folder(self) -> Path:
        return self._folder

    def path(self, digest: str) -> Path:
        """Return where the file of a parameter is, or belongs."""
        if not _DIGEST.fullmatch(digest):
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
        draft = path.with_suffix(f".{os.getpid()}.partial")
        draft.unlink(missing_ok=True)
        try:
            os.link(source, draft)
        except OSError:
            draft.write_bytes(source.read_bytes())
        draft.replace(path)
        # Renaming one link of a file onto another one does nothing at all.
        draft.unlink(missing_ok=True)
        self._corrupt.discard(digest)

    def get(self, parameter: StoredParameter) -> Array:
        """Return the array of a parameter, read-only, without a copy. Raises ParameterUnavailable."""
        mapped = self._map(key_of(parameter))
        found = mapped.parts.get(parameter)
        if found is None:
            found = mapped.parts[parameter] = part_of(mapped.whole, parameter)
        return found

    def shared(self, key: str) -> SharedParameter:
        """Return what another process needs to have a parameter (`key_of`), too. Raises ParameterUnavailable."""
        mapped = self._map(key)
        return SharedParameter(key, mapped.memory, mapped.raw)

    def is_loaded(self, digest: str) -> bool:
        """Return whether a parameter is in memory."""
        return digest in self._mapped

    def small(self, parameters: Iterable[StoredParameter]) -> dict[str, bytes]:
        """Return the bytes of those parameters that are read and not mapped, by digest. Raises ParameterUnavailable."""
        small = {each.digest for each in parameters if not each.packed and _size_of(each) <= _COPIED}
        return {digest: self._map(digest).raw for digest in sorted(small)}

    def adopt(self, digest: str, raw: bytes) -> None:
        """Have a parameter in memory whose bytes were kept elsewhere, unless its digest is another one."""
        if sha256(raw).hexdigest() != digest:
            log.warning("what was kept of parameter %s is something else: it is read from its own file", digest)
            return
        self._make_room(digest, len(raw))
        self._enter(digest, _read(raw, _NO_FILE))

    def lease(self) -> ParameterLease:
        """Return a lease, through which one plan gets its parameters."""
        return ParameterLease(self)

    def prefault(self, keys: Iterable[str]) -> None:
        """Have all pages of parameters (`key_of`) read and mapped now, so that no prediction waits for them."""
        for key in keys:
            mapped = self._map(key)
            if key not in self._prefaulted:
                prefault(mapped.whole)
                self._prefaulted.add(key)

    def audit(self) -> frozenset[str]:
        """Verify again the files that changed since they were loaded; return those that were found corrupt, once each.

        What is in memory is not concerned, and is used on; plans that need the file anew are refused.
        """
        found = set()
        for key, mapped in list(self._mapped.items()):
            digest = _digest_in(key)
            try:
                if state_of(os.stat(self.path(digest))) == mapped.state:
                    continue
                descriptor = self._open(digest)
            except (FileNotFoundError, ParameterUnavailable):
                continue
            try:
                state = state_of(os.fstat(descriptor))
                self._mapped[key] = mapped._replace(state=state)
                self._verify(digest, descriptor, state, partial(digest_of, descriptor))
            except ParameterUnavailable:
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

    def use(self, key: str) -> None:
        """Count one more user of a parameter that was got."""
        with self._counting:
            self._ledger.use(key)

    def release(self, key: str) -> None:
        """Count one user less."""
        with self._counting:
            self._ledger.release(key)

    def _map(self, key: str) -> _Mapped:
        mapped = self._mapped.get(key)
        if mapped is not None:
            return mapped
        digest = _digest_in(key)
        descriptor = self._open(digest)
        try:
            state = state_of(os.fstat(descriptor))
            load = self._load if key == digest else self._load_packed
            mapped = load(digest, descriptor, state)
        finally:
            os.close(descriptor)
        self._enter(key, mapped)
        return mapped

    def _enter(self, key: str, mapped: _Mapped) -> None:
        self._mapped[key] = mapped
        with self._counting:
            self._ledger.map(key, mapped.whole.nbytes)

    def _open(self, digest: str) -> int:
        try:
            return os.open(self.path(digest), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise ParameterUnavailable(digest, "is missing") from None

    def _load(self, digest: str, descriptor: int, state: FileState) -> _Mapped:
        """Return a file's bytes in memory that nobody else can change, verified as they are there."""
        self._make_room(digest, state[1])
        if state[1] <= _COPIED:
            raw = os.pread(descriptor, state[1], 0)
            self._verify(digest, descriptor, state, sha256(raw).hexdigest)
            return _read(raw, state)
        memory = sealed_copy(descriptor, state[1])
        try:
            self._verify(digest, descriptor, state, lambda: digest_of(memory))
            return _Mapped(map_sealed(memory), memory, b"", state, {})
        except BaseException:
            os.close(memory)
            raise

    def _load_packed(self, digest: str, descriptor: int, state: FileState) -> _Mapped:
        """Return the numbers of a file without zeros in memory that nobody else can change.

        They are kept beside the file: packing takes longer than copying, and a host starts more often than it installs.
        """
        memory = self._copy_kept(digest)
        if memory is not None:
            return _Mapped(map_sealed(memory), memory, b"", state, {})
        raw = memoryview(bytearray(state[1]))
        raw = raw[: os.preadv(descriptor, [raw], 0)]
        self._verify(digest, descriptor, state, sha256(raw).hexdigest)
        if len(raw) % 8:
            raise ParameterUnavailable(digest, f"has {len(raw)} bytes; numbers of 8 bytes each were expected")
        words = pack_zeros(np.frombuffer(raw, np.float64))
        self._make_room(digest, words.nbytes)
        if words.nbytes <= _COPIED:
            return _read(words.tobytes(), state)
        memory = sealed(words)
        self._keep(digest, words)
        return _Mapped(map_sealed(memory), memory, b"", state, {})

    def _copy_kept(self, digest: str) -> int | None:
        """Return sealed memory with packed numbers, None if they are not kept as they were written."""
        try:
            descriptor = os.open(self._folder / f"{digest}{_KEPT_SUFFIX}", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            state = state_of(os.fstat(descriptor))
            if not self._verified.has(digest + _PACKED, state):
                return None
            self._make_room(digest, state[1])
            memory = sealed_copy(descriptor, state[1])
            if state_of(os.fstat(descriptor)) == state:
                return memory
            os.close(memory)
            return None
        finally:
            os.close(descriptor)

    def _keep(self, digest: str, words: Array) -> None:
        """Write packed numbers to the disk, whole or not at all; where that fails, the next start packs them again."""
        path = self._folder / f"{digest}{_KEPT_SUFFIX}"
        draft = path.with_suffix(f".{os.getpid()}.part")
        try:
            with draft.open("wb") as file:
                file.write(words.data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
            self._verified.add(digest + _PACKED, state_of(path.stat()))
        except OSError as error:
            log.warning("%s cannot be written, the numbers will be packed at each start: %s", path, error)
            draft.unlink(missing_ok=True)

    def _verify(self, digest: str, descriptor: int, state: FileState, digest_found: Callable[[], str]) -> None:
        """Check what was read of a file, unless it is as it was when it was verified and nobody wrote meanwhile."""
        unchanged = state_of(os.fstat(descriptor)) == state
        if unchanged and self._verified.has(digest, state):
            return
        found = digest_found()
        if found != digest:
            self._corrupt.add(digest)
            raise ParameterUnavailable(digest, f"is corrupt: its file has the checksum {found[:16]}")
        self._corrupt.discard(digest)
        if unchanged:
            self._verified.add(digest, state)

    def _make_room(self, digest: str, size: int) -> None:
        with self._counting:
            going = self._ledger.room_for(size)
        if going is None:
            reason = f"of {size} bytes does not fit: {self._ledger.capacity} bytes may be mapped, all others are in use"
            raise ParameterUnavailable(digest, reason)
        for each in going:
            self._forget(each)
            self._evicted += 1

    def _forget(self, key: str) -> None:
        # The memory is given back with the last array that refers to it.
        memory = self._mapped.pop(key).memory
        self._prefaulted.discard(key)
        if memory is not None:
            os.close(memory)
        with self._counting:
            self._ledger.unmap(key)


class ParameterLease:
    """The parameters that one plan uses, each counted once, until the lease is closed."""

    __slots__ = ("_keys", "_store")

    def __init__(self, store: ParameterStore) -> None:
        self._store = store
        self._keys: set[str] = set()

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(self._keys)

    def get(self, parameter: StoredParameter) -> Array:
        """Return the array of a parameter, and keep it from being evicted. Raises ParameterUnavailable."""
        array = self._store.get(parameter)
        key = key_of(parameter)
        if key not in self._keys:
            self._keys.add(key)
            self._store.use(key)
        return array

    def shared(self) -> list[SharedParameter]:
        """Return what another process needs to have the same parameters."""
        return [self._store.shared(key) for key in sorted(self._keys)]

    def close(self) -> None:
        """Give all parameters back."""
        while self._keys:
            self._store.release(self._keys.pop())
