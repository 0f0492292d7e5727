"""Write-behind: check-ins are buffered and flushed; reports are committed in groups before they are acknowledged."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Iterable
from typing import Final

from walle.gateway.cache import TwoGenerationCache
from walle.gateway.counts import GatewayCounts
from walle.gateway.ports import CheckInRecord, Enrolments, ExposureRecord, PortUnavailable, ReceivedReport, ReportSink

log = logging.getLogger(__name__)

FLUSH_EVERY_S: Final = 1.0
PRESENCE_EVERY_S: Final = 2.0
CAPACITY: Final = 100_000
LOGGED: Final = 100_000


class CheckInBuffer:
    """The check-ins since the last flush, at most CAPACITY of them; further ones are dropped and counted.

    Check-ins wait only for being added. The sink decides what of them is worth writing, except for exposures: those of
    the latest check-ins are remembered here, because a control device brings the same one with every check-in.
    """

    def __init__(self, counts: GatewayCounts | None = None) -> None:
        self.counts = counts or GatewayCounts(time.monotonic)
        self._records: list[CheckInRecord] = []
        self._drained = 0
        self.dropped = 0
        self.forget_exposures()

    def add(self, record: CheckInRecord) -> None:
        if len(self._records) < CAPACITY:
            self._records.append(record)
        else:
            self.dropped += 1
            self.forget_exposures()

    def news(self, device: str, exposures: Iterable[ExposureRecord]) -> tuple[ExposureRecord, ...]:
        """Return those exposures of a device that have not been logged recently."""
        return tuple(
            exposure
            for exposure in exposures
            if self._is_news(_exposure_key(device, exposure.release, _logged_as(exposure)))
        )

    def was_offered(self, device: str, release: int) -> bool:
        """Return whether an exposure that offered this release to the device has been logged recently."""
        return self._logged.get(_exposure_key(device, release, "offered")) is not None

    def _is_news(self, exposure: int) -> bool:
        known = self._logged.get(exposure)
        if known is None:
            self._logged.put(exposure, True, 1)
        return known is None

    def forget_exposures(self) -> None:
        """Forget the logged exposures after check-ins were lost, so that they are logged again."""
        self._logged: TwoGenerationCache[int, bool] = TwoGenerationCache(LOGGED)

    def drain(self) -> list[CheckInRecord]:
        """Return the check-ins since the last call, in order; a device that checked in repeatedly has several."""
        records, self._records = self._records, []
        self._drained += len(records)
        return records

    @property
    def waiting(self) -> int:
        """The number of check-ins to be flushed."""
        return len(self._records)

    @property
    def added(self) -> int:
        """The number of all check-ins so far, including dropped ones."""
        return self._drained + len(self._records) + self.dropped


def _logged_as(exposure: ExposureRecord) -> str:
    """Return the kind under which an exposure is logged once; that a device is held back is logged in each stage."""
    if exposure.arm == "control":
        return f"held back in {exposure.stage}"
    return "selected" if exposure.number is None else "offered"


def _exposure_key(device: str, release: int, logged_as: str) -> int:
    return hash((device, release, logged_as))


async def flush_for_ever(buffer: CheckInBuffer, sink: ReportSink) -> None:
    """Hand the buffered check-ins to the sink every FLUSH_EVERY_S seconds, for ever.

    If the sink is unreachable they are lost; the devices check in again.
    """
    while True:
        await asyncio.sleep(FLUSH_EVERY_S)
        await flush(buffer, sink)
        await report_enrolments(buffer.counts, sink)


async def record_presence_for_ever(sink: ReportSink) -> None:
    """Record every PRESENCE_EVERY_S seconds that reports can be stored, for ever; failures are what it tells of."""
    while True:
        with contextlib.suppress(PortUnavailable):
            await sink.record_presence()
        await asyncio.sleep(PRESENCE_EVERY_S)


async def flush(buffer: CheckInBuffer, sink: ReportSink) -> None:
    records, counts = buffer.drain(), buffer.counts
    began = counts.clock()
    if not records:
        counts.flushed_at = began
        return
    try:
        await sink.record_check_ins(records)
        counts.flush_ended(records, began)
    except PortUnavailable as error:
        counts.lost["unavailable"] += len(records)
        buffer.forget_exposures()
        log.warning("%d check-ins lost, they will come again: %s", len(records), error)
    except Exception:
        # A batch that cannot be stored must not stop the writing of later ones.
        counts.lost["refused"] += len(records)
        buffer.forget_exposures()
        log.exception("%d check-ins lost, they will come again", len(records))


async def report_enrolments(counts: GatewayCounts, sink: ReportSink) -> None:
    """Report to the sink the enrolments counted since its last report; on failure they are part of the next one."""
    now, reported = counts.enrolments_by_app(), counts.enrolments_reported
    news = {app: _more(now[app], reported.get(app, Enrolments())) for app in now if now[app] != reported.get(app)}
    if not news:
        return
    try:
        await sink.record_enrolments(news)
        counts.enrolments_reported = now
    except PortUnavailable as error:
        log.warning("counts of enrolments are told again later: %s", error)
    except Exception:
        log.exception("counts of enrolments cannot be stored")


def _more(now: Enrolments, before: Enrolments) -> Enrolments:
    return Enrolments(*(new - old for new, old in zip(now, before, strict=True)))


class ReportWriter:
    """Commits reports in groups: while one group is being written, the next one is collected."""

    def __init__(self, sink: ReportSink) -> None:
        self._sink = sink
        self._gathering: list[ReceivedReport] = []
        self._next: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()

    @property
    def waiting(self) -> int:
        """The number of reports that wait for the group before theirs."""
        return len(self._gathering)

    async def write(self, reports: list[ReceivedReport]) -> None:
        """Return once the reports are durable. Raises PortUnavailable; the device then sends them again."""
        self._gathering.extend(reports)
        if self._next is None:
            self._next = asyncio.create_task(self._write_group())
        await asyncio.shield(self._next)

    async def _write_group(self) -> None:
        async with self._writing:
            group, self._gathering, self._next = self._gathering, [], None
            await self._sink.record_reports(group)
