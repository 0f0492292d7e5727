"""The tunnel's address as an ASGI application: who may connect, and how connections end.

A handshake is authenticated as a check-in is, by its headers and before anything that the device sends is read.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final

from walle.gateway.checkin import RawCheckIn, walle_headers
from walle.gateway.ports import DictionarySource, FeatureSink, GatewayState, VersionSource
from walle.gateway.problems import HttpProblem, problem_of, refuse_handshake, unavailable
from walle.gateway.tunnel.connections import Connections, TunnelConnection
from walle.gateway.tunnel.conversation import Conversation, Disconnected
from walle.gateway.tunnel.counts import TunnelCounts
from walle.gateway.tunnel.dictionaries import DictionaryCache
from walle.gateway.tunnel.endings import Ending, TunnelRefused, ending_of
from walle.gateway.tunnel.intake import FeatureIntake
from walle.gateway.tunnel.known_tasks import KnownTasks
from walle.gateway.tunnel.limits import TunnelLimits
from walle.gateway.tunnel.pace import CONNECTION, Pace, Paces
from walle.gateway.tunnel.room import Room
from walle.gateway.tunnel.versions import VersionNames
from walle.protocol.errors import FrameMalformed, ProtocolError
from walle.protocol.headers import read_profile
from walle.protocol.tunnel_frames import CREDENTIAL, GOING_AWAY, SUBPROTOCOL, Drain

if TYPE_CHECKING:
    from walle.gateway.application import Gateway

log = logging.getLogger(__name__)

TUNNEL: Final = "tunnel"
"""The name of this endpoint in the counts of refusals."""
STATE_KEY: Final = "walle.tunnels"
"""The key of the server's lifespan state under which walle.gateway.uvicorn_tunnels finds the endpoint."""
_FAILED: Final = Ending(1011, "internal-error", "the connection failed: connect again")
_GOING_AWAY: Final = Ending(GOING_AWAY, "draining", "the server stops: connect again")
_GONE: Final = 1000
_LEAVING_PER_S: Final = 1000
"""The number of devices that are to leave in a second, and to arrive elsewhere."""
_AT_ONCE: Final = 50
"""The number of connections that are gone through before the event loop gets its turn."""

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class TunnelEndpoint:
    """The tunnels of one gateway. Callbacks are called in the event loop's thread, and must not wait.

    `on_welcomed` are called with a connection whose spool is known, `on_received` with one and the number of the offers
    that its device has, `on_changed` with one whose device has other versions than before, `on_ended` with one that is
    no more; `background` run from start to stop.
    """

    def __init__(
        self,
        gateway: Gateway,
        sink: FeatureSink,
        dictionaries: DictionarySource | None = None,
        limits: TunnelLimits | None = None,
        versions: VersionSource | None = None,
    ) -> None:
        self.gateway, self.limits = gateway, limits or TunnelLimits()
        self.clock, self.jitter = gateway.clock, gateway.jitter
        self.counts = TunnelCounts()
        self.connections = Connections()
        self.intake = FeatureIntake(sink, self.limits, self.counts, gateway.counts.clock)
        self.dictionaries = DictionaryCache(dictionaries, self.limits.dictionary_s, gateway.counts.clock)
        self._tasks = KnownTasks()
        self.versions = VersionNames(versions, self.limits.version_s, gateway.counts.clock)
        self.parts = Room(self.limits.parts)
        self.paces = Paces(self.limits)
        self.on_welcomed: list[Callable[[TunnelConnection], None]] = []
        self.on_received: list[Callable[[TunnelConnection, int], None]] = []
        self.on_changed: list[Callable[[TunnelConnection], None]] = []
        self.on_ended: list[Callable[[TunnelConnection], None]] = []
        self.background: list[Callable[[], Coroutine[Any, Any, None]]] = [self.intake.run, self._check_for_ever]
        self._sink = sink
        self._changed = asyncio.Event()
        self._running: list[asyncio.Task[None]] = []
        self._draining: asyncio.Task[None] | None = None
        gateway.tables.watchers.append(self._look)

    async def start(self) -> None:
        self._running = [asyncio.create_task(work()) for work in self.background]

    async def stop(self) -> None:
        """Store what was received, as far as the sink can be reached, and end; nothing is acknowledged that is not."""
        try:
            async with asyncio.timeout(self.limits.close_s):
                await self.intake.settle()
        except TimeoutError:
            log.warning("%d features are not stored, they will come again", self.intake.waiting)
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._sink.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (await receive())["type"] != "websocket.connect":
            return
        try:
            connection = self._admit(scope, send)
        except (HttpProblem, ProtocolError) as error:
            problem = problem_of(error)
            self.gateway.counts.refusals[TUNNEL, problem.code] += 1
            await refuse_handshake(send, problem)
            return
        try:
            await send({"type": "websocket.accept", "subprotocol": SUBPROTOCOL})
        except OSError:
            return
        await self._serve(connection, receive)

    def drain(self) -> None:
        """Have all devices connect elsewhere, within seconds, and admit no more; called when the server stops."""
        if self._draining is None:
            self._draining = asyncio.create_task(self._drain())

    def has_task(self, app: str, task: str) -> bool:
        """Return whether an app's devices can have a task, as its table says; True where that is out of date."""
        state = self.gateway.tables.state
        found = state.apps.get(app) if state and self.gateway.tables.may_offer() else None
        return found is None or self._tasks.has(found.table, task)

    def welcomed(self, connection: TunnelConnection) -> None:
        for call in self.on_welcomed:
            call(connection)

    def received(self, connection: TunnelConnection, number: int) -> None:
        for call in self.on_received:
            call(connection, number)

    def changed(self, connection: TunnelConnection) -> None:
        for call in self.on_changed:
            call(connection)

    def _admit(self, scope: Scope, send: Send) -> TunnelConnection:
        """Return the connection of a device that may connect. Raises HttpProblem or a ProtocolError."""
        if self._draining is not None:
            raise unavailable("the server stops: connect again")
        # What a device puts off is said of one check-in, and would be stale on a connection that lasts.
        raw = walle_headers(scope["headers"])._replace(deferral=b"")
        state, device, _ = self.gateway.check_ins.identify(raw)
        if SUBPROTOCOL not in scope.get("subprotocols", ()):
            raise HttpProblem(400, "subprotocol-unknown", f"expected Sec-WebSocket-Protocol: {SUBPROTOCOL}")
        profile = read_profile(raw.profile)
        app = state.keyring.app
        if len(self.connections) >= self.limits.connections and self.connections.of(app, device.device) is None:
            raise unavailable(f"this gateway has {self.limits.connections} tunnels: connect again")
        pace = self._pace_of(app, device.device)
        return TunnelConnection(app, device.device, raw, profile, pace, send=send, unread=self.limits.unread)

    def _pace_of(self, app: str, device: str) -> Pace:
        """Return the budget of a device, for one more connection. Raises HttpProblem if it is used up."""
        now = asyncio.get_running_loop().time()
        older = self.connections.of(app, device)
        pace = older.pace if older else self.paces.of((app, device), now)
        if pace.wait(0, now):
            raise unavailable("this device has brought all that it may for now: connect again later")
        pace.wait(CONNECTION, now)
        return pace

    async def _serve(self, connection: TunnelConnection, receive: Receive) -> None:
        self.connections.add(connection)
        self.counts.opened += 1
        ending: Ending | None = _FAILED
        try:
            ending = await self._ending(connection, receive)
        finally:
            self.connections.remove(connection)
            self._keep_pace(connection)
            for call in self.on_ended:
                call(connection)
            self.counts.closes[ending.code if ending else _GONE] += 1
        if ending is None:
            connection.abandon()
        else:
            await connection.finish(ending, self.limits.close_s)

    def _keep_pace(self, connection: TunnelConnection) -> None:
        if self.connections.of(connection.app, connection.device) is None:
            now = asyncio.get_running_loop().time()
            self.paces.keep((connection.app, connection.device), connection.pace, now)

    async def _ending(self, connection: TunnelConnection, receive: Receive) -> Ending | None:
        """Serve a connection, and return how it is to end; None if the device has ended it."""
        try:
            await Conversation(connection, self, receive).run()
        except Disconnected:
            return None
        except FrameMalformed as error:
            return ending_of(error)
        except TunnelRefused as refused:
            return refused.ending
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if connection.ending is None or task is None or task.uncancel():
                raise
            return connection.ending
        except Exception:
            log.exception("a tunnel failed", extra={"app": connection.app, "device": connection.device})
            return _FAILED

    def _look(self, state: GatewayState) -> None:
        self._changed.set()

    async def _check_for_ever(self) -> None:
        """Close the connections of devices that may no longer connect: at once after a change, and every so often."""
        while True:
            try:
                async with asyncio.timeout(self.limits.check_s):
                    await self._changed.wait()
            except TimeoutError:
                pass
            self._changed.clear()
            for number, connection in enumerate(self.connections):
                if number % _AT_ONCE == 0:
                    await asyncio.sleep(0)
                self._check(connection.headers, connection)

    def _check(self, headers: RawCheckIn, connection: TunnelConnection) -> None:
        try:
            self.gateway.check_ins.identify(headers)
        except (HttpProblem, ProtocolError) as error:
            problem = problem_of(error)
            connection.close(Ending(CREDENTIAL, problem.code, problem.detail))

    async def _drain(self) -> None:
        within = min(self.limits.drain_s, 1 + len(self.connections) / _LEAVING_PER_S)
        log.info("%d tunnels are told to connect elsewhere", len(self.connections))
        for number, connection in enumerate(self.connections):
            if number % _AT_ONCE == 0:
                await asyncio.sleep(0)
            connection.send(Drain(int(within * 1000)))
        try:
            async with asyncio.timeout(within):
                while self.connections:
                    await asyncio.sleep(0.05)
        except TimeoutError:
            for connection in self.connections:
                connection.close(_GOING_AWAY)
