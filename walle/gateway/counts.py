"""What a gateway counts, in plain numbers that cost a check-in next to nothing; whoever exposes them reads them.

Check-ins that brought nothing new, which are nearly all, are not counted one by one: the buffer knows how many passed
through it. Their time is measured for one in a while.
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
"""Stands for every name that somebody else chose, lest there be more names than anybody can look at."""
CHECK_IN: Final = "checkin"
"""The endpoint of check-ins, which are not counted as requests."""
WATCH_EVERY_S: Final = 0.1

_ANSWER_S: Final = (1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 5e-3, 2.5e-2)
_DELAY_S: Final = (1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.25, 1.0)
_REQUEST_S: Final = (1e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.25, 1.0, 5.0, 30.0)
_app_of: Final = attrgetter("claims.app")


class Histogram:
    """How many values (seconds) were at most each of the bounds, the last place standing for all above them."""

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
    """Since the process began. Keys are in the order of their names; `clock` is monotonic seconds.

    `offered` are check-ins answered with offers; `flushed` those handed to the sink, by app; `lost` those that were
    not, by reason; `refusals` by endpoint and code; `outcomes` what devices reported, by app, task, kind and outcome.
    `enrolments` are by app and way: `key` for a new device with an app key, `again` for one that showed its credential
    with it, `statement`; `enrolments_refused` by app and limit (walle.gateway.enrolment_limits). `enrolments_told` is
    what of both the sink has.
    """

    clock: Callable[[], float]
    offered: int = 0
    offers: Counter[tuple[str, str]] = field(default_factory=Counter)
    draws: Counter[tuple[str, str]] = field(default_factory=Counter)
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
    enrolments_told: dict[str, Enrolments] = field(default_factory=dict)
    _tasks: WeakKeyDictionary[CompiledTable, frozenset[str]] = field(default_factory=WeakKeyDictionary)

    def __post_init__(self) -> None:
        self.flushed_at = self.clock()

    def flush_ended(self, records: Iterable[CheckInRecord], began: float) -> None:
        """A batch is stored."""
        self.flushed.update(map(_app_of, records))
        self.flushed_at = self.clock()
        self.flush_s.observe(self.flushed_at - began)

    def enrolments_by_app(self) -> dict[str, Enrolments]:
        """What there was of enrolments since the process began."""
        refused: Counter[str] = Counter()
        for (app, limit), number in self.enrolments_refused.items():
            refused[app] += number if limit != "device" else 0
        apps = {app for app, _ in self.enrolments} | refused.keys()
        return {
            app: Enrolments(self.enrolments[app, "key"], self.enrolments[app, "statement"], refused[app])
            for app in sorted(apps)
        }

    def reported(self, table: CompiledTable, reports: Iterable[Report]) -> None:
        """Devices of the table's app reported this, and it is stored.

        A task that is not in the table is none that a device should speak of, and goes under another name.
        """
        tasks = self._tasks.get(table)
        if tasks is None:
            names = {entry.task for entry in table.table.entries}
            tasks = self._tasks[table] = frozenset(names.union(table.table.removals))
        for report in reports:
            task = report.task if report.task in tasks else OTHER
            self.outcomes[table.table.app, task, report.kind, report.outcome] += 1


class CountedRequest:
    """One request to a gateway, but for check-ins, and its answer; `send` is to be used in place of the server's."""

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
            # A server that sends files by itself is given one in place of its bytes.
            self._counts.sent_bytes[self.endpoint] += message.get("count", self._length)
        else:
            self._counts.sent_bytes[self.endpoint] += len(message.get("body", b""))

    def ended(self) -> None:
        self._counts.requests[self.endpoint, self.status or 0] += 1


async def watch_loop(counts: GatewayCounts, measure_next: Callable[[], None]) -> None:
    """Finds out for ever how late the event loop is, and has a check-in measured each time."""
    while True:
        due = counts.clock() + WATCH_EVERY_S
        await asyncio.sleep(WATCH_EVERY_S)
        counts.loop_delay_s.observe(max(0.0, counts.clock() - due))
        measure_next()
