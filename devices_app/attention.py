"""What needs somebody, told by every app of what it knows (`attention` of kit.contributing)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Final

from accounts_app.actors import Actor
from devices_app.models import App
from kit.contributing import contributed_objects

MOST: Final = 50


class Urgency(StrEnum):
    """NOW: devices are or may soon be worse off. SOON: something stands still until somebody acts. LATER: the rest."""

    NOW = "now"
    SOON = "soon"
    LATER = "later"


@dataclass(frozen=True)
class Concern:
    """One thing that needs somebody.

    `title` names it, `reason` says what is the matter and what would help. `target` is the address of what it is about,
    below /api/v1/; "" where it has none. `since` is None where nobody knows.
    """

    kind: str
    urgency: Urgency
    title: str
    reason: str
    since: datetime | None
    target: str = ""


Source = Callable[[Actor, list[App], datetime], Iterable[Concern]]
"""What an actor may see of what needs somebody in these apps, at a moment."""

_ORDER: Final = tuple(Urgency)


@cache
def sources() -> tuple[Source, ...]:
    """All that tell."""
    return tuple(contributed_objects("attention"))


def contributed(actor: Actor, apps: list[App], now: datetime) -> list[Concern]:
    """What all sources tell."""
    return [concern for source in sources() for concern in source(actor, apps, now)]


def most_urgent(concerns: Iterable[Concern]) -> list[Concern]:
    """The most urgent ones first, and of these the newest; at most MOST."""
    newest = sorted(concerns, key=lambda one: one.since.timestamp() if one.since else 0.0, reverse=True)
    return sorted(newest, key=lambda one: _ORDER.index(one.urgency))[:MOST]
