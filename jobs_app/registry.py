"""Register the functions that do the work of each kind of job.

    @periodic(seconds=600)
    @job("devices.prune-reports", max_attempts=3)
    def prune_reports(run: Run, *, keep_days: int = 30) -> None: ...

Handlers live in the module jobs.py of each app. They are called with a Run and the job's arguments by name.
A worker may die at any moment, so a handler may be called again after it did part of its work: what must
happen exactly once is written inside `with run.completing():` (see jobs_app.runner).
"""

import difflib
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any, TypeVar

from jobs_app.turns import WorkAllowance

Handler = Callable[..., Any]
HandlerT = TypeVar("HandlerT", bound=Handler)
# How long a job belongs to a worker without a sign; renewed three times in that time.
DEFAULT_LEASE = timedelta(seconds=30)
FIRST_RETRY = timedelta(seconds=5)
LAST_RETRY = timedelta(minutes=10)


class UnknownKind(Exception):
    """No function is registered for this kind of job."""


class JobQueue(StrEnum):
    """The queues of workers, under their names in Celery."""

    URGENT = "urgent"
    ORDINARY = "celery"
    SIMULATIONS = "simulations"


@dataclass(frozen=True)
class JobAnnouncement:
    """PostgreSQL's channel on which is announced that there may be something to do, and a look at whether there is."""

    channel: str
    is_due: Callable[[], bool]


@dataclass(frozen=True)
class JobKind:
    """A kind of job: its handler and how it is treated; an `urgent` one goes before all others.

    A kind with an `allowance` takes long: dedicated workers share their time between accounts (jobs_app.turns).
    """

    name: str
    handler: Handler
    max_attempts: int
    lease: timedelta
    urgent: bool = False
    allowance: Callable[[], WorkAllowance] | None = None
    every: timedelta | None = None
    announced: JobAnnouncement | None = None

    @property
    def queue(self) -> JobQueue:
        """The queue of the workers dedicated to it."""
        if self.allowance is not None:
            return JobQueue.SIMULATIONS
        return JobQueue.URGENT if self.urgent else JobQueue.ORDINARY


_KINDS: dict[str, JobKind] = {}


def job(
    kind: str,
    *,
    max_attempts: int = 5,
    lease: timedelta = DEFAULT_LEASE,
    urgent: bool = False,
    allowance: Callable[[], WorkAllowance] | None = None,
) -> Callable[[HandlerT], HandlerT]:
    """Register the decorated function as the handler of `kind`; the function itself does not change.

    `urgent` is for jobs that must never wait behind long ones, and are fast themselves. `allowance` is for jobs that
    may take minutes: it returns what each account may use of the workers dedicated to them.
    """

    def register(handler: HandlerT) -> HandlerT:
        present = _KINDS.get(kind)
        if present is not None and _place(present.handler) != _place(handler):
            raise ValueError(f"job kind {kind!r} already belongs to {_place(present.handler)}")
        _KINDS[kind] = JobKind(kind, handler, max_attempts, lease, urgent, allowance)
        return handler

    return register


def periodic(*, seconds: float) -> Callable[[HandlerT], HandlerT]:
    """Have the sweep enqueue this kind every so many seconds, never twice at a time; stands above @job."""

    def register(handler: HandlerT) -> HandlerT:
        kind = _kind_of(handler, "@periodic")
        _KINDS[kind.name] = replace(kind, every=timedelta(seconds=seconds))
        return handler

    return register


def announced(channel: str, *, is_due: Callable[[], bool]) -> Callable[[HandlerT], HandlerT]:
    """Have workers enqueue this kind when PostgreSQL's channel announces something and `is_due`; stands above @job."""

    def register(handler: HandlerT) -> HandlerT:
        kind = _kind_of(handler, "@announced")
        _KINDS[kind.name] = replace(kind, announced=JobAnnouncement(channel, is_due))
        return handler

    return register


def _kind_of(handler: Handler, decorator: str) -> JobKind:
    for kind in _KINDS.values():
        if kind.handler is handler:
            return kind
    raise ValueError(f"{decorator} stands above @job; {_place(handler)} is no handler yet")


def kind_named(name: str) -> JobKind:
    """Return the registered kind; raises UnknownKind with the nearest names."""
    if name not in _KINDS:
        near = difflib.get_close_matches(name, _KINDS)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UnknownKind(f"no handler is registered for job kind {name!r}{hint}")
    return _KINDS[name]


def known_kinds() -> tuple[JobKind, ...]:
    """Return all registered kinds."""
    return tuple(_KINDS.values())


def names_of(queues: Collection[JobQueue]) -> list[str]:
    """Return the names of the kinds to which these queues' workers are dedicated."""
    return [kind.name for kind in _KINDS.values() if kind.queue in queues]


def retry_delay(attempts: int) -> timedelta:
    """Return how long to wait after so many failed attempts (1 or more): 5 s, doubled each time, 10 min at most."""
    delay: timedelta = FIRST_RETRY * 2 ** min(attempts - 1, 16)
    return min(delay, LAST_RETRY)


def _place(handler: Handler) -> str:
    return f"{handler.__module__}.{handler.__qualname__}"
