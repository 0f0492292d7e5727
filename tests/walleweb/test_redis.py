"""Jobs and live updates over a real Redis, as in production."""

import asyncio
import shutil
from collections.abc import Callable, Iterator

import pytest
import redis
from django.conf import settings as django_settings
from django.utils import timezone
from django.utils.module_loading import import_string

from jobs_app.models import Job, JobState
from jobs_app.services import enqueue
from tests.support.processes import Child, Children, child_environment, free_port
from tests.support.waiting import wait_for
from walleweb.databases import channel_layer
from walleweb.embedded.commands import urgent_worker_command, worker_command

PROGRAM = shutil.which("redis-server")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="Redis is not installed: apt-get install -y redis-server")
ENQUEUE = """
import django; django.setup()
from jobs_app.services import enqueue
print(enqueue(kind={kind!r}).pk)
"""


@pytest.fixture
def start_redis(children: Children, tmp_path) -> Iterator[Callable[[], Child]]:
    """Starts Redis, always on the same port; its address is `start_redis.url`."""
    port = free_port()

    def start() -> Child:
        options = (
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
            str(tmp_path),
        )
        child = children.start(PROGRAM, *options, name="redis")
        with redis.Redis(port=port) as client:
            wait_for(lambda: _answers(client), describe=child.output)
        return child

    start.url = f"redis://127.0.0.1:{port}/0"
    yield start
    children.stop_all()


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


@pytest.mark.django_db(transaction=True)
def test_jobs_are_carried_by_redis_and_survive_its_end(start_redis, children: Children) -> None:
    server = start_redis()
    environment = child_environment(REDIS_URL=start_redis.url, WALLE_WORKER_PROCESSES="1")
    worker = children.python(*worker_command(), env=environment, name="worker")
    urgent = children.python(*urgent_worker_command(), env=environment, name="urgent-worker")

    def is_done(kind: str, since=None) -> bool:
        found = Job.objects.filter(kind=kind, state=JobState.SUCCEEDED)
        return (found.filter(created_at__gt=since) if since else found).exists()

    # Beat tells a worker to look what is due, the worker enqueues periodic jobs, and is woken for each.
    wait_for(lambda: is_done("jobs.delete-finished") and is_done("releases.reconcile-all"), 60, worker.output)
    server.kill()
    worker.kill_family()
    # Nobody is woken now: each worker finds what is due by itself, also one that is started now.
    away = timezone.now()
    enqueue(kind="releases.reconcile-all")
    wait_for(lambda: is_done("releases.reconcile-all", away), 60, urgent.output)
    worker = children.python(*worker_command(), env=environment, name="worker")
    enqueue(kind="jobs.delete-finished")
    wait_for(lambda: is_done("jobs.delete-finished", away), 60, worker.output)
    start_redis()
    with redis.Redis.from_url(start_redis.url) as client:
        wait_for(lambda: client.exists("_kombu.binding.urgent"), 60, urgent.output)
        wait_for(lambda: client.exists("_kombu.binding.celery"), 60, worker.output)
    again = timezone.now()
    wait_for(lambda: is_done("releases.reconcile-all", again), 60, lambda: worker.output() + urgent.output())


@pytest.mark.django_db(transaction=True)
def test_a_message_over_redis_wakes_the_worker_for_urgent_jobs(start_redis, children: Children) -> None:
    """There is no beat here: nothing but the message can have told the worker."""
    start_redis()
    environment = child_environment(REDIS_URL=start_redis.url)
    urgent = children.python(*urgent_worker_command(), env=environment, name="urgent-worker")
    with redis.Redis.from_url(start_redis.url) as client:
        wait_for(lambda: client.exists("_kombu.binding.urgent"), 60, urgent.output)
    children.python("-c", ENQUEUE.format(kind="releases.reconcile-all"), env=environment)
    wait_for(lambda: Job.objects.filter(state=JobState.SUCCEEDED).exists(), 60, urgent.output)


def test_live_updates_are_carried_by_redis(start_redis) -> None:
    start_redis()
    declared = channel_layer(django_settings.DATABASES["default"], redis_url=start_redis.url)

    async def through_redis() -> dict:
        sender, receiver = (import_string(declared["BACKEND"])(**declared["CONFIG"]) for _ in range(2))
        channel = await receiver.new_channel()
        await receiver.group_add("release-1", channel)
        await sender.group_send("release-1", {"type": "moved", "release": 1})
        message = await asyncio.wait_for(receiver.receive(channel), 10)
        for layer in (sender, receiver):
            await layer.close_pools()
        return message

    assert asyncio.run(through_redis()) == {"type": "moved", "release": 1}
