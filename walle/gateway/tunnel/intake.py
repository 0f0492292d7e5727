"""Stores the features of all connections in groups: while one group is stored, the next one is gathered.

A feature is acknowledged once the group that it belongs to is durable. While the sink cannot be reached, its features
wait in bounded memory: windows shrink to nothing so that devices stop, and connections that send on are not read.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from walle.gateway.ports import FeatureRefused, FeatureSink, PortUnavailable, ReceivedFeature
from walle.gateway.tunnel.counts import TunnelCounts
from walle.gateway.tunnel.limits import TunnelLimits
from walle.gateway.tunnel.order import SpoolOrder
from walle.gateway.tunnel.room import Room

log = logging.getLogger(__name__)

_OVERHEAD: Final = 1024
"""What a waiting feature occupies besides its values."""

SpoolKey = tuple[str, str, bytes]
Acknowledging = Callable[[int, int], None]
"""Tells a device a sequence and a window."""


class SpoolIntake:
    """What is known of one spool while its device is connected or some of its features wait to be stored.

    `waiting` and `wire` are the number of these and the bytes that they came in; `window` is what the device was told.
    """

    __slots__ = ("acknowledged", "key", "order", "room", "tell", "waiting", "window", "wire")

    def __init__(self, key: SpoolKey, ahead: int) -> None:
        self.key = key
        self.order = SpoolOrder(0, 1)
        self.room = Room(ahead)
        self.acknowledged = self.waiting = self.wire = self.window = 0
        self.tell: Acknowledging | None = None


class _Waiting(NamedTuple):
    spool: SpoolIntake
    feature: ReceivedFeature

    @property
    def size(self) -> int:
        return self.feature.raw_bytes + _OVERHEAD


class FeatureIntake:
    """The features of one gateway on their way to its sink. `clock` returns monotonic seconds."""

    def __init__(
        self, sink: FeatureSink, limits: TunnelLimits, counts: TunnelCounts, clock: Callable[[], float]
    ) -> None:
        self._sink, self._limits, self._counts, self._clock = sink, limits, counts, clock
        self._room = Room(limits.total)
        self._gathering: list[_Waiting] = []
        self._some, self._none = asyncio.Event(), asyncio.Event()
        self._none.set()
        self._spools: dict[SpoolKey, SpoolIntake] = {}
        self._stopped: set[SpoolIntake] = set()
        self._failing = False
        self.waiting = 0
        """The number of features that are not durable yet."""

    @property
    def waiting_bytes(self) -> int:
        """The memory that they occupy, about."""
        return self._room.used

    @property
    def window(self) -> int:
        """The window for devices: all of it, or nothing while they have to stop."""
        return 0 if self._failing or 2 * self._room.used > self._room.most else self._limits.window

    async def open(self, key: SpoolKey, following: int, tell: Acknowledging) -> SpoolIntake:
        """Return the intake of a spool whose device has `following` as its oldest feature. Raises PortUnavailable.

        From then on `tell` is called with what becomes durable, and with the window from then on.
        """
        stored = await self._sink.position(*key)
        spool = self._spools.get(key)
        if spool is None:
            spool = self._spools[key] = SpoolIntake(key, self._limits.ahead)
        spool.acknowledged = max(stored, spool.acknowledged)
        spool.order = SpoolOrder(max(stored, spool.order.received), following)
        spool.tell = tell
        self._set_window(spool, self.window)
        return spool

    def close(self, spool: SpoolIntake, tell: Acknowledging) -> None:
        """A connection has ended: what it brought is stored, but no longer acknowledged."""
        if spool.tell == tell:
            spool.tell = None
            self._stopped.discard(spool)
            self._forget_idle(spool)

    async def has_room(self, spool: SpoolIntake) -> None:
        """Return when the next feature of a spool may be read."""
        await spool.room.wait()
        await self._room.wait()

    def submit(self, spool: SpoolIntake, feature: ReceivedFeature) -> None:
        """Have a feature stored that is the next one of its spool."""
        item = _Waiting(spool, feature)
        spool.order.received = feature.sequence
        spool.waiting += 1
        spool.wire += feature.wire_bytes
        spool.room.take(item.size)
        self._room.take(item.size)
        self._gathering.append(item)
        self.waiting += 1
        self._some.set()
        self._none.clear()
        if spool.window and not self.window:
            self._tell(spool)

    def repeat(self, spool: SpoolIntake) -> None:
        """Acknowledge again what is durable, to a device that seems not to know."""
        self._counts.duplicates += 1
        self._tell(spool)

    async def settle(self) -> None:
        """Return when every feature is durable."""
        await self._none.wait()

    async def run(self) -> None:
        """Store what comes, for ever."""
        while True:
            await self._some.wait()
            group = self._take()
            await self._store([item.feature for item in group])
            self._stored(group)

    def _take(self) -> list[_Waiting]:
        """Return the next group: what has gathered, within the limits of a group, and at least one feature."""
        size = number = 0
        for item in self._gathering[: self._limits.group]:
            size += item.size
            if number and size > self._limits.group_bytes:
                break
            number += 1
        group, self._gathering = self._gathering[:number], self._gathering[number:]
        if not self._gathering:
            self._some.clear()
        return group

    async def _store(self, features: list[ReceivedFeature]) -> None:
        """Return once the features are durable, however long that takes; those that can never be are dropped."""
        wait = self._limits.retry_s
        while features:
            began = self._clock()
            try:
                await self._sink.store(features)
            except FeatureRefused as refusal:
                self._drop(features, refusal)
                continue
            except PortUnavailable as error:
                if not self._failing:
                    log.warning("features wait: %s", error)
            except Exception:
                # Nothing is acknowledged that is not stored, whatever the reason.
                log.exception("features wait: they cannot be stored")
            else:
                self._count(features, began)
                self._failing = False
                return
            self._fail()
            await asyncio.sleep(wait)
            wait = min(2 * wait, self._limits.retry_most_s)

    def _drop(self, features: list[ReceivedFeature], refusal: FeatureRefused) -> None:
        dropped = features.pop(refusal.index)
        self._counts.refused += 1
        about = {"app": dropped.app, "device": dropped.device}
        log.error("feature %d of %s is dropped: %s", dropped.sequence, dropped.task, refusal, extra=about)

    def _count(self, features: Sequence[ReceivedFeature], began: float) -> None:
        counts = self._counts
        counts.store_s.observe(self._clock() - began)
        counts.groups += 1
        for feature in features:
            counts.features[feature.app] += 1
            counts.raw_bytes[feature.app] += feature.raw_bytes
            counts.wire_bytes[feature.app] += feature.wire_bytes

    def _fail(self) -> None:
        """The sink cannot be reached: devices whose features wait are told to stop."""
        self._counts.failures += 1
        if not self._failing:
            self._failing = True
            for spool in {item.spool for item in self._gathering}:
                self._tell(spool)

    def _stored(self, group: list[_Waiting]) -> None:
        """Acknowledge a group, once for each spool; devices that were told to stop may go on."""
        done: dict[SpoolIntake, None] = {}
        for spool, feature in group:
            spool.acknowledged = feature.sequence
            spool.waiting -= 1
            spool.wire -= feature.wire_bytes
            done[spool] = None
        for item in group:
            item.spool.room.give(item.size)
            self._room.give(item.size)
        self.waiting -= len(group)
        if not self.waiting:
            self._none.set()
        resumed = self._stopped - done.keys() if self.window else ()
        for spool in (*done, *resumed):
            self._tell(spool)
            self._forget_idle(spool)

    def _tell(self, spool: SpoolIntake) -> None:
        if spool.tell is not None:
            self._set_window(spool, self.window)
            spool.tell(spool.acknowledged, spool.window)

    def _set_window(self, spool: SpoolIntake, window: int) -> None:
        spool.window = window
        (self._stopped.discard if window else self._stopped.add)(spool)

    def _forget_idle(self, spool: SpoolIntake) -> None:
        if spool.tell is None and not spool.waiting:
            self._spools.pop(spool.key, None)
