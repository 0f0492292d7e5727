"""Pack a folder into an archive and unpack it."""

from __future__ import annotations

import io
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from walle.bundle.archive import ArchiveTree
from walle.bundle.tree import EXECUTABLE, FolderTree

CHUNK = 1 << 18


@contextmanager
def packed(tree: FolderTree) -> Iterator[IO[bytes]]:
    """Pack all files of a tree as a tar.gz in a temporary file; the same tree gives the same bytes."""
    with tempfile.TemporaryFile(prefix="walle-upload-") as file:
        with tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as archive:
            for entry in sorted(tree.entries(), key=lambda one: one.path):
                content = tree.read(entry.path)
                info = tarfile.TarInfo(entry.path)
                info.size, info.mode = len(content), 0o755 if entry.mode == EXECUTABLE else 0o644
                archive.addfile(info, io.BytesIO(content))
        yield file


def unpack(archive: IO[bytes], folder: Path) -> None:
    """Unpack the regular files of an archive into a folder. Raises UnreadableArchiveError, ValueError, OSError."""
    tree = ArchiveTree.open(archive)
    top = folder.resolve()
    for entry in list(tree.entries()):
        target = (top / entry.path).resolve()
        if not entry.is_file or not target.is_relative_to(top):
            raise ValueError(f"expected regular files inside the archive, found {entry.path}")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(tree.read(entry.path))
