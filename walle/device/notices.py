"""Notices: what a device reports to its app as it happens, or to a terminal, a log or an emulator's statistics.

They are about Walle itself. An event is something else: an item of a user's behaviour.
"""

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
    "put-off",
    "damaged",
    "ran",
    "failed",
    "crashed",
    "fell-back",
    "reported",
    "events-refused",
    "events-spilled",
    "starts-afresh",
    "tunnel-opened",
    "tunnel-closed",
    "features-dropped",
    "answer",
    "error",
]


@dataclass(frozen=True)
class Notice:
    """One thing that happened: `text` describes it for people, `data` for programs."""

    name: Name
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)


NoticeHandler = Callable[[Notice], None]
"""Handles one notice after the other in the thread of the agent's event loop, so that it should return soon."""


def guarded(handler: NoticeHandler) -> NoticeHandler:
    """Return a handler that logs exceptions of this one, so that an error of the app does not stop its device."""

    def handle(notice: Notice) -> None:
        try:
            handler(notice)
        except Exception:
            log.exception("the app's handler of notices failed at %r", notice.name)

    return handle


def ignore(notice: Notice) -> None:
    """Ignore the notice."""
