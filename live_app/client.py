"""One open socket: its user, its subscriptions, and its queue of messages."""

import asyncio
import types
from collections.abc import Callable, Coroutine, Generator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import structlog
from django.contrib.auth.models import User

from live_app import protocol
from live_app.counts import COUNTS
from live_app.outbox import MessageQueue
from live_app.protocol import LOG_IN, TOO_SLOW, SubscriptionRefused
from live_app.sessions import Rights

if TYPE_CHECKING:
    from live_app.streams import Subscription

log = structlog.get_logger(__name__)
CLOSING_S: Final = 5.0
STUCK_S: Final = 30.0
"""Seconds without accepting a frame after which a client is dropped; otherwise suspended pages would accumulate."""

Send = Callable[[dict[str, Any]], Coroutine[Any, Any, None]]


class LiveClient:
    """One socket.

    `rights` are None until they were first read; `sent_at` is when the last frame was sent, on the loop's clock;
    `is_stale` says that the last heartbeat reported old data; `over` is done when nothing more can be sent.

    `waits` is called when there is something to send; `flush` sends it. No task waits for each client: with hundreds,
    waking them would cost several times what sending does.
    """

    def __init__(self, user: User, session_key: str, send: Send, waits: "Callable[[LiveClient], None]") -> None:
        self.user, self.session_key = user, session_key
        self.rights: Rights | None = None
        self.outbox = MessageQueue()
        self._waits = waits
        self.subscriptions: dict[str, Subscription] = {}
        self.sent_at, self.is_stale = 0.0, False
        self._loop = asyncio.get_running_loop()
        self.over: asyncio.Future[None] = self._loop.create_future()
        self._send = send
        self._sending: asyncio.Task[None] | None = None
        self._closing: int | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def enqueue(self, topic: str, message: str, messages: int = 1) -> None:
        """Queue an event, an answer, or several events as separate lines."""
        if self._closing is not None:
            return
        self.outbox.put(topic, message, messages)
        self._waits(self)
        if self.outbox.overflown:
            self.close(TOO_SLOW)

    def show(self, topic: str, message: str) -> None:
        """Queue a gauge or a heartbeat; only the latest is sent."""
        if self._closing is None:
            self.outbox.put_gauge(topic, message)
            self._waits(self)

    def refuse(self, error: SubscriptionRefused, topic: str = "") -> None:
        COUNTS.refused += 1
        self.enqueue(topic, protocol.refused(error, topic or None))

    def close(self, code: int) -> None:
        """Close the socket after this; a client that does not accept the close frame is cut off."""
        if self._closing is None:
            self._closing = code
            self.outbox.clear()
            self._loop.call_later(CLOSING_S, self._finish)
            self.flush()

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a task for this client, which is cancelled with it."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def end(self) -> None:
        """Clean up after the socket was closed."""
        for task in [*self._tasks, *filter(None, [self._sending])]:
            task.cancel()
        self._finish()
        why = {None: "left", LOG_IN: "log-in", TOO_SLOW: "too-slow"}
        COUNTS.closed[why.get(self._closing, "other")] += 1

    def flush(self) -> None:
        """Send waiting messages, unless a frame is still being sent: then sending continues afterwards."""
        if self._sending is not None or self.over.done():
            return
        if self._closing is not None:
            self._put_on_the_way({"type": "websocket.close", "code": self._closing})
            if self._sending is None:
                self._finish()
        elif frame := self.outbox.take():
            self.sent_at = self._loop.time()
            COUNTS.frames += 1
            self._put_on_the_way({"type": "websocket.send", "text": frame})

    def _put_on_the_way(self, message: dict[str, Any]) -> None:
        """Send a frame. The server nearly always accepts it at once; only a slow client gets a task that waits."""
        sending = self._send(message)
        try:
            waiting = sending.send(None)
        except StopIteration:
            return
        except Exception as error:
            # Servers raise either where they have closed the socket by themselves.
            if not isinstance(error, OSError | RuntimeError):
                log.exception("live channel cannot send")
            self._finish()
            return
        self._sending = self._loop.create_task(_rest(sending, waiting))
        self._sending.add_done_callback(self._sent)
        self._loop.call_later(STUCK_S, self._drop_if_stuck, self._sending)

    def _drop_if_stuck(self, sending: asyncio.Task[None]) -> None:
        if self._sending is sending:
            self.close(TOO_SLOW)

    def _sent(self, task: asyncio.Task[None]) -> None:
        self._sending = None
        if task.cancelled() or task.exception() is not None:
            self._finish()
        elif self._closing is not None or self.outbox.waiting:
            self._waits(self)

    def _finish(self) -> None:
        if not self.over.done():
            self.over.set_result(None)


async def _rest(started: Coroutine[Any, Any, None], waiting: Any) -> None:
    """Continue a coroutine that was started and waits."""
    await _resumed(started, waiting)


@types.coroutine
def _resumed(started: Coroutine[Any, Any, None], waiting: Any) -> Generator[Any, Any, None]:
    while True:
        try:
            yield waiting
        except BaseException as error:
            step = partial(started.throw, error)
        else:
            step = partial(started.send, None)
        try:
            waiting = step()
        except StopIteration:
            return
