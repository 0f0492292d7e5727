"""Notices: what a device tells its app as it happens, or a terminal, a log, an emulator's statistics.

They are about Walle itself. An event is something else, an item of what users do.
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
    "damaged",
    "ran",
    "failed",
    "crashed",
    "fell-back",
    "reported",
    "error",
]


@dataclass(frozen=True)
class Notice:
    """One thing that happened; `text` says it to a person, `data` to a program."""

    name: Name
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)


NoticeHandler = Callable[[Notice], None]
"""Called in the thread of the agent's event loop, for one notice after the other: it should return soon."""


def guarded(handler: NoticeHandler) -> NoticeHandler:
    """The same handler, whose exceptions are logged and go no further: an app's fault is not to stop its device."""

    def handle(notice: Notice) -> None:
        try:
            handler(notice)
        except Exception:
            log.exception("the app's handler of notices failed at %r", notice.name)

    return handle


def ignore(notice: Notice) -> None:
    """The handler of a device that nobody watches."""
