"""What devices get of a task whose source does not travel: bytecode in the place of its sources."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from walle.bundle.tree import TreeEntry
from walle.container.worker.task import INSTALLED_AT

SOURCE: Final = ".py"
COMPILED: Final = ".pyc"


def is_source(path: str) -> bool:
    """Whether a file of a bundle is a source of Python."""
    return path.endswith(SOURCE)


def traceback_path(path: str) -> str:
    """The name of a source in tracebacks of its bytecode: the same wherever a device has the bundle."""
    return f"{INSTALLED_AT}/{path}"


def compiled_path(path: str) -> str:
    """Where the bytecode of a source is in the bundle: beside where the source would be, so that it is imported."""
    return path.removesuffix(SOURCE) + COMPILED


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A registered source; `size` in bytes, `digest` its SHA-256 in hexadecimal digits."""

    path: str
    size: int
    digest: str

    @classmethod
    def of(cls, path: str, content: bytes) -> SourceFile:
        return cls(path, len(content), hashlib.sha256(content).hexdigest())


@dataclass(frozen=True)
class Bytecode:
    """The bytecode of a bundle: `compiled` holds .pyc files by path, `sources` what they come from, sorted by path."""

    interpreter: str
    sources: tuple[SourceFile, ...]
    compiled: Mapping[str, bytes]

    @property
    def source_digest(self) -> str:
        """The SHA-256 of what `sha256sum` prints of the sources, by path (docs/task-format.md)."""
        lines = (f"{source.digest}  {source.path}\n" for source in self.sources)
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """The member `bytecode` of a manifest."""
        return {"interpreter": self.interpreter, "source": self.source_digest}

    def shipped(self, files: Iterable[TreeEntry]) -> list[TreeEntry]:
        """The files that devices get in the place of those that travel."""
        others = [one for one in files if not is_source(one.path)]
        return others + [TreeEntry(path, len(content)) for path, content in self.compiled.items()]

    def digest(self, path: str) -> str | None:
        """The SHA-256 of a compiled file; None for another file."""
        content = self.compiled.get(path)
        return None if content is None else hashlib.sha256(content).hexdigest()
