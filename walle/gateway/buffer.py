"""Write-behind: check-ins are collected, reports are committed in groups before they are acknowledged."""

from __future__ import annotations

import asyncio
import logging
from array import array
from collections.abc import Mapping
from typing import Any, Final

from walle.gateway.ports import CheckInRecord, Claims, PortUnavailable, ReceivedReport, ReportSink

log = logging.getLogger(__name__)

FLUSH_EVERY_S: Final = 1.0
RESOLUTION_S: Final = 60
CAPACITY: Final = 100_000
_SLOTS: Final = 1 << 20


class CheckInBuffer:
    """The check-ins since the last flush, at most CAPACITY of them; more are dropped and counted.

    A device whose facts and profile did not change is written at most once a minute, however often its app's
    requests carry a check-in. What was written lately is remembered in a fixed table of 64-bit fingerprints
    (8 MiB): a collision of slots only costs a write, memory does not grow with the fleet.
    """

    def __init__(self) -> None:
        self._records: list[CheckInRecord] = []
        self._written = array("q", bytes(8 * _SLOTS))
        self.dropped = 0

    def add(self, claims: Claims, device: str, trusted: Mapping[str, Any], at: float) -> None:
        fingerprint = hash((device, claims.identity, int(at) // RESOLUTION_S))
        slot = fingerprint & (_SLOTS - 1)
        if self._written[slot] == fingerprint:
            return
        if len(self._records) >= CAPACITY:
            self.dropped += 1
            return
        self._written[slot] = fingerprint
        self._records.append(CheckInRecord(claims, device, trusted, at))

    def drain(self) -> list[CheckInRecord]:
        """The check-ins since the last call, in order; a device that changed meanwhile is in it twice."""
        records, self._records = self._records, []
        return records

    def forget(self) -> None:
        """What was drained could not be written: let every device be written again."""
        self._written = array("q", bytes(8 * _SLOTS))


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
        buffer.forget()
        log.warning("%d check-ins lost, they will come again: %s", len(records), error)
    except Exception:
        # One batch that cannot be stored must not end the writing of all that follow.
        buffer.forget()
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
