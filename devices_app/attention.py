"""Collect what needs attention, as contributed by every app (`attention` of kit.contributing)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Final

from accounts_app.actors import Actor
from devices_app.models import Acknowledgement, App
from kit.contributing import contributed_objects

MOST: Final = 50


class Urgency(StrEnum):
    """How urgent a concern is.

    NOW: devices are or may soon be worse off. SOON: something stands still until somebody acts. LATER: the rest.
    """

    NOW = "now"
    SOON = "soon"
    LATER = "later"


@dataclass(frozen=True)
class Concern:
    """Something that needs attention.

    `title` names it, `reason` says what is wrong, `next_step` what somebody should do. `target` is the address of its
    subject below /api/v1/; "" if it has none. `since` is when it began, None if unknown. It may be acknowledged by
    those who may in its scope; "" is the site.
    """

    kind: str
    urgency: Urgency
    title: str
    reason: str
    since: datetime | None
    target: str = ""
    next_step: str = field(kw_only=True)
    scope: str = field(default="", kw_only=True)
    acknowledged: Acknowledgement | None = field(default=None, kw_only=True)


Source = Callable[[Actor, list[App], datetime], Iterable[Concern]]
"""A function that returns the concerns of these apps that an actor may see, at a given time."""

_ORDER: Final = tuple(Urgency)


@cache
def sources() -> tuple[Source, ...]:
    """Return all sources of concerns."""
    return tuple(contributed_objects("attention"))


def contributed(actor: Actor, apps: list[App], now: datetime) -> list[Concern]:
    """Return the concerns of all sources."""
    return [concern for source in sources() for concern in source(actor, apps, now)]


def most_urgent(concerns: Iterable[Concern]) -> list[Concern]:
    """Return the most urgent concerns first, the newest first among equals, acknowledged ones last; at most MOST."""
    newest = sorted(concerns, key=lambda each: each.since.timestamp() if each.since else 0.0, reverse=True)
    return sorted(newest, key=lambda each: (each.acknowledged is not None, _ORDER.index(each.urgency)))[:MOST]
