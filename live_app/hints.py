"""Hints between processes that something has changed, through Django Channels' layer.

A hint only saves waiting: processes without hints poll each second. So nobody waits for the layer, and its failures are
harmless: it runs in a thread with its own event loop, which merges hints that arrive together.
"""

import asyncio
import os
import threading
from collections.abc import Callable
from typing import Any, Final

import structlog
from channels.layers import channel_layers

GROUP: Final = "walle.live"
AUDIT: Final = "audit"
"""The hint that something was written to the audit log."""
SESSIONS: Final = "sessions"
"""The hint that a session has ended."""

RENEW_S: Final = 60.0
"""Seconds between renewals of the group membership, which expires (walleweb.databases)."""
QUIET_S: Final = 5.0
"""Seconds of silence after which the listener sends a hint to all, itself included; it reconnects if none arrives."""
_APART_S: Final = 0.02
_SEND_S: Final = 5.0
_AGAIN_S: Final = 1.0

log = structlog.get_logger(__name__)
Listener = Callable[[str], None]


class LayerSilent(Exception):
    """The layer does not deliver messages."""


class Hints:
    """The hints of one process. `send` and `listen` may be called from any thread."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Reset the state after a fork, which does not inherit threads."""
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pending: set[str] = set()
        self._listeners: list[Listener] = []
        self._failing: set[str] = set()

    def send(self, hint: str) -> None:
        """Send a hint to all listening processes; delivery is not guaranteed."""
        self._call(lambda: self._note(hint))

    def listen(self, listener: Listener) -> None:
        """Call `listener`, in another thread, with every hint from now on."""
        self._call(lambda: self._begin_listening(listener))

    def _call(self, work: Callable[[], None]) -> None:
        with self._lock:
            if self._loop is None:
                self._loop = self._started()
        self._loop.call_soon_threadsafe(work)

    def _started(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.new_event_loop()
        threading.Thread(target=self._run, args=[loop], name="walle-hints", daemon=True).start()
        return loop

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        self._ready = asyncio.Event()
        self._made: Any = None
        self._listening: asyncio.Task[None] | None = None
        self._sending = loop.create_task(self._send_for_ever())
        loop.run_forever()

    @property
    def _layer(self) -> Any:
        """Return the layer that sender and listener share, until it fails."""
        if self._made is None:
            self._made = channel_layers.make_backend("default")
        return self._made

    def _note(self, hint: str) -> None:
        self._pending.add(hint)
        self._ready.set()
        for listener in self._listeners:
            listener(hint)

    def _begin_listening(self, listener: Listener) -> None:
        self._listeners.append(listener)
        if self._listening is None:
            self._listening = asyncio.get_running_loop().create_task(self._listen_for_ever())

    async def _send_for_ever(self) -> None:
        while True:
            await self._ready.wait()
            self._ready.clear()
            hints, self._pending = sorted(self._pending), set()
            try:
                await asyncio.wait_for(self._layer.group_send(GROUP, {"type": "live.hint", "what": hints}), _SEND_S)
                self._works("sent")
            except Exception as error:
                self._fails("sent", error)
            await asyncio.sleep(_APART_S)

    async def _listen_for_ever(self) -> None:
        while True:
            try:
                await self._listen()
            except Exception as error:
                self._fails("heard", error)
                self._made = None
                await asyncio.sleep(_AGAIN_S)

    async def _listen(self) -> None:
        loop, layer = asyncio.get_running_loop(), self._layer
        channel, renewed, probed = await layer.new_channel("walle"), float("-inf"), False
        while True:
            if loop.time() >= renewed + RENEW_S:
                await asyncio.wait_for(layer.group_add(GROUP, channel), _SEND_S)
                renewed = loop.time()
            try:
                message = await asyncio.wait_for(layer.receive(channel), QUIET_S)
            except TimeoutError:
                if probed:
                    raise LayerSilent from None
                probed = True
                await asyncio.wait_for(layer.group_send(GROUP, {"type": "live.hint", "what": []}), _SEND_S)
                continue
            probed = False
            self._works("heard")
            self._receive(message)

    def _receive(self, message: dict[str, Any]) -> None:
        for hint in message.get("what", ()):
            for listener in self._listeners:
                listener(hint)

    def _works(self, direction: str) -> None:
        self._failing.discard(direction)

    def _fails(self, what: str, error: Exception) -> None:
        """Log a failure once, until the layer works again."""
        if what not in self._failing:
            self._failing.add(what)
            log.warning(f"no hints are {what}, polling for changes each second instead", error=repr(error))


HINTS: Final = Hints()
os.register_at_fork(after_in_child=HINTS.forget)
