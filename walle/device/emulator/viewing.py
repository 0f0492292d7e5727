"""The users of emulated devices: they open the app now and then, and browse through an emulated shop."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from walle.device.service import DeviceService, Wake
from walle.stream.events import BehaviourEvent
from walle.stream.session_generator import shop_session

FIRST_S: Final = 30.0
"""Seconds within which a user first opens the app."""
PAUSE_S: Final = 60.0
"""Seconds from one session to the next, on average."""


class Track(Protocol):
    """Takes an event, as `walle.device.embedding` offers it to an app; returns whether it was taken."""

    def __call__(
        self,
        kind: str,
        page: str,
        *,
        id: str | None = None,
        contents: Mapping[str, Any] | None = None,
        private: Mapping[str, Any] | None = None,
        at: float | None = None,
    ) -> bool: ...


@dataclass(frozen=True)
class Browsing:
    """The share of devices whose users browse, and how many times faster than in reality they do."""

    share: float = 0.0
    lapse: float = 1.0


class Viewer(DeviceService):
    """A user: reports the events of generated sessions when they happen, one session after another.

    `clock` gives Unix seconds, `monotonic` seconds of a clock that nobody sets. A session that the end of the process
    cuts off is not continued by the next one, as in an app.
    """

    def __init__(
        self,
        track: Track,
        rng: random.Random,
        *,
        lapse: float,
        clock: Callable[[], float],
        monotonic: Callable[[], float],
    ) -> None:
        self.wake = Wake()
        self._track, self._rng, self._lapse = track, rng, lapse
        self._clock, self._monotonic = clock, monotonic
        self._coming: deque[tuple[float, BehaviourEvent]] = deque()
        self._plan(rng.uniform(0, FIRST_S))

    async def turn(self) -> float:
        """Report what has happened by now; return the seconds until the next event."""
        now = self._monotonic()
        while self._coming[0][0] <= now:
            _, event = self._coming.popleft()
            self._track(
                event.kind, event.page, id=event.id, contents=event.contents, private=event.private, at=event.at
            )
            if not self._coming:
                self._plan(self._rng.expovariate(1 / PAUSE_S))
        return self._coming[0][0] - now

    async def once(self) -> None:
        """Report what has happened by now."""
        await self.turn()

    def _plan(self, pause_s: float) -> None:
        """Have the next session begin in so many seconds of the user's time. What is reported late keeps its time."""
        begin, at = self._monotonic() + pause_s / self._lapse, self._clock() + pause_s / self._lapse
        reported = begin
        for event in shop_session(self._rng, 0.0):
            after = event.at / self._lapse
            reported = max(reported, begin + after)
            self._coming.append((reported, replace(event, at=at + after)))
