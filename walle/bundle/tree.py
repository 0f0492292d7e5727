"""Trees of files: one small interface over a folder, an archive (walle.bundle.archive), a git tree or a mapping."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

REGULAR: Final = 0o100644
EXECUTABLE: Final = 0o100755
SYMLINK: Final = 0o120000
SUBMODULE: Final = 0o160000
OTHER: Final = 0

# Git's own data, and files that Python leaves in a folder; never part of a bundle.
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


class FileTree(Protocol):
    """Files by their path from the top, with `/` between parts. Folders are not entries."""

    def entries(self) -> Iterable[TreeEntry]:
        """Return every file, link and submodule, in any order; paths may be any text."""
        ...

    def read(self, path: str) -> bytes:
        """Return the content of a regular file from `entries`, at most as many bytes as its size."""
        ...


class MemoryTree:
    """A tree from a mapping of path to content."""

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
        return TreeEntry(path.relative_to(self._root).as_posix(), status.st_size, git_mode(status.st_mode))

    def read(self, path: str) -> bytes:
        # O_NOFOLLOW: the entry may have become a link since it was listed.
        handle = os.open(self._root / path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(handle, "rb") as file:
            return file.read()


def git_mode(mode: int) -> int:
    """Return the mode that git has for a file with this file system mode."""
    if stat.S_ISLNK(mode):
        return SYMLINK
    if not stat.S_ISREG(mode):
        return OTHER
    return EXECUTABLE if mode & 0o100 else REGULAR
