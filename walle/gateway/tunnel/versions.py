"""The versions that the short digests of manifests stand for, as far as an app's table knows them."""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

from walle.protocol.headers import short_digest
from walle.release.decision import CompiledTable

_Names = Mapping[tuple[str, bytes], str]


class VersionNames:
    """Finds versions; what a table says is gathered once."""

    def __init__(self) -> None:
        self._names: WeakKeyDictionary[CompiledTable, _Names] = WeakKeyDictionary()

    def find(self, table: CompiledTable, task: str, digest: bytes) -> str:
        """Return the full digest (hex) of the manifest that a short digest stands for; empty if unknown."""
        names = self._names.get(table)
        if names is None:
            names = self._names[table] = _read(table)
        return names.get((task, digest), "")


def _read(compiled: CompiledTable) -> _Names:
    table = compiled.table
    versions = [(entry.task, entry.manifest) for entry in table.entries] + list(table.withdrawn)
    return {(task, short_digest(manifest)): manifest for task, manifest in versions}
