"""Sends reports from the outbox to the cloud, and removes them once the cloud has answered for them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, Protocol

from walle.device.errors import ServerRefused, Unreachable
from walle.device.link.backoff import CheckInPacer
from walle.device.link.cloud import Acknowledgement, CloudClient
from walle.device.notices import Notice, NoticeHandler
from walle.device.service import DeviceService, Wake

log = logging.getLogger(__name__)

BATCH: Final = 100
_NOT_ABOUT_THE_REPORTS: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND})


class ReportQueue(Protocol):
    """The queue of unsent reports; implemented by ReportOutbox."""

    def __len__(self) -> int: ...

    def batch(self, limit: int) -> list[dict[str, Any]]: ...

    def acknowledge(self, ids: Iterable[str]) -> None: ...


class ReportSender(DeviceService):
    """Sends one device's reports in batches. `headers` returns those of a check-in, empty before enrolment.

    There is nothing to recover: a report leaves the outbox only after the cloud answered for it.
    """

    def __init__(
        self,
        outbox: ReportQueue,
        cloud: CloudClient,
        headers: Callable[[], Mapping[str, str]],
        pacer: CheckInPacer,
        *,
        monotonic: Callable[[], float],
        on_notice: NoticeHandler,
    ) -> None:
        self._outbox, self._cloud, self._headers = outbox, cloud, headers
        self._pacer, self._monotonic, self._on_notice = pacer, monotonic, on_notice
        self._batch = BATCH
        self.wake = Wake()

    async def turn(self) -> float | None:
        """Send the queued reports if it is time; return the seconds until the next turn, None if nothing is queued."""
        if len(self._outbox) and self._headers() and self._pacer.ready(self._monotonic()):
            await self.send()
        return self._pacer.wait(self._monotonic()) if len(self._outbox) and self._headers() else None

    async def once(self) -> None:
        await self.send()

    async def send(self) -> None:
        """Send everything, batch by batch, until the outbox is empty or the server refuses."""
        try:
            while reports := self._outbox.batch(self._batch):
                if not self._settle(await self._cloud.send_reports(reports, self._headers())):
                    raise Unreachable("/reports: the server answered for none of the reports")
                self._batch = BATCH
            self._pacer.answered(self._monotonic())
        except Unreachable as error:
            self._pacer.failed(self._monotonic(), error.retry_after)
            self._on_notice(Notice("offline", str(error)))
        except ServerRefused as error:
            self._refused(error, reports)

    def _settle(self, answer: Acknowledgement) -> bool:
        """Remove the reports that were answered for; return whether there were any."""
        queued = len(self._outbox)
        self._outbox.acknowledge(answer.accepted)
        for report_id, reason in answer.rejected.items():
            log.warning("report %s was refused for good: %s", report_id, reason)
        self._outbox.acknowledge(answer.rejected)
        data = {"accepted": len(answer.accepted), "rejected": len(answer.rejected)}
        text = f"reported {data['accepted']} outcomes" + (f", {data['rejected']} refused" if answer.rejected else "")
        self._on_notice(Notice("reported", text, data))
        return len(self._outbox) < queued

    def _refused(self, error: ServerRefused, reports: Sequence[Mapping[str, Any]]) -> None:
        """Halve the batch after it was refused, until the report at fault is alone and is dropped."""
        self._pacer.failed(self._monotonic())
        self._on_notice(Notice("refused-by-server", str(error), {"reason": error.reason}))
        if error.status in _NOT_ABOUT_THE_REPORTS:
            return
        if len(reports) > 1:
            self._batch = max(1, len(reports) // 2)
        else:
            log.warning("a report is given up, the server refuses it: %s", error)
            self._outbox.acknowledge(str(report["id"]) for report in reports)
