"""The functions of on-device stream processing that a task composes (Walle, section 5.1, Task Execution).

The paper gives tasks KeyBy, TimeWindow, Filter and Map, "to facilitate the extraction of relevant events from the event
sequence and the processing of event contents". Here `|` puts them after the events, or after one another:

    clicks = KeyBy("page", "item/1") | TimeWindow(60) | Filter(lambda event: event["kind"] == "click")
    items = Events(inputs["events"]) | clicks | Map(lambda event: event["contents"]["item"])
    list(items)

Nothing is computed before somebody iterates, and then one event at a time. What is composed keeps no state: events and
operators can be used again, in any combination.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

Key = str | Callable[[Any], object]


class Operator:
    """A step from events to events; `a | b` is `b` after `a`."""

    def apply(self, items: Iterable[Any]) -> Iterator[Any]:
        """Yield what this step makes of the items, in their order."""
        raise NotImplementedError

    def __or__(self, after: Operator) -> Operator:
        return _Composed(self, after) if isinstance(after, Operator) else NotImplemented


class _Composed(Operator):
    """Two steps, one after the other."""

    def __init__(self, first: Operator, second: Operator) -> None:
        self._first, self._second = first, second

    def apply(self, items: Iterable[Any]) -> Iterator[Any]:
        return self._second.apply(self._first.apply(items))


class Events:
    """Events in their order, such as `inputs["events"]`, and the operators that they go through when iterated.

    Raises TypeError for an iterator, which could be gone through only once.
    """

    def __init__(self, source: Iterable[Any], through: Operator | None = None) -> None:
        if isinstance(source, Iterator) or not isinstance(source, Iterable):
            raise TypeError(f"Events: expected a list of events, found {type(source).__name__}")
        self._source, self._through = source, through

    def __or__(self, after: Operator) -> Events:
        if not isinstance(after, Operator):
            return NotImplemented
        return Events(self._source, self._through | after if self._through else after)

    def __iter__(self) -> Iterator[Any]:
        return self._through.apply(self._source) if self._through else iter(self._source)


class KeyBy(Operator):
    """The events matched with a given key: those of which `key`, a field or a function of the event, is `value`.

    An event without the field is not matched.
    """

    def __init__(self, key: Key, value: object) -> None:
        self._key, self._value = key, value

    def apply(self, items: Iterable[Any]) -> Iterator[Any]:
        return (item for item in items if self._key_of(item) == self._value)

    def _key_of(self, item: Any) -> object:
        return self._key(item) if callable(self._key) else _event("KeyBy", item).get(self._key, _NOTHING)


class TimeWindow(Operator):
    """The events in a given time window: at most `seconds` before `until`, and not after it; both ends are included.

    `until` is Unix seconds, such as `inputs["trigger"]["at"]`. Left out, it is the time of the newest of the events,
    for which all of them are gone through before the first one is given. Raises ValueError for a negative length.
    """

    def __init__(self, seconds: float, until: float | None = None) -> None:
        if not seconds >= 0:
            raise ValueError(f"TimeWindow: expected 0 seconds or more, found {seconds}")
        self._seconds, self._until = seconds, until

    def apply(self, items: Iterable[Any]) -> Iterator[Any]:
        if self._until is None:
            items = list(items)
            until = max(map(_at, items), default=0.0)
        else:
            until = self._until
        for item in items:
            if until - self._seconds <= _at(item) <= until:
                yield item


class Filter(Operator):
    """The events filtered by a defined rule: those for which `rule` is true."""

    def __init__(self, rule: Callable[[Any], object]) -> None:
        self._rule = rule

    def apply(self, items: Iterable[Any]) -> Iterator[Any]:
        return filter(self._rule, items)


class Map(Operator):
    """What a defined function makes of each event, usually of its contents."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def apply(self, items: Iterable[Any]) -> Iterator[Any]:
        return map(self._function, items)


_NOTHING = object()


def _event(who: str, item: Any) -> Mapping[str, Any]:
    if not isinstance(item, Mapping):
        raise TypeError(f"{who}: expected an event, found {type(item).__name__}; Map comes last")
    return item


def _at(item: Any) -> float:
    at: float = _event("TimeWindow", item)["at"]
    return at
