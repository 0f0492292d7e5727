"""The life of a job's row, at chosen moments."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction

from jobs_app import registry, runner, selectors, services
from jobs_app.models import Job, JobState
from jobs_app.registry import JobQueue
from tests.jobs_app import handlers  # noqa: F401 - registers the kinds that are enqueued here
from tests.support.waiting import ANSWER_S

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
KINDS = ("tests.short", "tests.broken")

pytestmark = pytest.mark.django_db


def enqueue(label="a", *, kind="tests.short", **options):
    return services.enqueue(kind=kind, arguments={"label": label}, now=NOON, **options)


def claim(owner, now=NOON):
    return services.claim_next(owner=owner, now=now, kinds=KINDS)


def test_the_job_due_longest_is_claimed_first():
    later, sooner = enqueue("later", run_at=NOON - SECOND), enqueue("sooner", run_at=NOON - 2 * SECOND)
    assert [claim("x").pk, claim("y").pk, claim("z")] == [sooner.pk, later.pk, None]


def test_a_job_is_not_claimed_before_its_time():
    job = enqueue(run_at=NOON + SECOND)
    assert claim("x") is None
    assert claim("x", NOON + SECOND).pk == job.pk


def test_a_job_without_a_handler_here_is_left_to_others():
    enqueue(kind="tests.gated")
    assert claim("x") is None


def test_an_unknown_kind_is_refused_with_the_nearest_name():
    with pytest.raises(registry.UnknownKind, match=r"did you mean tests\.short"):
        enqueue(kind="tests.shart")


def test_a_key_is_pending_once_and_the_earlier_time_counts():
    first = enqueue(dedupe_key="k", run_at=NOON + 2 * SECOND)
    again = enqueue(dedupe_key="k", run_at=NOON + SECOND)
    enqueue(dedupe_key="k", run_at=NOON + 3 * SECOND)
    assert again.pk == first.pk
    assert [job.run_at for job in Job.objects.all()] == [NOON + SECOND]


def test_a_running_job_does_not_stop_its_key_from_being_enqueued():
    running = enqueue(dedupe_key="k")
    claim("x")
    assert enqueue(dedupe_key="k").pk != running.pk


def test_a_retry_gives_its_key_up_to_the_job_that_took_it_meanwhile():
    retried = enqueue(dedupe_key="k")
    claim("x")
    newer = enqueue(dedupe_key="k")
    assert services.fail_attempt(job_id=retried.pk, owner="x", error="no", retry=True, now=NOON)
    keys = dict(Job.objects.filter(state=JobState.PENDING).values_list("pk", "dedupe_key"))
    assert keys == {retried.pk: "", newer.pk: "k"}


def test_an_owner_that_lost_its_lease_changes_nothing():
    job = enqueue()
    claim("old")
    assert services.release_expired(now=NOON + timedelta(seconds=31)) == 1
    claim("new", NOON + timedelta(seconds=31))
    now = NOON + timedelta(seconds=32)
    assert not services.renew(job_id=job.pk, owner="old", now=now, lease=SECOND)
    assert not services.finish(job_id=job.pk, owner="old", result="old", now=now)
    assert not services.fail_attempt(job_id=job.pk, owner="old", error="old", retry=True, now=now)
    assert services.finish(job_id=job.pk, owner="new", result="new", now=now)
    job.refresh_from_db()
    assert (job.state, job.result, job.finished_at, job.lease_owner) == (JobState.SUCCEEDED, "new", now, "")


def test_a_renewed_lease_is_not_taken_away():
    job = enqueue()
    claim("x")
    assert services.renew(job_id=job.pk, owner="x", now=NOON + 20 * SECOND, lease=30 * SECOND)
    assert services.release_expired(now=NOON + 40 * SECOND) == 0
    assert services.release_expired(now=NOON + 51 * SECOND) == 1


def test_attempts_pause_longer_each_time_and_then_the_error_is_kept():
    job = enqueue(kind="tests.broken")
    claim("1")
    services.fail_attempt(job_id=job.pk, owner="1", error="first", retry=True, now=NOON)
    job.refresh_from_db()
    assert (job.state, job.run_at, job.error) == (JobState.PENDING, NOON + 5 * SECOND, "first")
    claim("2", NOON + 5 * SECOND)
    services.fail_attempt(job_id=job.pk, owner="2", error="second", retry=True, now=NOON + 6 * SECOND)
    job.refresh_from_db()
    assert (job.state, job.finished_at, job.error) == (JobState.FAILED, NOON + 6 * SECOND, "second")


def test_a_job_that_kills_its_workers_fails_in_the_end():
    job = enqueue(kind="tests.broken")
    for attempt in range(2):
        claim(f"w{attempt}", NOON + attempt * 60 * SECOND)
        services.release_expired(now=NOON + (attempt * 60 + 31) * SECOND)
    job.refresh_from_db()
    assert (job.state, job.attempts, job.error) == (JobState.FAILED, 2, services.LOST)


def test_delays_double_up_to_ten_minutes():
    seconds = [registry.retry_delay(attempts).total_seconds() for attempts in (1, 2, 3, 4, 8, 9, 1000)]
    assert seconds == [5, 10, 20, 40, 600, 600, 600]


def test_periodic_kinds_are_enqueued_when_their_time_has_come():
    every = {kind.name: kind.every for kind in registry.known_kinds() if kind.every}
    assert services.enqueue_periodic(now=NOON) == len(every)
    assert services.enqueue_periodic(now=NOON + 100 * max(every.values())) == 0, "none has finished"
    Job.objects.update(state=JobState.SUCCEEDED, finished_at=NOON)
    assert services.enqueue_periodic(now=NOON + min(every.values()) - SECOND) == 0
    assert services.enqueue_periodic(now=NOON + max(every.values())) == len(every)


def test_when_nothing_is_due_one_query_says_so(django_assert_num_queries):
    services.enqueue_periodic(now=NOON)
    with django_assert_num_queries(1):
        assert services.enqueue_periodic(now=NOON) == 0


def test_a_message_that_comes_in_vain_costs_one_query(django_assert_num_queries):
    enqueue(run_at=NOON + SECOND)
    with django_assert_num_queries(1):
        assert runner.run_next(clock=lambda: NOON) is None


def test_a_sweep_wakes_nobody_for_a_job_whose_message_is_on_its_way():
    """Only for the one that was enqueued at once: a time that has come and another attempt are not announced."""

    def unannounced(now):
        return selectors.count_unannounced([JobQueue.ORDINARY], now=now, most=9)

    enqueue("at once")
    assert unannounced(NOON + SECOND) == 0
    assert unannounced(NOON + 2 * SECOND) == 1, "its message must have got lost"
    services.fail_attempt(job_id=claim("x").pk, owner="x", error="", retry=True, now=NOON - 4 * SECOND)
    assert unannounced(NOON + SECOND) == 1
    enqueue("later", run_at=NOON + SECOND)
    assert [unannounced(NOON), unannounced(NOON + SECOND)] == [0, 2]


def test_old_finished_jobs_are_deleted_except_the_last_of_a_periodic_kind():
    services.enqueue_periodic(now=NOON)
    Job.objects.update(state=JobState.SUCCEEDED, finished_at=NOON)
    old, waiting = enqueue(), enqueue()
    Job.objects.filter(pk=old.pk).update(state=JobState.FAILED, finished_at=NOON)
    assert services.delete_finished(before=NOON + SECOND) == 1
    assert Job.objects.filter(pk=waiting.pk).exists()
    assert services.enqueue_periodic(now=NOON + SECOND) == 0


@pytest.mark.django_db(transaction=True)
def test_a_job_enqueued_again_does_not_start_before_that_is_committed():
    """Whoever finds the pending job relies on it to see what he is about to commit."""
    job = enqueue(dedupe_key="k")
    claimed = []

    def other_worker():
        claimed.append(claim("other"))
        connection.close()

    with transaction.atomic():
        assert enqueue(dedupe_key="k").pk == job.pk
        worker = threading.Thread(target=other_worker)
        worker.start()
        worker.join(timeout=ANSWER_S)
    assert claimed == [None]
    assert claim("after").pk == job.pk


@pytest.mark.django_db(transaction=True)
def test_many_claimers_take_each_job_once():
    jobs = {enqueue(str(number)).pk for number in range(60)}
    taken, start = [], threading.Barrier(6)

    def claimer(name):
        start.wait()
        while (job := claim(f"{name}")) is not None:
            taken.append(job.pk)
        connection.close()

    threads = [threading.Thread(target=claimer, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=ANSWER_S)
    assert sorted(taken) == sorted(jobs)


@pytest.mark.django_db(transaction=True)
def test_the_same_key_enqueued_from_many_threads_is_one_job():
    start = threading.Barrier(6)

    def enqueuer():
        start.wait()
        for _ in range(10):
            enqueue(dedupe_key="k", run_at=NOON + SECOND)
        connection.close()

    threads = [threading.Thread(target=enqueuer) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=ANSWER_S)
    assert Job.objects.count() == 1
