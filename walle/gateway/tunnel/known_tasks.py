"""Which tasks an app's table names: its devices have no others, or are to give them up."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from walle.release.decision import CompiledTable


class KnownTasks:
    """Finds tasks in tables; what a table names is gathered once."""

    def __init__(self) -> None:
        self._tasks: WeakKeyDictionary[CompiledTable, frozenset[str]] = WeakKeyDictionary()

    def has(self, table: CompiledTable, task: str) -> bool:
        """Return whether a table names a task, be it to have it given up."""
        tasks = self._tasks.get(table)
        if tasks is None:
            tasks = self._tasks[table] = _named(table)
        return task in tasks


def _named(compiled: CompiledTable) -> frozenset[str]:
    table = compiled.table
    withdrawn = (task for task, _ in table.withdrawn)
    return frozenset(table.removals).union((entry.task for entry in table.entries), withdrawn)
