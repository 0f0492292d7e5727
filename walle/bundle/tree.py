"""Trees of files: one small interface over a folder, an archive, a git tree or a mapping in memory."""

from __future__ import annotations

import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Protocol, Self

REGULAR: Final = 0o100644
EXECUTABLE: Final = 0o100755
SYMLINK: Final = 0o120000
SUBMODULE: Final = 0o160000
OTHER: Final = 0

# What working in a folder leaves behind, and git's own data; never part of a bundle.
LEFT_BEHIND: Final = frozenset({".git", "__pycache__"})


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file of a tree. `mode` is git's: 100644, 100755, 120000 symlink, 160000 submodule, 0 anything else."""

    path: str
    size: int
    mode: int = REGULAR

    @property
    def is_file(self) -> bool:
        return self.mode in (REGULAR, EXECUTABLE)


class Tree(Protocol):
    """Files by their path from the top, with `/` between parts. Folders are not entries."""

    def entries(self) -> Iterable[TreeEntry]:
        """Every file, link and submodule, in any order; paths may be anything at all."""
        ...

    def read(self, path: str) -> bytes:
        """The content of a regular file that `entries` named; at most its size."""
        ...


class MemoryTree:
    """A tree given as a mapping of path to content."""

    def __init__(self, files: Mapping[str, bytes], modes: Mapping[str, int] | None = None) -> None:
        self._files = files
        self._modes = modes or {}

    def entries(self) -> Iterable[TreeEntry]:
        return [TreeEntry(p, len(data), self._modes.get(p, REGULAR)) for p, data in self._files.items()]

    def read(self, path: str) -> bytes:
        return self._files[path]


class FolderTree:
    """A folder on disk. Links are listed, never followed; `.git` and `__pycache__` are left out."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def entries(self) -> Iterable[TreeEntry]:
        for folder, names, files in os.walk(self._root):
            base = Path(folder)
            links = [name for name in names if (base / name).is_symlink()]
            names[:] = [name for name in names if name not in LEFT_BEHIND]
            for name in [*files, *links]:
                yield self._entry(base / name)

    def _entry(self, path: Path) -> TreeEntry:
        status = path.lstat()
        return TreeEntry(path.relative_to(self._root).as_posix(), status.st_size, _git_mode(status.st_mode))

    def read(self, path: str) -> bytes:
        # O_NOFOLLOW: the entry may have become a link since it was listed.
        handle = os.open(self._root / path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(handle, "rb") as file:
            return file.read()


def _git_mode(mode: int) -> int:
    if stat.S_ISLNK(mode):
        return SYMLINK
    if not stat.S_ISREG(mode):
        return OTHER
    return EXECUTABLE if mode & 0o100 else REGULAR


class UnreadableArchiveError(ValueError):
    """The file is no tar or zip archive, or is damaged, encrypted or compressed in an unknown way."""


@contextmanager
def _archive_errors() -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError) as error:
        raise UnreadableArchiveError(f"expected a tar or zip archive: {error}") from error
    except (RuntimeError, NotImplementedError) as error:
        raise UnreadableArchiveError(f"expected a plain archive: {error}") from error


class ArchiveTree:
    """A tar (plain or compressed) or zip archive. Nothing is extracted; sizes are those the archive claims,
    and reading stops there, so that an archive cannot expand beyond what was checked.

    Every method raises UnreadableArchiveError for a damaged archive.
    """

    def __init__(self, archive: tarfile.TarFile | zipfile.ZipFile) -> None:
        self._archive = archive

    @classmethod
    def open(cls, file: IO[bytes]) -> Self:
        """The archive in a seekable binary file."""
        with _archive_errors():
            if zipfile.is_zipfile(file):
                return cls(zipfile.ZipFile(file))
            file.seek(0)
            return cls(tarfile.open(fileobj=file))

    def entries(self) -> Iterator[TreeEntry]:
        """As `Tree.entries`, one by one: whoever stops early spares the decompression of the rest."""
        with _archive_errors():
            if isinstance(self._archive, zipfile.ZipFile):
                yield from (_zip_entry(info) for info in self._archive.infolist() if not info.is_dir())
            else:
                yield from (_tar_entry(info) for info in self._archive if not info.isdir())

    def read(self, path: str) -> bytes:
        with _archive_errors():
            if isinstance(self._archive, zipfile.ZipFile):
                info = self._archive.getinfo(path)
                with self._archive.open(info) as file:
                    return file.read(info.file_size)
            member = self._archive.getmember(path)
            opened = self._archive.extractfile(member) if member.isreg() else None
            if opened is None:
                raise KeyError(path)
            with opened:
                return opened.read(member.size)


def _zip_entry(info: zipfile.ZipInfo) -> TreeEntry:
    mode = info.external_attr >> 16
    # Archives made elsewhere than on Unix say nothing of the kind of a file.
    return TreeEntry(info.filename, info.file_size, _git_mode(mode if stat.S_IFMT(mode) else mode | stat.S_IFREG))


def _tar_entry(info: tarfile.TarInfo) -> TreeEntry:
    mode = SYMLINK if info.issym() else _git_mode(stat.S_IFREG | info.mode) if info.isreg() else OTHER
    return TreeEntry(info.name, info.size, mode)
