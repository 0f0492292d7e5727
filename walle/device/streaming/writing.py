"""Writes to the disk, in another thread, what the stream service has in memory: events, and the outputs of runs."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from walle.device.notices import Notice, NoticeHandler
from walle.device.streaming.installed import InstalledStream
from walle.stream.event_log import EventLog
from walle.stream.tables import RowRefused, TableClosed

FLUSH_S: Final = 5.0
"""Seconds that events and outputs wait in memory at most."""


class StreamWriter:
    """Says by `due` when there is something to write. `note` adds a text to the next report about an installation.

    `clock` gives Unix seconds, `monotonic` seconds of a clock that nobody sets. Everything is in one event loop.
    """

    def __init__(
        self,
        log: EventLog,
        *,
        clock: Callable[[], float],
        monotonic: Callable[[], float],
        note: Callable[[InstalledStream, str], None],
        on_notice: NoticeHandler,
    ) -> None:
        self._log, self._clock, self._monotonic = log, clock, monotonic
        self._note, self._on_notice = note, on_notice
        self._told: set[Path] = set()
        self._writing: asyncio.Task[None] | None = None
        self.due = math.inf

    def has_events(self) -> None:
        """The log has events that are not on the disk."""
        self.due = min(self.due, self._monotonic() + FLUSH_S)

    def keep(self, stream: InstalledStream, output: Mapping[str, Any], at: float) -> None:
        """Put the output of a run, as of `at` (Unix seconds), into the task's table."""
        try:
            stream.table.put(output, at, flush=False)
        except (RowRefused, TableClosed) as error:
            self._on_notice(Notice("error", f"{stream.task.name}: its output is not kept: {error}"))
        wait = 0.0 if stream.table.due(self._clock()) else FLUSH_S
        self.due = min(self.due, self._monotonic() + wait)

    def start(self, streams: Sequence[InstalledStream]) -> None:
        """Begin to write all that is in memory; what comes meanwhile is due later."""
        if self._writing is not None and not self._writing.done():
            self.due = self._monotonic() + FLUSH_S
        else:
            self.due = math.inf
            self._writing = asyncio.create_task(self._write_and_tell(streams))

    async def settle(self, streams: Sequence[InstalledStream]) -> None:
        """Write all that is in memory, after what is being written."""
        if self._writing is not None:
            await asyncio.wait([self._writing])
        self.due = math.inf
        await self._write_and_tell(streams)

    def look_at(self, stream: InstalledStream) -> None:
        """Tell of a table that was damaged, once, to the app and with the next report."""
        damaged = stream.table.set_aside
        if damaged is None or damaged in self._told:
            return
        self._told.add(damaged)
        text = f"its table was damaged and begins anew: {stream.table.damage}"
        self._note(stream, text)
        data = {"task": stream.task.name, "version": stream.installed.version}
        self._on_notice(Notice("damaged", f"{stream.task.name} {stream.installed.version}: {text}", data))

    async def _write_and_tell(self, streams: Sequence[InstalledStream]) -> None:
        await asyncio.to_thread(self._write, streams)
        for stream in streams:
            self.look_at(stream)
        if (damaged := self._log.set_aside) and damaged not in self._told:
            self._told.add(damaged)
            self._on_notice(Notice("damaged", f"the log of events had a damaged file, which is set aside as {damaged}"))

    def _write(self, streams: Iterable[InstalledStream]) -> None:
        self._log.flush()
        self._log.expire(self._clock())
        for stream in streams:
            with suppress(TableClosed):
                stream.table.flush()
