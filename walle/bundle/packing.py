"""A bundle's files as one tar.gz, piece by piece; the same files give the same bytes."""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

INSTALLED_MODE: Final = 0o444
"""The mode of every file of a bundle on a device: a manifest names none."""
# Weights do not compress, and the rest is small.
_LEVEL: Final = 1
_AS_GZIP: Final = 16 + zlib.MAX_WBITS
_END: Final = bytes(tarfile.BLOCKSIZE) * 2


@dataclass(frozen=True)
class PackedFile:
    """A file of a bundle: `chunks` come to `size` bytes, and are asked for when its turn comes."""

    path: str
    size: int
    chunks: Iterable[bytes]


def packed(files: Iterable[PackedFile], at: datetime) -> Iterator[bytes]:
    """The tar.gz of these files, all of them as of one moment. Raises ValueError for a file of another size."""
    # Its header has neither a name nor a time.
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
        yield from _whole(file)
        yield bytes(-file.size % tarfile.BLOCKSIZE)
    yield _END


def _whole(file: PackedFile) -> Iterator[bytes]:
    left = file.size
    for chunk in file.chunks:
        left -= len(chunk)
        yield chunk
    if left:
        raise ValueError(f"expected {file.size} bytes of {file.path}, found {file.size - left}")
