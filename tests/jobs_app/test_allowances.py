"""Long jobs of several accounts, from their rows: who is claimed next, and what is counted."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from jobs_app import registry, selectors, services
from jobs_app.models import Job
from jobs_app.registry import JobQueue
from tests.jobs_app import handlers  # noqa: F401 - registers the kinds that are enqueued here
from tests.support.waiting import ANSWER_S

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
LONG = ["tests.long"]
pytestmark = pytest.mark.django_db


def at(seconds):
    return NOON + timedelta(seconds=seconds)


def long_job(account):
    return services.enqueue(kind="tests.long", arguments={"label": account}, account=account, now=NOON)


def claim(seconds, kinds=LONG):
    job = services.claim_next(owner=f"worker at {seconds}", now=at(seconds), kinds=kinds)
    return job and job.account


def end(account, seconds):
    job = Job.objects.get(account=account, state="running")
    assert services.finish(job_id=job.pk, owner=job.lease_owner, result=None, now=at(seconds))


def test_accounts_take_turns_whoever_came_first():
    for account in ("a", "a", "a", "b", "c"):
        long_job(account)
    assert [claim(1), claim(2), claim(3), claim(4)] == ["a", "b", "c", None]
    end("a", 5)
    assert [claim(6), claim(7)] == ["a", None]


def test_who_has_spent_its_seconds_waits_until_they_leave_the_window():
    for _ in range(2):
        long_job("a")
    claim(0)
    end("a", 150)
    assert claim(200) is None
    # It spent 50 s more than its 100 s in 1000 s.
    assert [claim(1049), claim(1051)] == [None, "a"]


def test_what_lost_attempts_took_counts():
    long_job("a")
    long_job("a")
    claim(0)
    # Its worker was killed: the lease ran out.
    services.release_expired(now=at(120))
    Job.objects.filter(attempts=0).update(run_at=at(5000))
    [spans] = selectors.spans_of("tests.long", ["a"], since=NOON).values()
    assert [(span.start, span.end) for span in spans] == [(at(0).timestamp(), at(120).timestamp())]
    assert [claim(200), claim(1030)] == [None, "a"]
    [spans] = selectors.spans_of("tests.long", ["a"], since=NOON).values()
    assert [(span.start, span.end) for span in spans] == [(at(910).timestamp(), None)]


def test_ordinary_workers_take_no_long_job_and_others_take_nothing_else():
    long_job("a")
    services.enqueue(kind="tests.short", arguments={"label": "x"}, now=NOON)
    assert "tests.long" not in registry.names_of([JobQueue.ORDINARY, JobQueue.URGENT])
    assert set(registry.names_of([JobQueue.SIMULATIONS])) == {"tests.long", "tasks.simulate", "serving.profile"}
    assert services.claim_next(owner="x", now=NOON, kinds=registry.names_of([JobQueue.ORDINARY])).kind == "tests.short"
    assert selectors.count_unannounced([JobQueue.ORDINARY, JobQueue.URGENT], now=NOON, most=9) == 0
    assert selectors.count_unannounced([JobQueue.SIMULATIONS], now=NOON, most=9) == 1


def test_nobody_is_woken_for_those_who_may_not_start():
    long_job("a")
    long_job("a")
    claim(0)
    assert selectors.count_unannounced([JobQueue.SIMULATIONS], now=at(1), most=9) == 0
    end("a", 2)
    assert selectors.count_unannounced([JobQueue.SIMULATIONS], now=at(3), most=9) == 1


def test_jobs_from_before_accounts_are_run_too():
    services.enqueue(kind="tests.long", arguments={"label": "x"}, now=NOON)
    assert claim(1) == ""


@pytest.mark.django_db(transaction=True)
def test_claims_at_the_same_time_keep_to_the_allowance():
    for _ in range(8):
        long_job("a")
    begin, claimed = threading.Barrier(8), []

    def claim_once(number):
        try:
            connection.ensure_connection()
            begin.wait(ANSWER_S)
            claimed.append(services.claim_next(owner=f"worker {number}", now=NOON, kinds=LONG))
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(claim_once, range(8)))
    assert len(claimed) == 8
    assert sum(job is not None for job in claimed) == 1
