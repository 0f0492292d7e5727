"""Daily windows in a named time zone, outside which a release makes no offers and its clocks stand still."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, Self
from zoneinfo import ZoneInfo

from walle.schema import Fields, Items, Malformed, Number, Text, checked

_TIME: Final = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")
EVERY_DAY: Final = tuple(range(7))
LONGEST_BACK: Final = timedelta(weeks=60)


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        return False
    return True


_CLOCK: Final = Text("a time such as 01:30", _TIME.fullmatch)
WINDOW: Final = Fields(
    {
        "zone": Text("a time zone such as Asia/Shanghai", _is_zone),
        "from": _CLOCK,
        "to": _CLOCK,
        "days": Items(
            Number(0, 6, integer=True, words="0 (Monday) to 6"), "a list of at least one of 0 (Monday) to 6", at_least=1
        ),
    },
    required=("zone", "from", "to"),
    words='an object with "zone", "from", "to" and perhaps "days"',
)


class WindowMalformed(Malformed):
    """The window is invalid."""


@dataclass(frozen=True)
class Window:
    """Open from `start` to `end` by the clock of `zone`, on the days (0 is Monday) on which it starts.

    A window whose end is not after its start ends on the next day. Where a clock is put forward or back, a window's
    ends are what the zone makes of them (PEP 495, the earlier of two): it may be an hour shorter or longer.
    """

    zone: str
    start: time
    end: time
    days: tuple[int, ...] = EVERY_DAY

    def is_open(self, now: datetime) -> bool:
        return self.closes(now) is not None

    def closes(self, now: datetime) -> datetime | None:
        """Return when the window that is open at this moment closes; None if it is closed."""
        return next((end for start, end in self._around(now, now) if start <= now < end), None)

    def open_seconds(self, since: datetime, until: datetime) -> float:
        """Return for how many seconds it was open between two moments."""
        spans = ((max(start, since), min(end, until)) for start, end in self._around(since, until))
        return sum(max(0.0, (end - start).total_seconds()) for start, end in spans)

    def back(self, now: datetime, seconds: float) -> datetime:
        """Return the moment since which it has been open for `seconds`, at most LONGEST_BACK ago."""
        weeks = 2 + int(seconds / 60)  # a window is open for a minute a week at least
        openings = self._around(now - min(timedelta(weeks=weeks), LONGEST_BACK), now)
        for start, end in reversed([span for span in openings if span[0] < now]):
            ends = min(end, now)
            if (ends - start).total_seconds() >= seconds:
                return ends - timedelta(seconds=seconds)
            seconds -= (ends - start).total_seconds()
        return now - LONGEST_BACK

    def _around(self, since: datetime, until: datetime) -> Iterator[tuple[datetime, datetime]]:
        """Yield the openings, in UTC, that can overlap the time from `since` to `until`."""
        zone = ZoneInfo(self.zone)
        day = since.astimezone(zone).date() - timedelta(days=1)
        last = until.astimezone(zone).date()
        while day <= last:
            start, end = self._moment(day, self.start, zone), self._moment(self._last_day(day), self.end, zone)
            if day.weekday() in self.days and start < end:  # not where a clock is put forward past both
                yield start, end
            day += timedelta(days=1)

    def _last_day(self, day: date) -> date:
        return day if self.end > self.start else day + timedelta(days=1)

    @staticmethod
    def _moment(day: date, at: time, zone: ZoneInfo) -> datetime:
        return datetime.combine(day, at, zone).astimezone(UTC)

    def to_dict(self) -> dict[str, Any]:
        ends = {"from": f"{self.start:%H:%M}", "to": f"{self.end:%H:%M}"}
        return {"zone": self.zone, **ends, "days": list(self.days)}

    @classmethod
    def from_dict(cls, value: object) -> Self:
        """Read a window; raises WindowMalformed."""
        values = checked(WINDOW, value, "window", WindowMalformed)
        start, end = time.fromisoformat(values["from"]), time.fromisoformat(values["to"])
        return cls(values["zone"], start, end, tuple(sorted(set(values.get("days", EVERY_DAY)))))
