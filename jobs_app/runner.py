"""Run one claimed job: the heartbeat beside it, its end, and its failures."""

import logging
import os
import socket
import threading
import traceback
import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import structlog
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from jobs_app import registry, selectors, services
from jobs_app.models import Job
from jobs_app.registry import JobQueue

log = structlog.get_logger(__name__)
Clock = Callable[[], datetime]


class LeaseLost(Exception):
    """The job belongs to another worker by now: nothing more may be written."""


class PermanentFailure(Exception):
    """Raised by a handler if another attempt would fail too; the job fails at once."""


class JobRun:
    """One attempt at a job, passed to the handler as its first argument."""

    def __init__(self, job: Job, *, owner: str, clock: Clock) -> None:
        self.job, self.owner, self.clock = job, owner, clock
        self.completed = False
        self._lost = threading.Event()

    def check(self) -> None:
        """Raise LeaseLost if the job now belongs to another worker; long handlers call this between their steps."""
        if self._lost.is_set():
            raise LeaseLost(f"{self.job} now belongs to another worker")

    @contextmanager
    def completing(self) -> Iterator[dict[str, Any]]:
        """Complete the handler: what is written inside happens exactly once.

        One transaction holds the writes and the mark that the job succeeded. It begins by locking the row, so a worker
        that lost its lease gets LeaseLost before it can write anything. Yields the job's result, an empty dictionary to
        be filled. Nothing may be done after the block.
        """
        result: dict[str, Any] = {}
        with transaction.atomic():
            if not services.lock_lease(job_id=self.job.pk, owner=self.owner):
                self._lost.set()
                self.check()
            yield result
            services.finish(job_id=self.job.pk, owner=self.owner, result=result, now=self.clock())
        self.completed = True

    def lost(self) -> None:
        """Record that the lease is lost."""
        self._lost.set()


def run_next(*, queues: Collection[JobQueue] = tuple(JobQueue), clock: Clock = timezone.now) -> Job | None:
    """Claim the job of these queues that has been due longest, an urgent one first, and run it to its end.

    Returns None if no job could be started.
    """
    now = clock()
    # Most messages find nothing to do: one look is a sixth of the statements of two claims.
    if not selectors.due_jobs(now=now, kinds=registry.names_of(queues)).exists():
        return None
    owner = f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid.uuid4().hex[:12]}"
    in_order = [queue for queue in JobQueue if queue in queues]
    claims = (services.claim_next(owner=owner, now=now, kinds=registry.names_of([queue])) for queue in in_order)
    job = next((claimed for claimed in claims if claimed is not None), None)
    if job is None:
        return None
    run = JobRun(job, owner=owner, clock=clock)
    about = {"request_id": job.request_id} if job.request_id else {}
    with structlog.contextvars.bound_contextvars(job=job.pk, kind=job.kind, **about), heartbeat(run):
        _attempt(run)
    return job


def _attempt(run: JobRun) -> None:
    try:
        result = registry.kind_named(run.job.kind).handler(run, **run.job.arguments)
        if not run.completed:
            _finish(run, result)
        # Periodic jobs run every few seconds, which is no news.
        log.log(logging.INFO if run.job.request_id else logging.DEBUG, "job done", attempt=run.job.attempts)
    except LeaseLost:
        log.warning("lease lost, attempt dropped")
    except Exception as error:
        log.warning("job attempt failed", exc_info=True)
        _fail(run, error, retry=not isinstance(error, PermanentFailure))
    except BaseException as error:
        # The worker is being stopped: release the job now rather than when the lease expires.
        _fail(run, error, retry=True)
        raise


def _finish(run: JobRun, result: Any) -> None:
    if not services.finish(job_id=run.job.pk, owner=run.owner, result=result, now=run.clock()):
        run.lost()
        run.check()


def _fail(run: JobRun, error: BaseException, *, retry: bool) -> None:
    text = "".join(traceback.format_exception(error))
    stored = services.fail_attempt(job_id=run.job.pk, owner=run.owner, error=text, retry=retry, now=run.clock())
    if not stored and not run.completed:
        log.warning("lease lost, failure dropped")


@contextmanager
def heartbeat(run: JobRun) -> Iterator[None]:
    """Renew the lease three times per lease from a thread of its own while the block runs."""
    stop = threading.Event()
    thread = threading.Thread(target=_keep_lease, args=(run, stop), name=f"lease-{run.job.pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _keep_lease(run: JobRun, stop: threading.Event) -> None:
    lease = registry.kind_named(run.job.kind).lease
    try:
        while not stop.wait(lease.total_seconds() / 3):
            try:
                renewed = services.renew(job_id=run.job.pk, owner=run.owner, now=run.clock(), lease=lease)
            except DatabaseError:
                # The lease remains until it expires; the next heartbeat tries a new connection.
                log.warning("lease not renewed", exc_info=True)
                connection.close()
                continue
            if not renewed:
                run.lost()
                return
    finally:
        connection.close()
