"""Users of emulated devices: they report generated sessions when they happen, one after another."""

import asyncio
import random
from typing import Any

from walle.device.emulator.viewing import FIRST_S, Viewer

BEGIN = 1_700_000_000.0


class Hand:
    """A clock that is moved by hand, and what a viewer reports meanwhile, each with the time of its reporting."""

    def __init__(self, lapse: float = 1.0) -> None:
        self.now = 0.0
        self.events: list[tuple[float, dict[str, Any]]] = []
        self.viewer = Viewer(
            self.track,
            random.Random(3),
            lapse=lapse,
            clock=lambda: BEGIN + self.now,
            monotonic=lambda: 500.0 + self.now,
        )

    def track(self, kind: str, page: str, **more: Any) -> bool:
        self.events.append((self.now, {"kind": kind, "page": page, **more}))
        return True

    def live(self, seconds: float) -> None:
        """Give the viewer the turns that it asks for, up to this time."""
        while True:
            wait = asyncio.run(self.viewer.turn())
            if self.now + wait > seconds:
                return
            self.now += wait


def test_events_are_reported_when_they_happen_and_exposures_sometimes_late():
    hand = Hand()
    hand.live(3600)
    lags = [(round(when - (event["at"] - BEGIN), 3), event["kind"]) for when, event in hand.events]
    assert len(lags) > 500
    assert all(lag >= 0 for lag, _ in lags)
    assert {kind for lag, kind in lags if lag > 0.01} == {"exposure"}


def test_the_first_session_begins_soon_and_others_follow():
    hand = Hand()
    hand.live(3600)
    assert hand.events[0][0] <= FIRST_S + 30
    sessions = {event["contents"]["app"]["session"] for _, event in hand.events}
    assert len(sessions) > 5


def test_a_lapse_is_so_many_times_faster():
    real, fast = Hand(), Hand(lapse=10)
    real.live(1000)
    fast.live(100)
    assert len(real.events) > 100
    assert [event["id"] for _, event in fast.events][: len(real.events)] == [event["id"] for _, event in real.events]
    assert abs(real.events[99][0] - 10 * fast.events[99][0]) < 0.1


def test_the_same_seed_makes_the_same_user():
    one, other = Hand(), Hand()
    one.live(600)
    other.live(600)
    assert one.events == other.events


def test_what_was_searched_for_is_reported_as_private():
    hand = Hand()
    hand.live(3600)
    assert any(event["private"] for _, event in hand.events)
