"""What is said over one connection of the tunnel, from Hello to its end."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple, NoReturn, Protocol

from walle.device.errors import Unreachable
from walle.device.tunnel.connection import CloudConnection
from walle.device.tunnel.features import SpooledFeature
from walle.device.tunnel.segments import SegmentDamaged
from walle.device.tunnel.spooling import FeatureQueue, QueuedFeature
from walle.protocol import tunnel_frames as wire
from walle.protocol.compression import Dictionary, compress
from walle.protocol.errors import FrameMalformed

WELCOME_S: Final = 120.0
"""Seconds within which the cloud answers Hello, which it does when it can store something."""


class HeldDictionaries(Protocol):
    """The dictionaries that a device holds; implemented by TaskDictionaries."""

    def digest(self, task: str) -> bytes: ...

    async def obtain(self, task: str, digest: bytes, url: str) -> Dictionary | None: ...


@dataclass
class UplinkCost:
    """What features cost: bytes as JSON, and as they went over the wire, sent again included."""

    features: int = 0
    raw_bytes: int = 0
    wire_bytes: int = 0

    def add(self, other: UplinkCost) -> None:
        self.features += other.features
        self.raw_bytes += other.raw_bytes
        self.wire_bytes += other.wire_bytes


@dataclass(frozen=True)
class SessionEvents:
    """What a session tells its service as it happens; `acknowledged` is about something that was not before."""

    welcomed: Callable[[], None]
    acknowledged: Callable[[], None]
    sent: Callable[[str, UplinkCost], None]
    answer: Callable[[wire.Answer], None]
    offers: Callable[[wire.Offers], bool]
    drain: Callable[[wire.Drain], None]


@dataclass
class _Stream:
    """A number on this connection: a task in one version, and the dictionary that its features may use."""

    number: int
    task: str
    dictionary: Dictionary | None = None


class _InFlight(NamedTuple):
    sequence: int
    size: int


@dataclass
class TunnelSession:
    """One connection's conversation. `run` lasts until it ends, and never returns.

    Features go up in their order, as long as what is not acknowledged fits into the cloud's window, or there is
    nothing. Up to the sequence `careful` one goes at a time, so that one that the cloud does not take is known: it is
    the `suspect`.
    """

    connection: CloudConnection
    queue: FeatureQueue
    dictionaries: HeldDictionaries
    events: SessionEvents
    profile: str
    careful: int = 0
    _window: int = 0
    _in_flight: deque[_InFlight] = field(default_factory=deque)
    _on_the_way: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _reprofiled: asyncio.Event = field(default_factory=asyncio.Event)
    _streams: dict[tuple[str, bytes], _Stream] = field(default_factory=dict)
    _opened: int = 0
    _unanswered: deque[_Stream] = field(default_factory=deque)
    _obtaining: set[asyncio.Task[None]] = field(default_factory=set)
    greeted: bool = False

    @property
    def suspect(self) -> int | None:
        """The sequence of the feature that went alone and is not acknowledged, if there is one."""
        return self._in_flight[0].sequence if self._alone else None

    @property
    def last_sent(self) -> int:
        """The sequence of the last feature that is sent and not acknowledged, 0 if there is none."""
        return self._in_flight[-1].sequence if self._in_flight else 0

    @property
    def _alone(self) -> bool:
        return bool(self._in_flight) and self._in_flight[0].sequence <= self.careful

    def arrived(self) -> None:
        """There is more in the queue."""
        self._changed.set()

    def tell_profile(self, profile: str) -> None:
        """Say what is installed, if that has changed, as soon as the connection takes it."""
        if self.greeted and profile != self.profile:
            self.profile = profile
            self._reprofiled.set()

    async def run(self) -> NoReturn:
        """Say hello, then send and receive.

        Raises TunnelEnded, Unreachable, SegmentDamaged, OSError, and FrameMalformed for what the cloud must not say.
        """
        spool, first = self.queue.id, self.queue.oldest
        await self.connection.send(wire.Hello(spool, first))
        welcome = await self._welcome()
        if welcome.acknowledged >= self.queue.next:
            raise SegmentDamaged(
                f"the cloud has {welcome.acknowledged}, of {self.queue.next - 1} features that were made"
            )
        await self.queue.acknowledge(welcome.acknowledged)
        self._window, self.greeted = welcome.window, True
        self.events.welcomed()
        await self._converse(max(first, welcome.acknowledged + 1))

    async def _converse(self, first: int) -> NoReturn:
        """Send from this sequence on, and receive, until something fails; what came before the end counts."""
        receiving = asyncio.create_task(self._receive())
        others = (self._send(first), self._send_profiles(), self.connection.keep_alive())
        directions: list[asyncio.Task[NoReturn]] = [receiving, *(asyncio.create_task(other) for other in others)]
        try:
            done, _ = await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
            if self.connection.closed:
                await asyncio.wait([receiving])
            done.pop().result()
        finally:
            begun = [*directions, *self._obtaining]
            for task in begun:
                task.cancel()
            await asyncio.gather(*begun, return_exceptions=True)

    async def _welcome(self) -> wire.Welcome:
        try:
            async with asyncio.timeout(WELCOME_S):
                frame = await self.connection.receive()
        except TimeoutError as error:
            raise Unreachable("/tunnel: the cloud did not answer Hello") from error
        if not isinstance(frame, wire.Welcome):
            raise FrameMalformed("frame-unexpected", f"expected Welcome, found {type(frame).__name__}")
        return frame

    async def _send_profiles(self) -> NoReturn:
        while True:
            await self._reprofiled.wait()
            self._reprofiled.clear()
            await self.connection.send(wire.Profile(self.profile.encode("ascii")))

    async def _send(self, expected: int) -> NoReturn:
        while True:
            self._changed.clear()
            found = await self.queue.read(expected)
            if not found:
                await self._changed.wait()
            for queued in found:
                if queued.sequence != expected:
                    await self.connection.send(wire.Skip(queued.sequence))
                await self._send_feature(queued)
                expected = queued.sequence + 1

    async def _send_feature(self, queued: QueuedFeature) -> None:
        sequence, feature = queued
        stream = await self._stream(feature)
        encoding, body = compress(feature.body, stream.dictionary)
        written = wire.write_frame(
            wire.Feature(sequence, stream.number, feature.at_ms, feature.tracked_ms, encoding, body, feature.answer_ms)
        )
        messages = list(wire.messages(sequence, written))
        size = sum(map(len, messages))
        while not self._may_send(size):
            self._changed.clear()
            await self._changed.wait()
        self._in_flight.append(_InFlight(sequence, size))
        self._on_the_way += size
        await self.connection.send_messages(messages)
        self.events.sent(feature.task, UplinkCost(1, len(feature.body), size))

    def _may_send(self, size: int) -> bool:
        if not self._in_flight:
            return self._window > 0
        return not self._alone and self._on_the_way + size <= self._window

    async def _stream(self, feature: SpooledFeature) -> _Stream:
        """Return the stream of a task's version, which is opened when it is first used."""
        key = feature.task, feature.manifest
        if key not in self._streams:
            number = self._opened % wire.MAX_STREAMS + 1
            self._streams = {name: stream for name, stream in self._streams.items() if stream.number != number}
            self._streams[key] = _Stream(number, feature.task)
            self._unanswered.append(self._streams[key])
            self._opened += 1
            held = self.dictionaries.digest(feature.task)
            await self.connection.send(wire.OpenStream(number, feature.task, feature.manifest, held))
        return self._streams[key]

    async def _receive(self) -> NoReturn:
        while True:
            frame = await self.connection.receive()
            if isinstance(frame, wire.Acknowledge):
                await self._acknowledged(frame)
            elif isinstance(frame, wire.StreamOpened):
                self._stream_opened(frame)
            elif isinstance(frame, wire.Answer):
                self.events.answer(frame)
            elif isinstance(frame, wire.Offers):
                if self.events.offers(frame):
                    await self.connection.send(wire.Received(frame.number))
            elif isinstance(frame, wire.Drain):
                self.events.drain(frame)
            else:
                raise FrameMalformed("frame-unexpected", "expected one Welcome, found another")

    async def _acknowledged(self, frame: wire.Acknowledge) -> None:
        if frame.sequence >= self.queue.next:
            text = f"expected an acknowledgement below {self.queue.next}, found {frame.sequence}"
            raise FrameMalformed("frame-out-of-order", text)
        self._window = frame.window
        while self._in_flight and self._in_flight[0].sequence <= frame.sequence:
            self._on_the_way -= self._in_flight.popleft().size
        self._changed.set()
        if frame.sequence >= self.queue.oldest:
            await self.queue.acknowledge(frame.sequence)
            self.events.acknowledged()

    def _stream_opened(self, frame: wire.StreamOpened) -> None:
        """Have the dictionary fetched that the cloud names: it answers each OpenStream once, in their order."""
        stream = self._unanswered.popleft() if self._unanswered else None
        if stream is None or stream.number != frame.stream:
            raise FrameMalformed("frame-unexpected", f"expected no answer about the stream {frame.stream}")
        if frame.dictionary:
            obtaining = asyncio.create_task(self._obtain(stream, frame))
            self._obtaining.add(obtaining)
            obtaining.add_done_callback(self._obtaining.discard)

    async def _obtain(self, stream: _Stream, frame: wire.StreamOpened) -> None:
        stream.dictionary = await self.dictionaries.obtain(stream.task, frame.dictionary, frame.url)
