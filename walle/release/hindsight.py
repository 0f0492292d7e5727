"""What is known of an earlier moment, from values that were kept when they changed, and where that knowledge ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True)
class Kept(Generic[Value]):
    """A value that was in force from `since` (None: unknown) until `until` (None: it still is).

    From `blurred_from` on it changed more often than is kept: it may have been another one in between.
    """

    value: Value
    since: datetime | None = None
    until: datetime | None = None
    blurred_from: datetime | None = None

    def covers(self, moment: datetime) -> bool:
        return (self.since is None or self.since <= moment) and (self.until is None or moment < self.until)

    def is_blurred(self, moment: datetime) -> bool:
        """Return whether the value may have been another one at a moment that it covers."""
        return self.blurred_from is not None and moment >= self.blurred_from


def known_at(moment: datetime, kept: Iterable[Kept[Value]]) -> Kept[Value] | None:
    """Return what is known of a moment; None: nothing, because nothing that old is kept."""
    return next((each for each in kept if each.covers(moment)), None)


def written(moment: datetime) -> str:
    """Return a moment as sentences have it."""
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def came_later(first_seen: datetime) -> str:
    return f"The device first checked in at {written(first_seen)}: before that it was offered nothing."


def table_unknown(oldest: datetime | None) -> str:
    """Say that it is not known what was released at a moment; `oldest` is from when on it is."""
    reaches = f"Tables are kept from {written(oldest)} on" if oldest else "No table of that time is kept"
    return f"{reaches}: what was released to the app then is not known any more."


def claims_unknown(oldest: datetime) -> str:
    """Say that it is not known what the device said of itself; `oldest` is from when on it is."""
    return f"What the device said of itself is kept from {written(oldest)} on: what it was then is not known any more."


def blurred(since: datetime, until: datetime) -> str:
    return (
        f"Between {written(since)} and {written(until)} what the device said of itself changed more often than is "
        "kept: shown is what it said before."
    )


def lists_changed(names: Iterable[str]) -> str:
    listed = ", ".join(sorted(names))
    return f"Who was in these id lists then is not known, they have changed since ({listed}): shown is who is now."


def user_facts_unknown() -> str:
    return "What the cloud held about the device's user then is not known: shown is what it holds now."


def not_heard_of(last_seen: datetime) -> str:
    return f"The device has not checked in since {written(last_seen)}: after that nothing could be offered to it."


def revoked(moment: datetime) -> str:
    return f"The device has been revoked since {written(moment)}: it was answered nothing."
