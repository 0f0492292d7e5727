"""Pace: limit the offers of a release per second over all gateways.

One row per release counts what was leased to gateways in the present second. A gateway offers only what it has leased,
until that second is over; what it does not use expires. So however many gateways there are, and whichever of them die,
the offers of a second never exceed the pace.
"""

from __future__ import annotations


def grant(pace: int, leased: int, requested: int) -> int:
    """Return the offers that a gateway is granted, given its request and the offers leased in this second."""
    return max(0, min(requested, pace - leased))


def next_request(before: int, now: int) -> int:
    """Return how many offers a gateway without any left should request.

    `before` counts the devices for which it wanted an offer in the second before, `now` those in this one so far. At
    the beginning of a second it expects as many as before; when it sees more than it expected, it doubles. It always
    asks for one, so that a device that comes once in a while is not refused each time.
    """
    return max(1, before - now, now)
