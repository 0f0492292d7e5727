"""What the programs of the cloud share: events come as lines on standard input, features go as lines to the output."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from typing import Any, Final

from benchmarks.support.ipv.shop import feature_of

FORGET_S: Final = 900.0
"""Seconds after which a view that nothing was heard of is given up: longer than a session, since pages lie above it."""

Event = dict[str, Any]


class Lines:
    """The lines of standard input, as many as there are now."""

    def __init__(self) -> None:
        self._rest = b""
        os.set_blocking(0, False)

    def take(self) -> list[tuple[int, Event]]:
        """Return users and their events. Raises EOFError at the end."""
        try:
            read = os.read(0, 1 << 20)
        except BlockingIOError:
            return []
        if not read:
            raise EOFError
        *whole, self._rest = (self._rest + read).split(b"\n")
        return [(found["user"], found["event"]) for found in map(json.loads, whole)]


def feature_line(user: int, page: str, events: Sequence[Event]) -> str:
    """Return the feature of a view, and when it was there (Unix seconds), for `say`."""
    feature = feature_of(list(events))
    return json.dumps({"user": user, "page": page, "feature": feature, "at": time.time()})


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
