"""What is read from PostgreSQL: right, quick whatever the size of the fleet, and never in the way."""

import asyncio
import re
from datetime import UTC, datetime, timedelta
from itertools import groupby

import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.utils import timezone

from accounts_app.actors import SYSTEM
from devices_app.services.apps import create_app
from devices_app.services.keys import ensure_keys
from jobs_app import registry, runner, services
from jobs_app.models import Job, Worker
from kit.metrics import Finished, Queried
from releases_app.models import CompletionWatch, Release, Stage, StoredVerdict, TalliedRelease, Withdrawal
from serving_app.models import HostedPlan, ServingHost
from tasks_app.models import Scenario, Task, TaskVersion
from walle.release.strategy import AT_ONCE
from walleweb.databases import plain_url
from walleweb.metrics import database
from walleweb.metrics.database import DatabaseCollector

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@registry.job("tests.metrics.work", max_attempts=1)
def work(run, *, fail=False):
    """Does nothing, or fails."""
    if fail:
        raise RuntimeError("no luck")


class Collected:
    """A collector on a clock of its own."""

    def __init__(self):
        self.now = 0.0
        self.collector = DatabaseCollector(lambda: self.now)

    async def values(self):
        """A reading, newer than any before, by name and label values."""
        self.now += database.READ_EVERY_S
        await self.collector.refresh()
        return self.last()

    def last(self):
        return {
            (sample.name, *(sample.labels[label] for label in sorted(sample.labels))): sample.value
            for family in self.collector.collect()
            for sample in family.samples
        }


@pytest.fixture
def collected(transactional_db):
    return Collected()


def released(app, **changes):
    """A release as a row, in any state."""
    number = Release.objects.count()
    scenario, _ = Scenario.objects.get_or_create(slug="camera")
    version = TaskVersion.objects.create(
        task=Task.objects.create(scenario=scenario, slug=f"task-{number}"), version="1.0.0", commit=f"{number:040x}",
        author_name="x", tagged_at=NOW, manifest=b"{}", manifest_digest=f"{number:064x}",
        envelope_digest=f"{number:064x}", total_size=0,
    )  # fmt: skip
    usual = {"rule": {}, "strategy": AT_ONCE, "salt": bytes(16), "created_by": "x", "created_at": NOW}
    return Release.objects.create(app=app, version=version, **usual | changes)


@pytest.fixture
def shop(transactional_db):
    ensure_keys(now=NOW)
    return create_app(slug="shop", name="Shop", actor=SYSTEM, now=timezone.now() - timedelta(seconds=100))


async def test_an_empty_database(collected):
    values = await collected.values()
    assert values["walle_database_up",] == 1
    assert values["walle_database_bytes",] > 1_000_000
    assert values["walle_webhook_lag_seconds",] == 0
    assert {key[1] for key in values if key[0] == "walle_database_rows"} == BIG | GROWING
    assert values["walle_periodic_job_interval_seconds", "releases.reconcile-all"] == 2


def test_what_belongs_together_stands_together():
    parts = [family.name.split("_")[1] for family in database.families()]
    assert [part for part, _ in groupby(parts)] == [
        "database", "releases", "release", "simulation", "table", "features", "jobs", "job", "jobs", "job", "periodic",
        "workers",
        "webhook", "mails", "mail", "mails", "cloud", "serving",
    ]  # fmt: skip


async def test_serving_hosts_and_what_they_have(collected):
    @sync_to_async
    def prepare():
        now = timezone.now()
        times = {"started_at": now, "seen_at": now - timedelta(seconds=60)}
        host = ServingHost.objects.create(name="serving-1", installed=2, **times)
        for version, state in (("1.0.0", "ready"), ("1.1.0", "isolated")):
            about = {"task": "shop/mood", "version": version, "manifest": version, "state": state, "since": now}
            HostedPlan.objects.create(host=host, **about)
        connection.close()

    await prepare()
    values = await collected.values()
    assert values["walle_serving_host_silent_seconds", "serving-1"] == pytest.approx(60, abs=20)
    assert values["walle_serving_host_versions", "serving-1"] == 2
    assert values["walle_serving_plans", "ready"] == values["walle_serving_plans", "isolated"] == 1


