"""The connected devices of a gateway: what is sent to each, and which has what installed."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

from walle.gateway.checkin import RawCheckIn
from walle.gateway.tunnel.endings import Ending
from walle.gateway.tunnel.pace import Pace
from walle.protocol.headers import Profile
from walle.protocol.tunnel_frames import REPLACED, TOO_MUCH, Acknowledge, CloudFrame, write_frame

_REPLACED: Final = Ending(REPLACED, "replaced", "the device has connected anew")
_UNREAD: Final = Ending(TOO_MUCH, "unread", "the device does not read what it is sent")
_NONE: Final[deque[bytes]] = deque(maxlen=0)


class TunnelConnection:
    """One device's connection, made by the task that serves it; `headers` are those of a check-in as of now.

    What is sent waits in bounded memory until the device takes it; a device that takes too little is closed.
    """

    __slots__ = (
        "_acknowledged",
        "_queue",
        "_queued",
        "_send",
        "_task",
        "_unread",
        "_writer",
        "app",
        "device",
        "ending",
        "headers",
        "pace",
        "profile",
        "spool",
    )

    def __init__(
        self,
        app: str,
        device: str,
        headers: RawCheckIn,
        profile: Profile,
        pace: Pace,
        *,
        send: Callable[[dict[str, Any]], Awaitable[None]],
        unread: int,
    ) -> None:
        self.app, self.device, self.headers, self.profile, self.pace = app, device, headers, profile, pace
        self.spool = b""
        self.ending: Ending | None = None
        """How the connection is to end, once that is decided."""
        self._send, self._unread = send, unread
        self._task = asyncio.current_task()
        self._writer: asyncio.Task[None] | None = None
        self._queue = _NONE
        self._queued = 0
        self._acknowledged: Acknowledge | None = None

    def send(self, frame: CloudFrame) -> None:
        """Send a frame soon; frames arrive in order, except that of acknowledgements only the last one counts."""
        if self.ending is not None:
            return
        data = write_frame(frame)
        if self._queued + len(data) > self._unread:
            self.close(_UNREAD)
            return
        if self._queue is _NONE:
            self._queue = deque()
        self._queue.append(data)
        self._queued += len(data)
        self._start()

    def has_room(self, size: int) -> bool:
        """Return whether a frame with a body of this size can wait for the device, and others beside it."""
        return 2 * (self._queued + size) <= self._unread

    @property
    def is_idle(self) -> bool:
        """Whether the device has taken all that it was sent."""
        return self._writer is None

    def acknowledge(self, sequence: int, window: int) -> None:
        """Send that features are durable; takes the place of what was to be sent about earlier ones."""
        self._acknowledged = Acknowledge(sequence, window)
        self._start()

    def close(self, ending: Ending) -> None:
        """Have the connection closed by the task that serves it; only the first reason counts."""
        if self.ending is None:
            self.ending = ending
            if self._task is not None:
                self._task.cancel()

    async def finish(self, ending: Ending, close_s: float) -> None:
        """Send what is waiting, and the close frame; a device that does not take it within `close_s` gets neither."""
        self.ending = ending
        with contextlib.suppress(OSError):
            async with asyncio.timeout(close_s):
                if self._writer is not None:
                    await self._writer
                await self._send({"type": "websocket.close", "code": ending.code, "reason": ending.reason})

    def abandon(self) -> None:
        """The device is gone: nothing more is sent."""
        if self._writer is not None:
            self._writer.cancel()

    def _start(self) -> None:
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())

    async def _write(self) -> None:
        try:
            while self._queue or self._acknowledged:
                if self._queue:
                    data = self._queue.popleft()
                else:
                    data, self._acknowledged = write_frame(self._acknowledged), None  # type: ignore[arg-type]
                    self._queued += len(data)
                await self._send({"type": "websocket.send", "bytes": data})
                self._queued -= len(data)
            self._queue = _NONE
        except OSError:
            # The reading task learns the same.
            self._queue.clear()
        finally:
            self._writer = None


class Connections:
    """The connections by app and device, of which each has one, and by what they have installed."""

    def __init__(self) -> None:
        self._by_device: dict[tuple[str, str], TunnelConnection] = {}
        self._by_version: dict[tuple[str, bytes], dict[TunnelConnection, None]] = {}

    def __len__(self) -> int:
        return len(self._by_device)

    def __iter__(self) -> Iterator[TunnelConnection]:
        """Iterate over the connections of the moment."""
        return iter(list(self._by_device.values()))

    def of(self, app: str, device: str) -> TunnelConnection | None:
        return self._by_device.get((app, device))

    def with_installed(self, task: str, digest: bytes) -> Iterator[TunnelConnection]:
        """Iterate over the devices, of any app, that have the version with this short digest."""
        return iter(list(self._by_version.get((task, digest), ())))

    def add(self, connection: TunnelConnection) -> None:
        """Add a connection; it takes the place of an older one of the same device."""
        older = self._by_device.pop((connection.app, connection.device), None)
        if older is not None:
            self._forget_versions(older)
            older.close(_REPLACED)
        self._by_device[connection.app, connection.device] = connection
        self._learn_versions(connection)

    def change_profile(self, connection: TunnelConnection, headers: RawCheckIn, profile: Profile) -> None:
        """A device has other versions than before."""
        self._forget_versions(connection)
        connection.headers, connection.profile = headers, profile
        if self.of(connection.app, connection.device) is connection:
            self._learn_versions(connection)

    def remove(self, connection: TunnelConnection) -> None:
        """Remove a connection, unless another one has taken its place."""
        if self.of(connection.app, connection.device) is connection:
            del self._by_device[connection.app, connection.device]
            self._forget_versions(connection)

    def _learn_versions(self, connection: TunnelConnection) -> None:
        for version in connection.profile.items():
            self._by_version.setdefault(version, {})[connection] = None

    def _forget_versions(self, connection: TunnelConnection) -> None:
        for version in connection.profile.items():
            having = self._by_version.get(version, {})
            having.pop(connection, None)
            if not having:
                self._by_version.pop(version, None)
