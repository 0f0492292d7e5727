"""What a device does, told as it happens: to a terminal, to a log, to an emulator's statistics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

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


def unheard(event: Event) -> None:
    """The listener of a device that nobody watches."""
