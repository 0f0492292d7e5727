"""How many connections clients have, and how long they keep those that they do not use."""

from typing import Final

import httpx

IDLE_S: Final = 3.0
"""Seconds after which a client closes an idle connection: servers close theirs after five or more, and a request that
is on its way at that moment is lost."""


def connection_limits(idle_s: float = IDLE_S) -> httpx.Limits:
    """Return httpx's own limits, but for how long an idle connection is kept."""
    return httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=idle_s)
