"""Behaviour events: what a user does in an app, as the app reports it (Walle, section 5.1, Event Sequence Creation)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self, cast, get_args

from walle.schema.values import MAX_DEPTH, shown

EventKind = Literal["page_enter", "page_scroll", "exposure", "click", "page_exit"]
"""The five kinds of basic events."""
EVENT_KINDS: Final[tuple[EventKind, ...]] = get_args(EventKind)

MAX_CONTENTS_BYTES: Final = 16 * 1024
"""How much contents and private contents of one event may be together, as compact JSON in UTF-8."""
MAX_AHEAD_S: Final = 60.0
"""How far the time of an event may lie ahead of the device's clock. It then counts as now."""

EVENT_ID: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
PAGE_ID: Final = re.compile(r"[A-Za-z0-9_./-]{1,128}")
_LAST_TIME: Final = 253_402_300_800.0  # the end of the year 9999
_FIELDS: Final = frozenset(("kind", "id", "page", "at", "contents", "private"))

compact_json: Final[Callable[[object], str]] = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""Write JSON data as events are measured and logged: without spaces, and in UTF-8 once it is encoded."""

RefusalReason = Literal[
    "unknown-kind",
    "id-malformed",
    "page-malformed",
    "contents-not-json",
    "contents-too-large",
    "time-malformed",
    "time-from-future",
    "event-malformed",
]
"""Why an event was refused. Only `BehaviourEvent.from_dict` says `event-malformed`: what it read is no event at all."""


class EventRefused(ValueError):
    """What an app reported is not an event; the text says what was expected."""

    def __init__(self, reason: RefusalReason, text: str) -> None:
        self.reason, self.text = reason, text
        super().__init__(text)


@dataclass(frozen=True, slots=True)
class BehaviourEvent:
    """One event of one device. `at` is Unix seconds by the device's clock.

    `id` is the event id, which is the kind unless the app names the event more closely, such as `add_to_cart`.
    `contents` are JSON data; what is in `private` never leaves the device.
    """

    kind: EventKind
    id: str
    page: str
    at: float
    contents: Mapping[str, Any] = field(default_factory=dict)
    private: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the event as JSON data: a line of a recorded session. It shares its contents with the event."""
        said = {"kind": self.kind, "id": self.id, "page": self.page, "at": self.at, "contents": self.contents}
        return {**said, "private": self.private} if self.private else said

    @classmethod
    def from_dict(cls, value: object) -> Self:
        """Return the event that `to_dict` wrote; `id`, `contents` and `private` may be left out.

        Whatever `value` is, it is read within the limits of `checked_event`. Raises EventRefused.
        """
        if not isinstance(value, dict):
            raise EventRefused("event-malformed", f"expected an event as an object, found {_found(value)}")
        odd = next((key for key in value if key not in _FIELDS), None)
        if odd is not None:
            raise EventRefused(
                "event-malformed", f"an event: expected {', '.join(sorted(_FIELDS))}, found {_found(odd)}"
            )
        kind = _kind(value.get("kind"))
        contents, private, _ = _contents(value.get("contents"), value.get("private"))
        page, at = _page(value.get("page")), _time(value.get("at"))
        return cls(kind, _id(value.get("id", kind)), page, at, contents, private)


def checked_event(kind: object, page: object, *, now: float, **fields: object) -> BehaviourEvent:
    """Return what an app reports as an event; see `measured_event`."""
    return measured_event(kind, page, now=now, **fields)[0]


def measured_event(
    kind: object,
    page: object,
    *,
    id: object = None,
    at: object = None,
    contents: object = None,
    private: object = None,
    now: float,
) -> tuple[BehaviourEvent, int]:
    """Return what an app reports as an event, with a copy of its contents, and how many bytes of JSON these have.

    The app may go on changing its own. Without `id` the event's id is its kind; without `at` (Unix seconds) it
    happened `now`. Contents are mappings of text to JSON data; tuples become lists. At most MAX_CONTENTS_BYTES are read
    of them, whatever their size. Raises EventRefused, and nothing else.
    """
    checked_kind, checked_page = _kind(kind), _page(page)
    when = now if at is None else _time(at)
    if when > now:
        if when > now + MAX_AHEAD_S:
            raise EventRefused(
                "time-from-future", f"at: expected at most {MAX_AHEAD_S:g} s after {now:.3f}, found {when:.3f}"
            )
        when = now
    copy, private_copy, size = _contents(contents, private)
    event_id = checked_kind if id is None else _id(id)
    return BehaviourEvent(checked_kind, event_id, checked_page, when, copy, private_copy), size


