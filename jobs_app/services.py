"""Change the rows of jobs.

The life of a job: pending -> running -> succeeded, or back to pending for another attempt, or failed. Every change
proves its right: a claim takes a row that nobody has locked, and everything a worker does afterwards is a conditional
update on its own lease. `now` is the caller's clock, read once.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from jobs_app import registry, selectors
from jobs_app.broker_messages import wake_worker
from jobs_app.models import Job, JobState
from jobs_app.registry import JobKind

log = structlog.get_logger(__name__)
LONGEST_ERROR = 8_000
# "WALLETRN" in ASCII: only one claim at a time where accounts take turns.
TURNS_LOCK = 0x57414C4C4554524E
# "WALLESWP" in ASCII: only one sweep at a time, whoever runs it.
SWEEP_LOCK = 0x57414C4C45535750
# The second condition makes the index of keys usable.
_LAST = """
    SELECT known.name, last.created_at, last.finished_at FROM unnest(%s::text[]) known (name)
    CROSS JOIN LATERAL (
        SELECT created_at, finished_at FROM jobs_app_job
        WHERE dedupe_key = 'periodic:' || known.name AND dedupe_key <> '' ORDER BY id DESC LIMIT 1
    ) last
"""
LOST = "The worker gave no more signs and lost its lease."


def enqueue(
    *,
    kind: str,
    arguments: Mapping[str, Any] | None = None,
    dedupe_key: str = "",
    account: str = "",
    run_at: datetime | None = None,
    now: datetime | None = None,
) -> Job:
    """Store a job, and wake a worker once the transaction is committed.

    `account` is for whom it is done, for kinds with allowances. With a `dedupe_key`, a job that is still pending under
    the same key is returned instead of a second one (it runs no later than `run_at`). That job cannot start before this
    transaction ends, so it will see what this transaction wrote. Raises registry.UnknownKind. The id of the present
    request, from structlog's context, is stored in the row and appears in the log lines of its worker.
    """
    known = registry.kind_named(kind)
    created_at = now or timezone.now()
    job = Job(
        kind=known.name,
        arguments=dict(arguments or {}),
        dedupe_key=dedupe_key,
        account=account,
        run_at=run_at or created_at,
        max_attempts=known.max_attempts,
        created_at=created_at,
        request_id=_present_request(),
    )
    with transaction.atomic():
        stored = _store_once(job) if dedupe_key else _store(job)
        if stored.run_at <= created_at:
            transaction.on_commit(lambda: wake_worker(known.queue), robust=True)
    return stored


def claim_next(*, owner: str, now: datetime, kinds: Collection[str]) -> Job | None:
    """Claim the job that has been due longest; return None if none is due that nobody else is claiming.

    Of a kind with allowances, claim a job of the account whose turn it is.
    """
    known = [registry.kind_named(name) for name in kinds]
    plain = [kind.name for kind in known if kind.allowance is None]
    with transaction.atomic():
        job = _first_due(now, kind__in=plain) if plain else None
        for kind in known:
            if job is None and kind.allowance is not None:
                job = _first_in_turn(kind, now)
        if job is None:
            return None
        job.state, job.lease_owner = JobState.RUNNING, owner
        job.lease_until = now + registry.kind_named(job.kind).lease
        job.started_at, job.attempts = now, job.attempts + 1
        job.save(update_fields=["state", "lease_owner", "lease_until", "started_at", "attempts"])
    return job


def _first_in_turn(kind: JobKind, now: datetime) -> Job | None:
    # One claim at a time: two would find the same account below its allowance.
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [TURNS_LOCK])
    account = selectors.next_account(kind, now=now)
    return None if account is None else _first_due(now, kind=kind.name, account=account)


def _first_due(now: datetime, **of: Any) -> Job | None:
    due = Job.objects.select_for_update(skip_locked=True, no_key=True)
    return due.filter(state=JobState.PENDING, run_at__lte=now, **of).order_by("run_at", "id").first()


def renew(*, job_id: int, owner: str, now: datetime, lease: timedelta) -> bool:
    """Renew the lease of a job for `lease`; return False if it no longer belongs to `owner`."""
    return _owned(job_id, owner).update(lease_until=now + lease) == 1


def lock_lease(*, job_id: int, owner: str) -> bool:
    """Lock the row until the end of the transaction; return False if it does not belong to `owner`."""
    return _owned(job_id, owner).select_for_update(no_key=True).first() is not None


def finish(*, job_id: int, owner: str, result: Any, now: datetime) -> bool:
    """Mark a job as succeeded; return False if it no longer belongs to `owner`."""
    return _release(job_id, owner, state=JobState.SUCCEEDED, result=result, error="", finished_at=now)


def fail_attempt(*, job_id: int, owner: str, error: str, retry: bool, now: datetime) -> bool:
    """Release a job after an error: pending again after a pause, or failed if `retry` is False or no attempt is left.

    Returns False if it no longer belongs to `owner`.
    """
    job = _owned(job_id, owner).first()
    if job is None:
        return False
    retry_at = now + registry.retry_delay(job.attempts) if retry else None
    return _release(job_id, owner, **_after_failure(job, error=error, retry_at=retry_at, now=now))


def sweep(*, now: datetime) -> bool:
    """Release expired jobs and enqueue periodic ones; return False if another process is doing so."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [SWEEP_LOCK])
            if not cursor.fetchone()[0]:
                return False
        release_expired(now=now)
        enqueue_periodic(now=now)
    return True


