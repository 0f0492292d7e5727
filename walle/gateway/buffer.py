"""Write-behind: check-ins are collected, reports are committed in groups before they are acknowledged."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from walle.gateway.ports import CheckInRecord, PortUnavailable, ReceivedReport, ReportSink

log = logging.getLogger(__name__)

FLUSH_EVERY_S: Final = 1.0
CAPACITY: Final = 100_000


class CheckInBuffer:
    """The check-ins since the last flush, at most CAPACITY of them; more are dropped and counted.

    Adding is all that a check-in waits for. What of it is worth writing is the sink's to say.
    """

    def __init__(self) -> None:
        self._records: list[CheckInRecord] = []
        self.dropped = 0

    def add(self, record: CheckInRecord) -> None:
        if len(self._records) < CAPACITY:
            self._records.append(record)
        else:
            self.dropped += 1

    def drain(self) -> list[CheckInRecord]:
        """The check-ins since the last call, in order; a device that came again is in it again."""
        records, self._records = self._records, []
        return records


async def flush_for_ever(buffer: CheckInBuffer, sink: ReportSink) -> None:
    """Hands the buffered check-ins to the sink once a second; an unreachable sink loses them (they come again)."""
    while True:
        await asyncio.sleep(FLUSH_EVERY_S)
        await flush(buffer, sink)


async def flush(buffer: CheckInBuffer, sink: ReportSink) -> None:
    records = buffer.drain()
    if not records:
        return
    try:
        await sink.record_check_ins(records)
    except PortUnavailable as error:
        log.warning("%d check-ins lost, they will come again: %s", len(records), error)
    except Exception:
        # One batch that cannot be stored must not end the writing of all that follow.
        log.exception("%d check-ins lost, they will come again", len(records))


class ReportWriter:
    """Commits reports in groups: while one group is being written, the next one gathers."""

    def __init__(self, sink: ReportSink) -> None:
        self._sink = sink
        self._gathering: list[ReceivedReport] = []
        self._next: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()

    async def write(self, reports: list[ReceivedReport]) -> None:
        """Returns once the reports are durable. Raises PortUnavailable; the device then sends them again."""
        self._gathering.extend(reports)
        if self._next is None:
            self._next = asyncio.create_task(self._write_group())
        await asyncio.shield(self._next)

    async def _write_group(self) -> None:
        async with self._writing:
            group, self._gathering, self._next = self._gathering, [], None
            await self._sink.record_reports(group)