async def test_releases_with_stage_clock_and_verdict(collected, shop):
    @sync_to_async
    def prepare():
        now = timezone.now()
        running = released(
            shop, state="running", position=0, clock_s=60, clock_since=now - timedelta(seconds=60),
            strategy={"stages": [{"kind": "gray", "percent": 100, "dwell_s": 30}]},
        )  # fmt: skip
        TalliedRelease.objects.create(
            release=running.pk, began_at=now, compared=[], bucket_low=0, bucket_high=0, differences=3,
            judged_at=now - timedelta(seconds=600),
        )  # fmt: skip
        for ago, remaining, offline in ((60, 5, 2), (60, 2, 2), (-60, 5, 2)):
            told = {"began_at": now, "counted_at": now, "devices": 9, "told_by": now - timedelta(seconds=ago)}
            undone = released(shop, state="rolled-back", position=0)
            Withdrawal.objects.create(release=undone, remaining=remaining, offline=offline, **told)
        for exceeded_at in (None, now):
            watched = released(shop, state="complete", position=0)
            about = {"app": shop, "task": watched.version.task.name, "known_before": now, "period_began_at": now}
            counts = {"reported": 40, "failed": 10, "exceeded_at": exceeded_at}
            CompletionWatch.objects.create(release=watched, manifest="0" * 64, **about, **counts)
        stage = Stage.objects.create(release=running, position=0, kind="gray")
        for kind in ("inconclusive", "fail"):
            StoredVerdict.objects.create(release=running, stage=stage, kind=kind, sentence="", evidence={}, at=now)
        for state in ("draft", "complete", "complete"):
            released(shop, state=state, position=0)
        connection.close()
        return str(running.pk)

    number = await prepare()
    values = await collected.values()
    assert values["walle_releases", "shop", "complete"] == 4
    assert values["walle_release_stage", "shop", number, "running", "camera/task-0", "1.0.0"] == 0
    assert values["walle_release_undecided_seconds", "shop", number, "camera/task-0"] == pytest.approx(90, abs=20)
    assert values["walle_release_judged_age_seconds", "shop", number, "camera/task-0"] == pytest.approx(600, abs=20)
    assert values["walle_release_tally_differences",] == 3
    assert [values[key] for key in values if key[0] == "walle_release_withdrawal_stalled"] == [3]
    assert [values[key] for key in values if key[0] == "walle_release_failing_after_complete"] == [0.25]
    assert values["walle_release_stage_seconds", "shop", number, "camera/task-0"] == pytest.approx(120, abs=20)
    assert values["walle_release_verdict", "shop", number, "camera/task-0", "fail"] == 1
    assert values["walle_release_verdicts_total", "inconclusive"] == 1
    assert values["walle_table_number", "shop"] > 0
    assert 0 <= values["walle_table_age_seconds", "shop"] < 1e9
    shown = [key for key in values if key[0] == "walle_release_stage"]
    assert len(shown) == 1, "only releases under way are shown one by one"


async def test_jobs_that_wait_run_and_end(collected):
    @sync_to_async
    def prepare():
        now = timezone.now()
        services.enqueue(kind="tests.metrics.work", run_at=now + timedelta(hours=1))
        services.enqueue(kind="tests.metrics.work", run_at=now - timedelta(seconds=90))
        lost = services.enqueue(kind="tests.metrics.work")
        Job.objects.filter(pk=lost.pk).update(state="running", lease_owner="x", lease_until=now - timedelta(1))
        Worker.objects.create(host="a", pid=1, queue="celery", started_at=now, seen_at=now)
        Worker.objects.create(host="a", pid=2, queue="celery", started_at=now, seen_at=now - timedelta(seconds=31))
        connection.close()

    await prepare()
    values = await collected.values()
    assert values["walle_jobs", "tests.metrics.work", "pending"] == 2
    assert values["walle_jobs", "tests.metrics.work", "running"] == 1
    assert values["walle_job_lag_seconds", "tests.metrics.work"] == pytest.approx(90, abs=20)
    assert values["walle_job_expired_leases", "tests.metrics.work"] == 1
    assert values["walle_workers", "celery"] == 1


@sync_to_async
def run_jobs(*, good=0, bad=0):
    for fail in [False] * good + [True] * bad:
        services.enqueue(kind="tests.metrics.work", arguments={"fail": fail})
    while runner.run_next():
        pass
    connection.close()


