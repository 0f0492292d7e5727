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
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any, Final

from walle.stream.stream_task import StreamTask
from walle.stream.table_file import TableUnavailable, publish, remove_file
from walle.stream.tables import CollectiveTable, TableClosed
from walle.stream.windows import MAX_WINDOW_BYTES

_TABLE: Final = "table.sqlite"
_TEMPORARY: Final = ".tmp-"
_REMOVED: Final = ".tmp-removed-"
OPEN_TABLES: Final = 32
"""How many tables stay open: each has two files, and the app may have a thousand with its own."""
_FOLDER: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


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
    """The tables below `root`, which belongs to one device and one process. All methods may be called in any thread.

    If there are more than OPEN_TABLES, each is open only while it is used.
    """

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
        self._owners: dict[str, tuple[str, StreamTask]] = {}
        self._lock = RLock()

    def open(self, task: str, installation_folder: str, stream_task: StreamTask) -> CollectiveTable:
        """Return the table of an installed version, which is from now on what readers of `task` find.

        Raises ValueError for what is no name of a folder. See `CollectiveTable` for a file that cannot be used.
        """
        path = self._path(installation_folder)
        with self._lock:
            if installation_folder not in self._tables:
                with suppress(OSError):
                    remove_file(_building(path))
                self._tables[installation_folder] = self._opened(path, stream_task)
            self._owners[task] = installation_folder, stream_task
            return self._tables[installation_folder]

    def read(self, reader: StreamTask, owner: StreamTask, last: int) -> list[dict[str, Any]]:
        """Return the newest `last` rows of the table of another task, or of its own, oldest first; flush it before.

        They are no more than MAX_WINDOW_BYTES, as much as a run is given of events.
        What counts is whom the owner's version that was opened last admits. Raises ReadRefused.
        """
        with self._lock:
            if owner.name not in self._owners:
                raise ReadRefused("no-table", f"{owner.name}: expected a task with a table here")
            folder, installed = self._owners[owner.name]
            check_reader(reader, installed)
            table = self._tables[folder]
        try:
            return table.read(last, most_bytes=MAX_WINDOW_BYTES)
        except TableClosed as error:
            raise ReadRefused("no-table", f"{owner.name}: its table has just been removed") from error

    def inherit(
        self, from_folder: str | None, to_folder: str, predecessor: StreamTask | None, task: StreamTask
    ) -> Inheritance:
        """Begin the table of a new version as a copy of its predecessor's, before it is opened; say what became of it.

        The copy appears whole or not at all, and this can be repeated after a kill. The predecessor's rows in memory
        are written first, and its table stays as it was. A version that has a table already, such as one that is rolled
        back to, goes on from that.
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

    def _copied(self, folder: str, predecessor: StreamTask, target: Path) -> Inheritance:
        known = self._tables.get(folder)
        damage = known.damage if known else None
        source = known or self._opened(self._path(folder), predecessor)
        try:
            remove_file(_building(target))
            source.copy_to(_building(target))
            if source.damage != damage:
                return Inheritance(False, f"starts afresh: the table of the version before is damaged: {source.damage}")
            publish(_building(target), target, sync=self._sync)
        except (TableUnavailable, OSError) as error:
            return Inheritance(False, f"starts afresh: the table of the version before cannot be copied: {error}")
        finally:
            if known is None:
                source.close()
        return Inheritance(True, "goes on from the table of the version before")

    def collect(self, folders: Collection[str]) -> None:
        """Close and remove the tables of all installations but these. Folders without a table are left alone."""
        with self._lock:
            for name in [name for name in self._tables if name not in folders]:
                self._tables.pop(name).close()
            self._owners = {task: owner for task, owner in self._owners.items() if owner[0] in folders}
            for folder in sorted(self._root.glob("*/")):
                if folder.name.startswith(_REMOVED):
                    shutil.rmtree(folder, ignore_errors=True)
                elif folder.name not in folders and any(folder.glob(f"*{_TABLE}*")):
                    _remove_tree(folder)

    def close(self) -> None:
        """Flush and close all tables."""
        with self._lock:
            while self._tables:
                self._tables.popitem()[1].close()
            self._owners.clear()

    def _path(self, folder: str) -> Path:
        if not _FOLDER.fullmatch(folder):
            raise ValueError(f"expected the name of an installation's folder, found {folder!r}")
        return self._root / folder / _TABLE

    def _opened(self, path: Path, task: StreamTask) -> CollectiveTable:
        return CollectiveTable(
            path,
            task.columns,
            retention=task.retain,
            threshold=self._threshold,
            flush_s=self._flush_s,
            sync=self._sync,
            clock=self._clock,
            stays_open=lambda: len(self._tables) < OPEN_TABLES,
        )


def _building(table: Path) -> Path:
    """Return where a table is copied before it gets its name."""
    return table.with_name(_TEMPORARY + table.name)


def check_reader(reader: StreamTask, owner: StreamTask) -> None:
    """Raise ReadRefused unless `reader` may read the owner's table: its own, or one that names it and no private one.

    `readers` are names of tasks, `scenario/task`, or all of a scenario, `scenario/*`. What a task wrote that sees
    private contents is read only by tasks that see them too.
    """
    admitted = {owner.name, *owner.readers}
    if admitted.isdisjoint({reader.name, f"{reader.name.partition('/')[0]}/*"}):
        raise ReadRefused("not-a-reader", f"{owner.name}: expected {reader.name} among its readers {owner.readers}")
    if owner.sees_private and not reader.sees_private:
        raise ReadRefused("private", f"{owner.name}: expected a reader that sees private contents too")


def _difference(before: StreamTask, now: StreamTask) -> str | None:
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
    doomed = folder.with_name(_REMOVED + folder.name)
    with suppress(OSError):
        shutil.rmtree(doomed, ignore_errors=True)
        folder.replace(doomed)
        shutil.rmtree(doomed, ignore_errors=True)
