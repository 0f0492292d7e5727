"""Which work an executor takes next: late binding over two queues (PRETZEL, section 4.3.2).

The unit is a chunk: a range of a batch's records, for which one executor runs all stages of the plan, as the vectors
lie in its pool. A batch whose first chunk nobody took is in the queue of low priority; the chunks of one that was
started are in the queue of high priority, so that what holds memory is done first.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

_PRUNED: Final = 1024


@dataclass(eq=False, slots=True)
class Work:
    """A batch of one plan in `chunks` parts; `cost_s` is the time that one executor would need for all, estimated.

    `deadline` is in seconds of the clock whose times `Schedule.take` is given; None if there is none. `payload` is the
    owner's.
    """

    plan: str
    chunks: int
    cost_s: float
    deadline: float | None = None
    payload: Any = None
    waiting: deque[int] = field(init=False)
    """The chunks that no executor has taken."""
    cancelled: bool = False

    def __post_init__(self) -> None:
        self.waiting = deque(range(self.chunks))

    @property
    def started(self) -> bool:
        return len(self.waiting) < self.chunks


class Lane:
    """The two queues of a group of executors: those of everybody, or those reserved for one plan."""

    def __init__(self) -> None:
        self._low: list[tuple[float, int, Work]] = []
        self._high: deque[Work] = deque()
        self._served = 0.0
        self._finish: dict[str, float] = {}
        self._entered = 0

    @property
    def lengths(self) -> tuple[int, int]:
        """How many batches wait in the queue of low and in that of high priority."""
        return len(self._low), len(self._high)

    def add(self, work: Work) -> None:
        """Put a batch into the queue of low priority.

        Its order is that of start-time fair queueing: each plan has its own sequence of starts, `cost_s` apart, so that
        plans of which work waits get equal time whatever they ask for, and one that was idle gains nothing by it.
        """
        start = max(self._served, self._finish.get(work.plan, 0.0))
        if len(self._finish) >= _PRUNED:
            self._finish = {plan: finish for plan, finish in self._finish.items() if finish > self._served}
        self._finish[work.plan] = start + work.cost_s
        self._entered += 1
        heapq.heappush(self._low, (start, self._entered, work))

    def take(self, now: float, late: list[Work]) -> tuple[Work, int] | None:
        """Return a batch and the number of its chunk that runs next; batches whose deadline passed go to `late`."""
        while self._high:
            work = self._high[0]
            if work.cancelled or not work.waiting:
                self._high.popleft()
                continue
            return work, work.waiting.popleft()
        while self._low:
            start, _, work = heapq.heappop(self._low)
            self._served = max(self._served, start)
            if work.cancelled:
                continue
            if work.deadline is not None and now >= work.deadline:
                late.append(work)
                continue
            chunk = work.waiting.popleft()
            if work.waiting:
                self._high.append(work)
            return work, chunk
        return None

    def put_back(self, work: Work, chunk: int) -> None:
        """Have a chunk run again whose executor died: before all others."""
        work.waiting.appendleft(chunk)
        if not self._high or self._high[0] is not work:
            self._high.appendleft(work)

    @property
    def waiting(self) -> list[Work]:
        """The batches of which something waits."""
        return [*self._high, *(work for _, _, work in self._low)]

    def join(self, other: Lane) -> None:
        """Take over what waits in another lane."""
        self._high.extend(other._high)
        for _, _, work in sorted(other._low):
            self.add(work)


class Schedule:
    """The lanes of all executors. A plan with executors of its own waits in their lane only."""

    def __init__(self) -> None:
        self._lanes: dict[str | None, Lane] = {None: Lane()}

    def reserve(self, plan: str | None) -> None:
        """Give a plan a lane of its own; what waits for it already stays where it is."""
        self._lanes.setdefault(plan, Lane())

    def release(self, plan: str | None) -> None:
        """Take a plan's lane away; what waits in it joins the others."""
        lane = self._lanes.pop(plan, None)
        if lane is not None:
            self._lanes[None].join(lane)

    def add(self, work: Work) -> None:
        self._lane_of(work).add(work)

    def take(self, owner: str | None, now: float, late: list[Work]) -> tuple[Work, int] | None:
        """Return what an executor runs next that `owner` reserved, or everybody (None). See Lane.take."""
        lane = self._lanes.get(owner)
        return lane.take(now, late) if lane is not None else None

    def put_back(self, work: Work, chunk: int) -> None:
        self._lane_of(work).put_back(work, chunk)

    @property
    def waiting(self) -> list[Work]:
        """The batches of which something waits, in all lanes."""
        return [work for lane in self._lanes.values() for work in lane.waiting]

    def lengths(self) -> Mapping[str | None, tuple[int, int]]:
        """Return how many batches wait with low and high priority, for all (None) and for each plan with a lane."""
        return {owner: lane.lengths for owner, lane in self._lanes.items()}

    def _lane_of(self, work: Work) -> Lane:
        return self._lanes.get(work.plan, self._lanes[None])
