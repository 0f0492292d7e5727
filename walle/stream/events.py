"""Behaviour events: what a user does in an app, as the app reports it (Walle, section 5.1, Event Sequence Creation)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

EventKind = Literal["page_enter", "page_scroll", "exposure", "click", "page_exit"]
"""The five kinds of basic events."""
EVENT_KINDS: Final[tuple[EventKind, ...]] = get_args(EventKind)


@dataclass(frozen=True, slots=True)
class BehaviourEvent:
    """One event of one device. `at` is Unix seconds by the device's clock.

    `id` is the event id, which is the kind unless the app names the event more closely, such as `add_to_cart`.
    `contents` are JSON data; what is in `private` never leaves the device.
    """

    kind: EventKind
    id: str
    page: str
    at: float
    contents: Mapping[str, Any] = field(default_factory=dict)
    private: Mapping[str, Any] = field(default_factory=dict)
