"""What can be subscribed to. Apps contribute modules (kit.contributing) that say which topics they have.

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
"""The scopes whose things somebody sees; None stands for all there are."""


@dataclass(frozen=True)
class Topic(ABC):
    """One topic, such as release/42. Its fields beside `name` are the groups of `pattern`, as text."""

    name: str
    pattern: ClassVar[re.Pattern[str]]
    every_s: ClassVar[float] = 1.0
    """How often the gauge is read again when nothing is heard of it."""

    @property
    def kind(self) -> str:
        """The name without what tells one such topic from others."""
        return self.name.partition("/")[0] + ("/" if "/" in self.name else "")

    @abstractmethod
    def audience(self, actor: Actor) -> Audience:
        """What of this topic the actor sees; those who see the same share one reading. Raises Refused."""

    @abstractmethod
    def gauge(self, audience: Audience) -> object | None:
        """What the audience is shown, as JSON data; None if there is nothing (any more)."""

    def entries(self) -> Q | None:
        """The audit entries that become events here; None if none does."""
        return None


@dataclass(frozen=True)
class LiveEvent:
    """An audit entry as these topics tell it, to those who see one of the scopes."""

    entry: AuditEntry
    topics: Sequence[str]
    scopes: frozenset[str]
    data: dict[str, Any]

    def is_seen_by(self, audience: Audience) -> bool:
        return audience is None or not audience.isdisjoint(self.scopes)


EventSource = Callable[[Sequence[AuditEntry]], Iterable[LiveEvent]]


def topic_named(name: str) -> Topic:
    """The topic of this name, whether or not there is such a thing; raises Refused."""
    for kind in _kinds():
        if match := kind.pattern.fullmatch(name):
            return kind(name, **match.groupdict())
    raise SubscriptionRefused("unknown-topic", f"there is no topic {name!r}", name)


def events_of(entries: Sequence[AuditEntry]) -> list[LiveEvent]:
    """The events that entries become, in the order of the entries."""
    found: dict[int, list[LiveEvent]] = {entry.pk: [] for entry in entries}
    for tell in _event_sources():
        for event in tell(entries):
            found[event.entry.pk].append(event)
    return [event for entry in entries for event in found[entry.pk]]


@cache
def _kinds() -> tuple[type[Topic], ...]:
    return tuple(kind for module in contributed_modules("topics") for kind in module.TOPICS)


@cache
def _event_sources() -> tuple[EventSource, ...]:
    return tuple(module.events for module in contributed_modules("topics") if hasattr(module, "events"))
