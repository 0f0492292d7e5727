"""Read jobs and the workers that run them."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db.models import F, Min, Q, QuerySet

from jobs_app import registry, turns
from jobs_app.models import Job, JobState, Worker
from jobs_app.presence import GONE_AFTER
from jobs_app.registry import JobKind, JobQueue

MESSAGE_TIME: Final = timedelta(seconds=2)
"""For how long the message of a job that was enqueued to run at once is taken to be on its way."""


def due_jobs(*, now: datetime, kinds: Collection[str]) -> QuerySet[Job]:
    """Return pending jobs that a worker with handlers of these kinds could start now."""
    return Job.objects.filter(state=JobState.PENDING, run_at__lte=now, kind__in=kinds)


def count_unannounced(queues: Collection[JobQueue], *, now: datetime, most: int) -> int:
    """Count the jobs that the workers of these queues could start now and that no message announces, up to `most`.

    Of a kind with allowances, all due jobs count if one could be started: messages that came before that were in vain.
    """
    kinds = [kind for kind in registry.known_kinds() if kind.queue in queues]
    plain = [kind.name for kind in kinds if kind.allowance is None]
    in_turn = [kind.name for kind in kinds if kind.allowance is not None and next_account(kind, now=now) is not None]
    announced = Q(kind__in=plain, created_at__gt=now - MESSAGE_TIME, run_at__lte=F("created_at"))
    unannounced = due_jobs(now=now, kinds=[*plain, *in_turn]).exclude(announced)
    return len(unannounced.values_list("id")[:most])


def next_account(kind: JobKind, *, now: datetime) -> str | None:
    """Return the account whose job of a kind with allowances is to be started next; None if none may start one."""
    assert kind.allowance is not None  # noqa: S101
    allowance = kind.allowance()
    due = due_jobs(now=now, kinds=[kind.name]).order_by().values("account").annotate(since=Min("run_at"))
    since = {row["account"]: row["since"].timestamp() for row in due}
    spans = spans_of(kind.name, since, since=now - timedelta(seconds=allowance.window))
    waiting = [turns.WaitingAccount(account, since[account], tuple(spans[account])) for account in since]
    return turns.whose_turn(waiting, allowance, now.timestamp())


def spans_of(kind: str, accounts: Iterable[str], *, since: datetime) -> dict[str, list[turns.WorkSpan]]:
    """Return when jobs of a kind ran, by account: running ones, and those that ended or failed since a time."""
    rows = Job.objects.filter(kind=kind, account__in=list(accounts), started_at__isnull=False)
    recent = rows.filter(Q(state=JobState.RUNNING) | Q(finished_at__gt=since) | Q(finished_at=None, spent_s__gt=0))
    found = defaultdict(list)
    for account, state, spent, started_at, finished_at in recent.values_list(
        "account", "state", "spent_s", "started_at", "finished_at"
    ):
        if started_at is None:
            continue
        started = started_at.timestamp()
        if state == JobState.PENDING:
            span = turns.WorkSpan(started, started + spent)
        else:
            # Earlier attempts count as if they had been right before the last.
            span = turns.WorkSpan(started - spent, finished_at.timestamp() if finished_at else None)
        found[account].append(span)
    return found


def lags(*, now: datetime) -> list[tuple[str, float]]:
    """Return how many seconds the oldest due job of each kind has waited, without kinds that wait for their turn."""
    kinds = [kind.name for kind in registry.known_kinds() if kind.allowance is not None]
    due = Job.objects.filter(state=JobState.PENDING, run_at__lte=now).exclude(kind__in=kinds).order_by()
    oldest = due.values("kind").annotate(oldest=Min("run_at")).order_by("kind")
    return [(row["kind"], (now - row["oldest"]).total_seconds()) for row in oldest]


def simulations_without_worker_since(*, now: datetime) -> datetime | None:
    """Return since when jobs for simulation workers are due, if none of these workers gives signs; None otherwise."""
    if living_workers(since=now - GONE_AFTER, queue=JobQueue.SIMULATIONS):
        return None
    waiting = due_jobs(now=now, kinds=registry.names_of([JobQueue.SIMULATIONS])).order_by("run_at")
    return waiting.values_list("run_at", flat=True).first()


def living_workers(*, since: datetime, queue: str = "", host: str = "") -> int:
    """Count the workers that gave a sign since then: of all queues and hosts, or of one."""
    workers = Worker.objects.filter(seen_at__gte=since)
    if queue:
        workers = workers.filter(queue=queue)
    return workers.filter(host=host).count() if host else workers.count()
