"""The events of many users of a shop as a cloud gets them: in uploads, over a network, some of them late."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from benchmarks.support.ipv.shop import Feature, feature_of
from walle.stream.event_log import EventLog
from walle.stream.events import BehaviourEvent
from walle.stream.processor import StreamProcessor
from walle.stream.session_generator import shop_session
from walle.stream.stream_task import StreamTask

UPLOAD_S: Final = 1.0
"""A phone uploads what it has this often."""
NETWORK_S: Final = 0.2
"""How long an upload takes on average; an exponential distribution."""
LATE: Final = 0.01
"""The share of uploads that come after the watermark: by up to as much again."""

View = tuple[int, str]
"""A user and a page."""


@dataclass(frozen=True)
class Arrival:
    """An event that reaches the cloud `when` seconds after the beginning; `at` is relative to that as well."""

    when: float
    user: int
    event: BehaviourEvent


class Traffic:
    """Users who come at any time within `seconds`; what happens after that is cut off.

    `stretch` multiplies all times between a user's events: below 1 for a short trial. `watermark_s` is how long the
    cloud waits for what is late.
    """

    def __init__(self, *, seed: int, users: int, seconds: float, stretch: float, watermark_s: float) -> None:
        rng = random.Random(f"traffic:{seed}")
        self.seconds, self.watermark_s = seconds, watermark_s
        self.sessions: list[list[BehaviourEvent]] = []
        for _ in range(users):
            begin = rng.uniform(-100 * stretch, seconds)
            events = shop_session(rng, 0.0)
            moved = (replace(event, at=round(begin + event.at * stretch, 3)) for event in events)
            self.sessions.append([event for event in moved if 0 <= event.at < seconds])
        self.arrivals = sorted(self._arrive(rng), key=lambda arrival: arrival.when)

    def _arrive(self, rng: random.Random) -> Iterator[Arrival]:
        for user, events in enumerate(self.sessions):
            upload_at, arrives = -1.0, 0.0
            reported = 0.0
            for event in events:
                reported = max(reported, event.at)
                if reported > upload_at:
                    upload_at = (reported // UPLOAD_S + 1) * UPLOAD_S
                    arrives = upload_at + self._network(rng)
                yield Arrival(arrives, user, event)

    def _network(self, rng: random.Random) -> float:
        if rng.random() < LATE:
            return self.watermark_s * (1 + rng.random())
        return min(rng.expovariate(1 / NETWORK_S), self.watermark_s / 2)

    def lines(self, begin: float) -> Iterator[tuple[float, bytes]]:
        """Yield when each event arrives and its line for a cloud, with times that count from `begin` (Unix seconds)."""
        for arrival in self.arrivals:
            event = replace(arrival.event, at=begin + arrival.event.at).to_dict()
            yield begin + arrival.when, json.dumps({"user": arrival.user, "event": event}).encode() + b"\n"

    def truth(self, begin: float) -> dict[View, Feature]:
        """The feature of every view that was entered and left, from all of its events."""
        return {
            (user, page): feature_of(events)
            for user, session in enumerate(self.sessions)
            for page, events in _views(session, begin).items()
        }

    def on_devices(self, task: StreamTask, begin: float) -> dict[View, Feature]:
        """The feature that each user's own device makes of every view, by the engine of devices."""
        found = {}
        for user, session in enumerate(self.sessions):
            processor = StreamProcessor(EventLog())
            processor.set_tasks({task.name: task})
            for event in session:
                for firing in processor.process(replace(event, at=begin + event.at)):
                    found[user, firing.trigger.page] = feature_of(firing.inputs()["events"])
        return found


def _views(session: Sequence[BehaviourEvent], begin: float) -> dict[str, list[dict[str, Any]]]:
    pages: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for event in session:
        pages[event.page].append(replace(event, at=begin + event.at).to_dict())
    return {
        page: events
        for page, events in pages.items()
        if {"item_enter", "item_exit"} <= {event["id"] for event in events}
    }
