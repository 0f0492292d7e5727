"""The job cloud-models: features are answered in the sandbox, and a slow task delays no other."""

import threading
from dataclasses import asdict
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from devices_app.models import FeatureAnswer, FeatureConsumer
from devices_app.services.consumers import ensure_consumer
from devices_app.services.features import CHANNEL, announce_features, store_features
from jobs_app import runner, services
from jobs_app.listening import AnnouncementListener, enqueue_announced
from jobs_app.models import Job, JobState
from tasks_app import jobs_cloud
from tasks_app.selectors.cloud_models import CLOUD_MODELS, consumer_of, is_due
from tasks_app.services import cloud_consumers
from tasks_app.services.cloud_consumers import CloudConsumers
from tasks_app.services.cloud_halves import CloudHalves
from tasks_app.services.registration import register_version
from tests.features.received import feature
from tests.support.releases import make_version
from tests.support.waiting import ANSWER_S, wait_for
from tests.tasks_app.test_cloud_half import ANSWERED
from walle.container.cloud_half import BatchAnswers, CloudHalf, HalfAnswer
from walle.container.result import SandboxError
from walle.container.sandbox import Sandbox

pytestmark = pytest.mark.django_db(transaction=True)
CLOUD = asdict(CloudHalf("cloud/look.py"))


class Gate:
    """Cloud halves of which the one of `slow` answers once the other one's answers are stored."""

    def __init__(self, slow):
        self.slow, self.other = slow, threading.Event()

    def ask(self, version, features):
        if version.task.slug == self.slow:
            assert self.other.wait(ANSWER_S)
        return BatchAnswers((HalfAnswer(b"{}"),) * len(features), None, ())


def waiting(version, sequence, **changed):
    now = timezone.now().timestamp()
    fields = {"task": version.task.name, "version": version.version, "manifest": version.manifest_digest[:24]}
    return feature(sequence, received_at=now, answer_by=now + 60, **fields, **changed)


def once(progressed, running):
    """To go on until there is nothing to do."""
    return progressed or running


def nothing(seconds):
    """To wait for nothing."""


@pytest.fixture
def registered(camera, repository, copy, keys, shop):
    """The version of test_cloud_half.py, registered."""
    copy.commit(ANSWERED)
    copy.tag("digits/1.0.0")
    copy.push("digits", "--tags")
    names = {"scenario": camera, "task": "digits", "version": "1.0.0"}
    return register_version(actor=SYSTEM, repository=repository, **names).version


@pytest.mark.processes
def test_a_stored_feature_is_answered_by_the_cloud_half_of_its_version(registered, settings, tmp_path, monkeypatch):
    settings.WALLE_DATA_DIR = tmp_path
    monkeypatch.setattr(jobs_cloud, "IDLE", jobs_cloud.IDLE * 0)
    with Sandbox() as sandbox:
        monkeypatch.setattr(jobs_cloud, "cloud_halves", lambda: CloudHalves(sandbox))
        store_features([waiting(registered, 1, values={"double": 41}), waiting(registered, 2, values={"single": 41})])
        assert enqueue_announced({CHANNEL}) == [CLOUD_MODELS]
        job = runner.run_next()
        again = runner.run_next()
    assert (job.kind, again) == (CLOUD_MODELS, None)
    assert Job.objects.get().result == {"read": 2, "failed": {}}
    assert [(row.status, bytes(row.body)) for row in FeatureAnswer.objects.order_by("sequence")] == [
        (0, b'{"next":42}'),
        (1, b"the cloud half failed: exception:KeyError"),
    ]
    assert registered.cloud_state.error.startswith("exception:KeyError")


def test_a_slow_task_does_not_hold_up_another_one(shop):
    slow, quick = (make_version("camera", task, "1.0.0", cloud=CLOUD) for task in ("slow", "quick"))
    for version in (slow, quick):
        ensure_consumer(consumer_of(version.task.name), task=version.task.name)
    store_features([waiting(slow, 1), waiting(quick, 2)])
    gate = Gate("slow")

    def look(seconds):
        if FeatureAnswer.objects.filter(sequence=2).exists():
            gate.other.set()

    CloudConsumers(gate, clock=timezone.now, wait=look).run(going_on=once)
    assert set(FeatureAnswer.objects.values_list("sequence", "status")) == {(1, 0), (2, 0)}


