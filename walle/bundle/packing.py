"""Packing of a bundle's files as one tar.gz, in chunks; the same files yield the same bytes."""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

INSTALLED_MODE: Final = 0o444
"""The mode of every file of a bundle on a device, because manifests contain no modes."""
# Weights hardly compress, and the other files are small.
_LEVEL: Final = 1
_AS_GZIP: Final = 16 + zlib.MAX_WBITS
_END: Final = bytes(tarfile.BLOCKSIZE) * 2


@dataclass(frozen=True)
class PackedFile:
    """A file of a bundle. `chunks` has `size` bytes in all, and is iterated when the file is packed."""

    path: str
    size: int
    chunks: Iterable[bytes]


def packed(files: Iterable[PackedFile], at: datetime) -> Iterator[bytes]:
    """Yield the tar.gz of these files, all with the time `at`. Raises ValueError if a file has another size."""
    # The gzip header contains neither a name nor a time.
    gzip = zlib.compressobj(_LEVEL, zlib.DEFLATED, _AS_GZIP)
    for piece in _tar(files, int(at.timestamp())):
        if squeezed := gzip.compress(piece):
            yield squeezed
    yield gzip.flush()


def _tar(files: Iterable[PackedFile], seconds: int) -> Iterator[bytes]:
    for file in files:
        info = tarfile.TarInfo(file.path)
        info.size, info.mode, info.mtime = file.size, INSTALLED_MODE, seconds
        yield info.tobuf(tarfile.PAX_FORMAT)
        yield from _checked(file)
        yield bytes(-file.size % tarfile.BLOCKSIZE)
    yield _END


def _checked(file: PackedFile) -> Iterator[bytes]:
    left = file.size
    for chunk in file.chunks:
        left -= len(chunk)
        yield chunk
    if left:
        raise ValueError(f"expected {file.size} bytes of {file.path}, found {file.size - left}")
