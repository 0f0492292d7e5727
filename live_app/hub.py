"""Read the database once for all clients of this process, and send each the data that it may see.

Loops, which run while there is any client: new entries of the audit log, which become events; gauges (live_app.gauges);
signs of life; and whether people are still signed in and may still see what they watch. Data that clients share is read
and serialized once.
"""

import asyncio
from collections import Counter
from contextlib import suppress
from functools import partial
from typing import Final

from django.conf import settings
from django.contrib.auth.models import User

from accounts_app.selectors import rights_of
from live_app import feed, lookups, protocol
from live_app.client import LiveClient
from live_app.counts import COUNTS
from live_app.gauges import Gauges
from live_app.hints import AUDIT, HINTS
from live_app.lookups import DatabaseAway, Found, database_thread
from live_app.loops import for_ever, wait
from live_app.protocol import Cursor, Position, SubscriptionRefused
from live_app.sessions import signed_in_users
from live_app.streams import NEVER, Streams, Subscription
from live_app.topics import LiveEvent, topic_named

POLL_S: Final = 1.0
"""Seconds between two polls for changes without a hint."""
SETTLE_S: Final = 0.01
"""Seconds until the first retry for entries that wait for an older transaction; doubled each time."""
SETTLE_MOST_S: Final = 0.25
FLUSH_APART_S: Final = 0.1
HEARTBEAT_S: Final = 5.0
OLD_S: Final = 10.0
"""Seconds without a read after which a gauge is outdated and its viewers are notified."""
MOST_SOCKETS: Final = 100
"""Maximum sockets of one person in this process, so that a faulty tab cannot harm others."""
MOST_SUBSCRIPTIONS: Final = 50


