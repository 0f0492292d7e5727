"""The stream tasks that are installed on a device, with their tables, as versions come and go."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from walle.device.storage.state import DeviceState, Installation
from walle.device.storage.store import DeviceStore
from walle.protocol.errors import ProtocolError
from walle.stream.stream_task import StreamTask
from walle.stream.table_store import TableStore
from walle.stream.tables import CollectiveTable

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class InstalledStream:
    """One installed version of a stream task, and its table."""

    installed: Installation
    task: StreamTask
    table: CollectiveTable


@dataclass(frozen=True)
class StreamChange:
    """What became of one task: another version of it, the first (`before` is None) or none (`after` is None).

    `note` says what of the state of the version before is not there, if anything.
    """

    before: InstalledStream | None
    after: InstalledStream | None
    note: str = ""


def versions_of(state: DeviceState) -> Mapping[str, Installation]:
    """Return the current version of each task."""
    return {name: task.current for name, task in state.tasks.items() if task.current is not None}


Streams = Mapping[str, InstalledStream]
"""The current version of each stream task, by name."""


class InstalledStreams:
    """Follows the versions of stream tasks. The methods wait for the disk, and are called one at a time."""

    def __init__(self, store: DeviceStore, tables: TableStore) -> None:
        self._store, self._tables = store, tables
        self._tasks: dict[str, StreamTask | None] = {}

    def follow(self, before: Streams, state: DeviceState) -> tuple[Streams, list[StreamChange]]:
        """Open the tables of what is new in `state`; return its stream tasks, and how they differ from those before."""
        streams: dict[str, InstalledStream] = {}
        changes: list[StreamChange] = []
        for name, installed in versions_of(state).items():
            known = before.get(name)
            if known is not None and known.installed.folder == installed.folder:
                streams[name] = known
            elif (change := self._changed(installed, known, state)) is not None and change.after is not None:
                streams[name] = change.after
                changes.append(change)
        changes += [StreamChange(before[name], None) for name in sorted(before.keys() - streams.keys())]
        return streams, changes

    def collect(self, folders: Collection[str]) -> None:
        """Remove the tables of all installations but these."""
        self._tasks = {folder: task for folder, task in self._tasks.items() if folder in folders}
        self._tables.collect(folders)

    def _changed(
        self, installed: Installation, before: InstalledStream | None, state: DeviceState
    ) -> StreamChange | None:
        """Open the table of a version that is new here, which goes on from that of the version before it.

        That is the one that this process knows, or else, after a restart, the one that the device would fall back to.
        None if it is no stream task, or if its table cannot be opened, which keeps no other from running.
        """
        if (task := self._task(installed)) is None:
            return None
        predecessor = before.installed if before else state.task(task.name).last_good
        try:
            note = self._inherited(predecessor, installed, task)
            table = self._tables.open(task.name, installed.folder, task)
        except (OSError, ValueError) as error:
            log.warning("%s %s cannot be triggered: %s", installed.task, installed.version, error)
            return None
        return StreamChange(before, InstalledStream(installed, task, table), note)

    def _inherited(self, predecessor: Installation | None, installed: Installation, task: StreamTask) -> str:
        """Have a version begin with the rows of its predecessor; return what of them is not there, if anything."""
        if predecessor is None or predecessor.folder == installed.folder:
            return ""
        known = self._task(predecessor)
        inheritance = self._tables.inherit(predecessor.folder, installed.folder, known, task)
        return "" if inheritance.reason.startswith("goes on") else inheritance.reason

    def _task(self, installed: Installation) -> StreamTask | None:
        """Return what the manifest says; None for a task that no events trigger, or whose trigger makes no sense."""
        if installed.folder not in self._tasks:
            try:
                values = self._store.installs.manifest(installed.folder).values
                self._tasks[installed.folder] = StreamTask.from_manifest(installed.task, values)
            except (OSError, ValueError, ProtocolError) as error:
                log.warning("%s %s cannot be triggered: %s", installed.task, installed.version, error)
                self._tasks[installed.folder] = None
        return self._tasks[installed.folder]
