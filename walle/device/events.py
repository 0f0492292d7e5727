"""What a device does, told as it happens: to a terminal, to a log, to an emulator's statistics."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

log = logging.getLogger(__name__)

Name = Literal[
    "enrolled",
    "checked-in",
    "offline",
    "refused-by-server",
    "installed",
    "removed",
    "already",
    "refused",
    "postponed",
    "damaged",
    "ran",
    "failed",
    "crashed",
    "fell-back",
    "reported",
    "error",
]


@dataclass(frozen=True)
class Event:
    """One thing that happened; `text` says it to a person, `data` to a program."""

    name: Name
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)


Listener = Callable[[Event], None]


def guarded(listener: Listener) -> Listener:
    """The same listener, whose exceptions are logged and go no further: an app's fault is not to stop its device."""

    def listen(event: Event) -> None:
        try:
            listener(event)
        except Exception:
            log.exception("the app's listener failed at %r", event.name)

    return listen


def unheard(event: Event) -> None:
    """The listener of a device that nobody watches."""
