"""Who runs next: never too many, the most urgent first, and everybody in the end."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from walle.device.running.turns import ACTIVITIES, RANK_S, Priority, RunLimits, Ticket, TurnQueue, priority_of


def joined(queue: TurnQueue, *wanted: tuple[Priority, float], cold: bool = False) -> list[Ticket]:
    return [queue.join(priority, now, cold=cold) for priority, now in wanted]


def test_the_most_urgent_goes_first_and_within_a_priority_who_came_first():
    queue = TurnQueue(1)
    tickets = joined(
        queue,
        (Priority.BACKGROUND, 0.0),
        (Priority.PERIODIC, 1.0),
        (Priority.TRIGGERED, 2.0),
        (Priority.TRIGGERED, 2.0),
        (Priority.PERIODIC, 3.0),
    )
    order = []
    while admitted := queue.admit():
        order += admitted
        queue.leave(admitted[0])
    assert [tickets.index(ticket) for ticket in order] == [2, 3, 1, 4, 0]


def test_a_minute_of_waiting_is_worth_a_rank():
    queue = TurnQueue(1)
    (running,) = joined(queue, (Priority.TRIGGERED, 0.0))
    assert queue.admit() == [running]
    waited, sooner, later = joined(
        queue, (Priority.BACKGROUND, 0.0), (Priority.PERIODIC, RANK_S - 1), (Priority.PERIODIC, RANK_S + 1)
    )
    order = []
    for _ in range(3):
        queue.leave(running)
        (running,) = queue.admit()
        order.append(running)
    assert order == [sooner, waited, later]


@pytest.mark.parametrize(
    ("activity", "parallel", "limits"),
    [
        ("idle", 4, RunLimits(4, 4)),
        ("active", 4, RunLimits(4, 2)),
        ("busy", 4, RunLimits(2, 0)),
        ("active", 1, RunLimits(1, 1)),
        ("busy", 1, RunLimits(1, 0)),
    ],
)
def test_what_the_app_does_decides_how_many_run(activity, parallel, limits):
    assert RunLimits.for_activity(activity, parallel) == limits
    queue = TurnQueue(parallel, cold_at_once=99)
    queue.activity = activity
    background = joined(queue, *[(Priority.BACKGROUND, 0.0)] * 9)
    assert queue.admit() == background[: limits.background]
    periodic = joined(queue, *[(Priority.PERIODIC, 1e9)] * 9)
    assert queue.admit() == periodic[: limits.runs - limits.background]


def test_cold_runs_wait_for_each_other_while_warm_ones_pass_them():
    queue = TurnQueue(8, cold_at_once=2)
    cold = joined(queue, *[(Priority.TRIGGERED, 0.0)] * 3, cold=True)
    warm = joined(queue, (Priority.PERIODIC, 1.0))
    assert queue.admit() == [*cold[:2], *warm]
    queue.leave(warm[0])
    assert queue.admit() == []
    queue.leave(cold[0])
    assert queue.admit() == [cold[2]]


@pytest.mark.parametrize(("parallel", "cold"), [(0, 1), (1, 0)])
def test_there_is_at_least_one_turn(parallel, cold):
    with pytest.raises(ValueError, match="at least 1"):
        TurnQueue(parallel, cold_at_once=cold)


@pytest.mark.parametrize(
    ("trigger", "priority"),
    [
        ({"on": ["page_exit"]}, Priority.TRIGGERED),
        ({"every_s": 5}, Priority.PERIODIC),
        ({"every_s": 5, "background": True}, Priority.BACKGROUND),
        ({}, Priority.PERIODIC),
    ],
)
def test_a_tasks_trigger_says_how_urgent_it_is(trigger, priority):
    assert priority_of(trigger) == priority


@dataclass
class PlainQueue:
    """The same by looking at everybody each time."""

    parallel: int
    cold_at_once: int
    activity: str = "idle"
    waiting: list[tuple[float, int, Priority, bool]] = field(default_factory=list)
    running: list[tuple[float, int, Priority, bool]] = field(default_factory=list)

    def may_run(self, one: tuple[float, int, Priority, bool]) -> bool:
        half = max(1, self.parallel // 2)
        background = sum(each[2] == Priority.BACKGROUND for each in self.running)
        if len(self.running) >= (half if self.activity == "busy" else self.parallel):
            return False
        if one[3] and sum(each[3] for each in self.running) >= self.cold_at_once:
            return False
        most = {"idle": self.parallel, "active": half, "busy": 0}[self.activity]
        return one[2] != Priority.BACKGROUND or background < most

    def admit(self) -> list[int]:
        numbers = []
        while fitting := sorted(one for one in self.waiting if self.may_run(one)):
            self.waiting.remove(fitting[0])
            self.running.append(fitting[0])
            numbers.append(fitting[0][1])
        return numbers


class Queues(RuleBasedStateMachine):
    """Runs come, go and give up in any order while the app does one thing and another."""

    @initialize(parallel=st.integers(1, 5), cold_at_once=st.integers(1, 3))
    def start(self, parallel: int, cold_at_once: int) -> None:
        self.queue = TurnQueue(parallel, cold_at_once=cold_at_once)
        self.plain = PlainQueue(parallel, cold_at_once)
        self.tickets: dict[int, Ticket] = {}
        self.now = 0.0

    @rule(priority=st.sampled_from(Priority), cold=st.booleans(), later=st.sampled_from([0.0, 1.0, RANK_S]))
    def come(self, priority: Priority, cold: bool, later: float) -> None:
        self.now += later
        ticket = self.queue.join(priority, self.now, cold=cold)
        self.tickets[ticket.number] = ticket
        self.plain.waiting.append((self.now + RANK_S * priority, ticket.number, priority, cold))

    @rule(activity=st.sampled_from(ACTIVITIES))
    def turn_to(self, activity) -> None:
        self.queue.activity = self.plain.activity = activity

    @precondition(lambda self: self.plain.waiting or self.plain.running)
    @rule(data=st.data())
    def go(self, data: st.DataObject) -> None:
        for lot in (self.plain.waiting, self.plain.running):
            if lot and data.draw(st.booleans()):
                one = lot.pop(data.draw(st.integers(0, len(lot) - 1)))
                self.queue.leave(self.tickets.pop(one[1]))

    @invariant()
    def the_same_are_admitted(self) -> None:
        assert [ticket.number for ticket in self.queue.admit()] == self.plain.admit()

    def teardown(self) -> None:
        """Once the app is idle, everybody comes to a turn."""
        self.queue.activity = self.plain.activity = "idle"
        while self.plain.waiting:
            self.the_same_are_admitted()
            for one in self.plain.running:
                self.queue.leave(self.tickets[one[1]])
            assert self.plain.running, "somebody waits, and nobody runs"
            self.plain.running = []


TestQueues = Queues.TestCase
