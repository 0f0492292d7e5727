"""Reads the frames of one connection in order: the streams that it opens, and the features that it brings."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, NoReturn, Protocol

from walle.gateway.ports import PortUnavailable, ReceivedFeature
from walle.gateway.tunnel.connections import Connections, TunnelConnection
from walle.gateway.tunnel.dictionaries import DictionaryCache
from walle.gateway.tunnel.endings import Ending, TunnelRefused
from walle.gateway.tunnel.intake import FeatureIntake, SpoolIntake
from walle.gateway.tunnel.limits import TunnelLimits
from walle.gateway.tunnel.pace import FRAME, PROFILE, STRANGE_TASK, cost_of
from walle.gateway.tunnel.room import Room
from walle.gateway.tunnel.versions import VersionNames
from walle.protocol.compression import Dictionary, decompress
from walle.protocol.errors import FrameMalformed, HeaderMalformed
from walle.protocol.headers import read_profile
from walle.protocol.tunnel_frames import (
    MALFORMED,
    TOO_MUCH,
    DeviceFrame,
    Feature,
    Hello,
    Joiner,
    OpenStream,
    Part,
    Profile,
    Received,
    Skip,
    StreamOpened,
    Welcome,
    read_device_frame,
)
from walle.protocol.tunnel_messages import MAX_VALUES, read_values

_TOO_MUCH: Final = Ending(TOO_MUCH, "window-exceeded", "expected no more than the window unacknowledged")
_NO_HELLO: Final = Ending(MALFORMED, "hello-late", "expected Hello as the first frame, and soon")
_PART_LATE: Final = Ending(MALFORMED, "part-late", "expected the other parts of the feature sooner")

Message = dict[str, Any]


class Disconnected(Exception):
    """The device has ended the connection, or lost it."""


class TunnelStream(NamedTuple):
    """What the number of a stream stands for; `dictionary` is the one that ZSTD_DICTIONARY means."""

    task: str
    manifest: bytes
    dictionary: Dictionary | None


class Surroundings(Protocol):
    """What all conversations of a gateway share; `has_task` returns whether an app's devices can have a task."""

    limits: TunnelLimits
    intake: FeatureIntake
    connections: Connections
    dictionaries: DictionaryCache
    versions: VersionNames
    parts: Room
    clock: Callable[[], float]
    jitter: Callable[[], float]

    def has_task(self, app: str, task: str) -> bool: ...

    def welcomed(self, connection: TunnelConnection) -> None: ...

    def received(self, connection: TunnelConnection, number: int) -> None: ...

    def changed(self, connection: TunnelConnection) -> None: ...


