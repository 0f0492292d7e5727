"""Real workers: events that are recorded arrive, whatever is killed."""

from datetime import timedelta

import psycopg
import pytest
from django.db import connection, transaction
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.services.audit import record
from devices_app.services.apps import create_app
from devices_app.services.keys import ensure_keys
from jobs_app import services
from jobs_app.models import Job, JobState
from jobs_app.runner import run_next
from jobs_app.selectors import due_jobs
from tests.support.processes import child_environment
from tests.support.waiting import wait_for
from tests.webhooks_app.conftest import HERE
from tests.webhooks_app.receiver import receiving
from walleweb.databases import plain_url
from webhooks_app.jobs import SENDING
from webhooks_app.models import Attempt, Delivery
from webhooks_app.services.outbox import DELIVER
from webhooks_app.services.webhooks import create_webhook

pytestmark = pytest.mark.django_db(transaction=True)
WORK = "import django; django.setup(); from jobs_app.runner import run_next; run_next()"


@pytest.fixture
def app(transactional_db):
    ensure_keys(now=timezone.now())
    return create_app(slug="shop", name="Shop", actor=SYSTEM, now=timezone.now())


def test_an_event_arrives_although_its_worker_is_killed_while_it_sends(app, children):
    with receiving("hold", 200) as receiver:
        given = {"scope": "app:shop", "url": receiver.url, "events": ["app.configure"]}
        create_webhook(**given, actor=SYSTEM, now=timezone.now())
        record(actor=SYSTEM, action="app.configure", target=app, scope="app:shop")
        # What a kill right after the commit leaves: the delivery, and nobody woken.
        Job.objects.all().delete()
        services.enqueue_periodic(now=timezone.now())
        Job.objects.exclude(kind=DELIVER).delete()

        environment = child_environment(WALLE_WEBHOOK_NETWORKS=",".join(map(str, HERE)))
        worker = children.python("-c", WORK, env=environment, name="worker")
        wait_for(lambda: receiver.received, 60, worker.output)
        worker.kill()
        delivery = Delivery.objects.get()
        assert (delivery.state, delivery.attempts) == ("sending", 1)

        # What the passing of the leases' time would do.
        past = timezone.now() - timedelta(seconds=1)
        Delivery.objects.update(due_at=past)
        Job.objects.filter(state=JobState.RUNNING).update(lease_until=past)
        services.release_expired(now=timezone.now())
        work_off()

        one, other = receiver.received
        assert one.id == other.id
        assert one.body == other.body
        assert (Delivery.objects.get().state, Delivery.objects.get().attempts) == ("delivered", 2)
        assert Attempt.objects.count() == 1


def test_a_committed_event_wakes_a_worker_and_a_failed_one_comes_back_in_time(app):
    with receiving(500, 200) as receiver:
        given = {"scope": "app:shop", "url": receiver.url, "events": ["app.configure"]}
        create_webhook(**given, actor=SYSTEM, now=timezone.now())
        with transaction.atomic():
            record(actor=SYSTEM, action="app.configure", target=app, scope="app:shop")
            assert not due()
        assert due()
        work_off()
        assert not due()
        retry = Job.objects.get(kind=DELIVER, state=JobState.PENDING)
        assert retry.run_at == Delivery.objects.get().due_at
        work_off(lambda: retry.run_at)
        assert Delivery.objects.get().state == "delivered"
        assert not Job.objects.filter(kind=DELIVER, state=JobState.PENDING).exists()


def test_one_worker_sends_and_leaves_the_others_to_other_jobs(app):
    with receiving() as receiver, psycopg.connect(plain_url(connection.settings_dict), autocommit=True) as sending:
        given = {"scope": "app:shop", "url": receiver.url, "events": ["app.configure"]}
        create_webhook(**given, actor=SYSTEM, now=timezone.now())
        record(actor=SYSTEM, action="app.configure", target=app, scope="app:shop")
        sending.execute("SELECT pg_advisory_lock(%s)", [SENDING])
        work_off()
        assert receiver.received == []
        # Whoever holds the lock looks again after it; here it was killed, and the periodic job makes up for it.
        sending.close()
        services.enqueue_periodic(now=timezone.now())
        work_off()
        assert len(receiver.received) == 1


def due():
    return due_jobs(now=timezone.now(), kinds=[DELIVER]).exists()


def work_off(clock=timezone.now):
    """Run the jobs of webhooks that are due, as a worker would."""
    Job.objects.exclude(kind=DELIVER).delete()
    while run_next(clock=clock):
        pass
