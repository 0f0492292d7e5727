"""Joins the events of all users by user and page in bytewax; a feature is made when the watermark passes the exit.

    python -m benchmarks.support.ipv.bytewax_join WATERMARK_S

Runs with bytewax in its path, which is no requirement of the project.
"""

# mypy: ignore-errors

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime, timedelta

import bytewax.operators as op
from bytewax.dataflow import Dataflow
from bytewax.inputs import DynamicSource, StatelessSourcePartition
from bytewax.operators import StatefulLogic
from bytewax.outputs import DynamicSink, StatelessSinkPartition
from bytewax.testing import run_main

from benchmarks.support.ipv.lines import FORGET_S, Event, Lines, feature_line, say

POLL = timedelta(milliseconds=10)


class Incoming(StatelessSourcePartition):
    def __init__(self) -> None:
        self._lines = Lines()

    def next_batch(self):
        try:
            return self._lines.take()
        except EOFError as error:
            raise StopIteration from error

    def next_awake(self):
        return datetime.now(UTC) + POLL


class Source(DynamicSource):
    def build(self, step_id, worker_index, worker_count):
        return Incoming()


class View(StatefulLogic):
    """The events of one user on one page, until the watermark has passed their exit."""

    def __init__(self, watermark_s: float) -> None:
        self._watermark_s = watermark_s
        self._events: list[tuple[int, Event]] = []
        self._exit: float | None = None
        self._heard = time.time()

    def on_item(self, value: tuple[int, Event]):
        self._heard = time.time()
        self._events.append(value)
        if value[1]["id"] == "item_exit":
            self._exit = value[1]["at"]
        return (), StatefulLogic.RETAIN

    def on_notify(self):
        if self._exit is None:
            return (), StatefulLogic.DISCARD
        user, event = self._events[0]
        events = [each for _, each in self._events if each["at"] <= self._exit]
        return [feature_line(user, event["page"], events)], StatefulLogic.DISCARD

    def notify_at(self):
        due = self._heard + FORGET_S if self._exit is None else self._exit + self._watermark_s
        return datetime.fromtimestamp(due, UTC)

    def snapshot(self):
        return list(self._events)


class Outgoing(StatelessSinkPartition):
    def write_batch(self, items) -> None:
        say(*(line for _, line in items))


class Sink(DynamicSink):
    def build(self, step_id, worker_index, worker_count):
        return Outgoing()


def dataflow(watermark_s: float) -> Dataflow:
    flow = Dataflow("ipv")
    events = op.input("events", flow, Source())
    of_items = op.filter("of items", events, lambda found: found[1]["page"].startswith("item/"))
    keyed = op.key_on("by user and page", of_items, lambda found: f"{found[0]} {found[1]['page']}")
    op.output("features", op.stateful("views", keyed, lambda _: View(watermark_s)), Sink())
    return flow


if __name__ == "__main__":
    made = dataflow(float(sys.argv[1]))
    say("ready")
    run_main(made)
