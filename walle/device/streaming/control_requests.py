"""What a device answers on its control socket: `track`, which has it take an event, and `events`.

    {"request": "track", "event": {"kind": "click", "page": "item/17", "contents": {"widget": "buy"}}}
    {"taken": true}

    {"request": "events", "last": 20, "after": 1312}
    {"next": 1314, "missed": 0, "events": [{"kind": ..., "triggered": ["shop/ipv"]}, ...], "tasks": {}, "counts": {}}

An event has the fields of a line of a recorded session, of which `id`, `at`, `contents` and `private` may be left out.
Without `after` the newest events are answered, with it those that came since an answer whose `next` it was; `missed` of
these are left out, because they are too many or too large. `tasks` are the runs of each task since the process began,
as in reports, without messages. Private contents are not answered: `true` stands for them. A refused request has
`error` and `detail`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from walle.device.streaming.control import ControlRefused
from walle.schema import Fields, Malformed, Number, OneOfTexts, Value, checked
from walle.stream.events import BehaviourEvent, EventRefused, checked_event
from walle.stream.run_statistics import RunTotals

MAX_EVENTS_BYTES: Final = 1024 * 1024
"""The most bytes of JSON that the events of one answer have."""

_OBJECT: Final = Value("an object", lambda value: isinstance(value, dict))
_EVENT: Final = Fields(
    {
        **dict.fromkeys(("kind", "page", "id"), Value("text", lambda value: isinstance(value, str))),
        "at": Number(words="Unix seconds"),
        "contents": _OBJECT,
        "private": _OBJECT,
    },
    ("kind", "page"),
)
_REQUEST: Final = OneOfTexts(("track", "events"))
_REQUESTS: Final = {
    "track": Fields({"request": _REQUEST, "event": _EVENT}, ("event",)),
    "events": Fields({"request": _REQUEST, "last": Number(0, 1000, integer=True), "after": Number(0, integer=True)}),
}


class TriggeringEvent(Protocol):
    """An event, and the names of the tasks that it triggered."""

    @property
    def event(self) -> BehaviourEvent: ...
    @property
    def triggered(self) -> tuple[str, ...]: ...


class ControlledStreams(Protocol):
    """The part of the stream service that the requests use."""

    @property
    def track(self) -> Callable[..., bool]: ...
    def recent(self, count: int) -> Sequence[TriggeringEvent]: ...
    def costs(self) -> Mapping[str, RunTotals]: ...
    def counts(self) -> Mapping[str, int]: ...


class StreamRequests:
    """Answers the requests about the streams of a device. `clock` gives Unix seconds."""

    def __init__(self, streams: ControlledStreams, *, clock: Callable[[], float]) -> None:
        self._streams, self._clock = streams, clock

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request. Raises ControlRefused."""
        known = _REQUESTS.get(str(request.get("request")), Fields({"request": _REQUEST}, ("request",)))
        try:
            checked(known, request, "", Malformed)
        except Malformed as error:
            raise ControlRefused("malformed", str(error)) from error
        return self._track(request["event"]) if request["request"] == "track" else self._events(request)

    def _track(self, event: Mapping[str, Any]) -> dict[str, Any]:
        fields = {name: event.get(name) for name in ("id", "at", "contents", "private")}
        if self._streams.track(event["kind"], event["page"], **fields):
            return {"taken": True}
        try:
            checked_event(event["kind"], event["page"], **fields, now=self._clock())
        except EventRefused as refused:
            raise ControlRefused(refused.reason, refused.text) from refused
        raise ControlRefused("queue-full", "too many events wait to be processed: try again in a moment")

    def _events(self, request: Mapping[str, Any]) -> dict[str, Any]:
        counts = self._streams.counts()
        newest = sum(counts[name] for name in ("events", "too_late", "duplicates"))
        wanted = request.get("last", 20) if "after" not in request else max(0, newest - request["after"])
        events = _fitting(self._streams.recent(wanted))
        return {
            "next": newest,
            "missed": wanted - len(events) if "after" in request else 0,
            "events": events,
            "tasks": {name: _costs(totals) for name, totals in sorted(self._streams.costs().items())},
            "counts": dict(counts),
        }


def _costs(totals: RunTotals) -> dict[str, Any]:
    """Return what runs cost, with the classes of failures; their messages may have private contents."""
    told = totals.to_dict()
    failures = [{"error_class": one["error_class"], "count": one["count"]} for one in told["failures"]]
    return {**told, "skipped": totals.skipped, "failures": failures}


def _fitting(recent: Sequence[TriggeringEvent]) -> list[dict[str, Any]]:
    """Return the newest events that fit into an answer, oldest first."""
    fitting: list[dict[str, Any]] = []
    left = MAX_EVENTS_BYTES
    for one in reversed(recent):
        told = {**one.event.to_dict(), "triggered": list(one.triggered)}
        if "private" in told:
            told["private"] = True
        left -= len(json.dumps(told))
        if left < 0:
            break
        fitting.append(told)
    return fitting[::-1]
