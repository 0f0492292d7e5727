"""What is let in: bounded queues, waiting times against deadlines, and a fair share of the queue for each plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from walle.whitebox.runtime.errors import Overloaded

_SOONEST_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class AdmissionLimits:
    """How much may wait. `backlog_s` is in seconds of all executors, `bytes` that of records that wait or run."""

    backlog_s: float = 2.0
    bytes: int = 256 << 20
    deadline_s: float = 10.0
    """The time in which a request without a deadline is to be answered."""


class Admission:
    """The work that was let in and is not done, of one group of executors, in seconds of one executor.

    As the queue grows, less is let in: beyond half of the limit a plan has no more than its share, which is the limit
    divided by the plans that wait, so that large batches and plans that ask too much are refused first.
    """

    def __init__(self, limits: AdmissionLimits, executors: int) -> None:
        self.limits = limits
        self.executors = executors
        self.backlog_s = 0.0
        self.bytes = 0
        self.refused = 0
        self._of: dict[str, float] = {}
        self._counts: dict[str, int] = {}

    def waiting_s(self, plan: str, cost_s: float) -> float:
        """Return how long more work of a plan would wait, estimated.

        The order is fair: a plan waits for its own work and for as much of each other plan, not for all that is there.
        """
        own = self._of.get(plan, 0.0)
        ahead = own + sum(min(other, own + cost_s) for each, other in self._of.items() if each != plan)
        return ahead / max(1, self.executors)

    def admit(self, plan: str, cost_s: float, size: int, left_s: float | None) -> None:
        """Let work in that takes `cost_s` of one executor, has `size` bytes, and `left_s` until its deadline.

        Raises Overloaded with the time after which it would have been let in, if nothing else comes.
        """
        excess = self._excess_s(plan, cost_s, size, self.limits.deadline_s if left_s is None else left_s)
        if excess is not None:
            self.refused += 1
            reason, seconds = excess
            raise Overloaded(reason, max(_SOONEST_S, seconds))
        self.backlog_s += cost_s
        self.bytes += size
        self._of[plan] = self._of.get(plan, 0.0) + cost_s
        self._counts[plan] = self._counts.get(plan, 0) + 1

    def done(self, plan: str, cost_s: float, size: int) -> None:
        """Strike out work that was let in: it was answered, shed or failed."""
        self.bytes -= size
        self._counts[plan] -= 1
        if self._counts[plan]:
            self.backlog_s -= cost_s
            self._of[plan] -= cost_s
            return
        # Sums of floats do not return to zero by themselves.
        del self._counts[plan], self._of[plan]
        self.backlog_s = sum(self._of.values())

    def _excess_s(self, plan: str, cost_s: float, size: int, left_s: float) -> tuple[str, float] | None:
        executors = max(1, self.executors)
        wait = self.waiting_s(plan, cost_s)
        if self._counts and self.bytes + size > self.limits.bytes:
            return "too many bytes wait", wait
        if wait and wait + cost_s / executors > left_s:
            return "the deadline would be missed", wait + cost_s / executors - left_s
        most = self.limits.backlog_s * executors
        if self._counts and self.backlog_s + cost_s > most:
            return "too much work waits", (self.backlog_s + cost_s - most) / executors
        share = most / (len(self._of) + (plan not in self._of))
        own = self._of.get(plan, 0.0)
        if own and self.backlog_s + cost_s > most / 2 and own + cost_s > share:
            return "too much work of this plan waits", (own + cost_s - share) / executors
        return None