class Conversation:
    """One connection's frames. `run` ends with an exception: Disconnected, TunnelRefused or FrameMalformed."""

    def __init__(
        self, connection: TunnelConnection, around: Surroundings, receive: Callable[[], Awaitable[Message]]
    ) -> None:
        self._connection, self._around, self._receive = connection, around, receive
        self._streams: dict[int, TunnelStream] = {}
        self._spool: SpoolIntake | None = None
        self._joiner: Joiner | None = None
        self._joined = self._held = 0
        self._part_until = 0.0
        self._ahead: bytes | None = None
        """A message that came while the device had to wait."""

    async def run(self) -> NoReturn:
        try:
            spool = await self._begin()
            while True:
                data = await (self._next_part() if self._joiner else self._message())
                await self._keep_pace()
                await self._handle(spool, data)
        finally:
            self._forget_parts()
            if self._spool is not None:
                self._around.intake.close(self._spool, self._connection.acknowledge)

    async def _begin(self) -> SpoolIntake:
        """Welcome the device, and return the intake of the spool that it names."""
        try:
            async with asyncio.timeout(self._around.limits.hello_s):
                hello = read_device_frame(await self._message())
        except TimeoutError:
            raise TunnelRefused(_NO_HELLO) from None
        if not isinstance(hello, Hello):
            raise TunnelRefused(_NO_HELLO)
        connection = self._connection
        spool = self._spool = await self._open(hello)
        connection.spool = hello.spool
        connection.send(Welcome(spool.acknowledged, spool.window))
        self._around.welcomed(connection)
        return spool

    async def _open(self, hello: Hello) -> SpoolIntake:
        """Open the spool as soon as the sink can be reached; until then, nothing that the device sends is read."""
        connection, limits = self._connection, self._around.limits
        key, wait = (connection.app, connection.device, hello.spool), limits.retry_s
        while True:
            try:
                return await self._around.intake.open(key, hello.next, connection.acknowledge)
            except PortUnavailable:
                await asyncio.sleep(wait * (0.5 + self._around.jitter()))
                wait = min(2 * wait, limits.retry_most_s)

    async def _keep_pace(self) -> None:
        """Return once the device's budget allows to go on; only its end is noticed meanwhile. Raises Disconnected."""
        now = asyncio.get_running_loop().time()
        wait = self._connection.pace.wait(0, now)
        if wait:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(now + wait):
                    self._ahead = await self._message()
                    await asyncio.sleep(wait)

    def _pay(self, size: int) -> None:
        self._connection.pace.wait(size, asyncio.get_running_loop().time())

    async def _message(self) -> bytes:
        if self._ahead is not None:
            ahead, self._ahead = self._ahead, None
            return ahead
        try:
            message = await self._receive()
        except OSError as error:
            raise Disconnected from error
        if message["type"] == "websocket.disconnect":
            raise Disconnected
        data = message.get("bytes")
        if data is None:
            raise FrameMalformed("frame-malformed", "expected binary messages, found text")
        return data  # type: ignore[no-any-return]

    async def _next_part(self) -> bytes:
        try:
            async with asyncio.timeout_at(self._part_until):
                return await self._message()
        except TimeoutError:
            raise TunnelRefused(_PART_LATE) from None

    async def _handle(self, spool: SpoolIntake, data: bytes) -> None:
        frame = read_device_frame(data)
        self._pay(FRAME + len(data))
        if isinstance(frame, Feature):
            await self._feature(spool, frame, len(data))
        elif isinstance(frame, Part):
            await self._part(spool, frame, len(data))
        else:
            await self._other(spool, frame)

    async def _other(self, spool: SpoolIntake, frame: DeviceFrame) -> None:
        match frame:
            case OpenStream():
                await self._open_stream(frame)
            case Skip():
                spool.order.skip(frame.to)
                self._forget_parts()
            case Profile():
                self._change_profile(frame)
            case Received():
                self._around.received(self._connection, frame.number)
            case _:
                raise FrameMalformed("frame-unexpected", f"expected no {type(frame).__name__} here")

    async def _open_stream(self, frame: OpenStream) -> None:
        app, known = self._connection.app, None
        if self._around.has_task(app, frame.task):
            known = await self._around.dictionaries.find(app, frame.task)
        else:
            self._pay(STRANGE_TASK)
        dictionary, url = known or (None, "")
        self._streams[frame.stream] = TunnelStream(frame.task, frame.manifest, dictionary)
        digest = dictionary.digest if dictionary else b""
        self._connection.send(StreamOpened(frame.stream, digest, "" if digest == frame.dictionary else url))

    def _change_profile(self, frame: Profile) -> None:
        self._pay(PROFILE)
        headers = self._connection.headers._replace(profile=frame.value)
        try:
            profile = read_profile(frame.value)
        except HeaderMalformed as error:
            raise FrameMalformed("frame-malformed", str(error)) from error
        self._around.connections.change_profile(self._connection, headers, profile)
        self._around.changed(self._connection)

    async def _part(self, spool: SpoolIntake, part: Part, wire: int) -> None:
        if not spool.order.is_new(part.sequence):
            if part.offset + len(part.data) == part.total:
                self._around.intake.repeat(spool)
            return
        joiner = self._joiner or await self._begin_parts()
        self._part_until = asyncio.get_running_loop().time() + self._around.limits.part_s
        feature = joiner.add(part)
        self._joined += wire
        self._around.parts.take(len(part.data))
        self._held += len(part.data)
        if feature is not None:
            wire = self._joined
            self._forget_parts()
            await self._feature(spool, feature, wire)

    async def _begin_parts(self) -> Joiner:
        await self._around.parts.wait()
        self._joiner = Joiner()
        return self._joiner

    def _forget_parts(self) -> None:
        if self._joiner is not None:
            self._around.parts.give(self._held)
            self._joiner = None
            self._joined = self._held = 0

    async def _feature(self, spool: SpoolIntake, frame: Feature, wire: int) -> None:
        intake = self._around.intake
        if not spool.order.is_new(frame.sequence):
            intake.repeat(spool)
            return
        if self._joiner is not None:
            raise FrameMalformed("frame-out-of-order", "expected the other parts of the feature in progress")
        if spool.wire > self._around.limits.unacknowledged:
            raise TunnelRefused(_TOO_MUCH)
        stream = self._streams.get(frame.stream)
        if stream is None:
            raise FrameMalformed("stream-unknown", f"expected OpenStream {frame.stream} before its features")
        await intake.has_room(spool)
        version = await self._around.versions.find(self._connection.app, stream.task, stream.manifest)
        feature = self._read(frame, stream, version, wire)
        intake.submit(spool, feature)

    def _read(self, frame: Feature, stream: TunnelStream, version: str, wire: int) -> ReceivedFeature:
        values = decompress(frame.encoding, frame.body, stream.dictionary, MAX_VALUES)
        self._pay(cost_of(values))
        read_values(values)
        connection, now = self._connection, self._around.clock()
        return ReceivedFeature(
            app=connection.app,
            device=connection.device,
            spool=connection.spool,
            sequence=frame.sequence,
            task=stream.task,
            version=version,
            manifest=stream.manifest.hex(),
            at=frame.at_ms / 1000,
            tracked_at=frame.tracked_ms / 1000,
            received_at=now,
            values=values,
            raw_bytes=len(values),
            wire_bytes=wire,
            answer_by=now + frame.answer_ms / 1000 if frame.answer_ms else None,
        )