def release_expired(*, now: datetime) -> int:
    """Release jobs whose worker let the lease expire: due at once, or failed if no attempt is left.

    Returns their number.
    """
    with transaction.atomic():
        expired = Job.objects.select_for_update(skip_locked=True, no_key=True)
        lost = list(expired.filter(state=JobState.RUNNING, lease_until__lt=now))
        for job in lost:
            log.warning("job lost by its worker", job=job.pk, kind=job.kind, owner=job.lease_owner)
            _release(job.pk, job.lease_owner, **_after_failure(job, error=LOST, retry_at=now, now=now))
    return len(lost)


def enqueue_periodic(*, now: datetime) -> int:
    """Enqueue the periodic kinds that are due and neither waiting nor running; return their number.

    The caller makes sure that this runs once at a time.
    """
    periodic = {kind.name: kind.every for kind in registry.known_kinds() if kind.every is not None}
    last = _last_times(periodic)
    due = [name for name, every in periodic.items() if name not in last or _is_due(*last[name], every, now)]
    for name in due:
        enqueue(kind=name, dedupe_key=_periodic_key(name), now=now)
    return len(due)


def overdue_periodic(*, now: datetime) -> dict[str, datetime | None]:
    """Return the periodic kinds that a sweep should have enqueued, and since when; None: at the first one."""
    periodic = {kind.name: kind.every for kind in registry.known_kinds() if kind.every is not None}
    last = _last_times(periodic)
    overdue: dict[str, datetime | None] = {name: None for name in periodic if name not in last}
    for name, (created_at, finished_at) in last.items():
        if finished_at is not None and _is_due(created_at, finished_at, periodic[name], now):
            overdue[name] = max(created_at + periodic[name], finished_at)
    return overdue


def delete_finished(*, before: datetime) -> int:
    """Delete jobs that finished before a time, except the last one of each periodic kind."""
    last = [
        Job.objects.filter(dedupe_key=_periodic_key(kind.name)).order_by("-id").values_list("id", flat=True)[:1]
        for kind in registry.known_kinds()
        if kind.every is not None
    ]
    newest = {job_id for ids in last for job_id in ids}
    deleted, _ = Job.objects.filter(finished_at__lt=before).exclude(id__in=newest).delete()
    return deleted


def _store(job: Job) -> Job:
    job.save(force_insert=True)
    return job


def _store_once(job: Job) -> Job:
    while True:
        pending = Job.objects.select_for_update(no_key=True).filter(dedupe_key=job.dedupe_key, state=JobState.PENDING)
        if (present := pending.first()) is not None:
            return _join(present, job)
        try:
            with transaction.atomic():
                return _store(job)
        except IntegrityError:
            # Another transaction committed the same key in between: its job is pending, or already running.
            job.pk = None


def _join(job: Job, other: Job) -> Job:
    """Let a pending job serve another request for the same key."""
    if other.run_at < job.run_at:
        job.run_at = other.run_at
        job.save(update_fields=["run_at"])
    if other.request_id and not job.request_id:
        job.request_id = other.request_id
        job.save(update_fields=["request_id"])
    elif other.request_id and other.request_id != job.request_id:
        log.info("another request's job does for this one", job=job.pk, kind=job.kind, other_request=job.request_id)
    return job


def _present_request() -> str:
    return str(structlog.contextvars.get_contextvars().get("request_id", ""))[:64]


def _owned(job_id: int, owner: str) -> QuerySet[Job]:
    return Job.objects.filter(pk=job_id, state=JobState.RUNNING, lease_owner=owner)


def _release(job_id: int, owner: str, **changes: Any) -> bool:
    unleased = {**changes, "lease_owner": "", "lease_until": None}
    try:
        with transaction.atomic():
            return _owned(job_id, owner).update(**unleased) == 1
    except IntegrityError:
        # The same key was enqueued again while this attempt ran; both jobs are needed, only one has the key.
        return _owned(job_id, owner).update(**unleased, dedupe_key="") == 1


def _after_failure(job: Job, *, error: str, retry_at: datetime | None, now: datetime) -> dict[str, Any]:
    message = error[-LONGEST_ERROR:]
    if retry_at is not None and job.attempts < job.max_attempts:
        spent = job.spent_s + (now - (job.started_at or now)).total_seconds()
        return {"state": JobState.PENDING, "run_at": retry_at, "error": message, "spent_s": spent}
    return {"state": JobState.FAILED, "finished_at": now, "error": message}


def _last_times(kinds: Iterable[str]) -> dict[str, tuple[datetime, datetime | None]]:
    """Return when the last job of each of these periodic kinds was created and when it finished.

    One query for all: the sweep asks every two seconds.
    """
    with connection.cursor() as cursor:
        cursor.execute(_LAST, [list(kinds)])
        return {name: (created_at, finished_at) for name, created_at, finished_at in cursor.fetchall()}


def _is_due(created_at: datetime, finished_at: datetime | None, every: timedelta, now: datetime) -> bool:
    return finished_at is not None and created_at + every <= now


def _periodic_key(kind: str) -> str:
    return f"periodic:{kind}"
