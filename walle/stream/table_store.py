"""The tables of all stream tasks of a device, by the folder of the installed version.

    <root>/<installation folder>/table.sqlite

A version has a table of its own, which begins as a copy of its predecessor's where both agree. So a version that is
rolled back to goes on from what it had.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any, Final, Protocol

from walle.stream.retention import Retention
from walle.stream.table_file import TableUnavailable, remove_file, rename_durably
from walle.stream.tables import CollectiveTable

_TABLE: Final = "table.sqlite"
_TEMPORARY: Final = ".tmp-"
_FOLDER: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class TableOwner(Protocol):
    """What a store has to know of a stream task; `walle.stream.stream_task.StreamTask` is one."""

    @property
    def name(self) -> str: ...
    @property
    def sees_private(self) -> bool: ...
    @property
    def schema(self) -> int: ...
    @property
    def retain(self) -> Retention: ...
    @property
    def readers(self) -> tuple[str, ...]: ...
    @property
    def columns(self) -> Mapping[str, str]: ...


class ReadRefused(Exception):
    """A table that a task may not read, or that is not there.

    `reason` is `no-table`, `not-a-reader` or `private`; the text says what was expected.
    """

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Inheritance:
    """What a new version has of its predecessor's table: a copy (`inherited`), or why it starts afresh or goes on."""

    inherited: bool
    reason: str


class TableStore:
    """The tables below `root`, which belongs to one device and one process. All methods may be called in any thread."""

    def __init__(
        self,
        root: Path,
        *,
        threshold: int = 64,
        flush_s: float = 5.0,
        sync: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._root, self._threshold, self._flush_s = Path(root), threshold, flush_s
        self._sync, self._clock = sync, clock
        self._tables: dict[str, CollectiveTable] = {}
        self._current: dict[str, str] = {}
        self._lock = RLock()

    def open(self, task: str, installation_folder: str, stream_task: TableOwner) -> CollectiveTable:
        """Return the table of an installed version, which is from now on what readers of `task` find.

        Raises ValueError for what is no name of a folder. See `CollectiveTable` for a file that cannot be used.
        """
        path = self._path(installation_folder)
        with self._lock:
            self._current[task] = installation_folder
            if installation_folder not in self._tables:
                self._tables[installation_folder] = self._opened(path, stream_task)
            return self._tables[installation_folder]

    def read(self, reader: TableOwner, owner: TableOwner, last: int) -> list[dict[str, Any]]:
        """Return the newest `last` rows of the owner's table, oldest first. Raises ReadRefused."""
        check_reader(reader, owner)
        with self._lock:
            table = self._tables.get(self._current.get(owner.name, ""))
        if table is None:
            raise ReadRefused("no-table", f"{owner.name}: expected a task that is installed here")
        return table.read(last)

    def inherit(
        self, from_folder: str | None, to_folder: str, predecessor: TableOwner | None, task: TableOwner
    ) -> Inheritance:
        """Begin the table of a new version as a copy of its predecessor's, before it is opened; say what became of it.

        The copy appears whole or not at all, and this can be repeated after a kill. The predecessor's rows in memory are
        written first, and its table stays as it was. A version that has a table goes on from that: it was rolled back to.
        """
        target = self._path(to_folder)
        with self._lock:
            if os.path.lexists(target):
                return Inheritance(False, "goes on from the table that it has")
            if from_folder is None or predecessor is None:
                return Inheritance(False, "starts afresh: there is no version before")
            if difference := _difference(predecessor, task):
                return Inheritance(False, f"starts afresh: {difference}")
            if not os.path.lexists(self._path(from_folder)):
                return Inheritance(False, "starts afresh: the version before has no table")
            return self._copied(from_folder, predecessor, target)

    def _copied(self, folder: str, predecessor: TableOwner, target: Path) -> Inheritance:
        known = self._tables.get(folder)
        source = known or self._opened(self._path(folder), predecessor)
        try:
            building = target.with_name(_TEMPORARY + _TABLE)
            remove_file(building)
            source.copy_to(building)
            rename_durably(building, target)
        except (TableUnavailable, OSError) as error:
            return Inheritance(False, f"starts afresh: the table of the version before cannot be copied: {error}")
        finally:
            if known is None:
                source.close()
        if source.damage is not None:
            return Inheritance(True, f"the table of the version before was damaged and begun anew: {source.damage}")
        return Inheritance(True, "goes on from the table of the version before")

    def collect(self, folders: Collection[str]) -> None:
        """Close and remove the tables of all installations but these. Folders without a table are left alone."""
        with self._lock:
            for name in [name for name in self._tables if name not in folders]:
                self._tables.pop(name).close()
            self._current = {task: name for task, name in self._current.items() if name in folders}
            for table in sorted(self._root.glob(f"*/{_TABLE}*")):
                if table.parent.name not in folders:
                    _remove_tree(table.parent)

    def close(self) -> None:
        """Flush and close all tables."""
        with self._lock:
            while self._tables:
                self._tables.popitem()[1].close()
            self._current.clear()

    def _path(self, folder: str) -> Path:
        if not _FOLDER.fullmatch(folder):
            raise ValueError(f"expected the name of an installation's folder, found {folder!r}")
        return self._root / folder / _TABLE

    def _opened(self, path: Path, task: TableOwner) -> CollectiveTable:
        return CollectiveTable(
            path,
            task.columns,
            retention=task.retain,
            threshold=self._threshold,
            flush_s=self._flush_s,
            sync=self._sync,
            clock=self._clock,
        )


def check_reader(reader: TableOwner, owner: TableOwner) -> None:
    """Raise ReadRefused unless `reader` may read the owner's table: its own, or one that names it and no private one.

    `readers` are names of tasks, `scenario/task`, or all of a scenario, `scenario/*`. What a task wrote that sees private
    contents is read only by tasks that see them too.
    """
    if reader.name == owner.name:
        return
    scenario = reader.name.partition("/")[0]
    if reader.name not in owner.readers and f"{scenario}/*" not in owner.readers:
        raise ReadRefused("not-a-reader", f"{owner.name}: expected {reader.name} among its readers {owner.readers}")
    if owner.sees_private and not reader.sees_private:
        raise ReadRefused(
            "private", f"{owner.name}: expected a reader that sees private contents, as the table has some"
        )


def _difference(before: TableOwner, now: TableOwner) -> str | None:
    """Return what keeps a table of one version from being another's, or None."""
    if before.schema != now.schema:
        return f"its schema is {now.schema}, that of the version before {before.schema}"
    if dict(before.columns) != dict(now.columns):
        return "its outputs are others than those of the version before"
    if before.sees_private != now.sees_private:
        return "one of both versions sees private contents, the other does not"
    return None


def _remove_tree(folder: Path) -> None:
    """Remove a folder so that it is never seen half empty; what a kill leaves is removed with the next one."""
    doomed = folder.with_name(f"{_TEMPORARY}removed-{folder.name}")
    with suppress(OSError):
        shutil.rmtree(doomed, ignore_errors=True)
        folder.replace(doomed)
        shutil.rmtree(doomed, ignore_errors=True)
