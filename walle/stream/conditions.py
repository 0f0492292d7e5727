"""Trigger conditions: which sequences of behaviour events a stream task waits for (Walle, section 5.1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from walle.stream.events import EVENT_ID, PAGE_ID

TRIGGER_ID: Final = re.compile(rf"{EVENT_ID.pattern}(?::{PAGE_ID.pattern})?|{PAGE_ID.pattern}")
_CERTAINLY_PAGE: Final = re.compile(rf"(?!{EVENT_ID.pattern}$){PAGE_ID.pattern}")
_FREQUENT: Final = ("page_scroll", "exposure")
"""Event ids that apps report many times while a page is on the screen."""


@dataclass(frozen=True, slots=True)
class Next:
    """The ids match consecutive events, as in the paper: each the event right after the one before."""


@dataclass(frozen=True, slots=True)
class WithinEvents:
    """The ids match in their order, with other events in between: at most `n` events from the first to the last."""

    n: int


@dataclass(frozen=True, slots=True)
class WithinSeconds:
    """The ids match in their order, with other events in between: at most `s` seconds from the first to the last."""

    s: float


Within = Next | WithinEvents | WithinSeconds


@dataclass(frozen=True, slots=True)
class TriggerCondition:
    """A sequence of trigger ids, each an event id, a page id, or `event:page`, and how far apart they may match.

    A match begins with an event that has the first id, goes on with the first later event that has the next one, and
    fires once, at the event that has the last one. Matches that began with different events go on side by side; no
    event is two steps of the same match.
    """

    ids: tuple[str, ...]
    within: Within = Next()

    @classmethod
    def from_trigger(cls, trigger: Mapping[str, Any]) -> TriggerCondition:
        """Read the `trigger` table of a manifest, which has `on`; raise ValueError if it is malformed."""
        ids = trigger.get("on")
        if not (isinstance(ids, list | tuple) and ids and all(isinstance(id, str) for id in ids)):
            raise ValueError(f"expected trigger.on to be a list of event or page ids, found {ids!r}")
        return cls(tuple(ids), _within(trigger.get("within", "next")))


def _within(value: object) -> Within:
    match value:
        case "next":
            return Next()
        case {"events": True} | {"seconds": True}:
            pass
        case {"events": int(n), **others} if n > 0 and not others:
            return WithinEvents(n)
        case {"seconds": int(s) | float(s), **others} if s > 0 and not others:
            return WithinSeconds(s)
    raise ValueError(f'expected trigger.within to be "next", {{events = n}} or {{seconds = s}}, found {value!r}')


def warnings_of(condition: TriggerCondition) -> list[str]:
    """Say in whole sentences, to those who push it, why a condition can never match, or starts far too many runs."""
    return [*_never(condition), *_too_often(condition.ids)]


def _never(condition: TriggerCondition) -> list[str]:
    found = [
        f"The trigger can never match: {id!r} is no event id (up to 64 of A-Z a-z 0-9 _ . -), no page id (up to 128 of"
        " these and /), and not the two as event:page."
        for id in condition.ids
        if not TRIGGER_ID.fullmatch(id)
    ]
    match condition.within:
        case WithinEvents(n) if n < len(condition.ids):
            found.append(
                f"The trigger can never match: its {len(condition.ids)} ids need as many events, and only {n} are"
                " within.events."
            )
    return found


def _too_often(ids: tuple[str, ...]) -> list[str]:
    if all(id.partition(":")[0] in _FREQUENT for id in ids):
        events = [" event on page ".join(id.split(":", 1)) if ":" in id else f"{id} event" for id in sorted({*ids})]
        what = f"nearly every {' and '.join(events)} starts a run"
        instead = "Trigger on what ends the scrolling, such as page_exit, and read these events in the task."
    elif len(ids) == 1 and _CERTAINLY_PAGE.fullmatch(ids[0]):
        what = f"every event on page {ids[0]} starts a run"
        instead = f"Trigger on one event of that page, such as page_exit:{ids[0]}."
    else:
        return []
    return [
        f"The trigger matches too often: {what}, so dozens for each page that people look at. They cost battery,"
        f" delay the runs of other tasks, and are shed where they come faster than they end. {instead}"
    ]
