"""Who watches what: each topic as each audience sees it, who subscribed to that, and what they are told next."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from live_app.client import LiveClient
from live_app.counts import COUNTS
from live_app.protocol import Position
from live_app.topics import Audience, Topic

NEVER: Final = float("-inf")
FULL: Final = 100
"""So many events of a stream do not wait for the next flush: frames are not to become too long."""


@dataclass(eq=False)
class Stream:
    """What one audience of a topic gets: the latest gauge, events that wait for the next flush, and who subscribed.

    Of the loop's clock: when it is `due` again, and how things were at `fresh_at`, or nobody watched yet.
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
    """Of one client. Events up to `after` were told already; until it is `live`, the rest is being fetched.

    `sight` is what the client's user could see when the audience was found out.
    """

    client: LiveClient
    stream: Stream
    sight: Audience
    after: Position
    live: bool = False
    ended: bool = False

    def tell_later_ones(self, batch: Iterable[tuple[Position, str]]) -> None:
        """Those that the client was not told already, by this process or by one that was ahead of it."""
        for position, message in batch:
            if position > self.after:
                self.client.tell(self.stream.topic.name, message)


class Streams:
    """All that is watched in one process: a stream is there as long as anybody subscribes to it."""

    def __init__(self) -> None:
        self._by_topic: dict[str, dict[Audience, Stream]] = {}
        self._filled: set[Stream] = set()

    def __iter__(self) -> Iterator[Stream]:
        for streams in self._by_topic.values():
            yield from streams.values()

    def of(self, topic: str) -> Iterable[Stream]:
        """Those of one topic, one for each audience."""
        return self._by_topic.get(topic, {}).values()

    def put(self, stream: Stream, position: Position, message: str) -> None:
        """An event for all who are subscribed by the next `hand_over`."""
        stream.batch.append((position, message))
        self._filled.add(stream)
        if len(stream.batch) >= FULL:
            self.hand_over()

    def hand_over(self) -> None:
        """What waits goes to whoever is subscribed: turned into one text for all, not event by event for each."""
        filled, self._filled = self._filled, set()
        for stream in filled:
            batch, stream.batch = stream.batch, []
            text, first = "\n".join(message for _, message in batch), batch[0][0]
            for subscription in list(stream.subscriptions.values()):
                if not subscription.live:
                    continue
                if first > subscription.after:
                    subscription.client.tell(stream.topic.name, text, len(batch))
                else:
                    subscription.tell_later_ones(batch)

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
