"""The counts of a gateway, as plain numbers that cost a check-in next to nothing; exporters read them.

Check-ins without offers, which are nearly all, are not counted one by one: the buffer knows how many passed through it.
Their duration is measured for a sample.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final
from weakref import WeakKeyDictionary

from walle.gateway.ports import CheckInRecord, Enrolments
from walle.protocol.reports import Report
from walle.release.decision import CompiledTable

ENDPOINTS: Final = frozenset(("enrol", "reports", "roots", "artifacts", "exclusive", "relay"))
OTHER: Final = "other"
"""Replaces every name that clients chose, so that the number of labels is bounded."""
CHECK_IN: Final = "checkin"
"""The endpoint of check-ins, which are not counted as requests."""
WATCH_EVERY_S: Final = 0.1

_ANSWER_S: Final = (1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 5e-3, 2.5e-2)
_DELAY_S: Final = (1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.25, 1.0)
_REQUEST_S: Final = (1e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.25, 1.0, 5.0, 30.0)
_app_of: Final = attrgetter("claims.app")


class Histogram:
    """Counts values (seconds) by the smallest bound that they do not exceed; the last count has no bound."""

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def observe(self, seconds: float) -> None:
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.sum += seconds


def _by_endpoint() -> dict[str, Histogram]:
    return {endpoint: Histogram(_REQUEST_S) for endpoint in (*sorted(ENDPOINTS), OTHER)}


@dataclass(slots=True, weakref_slot=True)
class GatewayCounts:
    """Counts since the process started. Keys are in the order of their names; `clock` returns monotonic seconds.

    `offered` counts check-ins answered with offers; `flushed` those handed to the sink, by app; `lost` those that were
    not, by reason; `put_off` offers that devices put off, by app and reason; `refusals` refused requests by endpoint
    and code; `outcomes` reports by app, task, kind and outcome.
    `enrolments` are by app and way: `key` for a new device with an app key, `again` for one that proved its identity by
    its old credential besides the key, `statement`; `enrolments_refused` by app and limit
    (walle.gateway.enrolment_limits). `enrolments_reported` is the part of both that the sink has stored.
    """

    clock: Callable[[], float]
    offered: int = 0
    offers: Counter[tuple[str, str]] = field(default_factory=Counter)
    put_off: Counter[tuple[str, str]] = field(default_factory=Counter)
    exposures: Counter[tuple[str, str]] = field(default_factory=Counter)
    flushed: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    flushed_at: float = 0.0
    refusals: Counter[tuple[str, str]] = field(default_factory=Counter)
    requests: Counter[tuple[str, int]] = field(default_factory=Counter)
    sent_bytes: Counter[str] = field(default_factory=Counter)
    enrolments: Counter[tuple[str, str]] = field(default_factory=Counter)
    enrolments_refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    reports: Counter[tuple[str, str]] = field(default_factory=Counter)
    relayed: Counter[tuple[str, str]] = field(default_factory=Counter)
    outcomes: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    answer_s: Histogram = field(default_factory=lambda: Histogram(_ANSWER_S))
    loop_delay_s: Histogram = field(default_factory=lambda: Histogram(_DELAY_S))
    flush_s: Histogram = field(default_factory=lambda: Histogram(_REQUEST_S))
    request_s: dict[str, Histogram] = field(default_factory=_by_endpoint)
    enrolments_reported: dict[str, Enrolments] = field(default_factory=dict)
    _tasks: WeakKeyDictionary[CompiledTable, frozenset[str]] = field(default_factory=WeakKeyDictionary)

    def __post_init__(self) -> None:
        self.flushed_at = self.clock()

    def flush_ended(self, records: Iterable[CheckInRecord], began: float) -> None:
        """Count a batch that the sink has stored."""
        self.flushed.update(map(_app_of, records))
        self.flushed_at = self.clock()
        self.flush_s.observe(self.flushed_at - began)

    def enrolments_by_app(self) -> dict[str, Enrolments]:
        """Return the enrolments since the process started, by app."""
        refused: Counter[str] = Counter()
        for (app, limit), number in self.enrolments_refused.items():
            refused[app] += number if limit != "device" else 0
        apps = {app for app, _ in self.enrolments} | refused.keys()
        return {
            app: Enrolments(self.enrolments[app, "key"], self.enrolments[app, "statement"], refused[app])
            for app in sorted(apps)
        }

    def reported(self, table: CompiledTable, reports: Iterable[Report]) -> None:
        """Count stored reports from devices of the table's app.

        Tasks that are not in the table are counted together as OTHER.
        """
        tasks = self._tasks.get(table)
        if tasks is None:
            names = {entry.task for entry in table.table.entries}
            tasks = self._tasks[table] = frozenset(names.union(table.table.removals))
        for report in reports:
            task = report.task if report.task in tasks else OTHER
            self.outcomes[table.table.app, task, report.kind, report.outcome] += 1


class CountedRequest:
    """Counts one request, other than a check-in, and its answer; `send` replaces that of the server."""

    def __init__(self, counts: GatewayCounts, endpoint: str, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        self.status: int | None = None
        self.endpoint = endpoint if endpoint in ENDPOINTS else OTHER
        self._counts = counts
        self._send = send
        self._began = counts.clock()
        self._length = 0

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            lengths = (int(value) for name, value in message.get("headers", ()) if name == b"content-length")
            self._length = next(lengths, 0)
            self._counts.request_s[self.endpoint].observe(self._counts.clock() - self._began)
        await self._send(message)
        if "file" in message or "path" in message:
            # A server that sends files itself receives a message with a file instead of the bytes.
            self._counts.sent_bytes[self.endpoint] += message.get("count", self._length)
        else:
            self._counts.sent_bytes[self.endpoint] += len(message.get("body", b""))

    def ended(self) -> None:
        self._counts.requests[self.endpoint, self.status or 0] += 1


async def watch_loop(counts: GatewayCounts, measure_next: Callable[[], None]) -> None:
    """Measure the delay of the event loop, for ever, and have a check-in timed each time."""
    while True:
        expected = counts.clock() + WATCH_EVERY_S
        await asyncio.sleep(WATCH_EVERY_S)
        counts.loop_delay_s.observe(max(0.0, counts.clock() - expected))
        measure_next()
