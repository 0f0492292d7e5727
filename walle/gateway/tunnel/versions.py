"""What an app's table says of tasks: which it names, and the versions that short digests of manifests stand for."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

from walle.protocol.headers import short_digest
from walle.release.decision import CompiledTable


class _Names(NamedTuple):
    tasks: frozenset[str]
    versions: dict[tuple[str, bytes], str]


class VersionNames:
    """Finds versions; what a table says is gathered once."""

    def __init__(self) -> None:
        self._names: WeakKeyDictionary[CompiledTable, _Names] = WeakKeyDictionary()

    def find(self, table: CompiledTable, task: str, digest: bytes) -> str:
        """Return the full digest (hex) of the manifest that a short digest stands for; empty if unknown."""
        return self._of(table).versions.get((task, digest), "")

    def has_task(self, table: CompiledTable, task: str) -> bool:
        """Return whether a table names a task, be it to have it given up."""
        return task in self._of(table).tasks

    def _of(self, table: CompiledTable) -> _Names:
        names = self._names.get(table)
        if names is None:
            names = self._names[table] = _read(table)
        return names


def _read(compiled: CompiledTable) -> _Names:
    table = compiled.table
    versions = [(entry.task, entry.manifest) for entry in table.entries] + list(table.withdrawn)
    tasks = frozenset(table.removals).union(task for task, _ in versions)
    return _Names(tasks, {(task, short_digest(manifest)): manifest for task, manifest in versions})
