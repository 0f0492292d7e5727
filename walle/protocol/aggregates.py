"""The aggregate of several runs that one report is about: what a device says of a task that its events trigger.

A stream task may run hundreds of times a day. Its device reports them together: how many, how many failed or were shed,
how long they took, and the first failures. Members that are not known are left out, so that what is stored is bounded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final

MAX_TIME: Final = 1e11
"""The latest time of a report, in Unix seconds: it lies in the year 5138."""
MAX_MESSAGE: Final = 2000
MAX_FAILURES: Final = 5
MAX_COUNT: Final = 2**53 - 1
ERROR_CLASS_PATTERN: Final = re.compile(r"[A-Za-z0-9_.:-]{1,80}")
_COUNTS: Final = ("count", "failed", "shed", "events", "cold")
_TIMES: Final = ("since", "until")
_TUNNEL: Final = ("features", "raw_bytes", "wire_bytes", "dropped", "connects")
_MILLISECONDS: Final = ("p50_ms", "p90_ms", "p99_ms", "max_ms", "cpu_ms")
_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")
EXPECTED: Final = (
    "since and until in Unix seconds, since not after until; whole numbers count from 1 on, failed, shed, events and "
    f"cold, failed and cold at most count; perhaps {', '.join(_MILLISECONDS)}, 0 or more; and at most {MAX_FAILURES} "
    "failures of an error_class and a count, perhaps with a message, no more together than failed; and perhaps a "
    f"tunnel with whole numbers {', '.join(_TUNNEL)}"
)


def is_number(value: object, low: float = -math.inf, high: float = math.inf) -> bool:
    """Return whether a value is a finite JSON number between two limits that a double can hold."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return low <= value <= high and abs(value) < 1e300


def is_text(value: object, limit: int) -> bool:
    """Return whether a value is None or text that PostgreSQL can store: no NUL, no lone surrogate."""
    if value is None:
        return True
    return isinstance(value, str) and len(value) <= limit and not _UNSTORABLE.search(value)


def is_error_class(value: object) -> bool:
    return isinstance(value, str) and bool(ERROR_CLASS_PATTERN.fullmatch(value))


def is_aggregate(value: object) -> bool:
    """Return whether a value is None or an aggregate as docs/protocol.md says."""
    if value is None:
        return True
    if not isinstance(value, dict):
        return False
    if not all(is_number(value.get(name), 0, MAX_TIME) for name in _TIMES) or value["since"] > value["until"]:
        return False
    if not all(_is_count(value.get(name)) for name in _COUNTS) or value["count"] < 1:
        return False
    if max(value["failed"], value["cold"]) > value["count"]:
        return False
    measured = all(value.get(name) is None or is_number(value[name], 0) for name in _MILLISECONDS)
    return measured and _is_tunnel(value.get("tunnel")) and _are_failures(value.get("failures"), value["failed"])


def known_members(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return an aggregate that `is_aggregate` took, without members that this version does not know."""
    known = {name: value[name] for name in (*_TIMES, *_COUNTS)}
    known |= {name: value[name] for name in _MILLISECONDS if value.get(name) is not None}
    failures = [_known_failure(each) for each in value.get("failures") or ()]
    known["failures"] = failures
    if (tunnel := value.get("tunnel")) is not None:
        known["tunnel"] = {name: tunnel[name] for name in _TUNNEL}
    return known


def _known_failure(failure: Mapping[str, Any]) -> dict[str, Any]:
    return {name: failure[name] for name in ("error_class", "count", "message") if failure.get(name) is not None}


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_COUNT


def _is_tunnel(value: object) -> bool:
    if value is None:
        return True
    return isinstance(value, dict) and all(_is_count(value.get(name)) for name in _TUNNEL)


def _are_failures(value: object, failed: int) -> bool:
    if value is None:
        return True
    if not isinstance(value, list) or len(value) > MAX_FAILURES or not all(map(_is_failure, value)):
        return False
    return bool(sum(each["count"] for each in value) <= failed)


def _is_failure(value: object) -> bool:
    if not isinstance(value, dict) or not is_error_class(value.get("error_class")):
        return False
    return _is_count(value.get("count")) and value["count"] >= 1 and is_text(value.get("message"), MAX_MESSAGE)
