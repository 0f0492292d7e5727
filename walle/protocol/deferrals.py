"""Walle-Deferral: a device says in its check-in that it carries out no offer now that may wait, why, and how long."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from walle.protocol.errors import HeaderMalformed
from walle.protocol.names import TASK_NAME_PATTERN
from walle.protocol.structured import Item, Parameters, StructuredFieldError, Token, parse_item, serialize_item

DEFERRAL: Final = "Walle-Deferral"
REASONS: Final = ("in-call", "in-use", "on-battery", "metered", "roaming", "hot", "quiet-hours", "user")
OTHER: Final = "other"
"""What counts as the reason where a device says one that is not among REASONS."""
MOST_S: Final = 7 * 86_400
"""The longest time for which a device may put off an offer, whatever its release allows."""
MOST_DUE: Final = 16
"""The most tasks that a header names as due."""
MAX_BYTES: Final = 2048
_REASON: Final = re.compile(r"[a-z][a-z-]{0,19}")
_FAST: Final = re.compile(rb"([a-z][a-z-]{0,19});for=([1-9][0-9]{0,5})")
_EXPECTED: Final = f'reason;for=seconds, 1 to {MOST_S}, and perhaps due="the names of at most {MOST_DUE} tasks"'


class Deferral(NamedTuple):
    """For how many more seconds a device carries out no offer that may wait, and why; `due` are the tasks that it has
    put off for as long as it may, and whose offers it carries out."""

    reason: str
    seconds: int
    due: frozenset[str] = frozenset()

    @property
    def counted_as(self) -> str:
        """Return the reason by which it is counted: one of REASONS, or OTHER."""
        return self.reason if self.reason in REASONS else OTHER


def check_reason(reason: str) -> str:
    """Return the reason; raises ValueError unless it is one of REASONS, or OTHER."""
    if reason not in (*REASONS, OTHER):
        raise ValueError(f"expected a reason, one of {', '.join((*REASONS, OTHER))}; found {reason!r}")
    return reason


def write_deferral(reason: str, seconds: float, due: Iterable[str] = ()) -> str:
    """Write the header; of more than MOST_DUE tasks, it names the first by name."""
    params: Parameters = {"for": min(MOST_S, max(1, round(seconds)))}
    if named := sorted(due)[:MOST_DUE]:
        params["due"] = " ".join(named)
    return serialize_item(Item(Token(reason), params))


def read_deferral(value: bytes) -> Deferral | None:
    """Parse Walle-Deferral; an absent header is no deferral. Raises HeaderMalformed."""
    if not value:
        return None
    if match := _FAST.fullmatch(value):
        return _checked(match[1].decode(), int(match[2]), "")
    if len(value) > MAX_BYTES:
        raise HeaderMalformed(DEFERRAL, f"at most {MAX_BYTES} bytes")
    try:
        item = parse_item(value)
    except StructuredFieldError as error:
        raise HeaderMalformed(DEFERRAL, f"{_EXPECTED} ({error})") from error
    reason, seconds, due = item.value, item.params.get("for"), item.params.get("due", "")
    if not (isinstance(reason, Token) and type(seconds) is int and type(due) is str):
        raise HeaderMalformed(DEFERRAL, _EXPECTED)
    return _checked(str(reason), seconds, due)


def _checked(reason: str, seconds: int, due: str) -> Deferral:
    tasks = due.split(" ") if due else []
    if (
        not _REASON.fullmatch(reason)
        or not 1 <= seconds <= MOST_S
        or len(tasks) > MOST_DUE
        or not all(map(TASK_NAME_PATTERN.fullmatch, tasks))
    ):
        raise HeaderMalformed(DEFERRAL, _EXPECTED)
    return Deferral(reason, seconds, frozenset(tasks))
