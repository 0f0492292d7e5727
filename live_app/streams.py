"""Streams: each topic as one audience sees it, with its subscriptions and its next events."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from live_app.client import LiveClient
from live_app.counts import COUNTS
from live_app.protocol import Position
from live_app.topics import Audience, Topic

NEVER: Final = float("-inf")
FULL: Final = 100
"""Number of events of a stream that are flushed at once, to limit the length of frames."""


@dataclass(eq=False)
class Stream:
    """The data of one audience of a topic: latest gauge, events waiting for the next flush, subscriptions.

    On the loop's clock, the next reading is `due`, and `fresh_at` is the time of the last reading, or when the first
    client subscribed.
    """

    topic: Topic
    audience: Audience
    due: float
    fresh_at: float
    read_at: float = NEVER
    value: str = ""
    batch: list[tuple[Position, str]] = field(default_factory=list)
    subscriptions: dict[LiveClient, "Subscription"] = field(default_factory=dict)


@dataclass(eq=False)
class Subscription:
    """A subscription of one client. Events up to `after` were sent; until it is `live`, missed ones are fetched.

    `visible` is what the client's user could see when the audience was determined.
    """

    client: LiveClient
    stream: Stream
    visible: Audience
    after: Position
    live: bool = False
    ended: bool = False

    def send_later_ones(self, batch: Iterable[tuple[Position, str]]) -> None:
        """Send the events that the client has not received yet, from this process or from one ahead of it."""
        for position, message in batch:
            if position > self.after:
                self.client.enqueue(self.stream.topic.name, message)


class Streams:
    """The streams of one process; a stream exists while it has subscriptions."""

    def __init__(self) -> None:
        self._by_topic: dict[str, dict[Audience, Stream]] = {}
        self._filled: set[Stream] = set()

    def __iter__(self) -> Iterator[Stream]:
        for streams in self._by_topic.values():
            yield from streams.values()

    def of(self, topic: str) -> Iterable[Stream]:
        """Return the streams of one topic, one per audience."""
        return self._by_topic.get(topic, {}).values()

    def put(self, stream: Stream, position: Position, message: str) -> None:
        """Add an event for all who are subscribed at the next `hand_over`."""
        stream.batch.append((position, message))
        self._filled.add(stream)
        if len(stream.batch) >= FULL:
            self.hand_over()

    def hand_over(self) -> None:
        """Send waiting events to all subscribers, serialized once for all."""
        filled, self._filled = self._filled, set()
        for stream in filled:
            batch, stream.batch = stream.batch, []
            text, first = "\n".join(message for _, message in batch), batch[0][0]
            for subscription in list(stream.subscriptions.values()):
                if not subscription.live:
                    continue
                if first > subscription.after:
                    subscription.client.enqueue(stream.topic.name, text, len(batch))
                else:
                    subscription.send_later_ones(batch)

    def stream(self, topic: Topic, audience: Audience, now: float) -> Stream:
        streams = self._by_topic.setdefault(topic.name, {})
        if audience not in streams:
            streams[audience] = Stream(topic, audience, due=now, fresh_at=now)
        return streams[audience]

    def enter(self, subscription: Subscription) -> None:
        client, stream = subscription.client, subscription.stream
        stream.subscriptions[client] = client.subscriptions[stream.topic.name] = subscription
        COUNTS.subscriptions[stream.topic.kind] += 1

    def leave(self, subscription: Subscription) -> None:
        stream, name, subscription.ended = subscription.stream, subscription.stream.topic.name, True
        del stream.subscriptions[subscription.client]
        del subscription.client.subscriptions[name]
        COUNTS.subscriptions[stream.topic.kind] -= 1
        if not stream.subscriptions:
            del self._by_topic[name][stream.audience]
            if not self._by_topic[name]:
                del self._by_topic[name]