async def test_jobs_are_counted_once_as_they_end(collected):
    def counts(values):
        return tuple(
            values.get(("walle_jobs_finished_total", "tests.metrics.work", state)) for state in ("succeeded", "failed")
        )

    await run_jobs(good=5)
    assert counts(await collected.values()) == (0, 0), "those of before belong to other counts"
    await run_jobs(good=3, bad=2)
    assert counts(await collected.values()) == (3, 2)
    assert counts(await collected.values()) == (3, 2), "the same rows lie within the next reading"
    await run_jobs(good=1)
    values = await collected.values()
    assert counts(values) == (4, 2)
    assert values["walle_job_seconds_count", "tests.metrics.work"] == 6


async def test_periodic_jobs_have_their_own_ages(collected):
    @sync_to_async
    def prepare():
        for kind, minutes in (("jobs.delete-finished", 90), ("releases.reconcile-all", 1)):
            at = timezone.now() - timedelta(minutes=minutes)
            services.enqueue(kind=kind, dedupe_key=f"periodic:{kind}", run_at=at, now=at)
        connection.close()

    await prepare()
    values = await collected.values()
    assert values["walle_periodic_job_age_seconds", "jobs.delete-finished"] == pytest.approx(5400, abs=60)
    assert values["walle_periodic_job_age_seconds", "releases.reconcile-all"] == pytest.approx(60, abs=30)


async def test_the_database_is_not_asked_again_within_seconds(collected, monkeypatch):
    await collected.values()

    async def refuse():
        raise AssertionError("asked again")

    monkeypatch.setattr(database, "direct_connection", refuse)
    collected.now += database.READ_EVERY_S - 0.1
    await collected.collector.refresh()
    assert collected.last()["walle_database_up",] == 1


async def test_a_lost_database_is_said_and_counts_stay(collected, monkeypatch):
    await collected.values()
    await run_jobs(good=1)
    before = await collected.values()

    async def refuse():
        raise psycopg.OperationalError("connection refused")

    with monkeypatch.context() as patched:
        patched.setattr(database, "direct_connection", refuse)
        values = await collected.values()
    assert values["walle_database_up",] == 0
    assert ("walle_database_bytes",) not in values, "what was true once is not told as true"
    key = "walle_jobs_finished_total", "tests.metrics.work", "succeeded"
    assert values[key] == before[key] == 1
    assert (await collected.values())["walle_database_up",] == 1


async def test_a_database_that_hangs_holds_metrics_up_for_a_moment_only(collected, monkeypatch):
    released = asyncio.Event()

    async def hang():
        await released.wait()
        raise OSError("at last")

    monkeypatch.setattr(database, "WAIT_S", 0.05)
    with monkeypatch.context() as patched:
        patched.setattr(database, "direct_connection", hang)
        for _ in range(3):
            assert (await collected.values())["walle_database_up",] == 0
        released.set()
    monkeypatch.setattr(database, "WAIT_S", 5)
    await collected.values()
    assert (await collected.values())["walle_database_up",] == 1


BIG = {
    "devices_app_device", "devices_app_report", "releases_app_exposure", "devices_app_installedtask",
    "accounts_app_auditentry",
}  # fmt: skip


GROWING = {"jobs_app_job", "serving_app_hostminute", "serving_app_predictioncount"}


def scanned(plan):
    """The tables that a query plan reads from end to end."""
    found = {plan["Relation Name"]} if plan["Node Type"] == "Seq Scan" else set()
    return found.union(*map(scanned, plan.get("Plans", [])))


@pytest.mark.django_db
def test_no_query_reads_what_grows_with_the_fleet():
    """Not at all, or through an index: finished jobs too, of which there are hundreds of thousands."""
    statements = [
        source.query(NOW) if isinstance(source, Finished) else source.query()
        for metrics in database.contributed()
        for source in metrics.sources
        if isinstance(source, Finished | Queried)
    ]
    assert statements
    with psycopg.connect(plain_url(connection.settings_dict)) as direct:
        direct.execute("SET enable_seqscan = off")  # small tables are read whole whatever their indexes
        for query, arguments in statements:
            assert not [table for table in BIG if re.search(f'(FROM|JOIN) "?{table}', query)], query
            plan = direct.execute(f"EXPLAIN (FORMAT JSON) {query}", arguments).fetchone()[0]
            assert not {"jobs_app_job", "webhooks_app_delivery"} & scanned(plan[0]["Plan"]), query
