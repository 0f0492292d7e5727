"""Topics of subscriptions. Apps contribute modules (kit.contributing) that define them.

    TOPICS = (Releases, OneRelease)
    def events(entries: Sequence[AuditEntry]) -> Iterator[Event]: ...

The hub runs all of this in threads of its own, where the database may be asked.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from django.db.models import Q

from accounts_app.actors import Actor
from accounts_app.models import AuditEntry
from kit.contributing import contributed_modules
from live_app.protocol import SubscriptionRefused

Audience = frozenset[str] | None
"""The scopes whose objects a user sees; None stands for all."""


@dataclass(frozen=True)
class Topic(ABC):
    """One topic, such as release/42. Its fields beside `name` are the groups of `pattern`, as text."""

    name: str
    pattern: ClassVar[re.Pattern[str]]
    every_s: ClassVar[float] = 1.0
    """Seconds between two reads of the gauge without events."""

    @property
    def kind(self) -> str:
        """Return the kind of the topic: its name without the variable part."""
        return self.name.partition("/")[0] + ("/" if "/" in self.name else "")

    @abstractmethod
    def audience(self, actor: Actor) -> Audience:
        """Return the part of the topic that the actor sees; users with equal parts share one read.

        Raises SubscriptionRefused.
        """

    @abstractmethod
    def gauge(self, audience: Audience) -> object | None:
        """Return the gauge of the audience as JSON data; None if there is nothing (any more)."""

    def entries(self) -> Q | None:
        """Return the audit entries that become events of the topic; None if none does."""
        return None


@dataclass(frozen=True)
class LiveEvent:
    """An audit entry as an event of these topics, for users who see one of the scopes."""

    entry: AuditEntry
    topics: Sequence[str]
    scopes: frozenset[str]
    data: dict[str, Any]

    def is_seen_by(self, audience: Audience) -> bool:
        return audience is None or not audience.isdisjoint(self.scopes)


EventSource = Callable[[Sequence[AuditEntry]], Iterable[LiveEvent]]


def topic_named(name: str) -> Topic:
    """Return the topic of this name, whether or not its object exists; raises SubscriptionRefused."""
    for kind in _kinds():
        if match := kind.pattern.fullmatch(name):
            return kind(name, **match.groupdict())
    raise SubscriptionRefused("unknown-topic", f"there is no topic {name!r}", name)


def events_of(entries: Sequence[AuditEntry]) -> list[LiveEvent]:
    """Return the events of entries, in the order of the entries."""
    found: dict[int, list[LiveEvent]] = {entry.pk: [] for entry in entries}
    for source in _event_sources():
        for event in source(entries):
            found[event.entry.pk].append(event)
    return [event for entry in entries for event in found[entry.pk]]


@cache
def _kinds() -> tuple[type[Topic], ...]:
    return tuple(kind for module in contributed_modules("topics") for kind in module.TOPICS)


@cache
def _event_sources() -> tuple[EventSource, ...]:
    return tuple(module.events for module in contributed_modules("topics") if hasattr(module, "events"))
