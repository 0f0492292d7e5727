"""Reads the database once for all clients of this process, and hands each what it may see.

Three loops, which run while there is any client: new entries of the audit log, which become events; gauges, one reading
for each topic and audience; and whether people are still signed in and may still see what they watch. All that clients
share is read, and turned into text, once.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import structlog
from django.contrib.auth.models import User
from rest_framework.renderers import JSONRenderer

from accounts_app.actors import Actor
from accounts_app.patience import patience
from accounts_app.selectors import rights_of
from accounts_app.threads import DatabaseThread
from live_app import feed, protocol
from live_app.client import Client
from live_app.counts import COUNTS
from live_app.hints import AUDIT, HINTS
from live_app.protocol import Cursor, Position, Refused
from live_app.sessions import present, sight_of
from live_app.topics import Event, Sight, Topic, topic_named

POLL_S: Final = 1.0
"""How often is looked whether something has changed, should no hint come."""
SETTLE_S: Final = 0.01
"""So soon is looked again for entries that wait for an older transaction; then twice as late each time."""
SETTLE_MOST_S: Final = 0.25
APART_S: Final = 0.5
"""A gauge is read no more often than this."""
SHARE: Final = 3
"""Gauges are read a quarter of the time at most: after a reading it rests for three times as long."""
FLUSH_APART_S: Final = 0.1
RECHECK_S: Final = 10.0
HEARTBEAT_S: Final = 5.0
OLD_S: Final = 10.0
"""A gauge that could not be read for so long is old, and whoever is shown it is told so."""
QUERY_S: Final = 5.0
"""A query that takes longer is given up: others wait for the same thread."""
MOST_SOCKETS: Final = 100
"""Of one person in this process: what a tab that goes wrong opens is no harm to others."""
MOST_SUBSCRIPTIONS: Final = 50
NEVER: Final = float("-inf")

log = structlog.get_logger(__name__)


class DatabaseAway(Exception):
    """The database could not be asked; it may be back the next time."""


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

    @property
    def key(self) -> tuple[str, Sight]:
        return self.topic.name, self.audience


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


class Hub:
    """That of one event loop."""

    def __init__(self) -> None:
        self.clients: set[Client] = set()
        self._sockets: Counter[int] = Counter()
        self._streams: dict[str, dict[Sight, Stream]] = {}
        self._cursor: Cursor | None = None
        self._begun = asyncio.Event()
        self._changed = asyncio.Event()
        self._gauges_due = asyncio.Event()
        self._recheck = asyncio.Event()
        self._waiting: set[Client] = set()
        self._flushed_at = NEVER
        self._read_at = 0.0
        self._tasks: list[asyncio.Task[None]] = []
        self._threads = {name: _database_thread(name) for name in ("events", "gauges", "people")}
        self._loop = asyncio.get_running_loop()
        HINTS.listen(self._hear)

    # Clients

    def has_room(self, user: User) -> bool:
        """Whether one more client of the user may enter."""
        return self._sockets[user.pk] < MOST_SOCKETS

    def enter(self, client: Client) -> None:
        self.clients.add(client)
        self._sockets[client.user.pk] += 1
        COUNTS.clients += 1
        if not self._tasks:
            self._read_at = self._loop.time()
            loops = (self._tell_events, self._tell_gauges, self._tell_alive, self._look_after_people)
            self._tasks = [self._loop.create_task(_for_ever(each)) for each in loops]
        client.begin(self._meet(client))

    def waits(self, client: Client) -> None:
        """There is something to be sent to the client: soon, together with all others, ten times a second at most."""
        if not self._waiting:
            self._loop.call_at(max(self._loop.time(), self._flushed_at + FLUSH_APART_S), self._flush)
        self._waiting.add(client)

    def _flush(self) -> None:
        self._flushed_at = self._loop.time()
        waiting, self._waiting = self._waiting, set()
        for client in waiting:
            client.flush()

    def leave(self, client: Client) -> None:
        self.clients.discard(client)
        self._sockets -= Counter([client.user.pk])
        COUNTS.clients -= 1
        for subscription in list(client.subscriptions.values()):
            self._end(subscription)
        if not self.clients:
            for task in self._tasks:
                task.cancel()
            self._tasks, self._cursor = [], None
            self._begun.clear()

    async def subscribe(self, client: Client, name: str, after: Cursor | None) -> None:
        """Raises Refused. Whatever the client had under this name ends; gauges and events begin."""
        self.unsubscribe(client, name)
        if len(client.subscriptions) >= MOST_SUBSCRIPTIONS:
            raise Refused("too-many", f"expected at most {MOST_SUBSCRIPTIONS} subscriptions", name)
        topic = topic_named(name)
        await self._begun.wait()
        try:
            sight, audience = await self._threads["people"].run(partial(_seen, client.user, topic, after))
        except DatabaseAway as error:
            raise Refused("unavailable", "the database cannot be asked just now", name) from error
        if client not in self.clients or self._cursor is None:
            return
        begins = after or self._cursor
        stream = self._stream(topic, audience)
        subscription = Subscription(client, stream, sight, begins.position)
        stream.subscriptions[client] = client.subscriptions[name] = subscription
        COUNTS.subscriptions[topic.kind] += 1
        client.tell(name, protocol.subscribed(name, begins))
        if stream.value:
            client.show(name, stream.value)
        self._gauges_due.set()
        if after is None or topic.entries() is None:
            subscription.live = True
        else:
            client.begin(self._catch_up(subscription))

    def unsubscribe(self, client: Client, name: str) -> None:
        if subscription := client.subscriptions.get(name):
            self._end(subscription)
            client.outbox.forget(name)

    def _stream(self, topic: Topic, audience: Sight) -> Stream:
        streams = self._streams.setdefault(topic.name, {})
        if audience not in streams:
            now = self._loop.time()
            streams[audience] = Stream(topic, audience, due=now, fresh_at=now)
        return streams[audience]

    def _end(self, subscription: Subscription) -> None:
        stream, subscription.ended = subscription.stream, True
        del stream.subscriptions[subscription.client]
        del subscription.client.subscriptions[stream.topic.name]
        COUNTS.subscriptions[stream.topic.kind] -= 1
        if not stream.subscriptions:
            del self._streams[stream.topic.name][stream.audience]
            if not self._streams[stream.topic.name]:
                del self._streams[stream.topic.name]

    async def _catch_up(self, subscription: Subscription) -> None:
        """What the client missed comes from the database, until it is where all others are."""
        topic = subscription.stream.topic
        while not subscription.ended and self._cursor is not None:
            upto = self._cursor.position
            if subscription.after >= upto:
                subscription.live = True
                return
            try:
                found = await self._threads["people"].run(partial(_missed, topic, subscription.after, upto))
            except DatabaseAway:
                await asyncio.sleep(POLL_S)
                continue
            except Refused as error:
                self._refuse(subscription, error)
                return
            for position, event, data in found.events:
                if not subscription.ended and topic.name in event.topics:
                    self._tell(subscription, position, event, data)
            subscription.after = found.position
            await subscription.client.outbox.has_room()

    def _tell(self, subscription: Subscription, position: Position, event: Event, data: str) -> None:
        stream = subscription.stream
        if event.is_seen_by(stream.audience) and self._cursor is not None:
            cursor = Cursor(self._cursor.era, position)
            subscription.client.tell(stream.topic.name, protocol.event(stream.topic.name, cursor, data))

    def _refuse(self, subscription: Subscription, error: Refused) -> None:
        client, name = subscription.client, subscription.stream.topic.name
        if not subscription.ended:
            self.unsubscribe(client, name)
            client.refuse(error, name)

    # Events

    def _hear(self, what: str) -> None:
        """Called in the thread of the hints."""
        event = self._changed if what == AUDIT else self._recheck
        self._loop.call_soon_threadsafe(event.set)

    async def _tell_events(self) -> None:
        await self._begin()
        settle = SETTLE_S
        while True:
            self._changed.clear()
            look = partial(feed.read_after, self._cursor.position)
            found = await self._threads["events"].run(partial(_written, look))
            self._read_at = self._loop.time()
            moved = found.position > self._cursor.position
            self._cursor = Cursor(self._cursor.era, found.position)
            self._hand_out(found)
            if found.is_full:
                continue
            settle = SETTLE_S if moved or not found.unsettled else min(2 * settle, SETTLE_MOST_S)
            if found.unsettled:
                await asyncio.sleep(settle)
            else:
                await _wait(self._changed, POLL_S)

    async def _begin(self) -> None:
        """Where to go on: where all were told of, unless the database that is there now knows nothing of that."""
        run, before = self._threads["events"].run, self._cursor
        if before is None or not await run(partial(feed.is_known, before)):
            self._cursor = await run(feed.newest)
            for client in list(self.clients) if before else ():
                client.close(protocol.COME_AGAIN)
        self._begun.set()

    def _hand_out(self, found: "Found") -> None:
        if found.members_changed:
            self._recheck.set()
        for position, event, data in found.events:
            COUNTS.lag_s.observe(max(0.0, found.now - event.entry.at.timestamp()))
            for name in event.topics:
                self._hand_out_one(name, position, event, data)

    def _hand_out_one(self, name: str, position: Position, event: Event, data: str) -> None:
        message = ""
        for stream in self._streams.get(name, {}).values():
            if not event.is_seen_by(stream.audience):
                continue
            stream.due = min(stream.due, stream.read_at + APART_S)
            self._gauges_due.set()
            message = message or protocol.event(name, Cursor(self._era, position), data)
            for subscription in list(stream.subscriptions.values()):
                if subscription.live and position > subscription.after:
                    subscription.client.tell(name, message)

    @property
    def _era(self) -> int:
        return self._cursor.era if self._cursor else 0

    # Gauges

    async def _tell_gauges(self) -> None:
        while True:
            self._gauges_due.clear()
            stream = min(self._every_stream(), key=lambda each: each.due, default=None)
            now = self._loop.time()
            if stream is None or stream.due > now:
                await _wait(self._gauges_due, None if stream is None else stream.due - now)
                continue
            await self._tell_gauge(stream)
            took = self._loop.time() - now
            COUNTS.gauge_s.observe(took)
            if all(each.read_at > NEVER for each in self._every_stream()):
                await asyncio.sleep(min(SHARE * took, POLL_S))

    async def _tell_gauge(self, stream: Stream) -> None:
        began = self._loop.time()
        stream.read_at, stream.due = began, began + stream.topic.every_s
        try:
            value = await self._threads["gauges"].run(partial(_gauge, stream.topic, stream.audience))
        except DatabaseAway:
            took = self._loop.time() - began
            stream.due = began + 2 * took + POLL_S
            return
        except Exception:
            log.exception("gauge cannot be read", topic=stream.topic.name)
            stream.due = began + 10 * POLL_S
            return
        stream.fresh_at = began
        if value != stream.value:
            stream.value = value
            for client in list(stream.subscriptions):
                client.show(stream.topic.name, value)

    def _every_stream(self) -> Iterator[Stream]:
        for streams in self._streams.values():
            yield from streams.values()

    # People

    async def _tell_alive(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S / 2)
            now = self._loop.time()
            for client in list(self.clients):
                age = self._age(client, now)
                if age or client.is_behind or now - client.sent_at >= HEARTBEAT_S / 2:
                    client.is_behind = age > 0
                    client.show("", protocol.alive(age))

    def _age(self, client: Client, now: float) -> float:
        """For how many seconds the client has not been told how things are; 0 if that is how it should be."""
        events = now - self._read_at
        gauges = max((now - each.stream.fresh_at for each in client.subscriptions.values()), default=0.0)
        return max(events if events > 2 * POLL_S else 0.0, gauges if gauges > OLD_S else 0.0)

    async def _meet(self, client: Client) -> None:
        """Find out what a new client may do, to notice when that changes."""
        with suppress(DatabaseAway):
            rights = await self._threads["people"].run(partial(rights_of, [client.user]))
            if client.rights is None:
                client.rights = rights[client.user.pk]

    async def _look_after_people(self) -> None:
        while True:
            await _wait(self._recheck, RECHECK_S)
            self._recheck.clear()
            keys = {client.session_key for client in self.clients}
            here = await self._threads["people"].run(partial(present, keys))
            for client in list(self.clients):
                if client.session_key not in keys:
                    continue  # came meanwhile
                if client.session_key not in here:
                    client.close(protocol.LOG_IN)
                    continue
                client.user, sight, rights = here[client.session_key]
                if client.rights not in (None, rights):
                    client.tell("", protocol.RIGHTS)
                client.rights = rights
                for subscription in list(client.subscriptions.values()):
                    if subscription.sight != sight:
                        await self._look_again(subscription, client.user)

    async def _look_again(self, subscription: Subscription, user: User) -> None:
        """Roles have changed: the subscription ends, or sees another part."""
        topic = subscription.stream.topic
        try:
            sight, audience = await self._threads["people"].run(partial(_seen, user, topic))
        except Refused as error:
            self._refuse(subscription, error)
            return
        subscription.sight = sight
        if subscription.ended or audience == subscription.stream.audience:
            return
        client, live, after = subscription.client, subscription.live, subscription.after
        self._end(subscription)
        stream = self._stream(topic, audience)
        moved = Subscription(client, stream, sight, after, live)
        stream.subscriptions[client] = client.subscriptions[topic.name] = moved
        COUNTS.subscriptions[topic.kind] += 1
        self._gauges_due.set()
        if not live:
            client.begin(self._catch_up(moved))


@dataclass(frozen=True)
class Found:
    """A reading with its events as text."""

    events: list[tuple[Position, Event, str]]
    position: Position
    is_full: bool
    unsettled: bool
    members_changed: bool
    now: float


def _database_thread(name: str) -> DatabaseThread:
    return DatabaseThread(f"walle-live-{name}", unavailable=DatabaseAway, pooled=True)


def _written(look: Callable[[], feed.Reading]) -> Found:
    reading = look()
    events = [(feed.position_of(event.entry), event, _json(event.data)) for event in reading.events]
    members = any(entry.action.startswith("member.") for entry in reading.entries)
    return Found(events, reading.position, reading.is_full, reading.unsettled, members, time.time())


def _missed(topic: Topic, after: Position, upto: Position) -> Found:
    """What somebody missed, or its beginning. Raises Refused when that would be too much."""
    with patience(QUERY_S):
        if feed.are_far_apart(after, upto):
            raise Refused("cursor-expired", f"more than {feed.MOST_MISSED} entries were missed: begin anew", topic.name)
        return _written(partial(feed.missed, topic, after, upto))


def _gauge(topic: Topic, audience: Sight) -> str:
    with patience(QUERY_S):
        return protocol.gauge(topic.name, _json(topic.gauge(audience)))


def _seen(user: User, topic: Topic, after: Cursor | None = None) -> tuple[Sight, Sight]:
    """What the user sees of all and of the topic. Raises Refused, also for a cursor after which nobody can go on."""
    actor = Actor(user=user)
    seen = sight_of(actor), topic.audience(actor)
    if after is not None and not feed.is_known(after):
        raise Refused("cursor-expired", "the database was restored or replaced since: begin anew", topic.name)
    return seen


def _json(data: object) -> str:
    """As REST writes it."""
    text: str = JSONRenderer().render(data).decode()
    return text


async def _wait(event: asyncio.Event, seconds: float | None) -> None:
    # Not wait_for, which may swallow that the task is cancelled.
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


async def _for_ever(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Begins again whatever happens; a database that is away is waited for."""
    failing = False
    while True:
        try:
            await work()
        except DatabaseAway as error:
            if not failing:
                log.warning("live channel waits for the database", work=work.__name__, error=str(error))
            failing = True
        except Exception:
            log.exception("live channel begins again", work=work.__name__)
        await asyncio.sleep(POLL_S / 2)
