"""Database reads of the hub, in separate threads, serialized once for all clients."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.contrib.auth.models import User
from rest_framework.renderers import JSONRenderer

from accounts_app.actors import Actor
from kit.database_threads import DatabaseThread
from kit.statement_timeout import statement_timeout
from live_app import feed, protocol
from live_app.protocol import Cursor, Position, SubscriptionRefused
from live_app.sessions import audience_of
from live_app.topics import Audience, LiveEvent, Topic

QUERY_S: Final = 5.0
"""Seconds after which a query is cancelled, as others wait for the same thread."""


class DatabaseAway(Exception):
    """The database is unavailable; it may be back the next time."""


@dataclass(frozen=True)
class Found:
    """A read of the audit log with its events as text."""

    events: list[tuple[Position, LiveEvent, str]]
    position: Position
    is_full: bool
    unsettled: bool
    members_changed: bool
    now: float


def database_thread(name: str) -> DatabaseThread:
    """Return a thread for database work, which raises DatabaseAway."""
    return DatabaseThread(f"walle-live-{name}", unavailable=DatabaseAway, pooled=True)


def new_entries(after: Cursor) -> Found | None:
    """Return what was written to the audit log after a cursor; None if the present database did not issue it.

    That is asked at each read: a pool replaces broken connections without an error that would tell of a restoration.
    """
    return _written(lambda: feed.read_after(after.position)) if feed.is_known(after) else None


def missed_entries(topic: Topic, after: Position, upto: Position) -> Found:
    """Return the entries that a client missed, or the first of them. Raises SubscriptionRefused for too many."""
    with statement_timeout(QUERY_S):
        if feed.are_far_apart(after, upto):
            raise SubscriptionRefused(
                "cursor-expired", f"more than {feed.MOST_MISSED} entries were missed: begin anew", topic.name
            )
        return _written(lambda: feed.missed(topic, after, upto))


def gauge(topic: Topic, audience: Audience) -> str:
    """Return the message with the present value."""
    with statement_timeout(QUERY_S):
        return protocol.gauge(topic.name, _json(topic.gauge(audience)))


def seen(user: User, topic: Topic, after: Cursor | None = None) -> tuple[Audience, Audience]:
    """Return what the user sees in general and of the topic. Raises SubscriptionRefused, also for an invalid cursor."""
    actor = Actor(user=user)
    sights = audience_of(actor), topic.audience(actor)
    if after is not None and not feed.is_known(after):
        raise SubscriptionRefused(
            "cursor-expired", "the database was restored or replaced since: begin anew", topic.name
        )
    return sights


def _written(read: Callable[[], feed.FeedReading]) -> Found:
    reading = read()
    events = [(feed.position_of(event.entry), event, _json(event.data)) for event in reading.events]
    members = any(entry.action.startswith("member.") for entry in reading.entries)
    return Found(events, reading.position, reading.is_full, reading.unsettled, members, time.time())


def _json(data: object) -> str:
    """Serialize JSON data as REST does."""
    text: str = JSONRenderer().render(data).decode()
    return text
