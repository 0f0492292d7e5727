"""The files of a pipeline archive, and how large they may be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

DOCUMENT: Final = "pipeline.json"
PARAMETERS: Final = "parameters/"
SAMPLES: Final = "samples/predictions.json"

MAX_DOCUMENT: Final = 4 << 20
MAX_SAMPLES: Final = 8 << 20


class ArchiveEntry(Protocol):
    """A file of an archive: its path from the top, its bytes, and whether it is a regular file."""

    @property
    def path(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def is_file(self) -> bool: ...


class ArchiveFiles(Protocol):
    """The files of an archive, such as any `walle.bundle.tree.FileTree`."""

    def entries(self) -> Iterable[ArchiveEntry]: ...

    def read(self, path: str) -> bytes: ...


def parameter_path(digest: str) -> str:
    """Return the path of the array with a digest."""
    return f"{PARAMETERS}{digest}.bin"
