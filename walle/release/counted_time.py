"""The time that counts for a release's clocks: its window is open, and reports can be taken.

In an outage of the control plane no device can report. What a clock counted of it would promote a version that nobody
could complain of, and make all devices silent ones.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from walle.release.windows import Window

Span = tuple[datetime, datetime]
"""A time without reports, from its beginning to its end; several are in order and do not overlap."""


def counted_seconds(since: datetime, until: datetime, window: Window | None, interruptions: Sequence[Span]) -> float:
    """Return how many seconds between two moments count."""
    lost = sum(
        _open_seconds(max(start, since), min(end, until), window)
        for start, end in interruptions
        if start < until and end > since
    )
    return _open_seconds(since, until, window) - lost


def counted_back(now: datetime, seconds: float, window: Window | None, interruptions: Sequence[Span]) -> datetime:
    """Return the moment since which `seconds` have counted; with a window, at most `windows.LONGEST_BACK` ago."""
    end = now
    for start, stop in reversed(interruptions):
        counted = _open_seconds(min(stop, end), end, window)
        if counted >= seconds:
            break
        seconds, end = seconds - counted, min(start, end)
    return end - timedelta(seconds=seconds) if window is None else window.back(end, seconds)


def _open_seconds(since: datetime, until: datetime, window: Window | None) -> float:
    return (until - since).total_seconds() if window is None else window.open_seconds(since, until)