class Hub:
    """The hub of one event loop."""

    def __init__(self) -> None:
        self.clients: set[LiveClient] = set()
        self._sockets: Counter[int] = Counter()
        self._streams = Streams()
        self._gauges = Gauges(self._streams)
        self._cursor: Cursor | None = None
        self._started = asyncio.Event()
        self._changed = asyncio.Event()
        self._recheck = asyncio.Event()
        self._waiting: set[LiveClient] = set()
        self._will_flush = False
        self._flushed_at = NEVER
        self._read_at = 0.0
        self._tasks: list[asyncio.Task[None]] = []
        self._events, self._people = database_thread("events"), database_thread("people")
        self._loop = asyncio.get_running_loop()
        HINTS.listen(self._receive_hint)

    # Clients

    def has_room(self, user: User) -> bool:
        """Return whether the user may open one more socket."""
        return self._sockets[user.pk] < MOST_SOCKETS

    def enter(self, client: LiveClient) -> None:
        self.clients.add(client)
        self._sockets[client.user.pk] += 1
        COUNTS.clients += 1
        if not self._tasks:
            self._read_at = self._loop.time()
            loops = (self._follow_events, self._gauges.run, self._send_heartbeats, self._check_people)
            self._tasks = [self._loop.create_task(for_ever(each)) for each in loops]
        client.begin(self._meet(client))

    def waits(self, client: LiveClient) -> None:
        """Schedule sending to the client, together with all others, at most ten times a second."""
        self._waiting.add(client)
        self._flush_soon()

    def _flush_soon(self) -> None:
        if not self._will_flush:
            self._will_flush = True
            self._loop.call_at(max(self._loop.time(), self._flushed_at + FLUSH_APART_S), self._flush)

    def _flush(self) -> None:
        self._flushed_at = self._loop.time()
        self._streams.hand_over()
        waiting, self._waiting, self._will_flush = self._waiting, set(), False
        for client in waiting:
            client.flush()

    def leave(self, client: LiveClient) -> None:
        self.clients.discard(client)
        self._sockets -= Counter([client.user.pk])
        COUNTS.clients -= 1
        for subscription in list(client.subscriptions.values()):
            self._streams.leave(subscription)
        if not self.clients:
            for task in self._tasks:
                task.cancel()
            self._tasks, self._cursor = [], None
            self._started.clear()

    async def subscribe(self, client: LiveClient, name: str, after: Cursor | None) -> None:
        """Subscribe a client to a topic, replacing its subscription of this name; raises SubscriptionRefused."""
        self.unsubscribe(client, name)
        if len(client.subscriptions) >= MOST_SUBSCRIPTIONS:
            raise SubscriptionRefused("too-many", f"expected at most {MOST_SUBSCRIPTIONS} subscriptions", name)
        topic = topic_named(name)
        await self._started.wait()
        try:
            visible, audience = await self._people.run(partial(lookups.seen, client.user, topic, after))
        except DatabaseAway as error:
            raise SubscriptionRefused("unavailable", "the database cannot be asked just now", name) from error
        if client not in self.clients or self._cursor is None:
            return
        begins = after or self._cursor
        stream = self._streams.stream(topic, audience, self._loop.time())
        subscription = Subscription(client, stream, visible, begins.position)
        self._streams.enter(subscription)
        client.enqueue(name, protocol.subscribed(name, begins))
        if stream.value:
            client.show(name, stream.value)
        self._gauges.wake()
        if after is None or topic.entries() is None:
            subscription.live = True
        else:
            client.begin(self._catch_up(subscription))

    def unsubscribe(self, client: LiveClient, name: str) -> None:
        if subscription := client.subscriptions.get(name):
            self._streams.leave(subscription)
            client.outbox.forget(name)

    async def _catch_up(self, subscription: Subscription) -> None:
        """Send the client what it missed, from the database, until it has caught up with all others."""
        topic = subscription.stream.topic
        while not subscription.ended and self._cursor is not None:
            upto = self._cursor.position
            if subscription.after >= upto:
                subscription.live = True
                return
            try:
                found = await self._people.run(partial(lookups.missed_entries, topic, subscription.after, upto))
            except DatabaseAway:
                await asyncio.sleep(POLL_S)
                continue
            except SubscriptionRefused as error:
                self._refuse(subscription, error)
                return
            for position, event, data in found.events:
                if not subscription.ended and topic.name in event.topics:
                    self._send_event(subscription, position, event, data)
            subscription.after = found.position
            await subscription.client.outbox.has_room()

    def _send_event(self, subscription: Subscription, position: Position, event: LiveEvent, data: str) -> None:
        stream = subscription.stream
        if event.is_seen_by(stream.audience) and self._cursor is not None:
            cursor = Cursor(self._cursor.era, position)
            subscription.client.enqueue(stream.topic.name, protocol.event(stream.topic.name, cursor, data))

    def _refuse(self, subscription: Subscription, error: SubscriptionRefused) -> None:
        client, name = subscription.client, subscription.stream.topic.name
        if not subscription.ended:
            self.unsubscribe(client, name)
            client.refuse(error, name)

    # Events

    def _receive_hint(self, hint: str) -> None:
        """Receive a hint; called in the thread of the hints."""
        event = self._changed if hint == AUDIT else self._recheck
        self._loop.call_soon_threadsafe(event.set)

    async def _follow_events(self) -> None:
        """Hand out what is new, until the database fails or is another one."""
        cursor = await self._begin()
        settle = SETTLE_S
        while True:
            self._changed.clear()
            found = await self._events.run(partial(lookups.new_entries, cursor))
            if found is None:
                return
            self._read_at = self._loop.time()
            moved = found.position > cursor.position
            cursor = self._cursor = Cursor(cursor.era, found.position)
            self._hand_out(found)
            if found.is_full:
                continue
            settle = SETTLE_S if moved or not found.unsettled else min(2 * settle, SETTLE_MOST_S)
            if found.unsettled:
                await asyncio.sleep(settle)
            else:
                await wait(self._changed, POLL_S)

    async def _begin(self) -> Cursor:
        """Return where to continue: at the last position, unless the present database does not know it."""
        run, cursor = self._events.run, self._cursor
        if cursor is None or not await run(partial(feed.is_known, cursor)):
            before, cursor = cursor, await run(feed.newest)
            self._cursor = cursor
            for client in list(self.clients) if before else ():
                client.close(protocol.COME_AGAIN)
        self._started.set()
        return cursor

    def _hand_out(self, found: Found) -> None:
        if found.members_changed:
            self._recheck.set()
        for position, event, data in found.events:
            COUNTS.lag_s.observe(max(0.0, found.now - event.entry.at.timestamp()))
            for name in event.topics:
                self._hand_out_event(name, position, event, data)

    def _hand_out_event(self, name: str, position: Position, event: LiveEvent, data: str) -> None:
        message = ""
        for stream in self._streams.of(name):
            if not event.is_seen_by(stream.audience):
                continue
            self._gauges.request(stream)
            message = message or protocol.event(name, Cursor(self._era, position), data)
            self._streams.put(stream, position, message)
            self._flush_soon()

    @property
    def _era(self) -> int:
        return self._cursor.era if self._cursor else 0

    # People

    async def _send_heartbeats(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S / 2)
            now = self._loop.time()
            for client in list(self.clients):
                age = self._age(client, now)
                if age or client.is_stale or now - client.sent_at >= HEARTBEAT_S / 2:
                    client.is_stale = age > 0
                    client.show("", protocol.alive(age))

    def _age(self, client: LiveClient, now: float) -> float:
        """Return for how many seconds the client has had no fresh data; 0 if all is up to date."""
        events = now - self._read_at
        gauges = max((now - each.stream.fresh_at for each in client.subscriptions.values()), default=0.0)
        return max(events if events > 2 * POLL_S else 0.0, gauges if gauges > OLD_S else 0.0)

    async def _meet(self, client: LiveClient) -> None:
        """Read the rights of a new client, to notice when they change."""
        with suppress(DatabaseAway):
            rights = await self._people.run(partial(rights_of, [client.user]))
            if client.rights is None:
                client.rights = rights[client.user.pk]

    async def _check_people(self) -> None:
        while True:
            await wait(self._recheck, settings.WALLE_LIVE_RECHECK_SECONDS)
            self._recheck.clear()
            keys = {client.session_key for client in self.clients}
            here = await self._people.run(partial(signed_in_users, keys))
            for client in list(self.clients):
                if client.session_key not in keys:
                    continue  # came meanwhile
                if client.session_key not in here:
                    client.close(protocol.LOG_IN)
                    continue
                client.user, visible, rights = here[client.session_key]
                if client.rights not in (None, rights):
                    client.enqueue("", protocol.RIGHTS)
                client.rights = rights
                for subscription in list(client.subscriptions.values()):
                    if subscription.visible != visible:
                        await self._check_again(subscription, client.user)

    async def _check_again(self, subscription: Subscription, user: User) -> None:
        """Check a subscription again after a change of roles: end it, or change its audience."""
        topic = subscription.stream.topic
        try:
            visible, audience = await self._people.run(partial(lookups.seen, user, topic))
        except SubscriptionRefused as error:
            self._refuse(subscription, error)
            return
        subscription.visible = visible
        if subscription.ended or audience == subscription.stream.audience:
            return
        client, live, after = subscription.client, subscription.live, subscription.after
        self._streams.hand_over()
        self._streams.leave(subscription)
        stream = self._streams.stream(topic, audience, self._loop.time())
        moved = Subscription(client, stream, visible, after, live)
        self._streams.enter(moved)
        self._gauges.wake()
        if not live:
            client.begin(self._catch_up(moved))
