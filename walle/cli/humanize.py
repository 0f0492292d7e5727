"""Format times, sizes, counts and the names of stages for people."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

NOTHING = "-"
# All that could steer a terminal; tabs and line ends cannot.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PER_PERCENT = 10_000
_SPANS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def moment(text: str) -> datetime:
    """Parse a time as REST writes it."""
    return datetime.fromisoformat(text)


def now() -> datetime:
    return datetime.now(tz=UTC)


def span(seconds: float) -> str:
    """Format a duration as `4 s`, `12 min`, `3 h`, `5 d`: the largest unit of which there is at least one."""
    for length, unit in _SPANS:
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}" if seconds < 10 * length else f"{seconds // length:.0f} {unit}"
    return "0 s"


def clock(seconds: float) -> str:
    """Format a duration as `0:04`, `12:30`, `3:05:09`."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def time_of_day(seconds: float, at: datetime) -> str:
    """Format Unix seconds as local time in milliseconds: `14:03:27.120`; of another day than `at`, with its date."""
    local = datetime.fromtimestamp(seconds, tz=UTC).astimezone()
    text = local.isoformat(" ", "milliseconds")[:23]
    return text[11:] if local.date() == at.astimezone().date() else text


def milliseconds(duration: float) -> str:
    """Format a duration in milliseconds with three digits: `0.34 ms`, `12.9 ms`, `586 ms`."""
    digits = 2 if duration < 10 else 1 if duration < 100 else 0
    return f"{duration:,.{digits}f} ms"


def ago(text: str | None, at: datetime) -> str:
    """Format a time as `3 min ago`; a dash for None."""
    if not text:
        return NOTHING
    seconds = (at - moment(text)).total_seconds()
    return f"{span(seconds)} ago" if seconds >= 1 else "just now" if seconds > -60 else f"in {span(-seconds)}"


def size(count: float) -> str:
    """Format a number of bytes in decimal units."""
    for unit in ("bytes", "KB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" or count >= 10 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def count(number: int, one: str, many: str = "") -> str:
    """Format a count with its noun: `1 file`, `3 files`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def percent(part: float, whole: float) -> str:
    """Format a share as `12 %`, `0.3 %`; a dash if the whole is zero."""
    return f"{100 * part / whole:.3g} %" if whole else NOTHING


def harmless(value: Any) -> Any:
    """Escape control characters in the texts of JSON data, so that a terminal can show them."""
    if isinstance(value, str):
        return _CONTROL.sub(lambda found: repr(found[0])[1:-1], value)
    if isinstance(value, dict):
        return {harmless(name): harmless(item) for name, item in value.items()}
    return [harmless(item) for item in value] if isinstance(value, list) else value


def stage_name(stage: Mapping[str, Any]) -> str:
    """Return the name of a release's stage: `beta testers`, `gray 10 %`."""
    reach = stage["id_list"] or f"{stage['share'] / _PER_PERCENT:g} %"
    return f"{stage['kind']} {reach}"
