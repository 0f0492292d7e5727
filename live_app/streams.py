"""Who watches what: each topic as each audience sees it, and who subscribed to that."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from live_app.client import Client
from live_app.counts import COUNTS
from live_app.protocol import Position
from live_app.topics import Sight, Topic

NEVER: Final = float("-inf")


@dataclass(eq=False)
class Stream:
    """What one audience of a topic gets: the latest gauge, and who subscribed.

    Of the loop's clock: when it is `due` again, and how things were at `fresh_at`, or nobody watched yet.
    """

    topic: Topic
    audience: Sight
    due: float
    fresh_at: float
    read_at: float = NEVER
    value: str = ""
    subscriptions: dict[Client, "Subscription"] = field(default_factory=dict)


@dataclass(eq=False)
class Subscription:
    """Of one client. Events up to `after` were told already; until it is `live`, the rest is being fetched.

    `sight` is what the client's user could see when the audience was found out.
    """

    client: Client
    stream: Stream
    sight: Sight
    after: Position
    live: bool = False
    ended: bool = False


class Streams:
    """All that is watched in one process: a stream is there as long as anybody subscribes to it."""

    def __init__(self) -> None:
        self._by_topic: dict[str, dict[Sight, Stream]] = {}

    def __iter__(self) -> Iterator[Stream]:
        for streams in self._by_topic.values():
            yield from streams.values()

    def of(self, topic: str) -> Iterable[Stream]:
        """Those of one topic, one for each audience."""
        return self._by_topic.get(topic, {}).values()

    def stream(self, topic: Topic, audience: Sight, now: float) -> Stream:
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
