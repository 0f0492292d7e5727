"""The process that looks at an archive: `python -m walle.whitebox.examiner MEMORY CPU_S explain|replay FOLDER ...`.

It limits itself before it reads anything, and answers JSON on standard output: what was found, or a `problem`. A replay
names the engine besides, request-response or batch.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any

from walle.schema import Malformed
from walle.whitebox.archive import read_archive


class FolderFiles:
    """The files of a folder as walle.whitebox.archive reads them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def entries(self) -> list[FolderEntry]:
        return [FolderEntry(self._folder, path) for path in sorted(self._folder.rglob("*")) if not path.is_dir()]

    def read(self, path: str) -> bytes:
        return (self._folder / path).read_bytes()


class FolderEntry:
    """A file of a folder."""

    def __init__(self, folder: Path, path: Path) -> None:
        self.path = path.relative_to(folder).as_posix()
        self.is_file = path.is_file() and not path.is_symlink()
        self.size = path.stat().st_size if self.is_file else 0


def main() -> None:
    memory, cpu_s, what, folder, *engine = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s), int(cpu_s) + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    files = FolderFiles(Path(folder))
    try:
        found = explained(files) if what == "explain" else replayed(files, *engine)
    except Malformed as error:
        found = {"problem": str(error)}
    json.dump(found, sys.stdout)


def explained(files: FolderFiles) -> dict[str, Any]:
    """Return how an archive is compiled. Raises Malformed."""
    from walle.whitebox.compiling import OperatorUnsupported
    from walle.whitebox.explaining import explanation_of

    try:
        return explanation_of(read_archive(files))
    except OperatorUnsupported as error:
        return {"problem": str(error)}


def replayed(files: FolderFiles, engine: str) -> dict[str, Any]:
    """Return for each sample of an archive what an engine predicts otherwise than it says. Raises Malformed."""
    from walle.whitebox.replaying import replay

    return replay(files, engine)


if __name__ == "__main__":
    main()