def test_a_slow_task_is_looked_at_less_and_less_often(shop):
    slow = make_version("camera", "slow", "1.0.0", cloud=CLOUD)
    ensure_consumer(consumer_of(slow.task.name), task=slow.task.name)
    store_features([waiting(slow, 1)])
    gate, waits = Gate("slow"), []

    def look(seconds):
        waits.append(seconds)
        if len(waits) == 4:
            gate.other.set()

    CloudConsumers(gate, clock=timezone.now, wait=look).run(going_on=once)
    assert waits[:4] == [0.1, 0.2, 0.4, 0.4]


def test_a_task_whose_features_never_end_gives_way_to_others(shop, monkeypatch):
    monkeypatch.setattr(cloud_consumers, "AT_ONCE", 1)
    monkeypatch.setattr(cloud_consumers, "TURN", timedelta())
    busy, quick = (make_version("camera", task, "1.0.0", cloud=CLOUD) for task in ("busy", "quick"))
    for version in (busy, quick):
        ensure_consumer(consumer_of(version.task_id), task=version.task.name)
    store_features([waiting(busy, 1), waiting(quick, 1, device="other")])
    asked = []

    class Halves:
        def ask(self, version, features):
            asked.append(version.task.slug)
            if len(asked) < 20:
                store_features([waiting(busy, len(asked) + 1)])
            return BatchAnswers((HalfAnswer(b"{}"),) * len(features), None, ())

    CloudConsumers(Halves(), clock=timezone.now, wait=nothing).run(going_on=once)
    assert "quick" in asked[:3]
    assert FeatureAnswer.objects.filter(device="phone").count() == 20


def test_a_consumer_that_fails_does_not_stop_the_others_and_waits_a_while(shop):
    versions = [make_version("camera", task, "1.0.0", cloud=CLOUD) for task in ("broken", "quick")]
    for version in versions:
        ensure_consumer(consumer_of(version.task.name), task=version.task.name)
    store_features([waiting(version, at) for at, version in enumerate(versions, start=1)])

    class Halves:
        def ask(self, version, features):
            if version.task.slug == "broken":
                raise SandboxError("no isolation")
            return BatchAnswers((HalfAnswer(b"{}"),) * len(features), None, ())

    consumers = CloudConsumers(Halves(), clock=timezone.now, wait=nothing)
    consumers.run(going_on=once)
    assert consumers.failed == {consumer_of(versions[0].task.name): "no isolation"}
    assert consumers.read == 1
    assert FeatureConsumer.objects.get(name=consumer_of(versions[0].task.name)).error == "SandboxError: no isolation"
    assert not is_due()


def test_a_task_reads_from_when_it_has_a_cloud_half(registered):
    consumer = FeatureConsumer.objects.get()
    assert (consumer.name, consumer.task) == ("cloud-half/camera/digits", "camera/digits")
    assert consumer.xid > 0


def test_announcements_enqueue_a_job_only_when_there_is_something_to_answer(shop):
    assert enqueue_announced({CHANNEL}) == []
    version = make_version("camera", "look", "1.0.0", cloud=CLOUD)
    ensure_consumer(consumer_of(version.task.name), task="camera/look")
    store_features([waiting(version, 1)._replace(task="camera/other")])
    assert enqueue_announced({CHANNEL}) == []
    store_features([waiting(version, 2)])
    assert enqueue_announced({"another"}) == []
    assert enqueue_announced({CHANNEL}) == enqueue_announced({CHANNEL}) == [CLOUD_MODELS]
    [job] = Job.objects.all()
    assert services.claim_next(owner="me", now=timezone.now(), kinds=[CLOUD_MODELS]) == job
    assert enqueue_announced({CHANNEL}) == []
    assert Job.objects.get().state == JobState.RUNNING


def test_a_listening_worker_enqueues_the_job_when_features_are_announced(shop):
    version = make_version("camera", "look", "1.0.0", cloud=CLOUD)
    ensure_consumer(consumer_of(version.task_id), task="camera/look")
    jobs = Job.objects.filter(kind=CLOUD_MODELS)
    store_features([waiting(version, 1)])
    listener = AnnouncementListener()
    listener.start()
    try:
        wait_for(jobs.exists, describe="the job of what was stored before the worker listened")
        jobs.delete()
        store_features([waiting(version, 2)])
        announce_features()
        wait_for(jobs.exists, describe="the job of what was announced")
    finally:
        listener.stop()
