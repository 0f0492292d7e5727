"""Which events a triggered run of a stream task is given: its window (docs/task-format.md, `[stream] window`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from walle.schema.values import shown

MAX_WINDOW_EVENTS: Final = 10_000
MAX_WINDOW_S: Final = 86_400.0
MAX_WINDOW_BYTES: Final = 4 * 1024 * 1024
"""How many bytes of JSON a run is given at most, whatever its window; the oldest events are left out."""


@dataclass(frozen=True, slots=True)
class PageWindow:
    """The events of the page visit that the triggering event belongs to."""


@dataclass(frozen=True, slots=True)
class EventsWindow:
    """The last `count` events, the triggering one included."""

    count: int


@dataclass(frozen=True, slots=True)
class SecondsWindow:
    """The events from `seconds` before the triggering one on; they end with it unless it came late."""

    seconds: float


Window = PageWindow | EventsWindow | SecondsWindow


class WindowRefused(ValueError):
    """A manifest names a window that does not exist."""


def parse_window(value: object) -> Window:
    """Return the window that a manifest names: "page", {"events": n} or {"seconds": s}. Raises WindowRefused."""
    match value:
        case "page":
            return PageWindow()
        case {"events": bool()} | {"seconds": bool()}:
            pass
        case {"events": int(count), **rest} if not rest and 1 <= count <= MAX_WINDOW_EVENTS:
            return EventsWindow(count)
        case {"seconds": int() | float() as seconds, **rest} if not rest and 1 <= seconds <= MAX_WINDOW_S:
            return SecondsWindow(float(seconds))
    expected = f'"page", {{"events": 1 to {MAX_WINDOW_EVENTS}}} or {{"seconds": 1 to {MAX_WINDOW_S:g}}}'
    raise WindowRefused(f"stream.window: expected {expected}, found {shown(value)}")
