"""Decide whose turn it is where long jobs of several accounts share few workers; no I/O.

An account is for whom work is done, such as a scenario. It has an allowance: so many jobs at once, and so many seconds
within a window of time. Of the accounts that may start another job, the one goes first whose last start is longest ago:
so they take turns, and none waits for more starts of others than there are accounts. Times are seconds of one clock.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

# The tolerance of computed times, in seconds.
_ROUNDING: Final = 1e-3


@dataclass(frozen=True)
class WorkAllowance:
    """The limits of an account: jobs at once, and seconds of work within the last `window` seconds."""

    at_once: int
    seconds: float
    window: float


@dataclass(frozen=True)
class WorkSpan:
    """A time in which a job of an account was worked on; `end` is None while it is running."""

    start: float
    end: float | None = None


@dataclass(frozen=True)
class AccountState:
    """The state of an account: running jobs, seconds spent within the window, and when it may start another job.

    `free_at` is now if it may; None while as many are running as may be: then one of them has to end.
    """

    running: int
    spent: float
    free_at: float | None

    def may_start(self, now: float) -> bool:
        return self.free_at is not None and self.free_at <= now


@dataclass(frozen=True)
class WaitingAccount:
    """An account with a job that is due since `since`, and its work so far."""

    account: str
    since: float
    spans: tuple[WorkSpan, ...] = ()


def account_state(spans: Iterable[WorkSpan], allowance: WorkAllowance, now: float) -> AccountState:
    """Return the state of an account with this work.

    Started jobs are finished, so an account may exceed its allowance. `free_at` is the earliest time: running jobs may
    delay it.
    """
    known = list(spans)
    left = now - allowance.window
    within = [(max(span.start, left), _end(span, now)) for span in known if _end(span, now) > left]
    spent = sum(end - start for start, end in within)
    running = sum(span.end is None for span in known)
    if running >= allowance.at_once:
        return AccountState(running, spent, None)
    excess = spent - allowance.seconds
    return AccountState(running, spent, now if excess <= _ROUNDING else _when_passed(within, excess) + allowance.window)


def whose_turn(waiting: Iterable[WaitingAccount], allowance: WorkAllowance, now: float) -> str | None:
    """Return the account whose job is to be started next, None while none may start one."""
    able = [each for each in waiting if account_state(each.spans, allowance, now).may_start(now)]
    return min(able, key=_last_start).account if able else None


def _last_start(account: WaitingAccount) -> tuple[float, float, str]:
    return max((span.start for span in account.spans), default=float("-inf")), account.since, account.account


def _end(span: WorkSpan, now: float) -> float:
    return now if span.end is None else min(span.end, now)


def _when_passed(within: list[tuple[float, float]], excess: float) -> float:
    """Return the time until which `excess` seconds of this work had been done."""
    changes = sorted([(start, 1) for start, _ in within] + [(end, -1) for _, end in within])
    at_work = 0
    for (time, change), (following, _) in pairwise(changes):
        at_work += change
        done = at_work * (following - time)
        if done >= excess:
            return time + excess / at_work
        excess -= done
    return changes[-1][0]