def _kind(value: object) -> EventKind:
    if isinstance(value, str) and value in EVENT_KINDS:
        return cast(EventKind, str.__str__(value))
    raise EventRefused("unknown-kind", f"kind: expected {', '.join(EVENT_KINDS)}, found {_found(value)}")


def _id(value: object) -> str:
    if isinstance(value, str) and EVENT_ID.fullmatch(value):
        return str.__str__(value)
    raise EventRefused("id-malformed", f"id: expected 1 to 64 of A-Z, a-z, 0-9, _, . and -, found {_found(value)}")


def _page(value: object) -> str:
    if isinstance(value, str) and PAGE_ID.fullmatch(value):
        return str.__str__(value)
    raise EventRefused(
        "page-malformed", f"page: expected 1 to 128 of A-Z, a-z, 0-9, _, ., / and -, found {_found(value)}"
    )


def _time(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _LAST_TIME:
        return float(value)
    raise EventRefused("time-malformed", f"at: expected Unix seconds, found {_found(value)}")


def _found(value: object) -> str:
    """Show a value in an error message without reading more of it than is shown."""
    if isinstance(value, str):
        return shown(str.__getitem__(value, slice(100)))
    return shown(value) if value is None or type(value) in {int, float, bool} else f"a {type(value).__name__}"


def _contents(contents: object, private: object) -> tuple[dict[str, Any], dict[str, Any], int]:
    """Copy both within one budget, and measure them. Reading them may run code of the app, which may raise anything."""
    if contents is None and private is None:
        return {}, {}, 0
    snapshot = _Snapshot()
    try:
        copies = snapshot.table("contents", contents), snapshot.table("private", private)
        size = sum(len(compact_json(copy).encode()) for copy in copies if copy)
    except UnicodeEncodeError as error:
        raise EventRefused("contents-not-json", "contents: expected text, found a lone surrogate") from error
    except EventRefused:
        raise
    except Exception as error:
        raise EventRefused("contents-not-json", f"contents: they could not be read: {type(error).__name__}") from error
    if size > MAX_CONTENTS_BYTES:
        raise _too_large()
    return *copies, size


def _too_large() -> EventRefused:
    return EventRefused(
        "contents-too-large", f"contents and private: expected at most {MAX_CONTENTS_BYTES} bytes of JSON together"
    )


class _Snapshot:
    """Copies JSON data of unknown size and stops once it is certain that their JSON is longer than MAX_CONTENTS_BYTES.

    Every value costs at least as many units as its JSON has characters at the least, and one for what separates it.
    """

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MAX_CONTENTS_BYTES + 2

    def table(self, name: str, value: object) -> dict[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise EventRefused("contents-not-json", f"{name}: expected an object, found {_found(value)}")
        return self._object(value, MAX_DEPTH)

    def _spend(self, units: int) -> None:
        self._left -= units
        if self._left < 0:
            raise _too_large()

    def _copy(self, value: object, depth: int) -> Any:
        kind = type(value)
        if kind is str:
            self._spend(len(cast(str, value)) + 2)
            return value
        if kind is int or kind is bool or value is None:
            self._spend(1 + cast(int, value or 0).bit_length() // 4)
            return value
        if kind is float and math.isfinite(cast(float, value)):
            self._spend(3)
            return value
        if depth and isinstance(value, Mapping):
            return self._object(value, depth - 1)
        if depth and isinstance(value, list | tuple):
            return self._list(value, depth - 1)
        return self._plain(value, depth)

    def _plain(self, value: object, depth: int) -> Any:
        """Copy what is of a type derived from one of JSON's, such as an Enum of text, as the plain value in it."""
        if isinstance(value, str):
            return self._copy(str.__str__(value), depth)
        if type(value) is not int and isinstance(value, int):
            return self._copy(int.__int__(value), depth)
        if type(value) is not float and isinstance(value, float):
            return self._copy(float.__float__(value), depth)
        expected = "None, a boolean, a finite number, text, a list or an object"
        raise EventRefused(
            "contents-not-json", f"contents: expected {expected}, at most {MAX_DEPTH} deep, found {_found(value)}"
        )

    def _object(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        copy = {}
        self._spend(2)
        for key, item in value.items():
            if not isinstance(key, str):
                raise EventRefused("contents-not-json", f"contents: expected text as keys, found {_found(key)}")
            self._spend(len(key) + 3)
            copy[key if type(key) is str else str.__str__(key)] = self._copy(item, depth)
        return copy

    def _list(self, value: list[Any] | tuple[Any, ...], depth: int) -> list[Any]:
        self._spend(2)
        return [self._copy(item, depth) for item in value]
