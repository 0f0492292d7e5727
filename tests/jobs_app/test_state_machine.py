"""Any order of claims, heartbeats, ends, losses and enqueues keeps the promises of a job's row."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule, run_state_machine_as_test

from jobs_app import services
from jobs_app.models import FINISHED, Job, JobState
from jobs_app.registry import DEFAULT_LEASE
from tests.jobs_app import handlers  # noqa: F401 - registers the kinds that are enqueued here
from tests.tiers.examples import multiplied

START = datetime(2030, 1, 1, tzinfo=UTC)


class Leases(RuleBasedStateMachine):
    """Workers that die, sleep and come back, on a clock that the rules move."""

    claims = Bundle("claims")

    def __init__(self):
        super().__init__()
        Job.objects.all().delete()
        self.now = START
        self.owners = 0
        self.holder = {}
        self.ended = {}

    @rule(key=st.sampled_from(["", "a", "b"]), delay=st.integers(0, 20))
    def enqueue(self, key, delay):
        run_at = self.now + timedelta(seconds=delay)
        job = services.enqueue(
            kind="tests.broken", arguments={"label": "x"}, dedupe_key=key, run_at=run_at, now=self.now
        )
        assert job.run_at <= run_at

    @rule(target=claims)
    def claim(self):
        self.owners += 1
        owner = f"worker-{self.owners}"
        job = services.claim_next(owner=owner, now=self.now, kinds=["tests.broken"])
        if job is None:
            assert not Job.objects.filter(state=JobState.PENDING, run_at__lte=self.now).exists()
            return multiple()
        assert job.pk not in self.holder, "claimed while somebody holds it"
        assert job.pk not in self.ended
        self.holder[job.pk] = owner
        return (job.pk, owner)

    @rule(claim=claims)
    def renew(self, claim):
        job_id, owner = claim
        kept = services.renew(job_id=job_id, owner=owner, now=self.now, lease=DEFAULT_LEASE)
        assert kept == (self.holder.get(job_id) == owner)

    @rule(claim=claims)
    def finish(self, claim):
        job_id, owner = claim
        finished = services.finish(job_id=job_id, owner=owner, result=owner, now=self.now)
        assert finished == (self.holder.get(job_id) == owner)
        if finished:
            del self.holder[job_id]
            self.ended[job_id] = owner

    @rule(claim=claims, retry=st.booleans())
    def fail(self, claim, retry):
        job_id, owner = claim
        given_back = services.fail_attempt(job_id=job_id, owner=owner, error="x", retry=retry, now=self.now)
        assert given_back == (self.holder.get(job_id) == owner)
        if given_back:
            del self.holder[job_id]
            if Job.objects.get(pk=job_id).state == JobState.FAILED:
                self.ended[job_id] = None

    @rule(seconds=st.integers(1, 45))
    def pass_time(self, seconds):
        self.now += timedelta(seconds=seconds)

    @rule()
    def sweep(self):
        expired = {job.pk for job in Job.objects.filter(state=JobState.RUNNING, lease_until__lt=self.now)}
        assert services.release_expired(now=self.now) == len(expired)
        for job_id in expired:
            del self.holder[job_id]
            if Job.objects.get(pk=job_id).state == JobState.FAILED:
                self.ended[job_id] = None

    @invariant()
    def rows_agree_with_the_model(self):
        rows = {job.pk: job for job in Job.objects.all()}
        running = {pk: job.lease_owner for pk, job in rows.items() if job.state == JobState.RUNNING}
        assert running == self.holder
        assert {pk: job.result for pk, job in rows.items() if job.state in FINISHED} == self.ended
        keys = [job.dedupe_key for job in rows.values() if job.state == JobState.PENDING and job.dedupe_key]
        assert len(keys) == len(set(keys))


@pytest.mark.django_db
def test_leases():
    run_state_machine_as_test(
        Leases,
        settings=settings(
            max_examples=multiplied(25),
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        ),
    )
