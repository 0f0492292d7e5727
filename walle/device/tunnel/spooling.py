"""The spool as the event loop uses it: what comes is written in batches, and read again, in other threads."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple, ParamSpec, Protocol, TypeVar

from walle.device.tunnel.answers import AwaitedAnswers
from walle.device.tunnel.features import OutputRefused, SpooledFeature, UploadedRun
from walle.device.tunnel.segments import SegmentDamaged
from walle.device.tunnel.spool import Spool

log = logging.getLogger(__name__)

MAX_PENDING: Final = 1000
"""So many features wait in memory for the disk at most; then the oldest is dropped."""
SYNC_S: Final = 1.0
"""Seconds within which what was spooled survives a loss of power too."""
READ_BYTES: Final = 128 << 10

P = ParamSpec("P")
T = TypeVar("T")


class QueuedFeature(NamedTuple):
    """A feature with its sequence in the spool."""

    sequence: int
    feature: SpooledFeature


class FeatureQueue(Protocol):
    """The features that wait to go up; implemented by SpoolQueue, and in memory by light emulated devices.

    `oldest` is the sequence of the oldest one that is not acknowledged, `next` that of the one that will come next.
    """

    @property
    def id(self) -> bytes: ...

    @property
    def oldest(self) -> int: ...

    @property
    def next(self) -> int: ...

    def __len__(self) -> int: ...

    async def read(self, sequence: int) -> list[QueuedFeature]:
        """Return the next features from this sequence on, at least one if any is left. Raises SegmentDamaged."""

    async def acknowledge(self, sequence: int) -> None: ...

    async def renew(self, reason: str) -> None:
        """Give up this spool and begin another one."""

    def put(self, run: UploadedRun) -> None:
        """Take the outputs of a run; `arrived` is called when they can be read."""

    async def settle(self) -> None:
        """Wait until all that was put can be read, and survives."""

    @property
    def dropped(self) -> int:
        """How many features were dropped by this process because there were too many."""

    @property
    def refused(self) -> int:
        """How many could not go up for what they are."""

    @property
    def damage(self) -> str:
        """What was wrong with the spool that this process gave up last; empty if it gave none up."""

    @property
    def sync_due(self) -> float:
        """When `sync` is due, in seconds of the clock that nobody sets; infinity if it is not."""

    async def sync(self) -> None: ...


class SpoolQueue:
    """Implements FeatureQueue on the disk; what was written last is in memory too, so that it goes up at once.

    `arrived` is called when there is more to read. `monotonic` gives seconds of a clock that nobody sets.
    """

    def __init__(
        self, spool: Spool, awaited: AwaitedAnswers, *, monotonic: Callable[[], float], arrived: Callable[[], None]
    ) -> None:
        self._spool, self._awaited = spool, awaited
        self._monotonic, self._arrived = monotonic, arrived
        self._pending: list[UploadedRun] = []
        self._underway = 0
        self._latest: list[QueuedFeature] = []
        self._writing: asyncio.Task[None] | None = None
        self._busy, self._in_use = asyncio.Lock(), threading.Lock()
        self._dropped = 0
        self._refused = 0
        self._sync_due = math.inf

    @property
    def id(self) -> bytes:
        return self._spool.id

    @property
    def oldest(self) -> int:
        return self._spool.oldest

    @property
    def next(self) -> int:
        return self._spool.next

    def __len__(self) -> int:
        return len(self._spool) + len(self._pending) + self._underway

    @property
    def dropped(self) -> int:
        return self._dropped + self._spool.dropped

    @property
    def refused(self) -> int:
        return self._refused

    @property
    def sync_due(self) -> float:
        return self._sync_due

    @property
    def damage(self) -> str:
        return self._spool.damage

    def put(self, run: UploadedRun) -> None:
        if len(self._pending) >= MAX_PENDING:
            del self._pending[0]
            self._dropped += 1
        self._pending.append(run)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())

    async def settle(self) -> None:
        if self._writing is not None:
            await asyncio.wait([self._writing])
        await self.sync()

    async def read(self, sequence: int) -> list[QueuedFeature]:
        first, latest = self._spool.at_or_after(sequence), self._latest
        if latest and latest[0].sequence <= first <= latest[-1].sequence:
            return latest[first - latest[0].sequence :]
        if first >= self._spool.next:
            return []
        records = await self._alone(self._spool.read, sequence, most_bytes=READ_BYTES)
        try:
            return [QueuedFeature(record.sequence, SpooledFeature.from_bytes(record.data)) for record in records]
        except ValueError as error:
            raise SegmentDamaged(f"a record is none of a feature: {error}") from error

    async def acknowledge(self, sequence: int) -> None:
        await self._alone(self._spool.acknowledge, sequence)

    async def renew(self, reason: str) -> None:
        def begin_anew() -> None:
            self._latest = []
            self._spool.renew(reason)

        await self._alone(begin_anew)

    async def sync(self) -> None:
        self._sync_due = math.inf
        if len(self._spool):  # what is acknowledged need not survive here
            await asyncio.to_thread(self._spool.sync)

    async def _alone(self, act: Callable[P, T], *arguments: P.args, **more: P.kwargs) -> T:
        """Have a method of the spool called in a thread, beside no other, also if this task is cancelled meanwhile."""

        def call() -> T:
            with self._in_use:
                return act(*arguments, **more)

        async with self._busy:
            return await asyncio.to_thread(call)

    async def _write(self) -> None:
        while self._pending:
            batch, self._pending = self._pending, []
            self._underway = len(batch)
            try:
                self._refused += await self._alone(self._append, batch)
            except OSError as error:
                log.error("%d features are lost, the spool cannot be written: %s", len(batch), error)
                self._dropped += len(batch)
            self._underway = 0
            self._sync_due = min(self._sync_due, self._monotonic() + SYNC_S)
            self._arrived()

    def _append(self, batch: list[UploadedRun]) -> int:
        """Spool what can go up; return how many cannot. What awaits an answer is known before it can be sent."""
        features: list[SpooledFeature] = []
        for run in batch:
            with suppress(OutputRefused):
                feature = run.spooled()
                if feature.answer_ms:
                    sequence = self._spool.next + len(features)
                    self._awaited.expect(self._spool.id, sequence, feature.task, feature.body, run.answer_by)
                features.append(feature)
        first = self._spool.append([feature.to_bytes() for feature in features])
        small = sum(len(feature.body) for feature in features) <= READ_BYTES
        self._latest = [QueuedFeature(first + index, each) for index, each in enumerate(features)] if small else []
        return len(batch) - len(features)
