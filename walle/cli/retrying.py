"""Decide whether and when to repeat a request. Pure: randomness is an argument."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Final

AGAIN: Final = frozenset({429, 502, 503, 504})
"""Statuses after which a request may be repeated, as they do not concern the request itself."""
LONGEST_WAIT: Final = 60.0
_FIRST_WAIT: Final = 0.5


def wait_before(attempt: int, chance: float) -> float:
    """Return the seconds before an attempt (counted from 1): doubled each time, jittered by `chance` in 0..1."""
    return _FIRST_WAIT * 2.0 ** (attempt - 1) * (0.5 + chance)


def retry_wait(attempt: int, answered: Mapping[str, str] | None, now: datetime, chance: float) -> float:
    """Return the seconds before a request is sent again: what the answer's headers ask for, else as `wait_before`.

    `answered` is None where there was no answer.
    """
    asked = None if answered is None else asked_wait(answered, now)
    return wait_before(attempt, chance) if asked is None else asked


def asked_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds of Retry-After; None if it is missing or invalid."""
    text = headers.get("retry-after", "").strip()
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - now).total_seconds())
    except (TypeError, ValueError):
        return None
