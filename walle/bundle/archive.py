"""Trees of files in archives from untrusted sources: tar, plain or with gzip, and zip.

Nothing is extracted to a folder, and no more is read than an archive declares. What it declares is bounded: a
compressed tar is decompressed up to a limit, oversized headers are refused, and only compression methods that need
little memory are accepted.
"""

from __future__ import annotations

import gzip
import io
import lzma
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Final, Self, cast

from walle.bundle.tree import LEFT_BEHIND, OTHER, SYMLINK, TreeEntry, git_mode
from walle.bundle.tree_listing import TreeLimits

_CHUNK: Final = 1 << 18
# The most bytes of one extended header of a tar, and of all of them; of the directory of a zip.
_TAR_HEADER: Final = 4 << 10
_TAR_HEADERS: Final = 2 << 20
_ZIP_DIRECTORY: Final = 4 << 20
# The most members, including folders and files that are left out.
_MEMBERS: Final = 50_000
_TAR_OVERHEAD: Final = 2 * tarfile.BLOCKSIZE * _MEMBERS
_COMPRESSIONS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_GZIP, _ZIP = b"\x1f\x8b", b"PK"


class UnreadableArchiveError(ValueError):
    """The file is no tar or zip archive, or it is damaged, encrypted, too large or compressed by another method."""


class ArchiveTree:
    """A tar or zip archive as a FileTree. A leading `./` is removed; `.git` and `__pycache__` are left out.

    Every method raises UnreadableArchiveError for a damaged archive. The content of a file has the size in `entries`.
    """

    def __init__(self, members: _TarMembers | _ZipMembers) -> None:
        self._members = members

    @classmethod
    def open(cls, file: IO[bytes], limits: TreeLimits | None = None) -> Self:
        """Open the archive in a seekable binary file, which has to stay open."""
        with _archive_errors():
            file.seek(0)
            magic = file.read(2)
            file.seek(0)
            if magic == _ZIP:
                return cls(_ZipMembers(file))
            return cls(_TarMembers(_unpacked(file, limits or TreeLimits()) if magic == _GZIP else file))

    def entries(self) -> Iterator[TreeEntry]:
        """Yield the same as `FileTree.entries`, lazily: a caller that stops early saves reading the rest."""
        with _archive_errors():
            for count, entry in enumerate(self._members.entries(), 1):
                if count > _MEMBERS:
                    raise UnreadableArchiveError(f"expected an archive of at most {_MEMBERS} files and folders")
                if entry is not None and LEFT_BEHIND.isdisjoint(entry.path.split("/")):
                    yield entry

    def read(self, path: str) -> bytes:
        return b"".join(self.chunks(path))

    def chunks(self, path: str) -> Iterator[bytes]:
        """Yield the content of a regular file from `entries` in chunks."""
        with _archive_errors():
            yield from self._members.chunks(path)


@contextmanager
def _archive_errors() -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError) as error:
        raise UnreadableArchiveError(f"expected a tar or zip archive: {error}") from error
    except RecursionError as error:
        raise UnreadableArchiveError("expected a tar or zip archive: too many headers of one file") from error
    except (RuntimeError, NotImplementedError) as error:
        raise UnreadableArchiveError(f"expected a plain archive: {error}") from error


def _unpacked(file: IO[bytes], limits: TreeLimits) -> IO[bytes]:
    """Return a compressed tar without its compression, in a temporary file."""
    most = limits.total_bytes + _TAR_OVERHEAD
    plain = tempfile.TemporaryFile()  # noqa: SIM115  closed with the tree
    with gzip.open(file) as source:
        while chunk := source.read(_CHUNK):
            if plain.tell() + len(chunk) > most:
                raise UnreadableArchiveError(f"expected an archive that expands to at most {most} bytes, found more")
            plain.write(chunk)
    plain.seek(0)
    return plain


class _TarMembers:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._archive = tarfile.TarFile(fileobj=cast(IO[bytes], _Headers(file, _TAR_HEADER, _TAR_HEADERS)))
        self._places: dict[str, tuple[int, int]] = {}

    def entries(self) -> Iterator[TreeEntry | None]:
        while (info := self._archive.next()) is not None:
            # Otherwise the library would keep a list of all members.
            self._archive.members = []  # type: ignore[attr-defined]
            if info.isreg() and not info.issparse():
                self._places.setdefault(_plain(info.name), (info.offset_data, info.size))
                yield TreeEntry(_plain(info.name), info.size, git_mode(stat.S_IFREG | info.mode))
            elif info.isdir():
                yield None
            else:
                yield TreeEntry(_plain(info.name), 0, SYMLINK if info.issym() else OTHER)

    def chunks(self, path: str) -> Iterator[bytes]:
        offset, left = self._places[path]
        self._file.seek(offset)
        while left:
            chunk = self._file.read(min(left, _CHUNK))
            if not chunk:
                raise tarfile.ReadError(f"unexpected end of data in {path}")
            left -= len(chunk)
            yield chunk


class _ZipMembers:
    def __init__(self, file: IO[bytes]) -> None:
        self._archive = zipfile.ZipFile(cast(IO[bytes], _Headers(file, _ZIP_DIRECTORY)))
        self._infos: dict[str, zipfile.ZipInfo] = {}

    def entries(self) -> Iterator[TreeEntry | None]:
        for info in self._archive.infolist():
            if info.is_dir():
                yield None
            elif info.compress_type not in _COMPRESSIONS:
                raise UnreadableArchiveError(
                    f"expected a zip that deflates, found another compression: {info.filename}"
                )
            else:
                self._infos.setdefault(_plain(info.filename), info)
                yield TreeEntry(_plain(info.filename), info.file_size, _zip_mode(info))

    def chunks(self, path: str) -> Iterator[bytes]:
        left = self._infos[path].file_size
        with self._archive.open(self._infos[path]) as file:
            while chunk := file.read(_CHUNK):
                left -= len(chunk)
                yield chunk
        if left:
            # The library notices only content that is too long, but callers rely on the declared size.
            raise zipfile.BadZipFile(f"unexpected end of data in {path}")


def _zip_mode(info: zipfile.ZipInfo) -> int:
    mode = info.external_attr >> 16
    # Archives made on other systems than Unix do not declare the kind of a file.
    return git_mode(mode if stat.S_IFMT(mode) else mode | stat.S_IFREG)


def _plain(name: str) -> str:
    return name.removeprefix("./")


class _Headers:
    """Wraps a file for a library that reads headers of any size; raises UnreadableArchiveError if one is too large.

    `piece` is the most bytes of one read, `total` the most bytes of all reads of more than a block.
    """

    def __init__(self, file: IO[bytes], piece: int, total: int | None = None) -> None:
        self._file, self._piece, self._left = file, piece, total
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        length = size if size >= 0 else self._remaining()
        if length > tarfile.BLOCKSIZE and self._left is not None:
            self._left -= length
        if length > self._piece or (self._left is not None and self._left < 0):
            raise UnreadableArchiveError(f"expected an archive with small headers, found one of {length} bytes")
        return self._file.read(length)

    def close(self) -> None:
        self._file.close()

    def _remaining(self) -> int:
        here = self._file.tell()
        end = self._file.seek(0, io.SEEK_END)
        self._file.seek(here)
        return end - here
