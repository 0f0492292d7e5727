"""What a worker, or the sources, send to one worker behind: in order, in batches, over a shaped link."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from walle.placement.processor.envelopes import Parcel
from walle.placement.processor.network import LinkShape, TokenBucket, Traffic

MAX_PARCELS: Final = 64
"""As many are sent together, at most."""


class WorkerLost(Exception):
    """A worker does not answer any more: its process, or its machine, is gone."""


class Peer(Protocol):
    """The way to a worker."""

    def deliver(self, parcels: Sequence[Parcel], watermark: int, abandoned: Callable[[], bool]) -> None:
        """Put parcels into its queue; return once they are there. Raises WorkerLost.

        Returns also, whether or not they are, as soon as `abandoned` says that nobody waits for this any more.
        """
        ...


class Outbox:
    """A thread that delivers to one worker, with one delivery on its way at a time: what comes meanwhile goes together.

    What cannot be delivered is given up. The sources send it again once the worker is there again (`reconnect`).
    """

    def __init__(
        self,
        receiver: str,
        peer: Peer,
        shape: LinkShape,
        buckets: Sequence[TokenBucket],
        traffic: Traffic,
        *,
        watermark: Callable[[], int],
        clock: Callable[[], float],
        wait: Callable[[threading.Event, float], object] = threading.Event.wait,
    ) -> None:
        self.receiver, self.peer, self.shape = receiver, peer, shape
        self._buckets = [*buckets, *([TokenBucket(shape.mbps, clock())] if shape.mbps else [])]
        self._traffic, self._watermark, self._clock, self._wait = traffic, watermark, clock, wait
        self._waiting: deque[tuple[float, int, Parcel]] = deque()
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._send, name=f"to {receiver}", daemon=True)
        self._thread.start()

    def put(self, parcel: Parcel, size: int) -> None:
        """Take a parcel of some bytes to send."""
        with self._changed:
            self._waiting.append((self._clock() + self.shape.delay_s, size, parcel))
            self._changed.notify()

    def reconnect(self, peer: Peer) -> None:
        """Send to another process of the worker from now on, and nothing of what waited for the one before."""
        with self._changed:
            self.peer = peer
            self._waiting.clear()

    def close(self) -> None:
        """Send nothing more."""
        self._stopped.set()
        with self._changed:
            self._changed.notify()

    def _send(self) -> None:
        while batch := self._next():
            peer, size = self.peer, sum(each for _, each, _ in batch)
            now = self._clock()
            due = max(batch[0][0] - now, 0.0) + max((each.take(size, now) for each in self._buckets), default=0.0)
            if due:
                self._wait(self._stopped, due)
            self._traffic.count(self.receiver, size)
            try:
                peer.deliver(
                    [parcel for _, _, parcel in batch],
                    self._watermark(),
                    lambda peer=peer: peer is not self.peer or self._stopped.is_set(),  # type: ignore[misc]
                )
            except WorkerLost:
                self._wait(self._stopped, 0.05)

    def _next(self) -> list[tuple[float, int, Parcel]]:
        """Wait for parcels; return those that may go together, none at the end."""
        with self._changed:
            while not self._waiting and not self._stopped.is_set():
                self._changed.wait()
            if self._stopped.is_set():
                return []
            latest = max(self._waiting[0][0], self._clock())
            batch = [self._waiting.popleft()]
            while self._waiting and len(batch) < MAX_PARCELS and self._waiting[0][0] <= latest:
                batch.append(self._waiting.popleft())
            return batch
