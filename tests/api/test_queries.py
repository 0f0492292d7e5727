"""Every reading asks the database as often for thirty rows as for three."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.services.members import grant_role
from accounts_app.services.tokens import issue_token
from devices_app.models import ActivityCount, AppKey, FeatureConsumer, Report, UserFacts
from devices_app.selectors.tables import published_entries
from devices_app.services.apps import add_version, create_app, create_secret_key, set_base
from devices_app.services.facts import declare_fact
from devices_app.services.features import store_features
from devices_app.services.lists import put_list
from releases_app.models import Release, SimulationCell
from serving_app.models import HostedPlan, HostMinute, Placement, PredictionCount, ServingHost, Workflow
from serving_app.services.placements import put_workflow
from tasks_app.models import RunCount, Task
from tasks_app.services.scenarios import create_scenario
from tasks_app.services.variants import upload_variant
from tests.api.conftest import NOW, member_of
from tests.api.contract import PREFIX, document, operation
from tests.features import received
from tests.support.cases import cases
from tests.support.fleet import make_device, make_report
from tests.support.people import make_user
from tests.support.placements import problem
from tests.support.releases import allow, draft_of, make_version, move_on
from tests.vectors.reports import RUNS
from webhooks_app.models import Mail

pytestmark = pytest.mark.django_db

BASES = {"shared": "https://a.example.org", "exclusive": "https://b.example.org"}


class World:
    """Makes the n-th thing of each list."""

    def __init__(self, shop, camera, digits, user):
        self.shop, self.camera, self.digits, self.user = shop, camera, digits, user

    def apps(self, n):
        app = create_app(slug=f"app-{n}", name="x", actor=SYSTEM, now=NOW)
        grant_role(actor=SYSTEM, user=self.user, scope=f"app:{app.slug}", role="viewer")

    def app_versions(self, n):
        add_version(app=self.shop, version=f"9.{n}", actor=SYSTEM)

    def keys(self, n):
        create_secret_key(app=self.shop, kind=AppKey.Kind.ENROL, label=str(n), actor=SYSTEM)

    def facts(self, n):
        declare_fact(app=self.shop, name=f"fact-{n}", type="text", source="device", actor=SYSTEM)

    def lists(self, n):
        put_list(app=self.shop, name=f"list-{n}", devices=[f"d{n}"], actor=SYSTEM, now=NOW)

    def list_devices(self, n):
        put_list(
            app=self.shop, name="testers", devices=[f"d{number}" for number in range(n + 1)], actor=SYSTEM, now=NOW
        )

    def user_facts(self, n):
        UserFacts.objects.create(app=self.shop, device=f"d{n}", facts={"vip": True}, updated_at=NOW)

    def bases(self, n):
        set_base(app=self.shop, region=f"r{n}", **BASES, actor=SYSTEM, now=NOW)

    def app_members(self, n):
        grant_role(actor=SYSTEM, user=make_user(f"u{n}"), scope="app:shop", role="viewer")

    def scenarios(self, n):
        scenario = create_scenario(actor=SYSTEM, slug=f"scenario-{n}")
        grant_role(actor=SYSTEM, user=self.user, scope=f"scenario:{scenario.slug}", role="viewer")

    def app_scenarios(self, n):
        allow(self.shop, create_scenario(actor=SYSTEM, slug=f"deliverer-{n}"), now=NOW)

    def scenario_apps(self, n):
        allow(create_app(slug=f"recipient-{n}", name="x", actor=SYSTEM, now=NOW), self.camera, now=NOW)

    def scenario_members(self, n):
        grant_role(actor=SYSTEM, user=make_user(f"v{n}"), scope="scenario:camera", role="viewer")

    def tasks(self, n):
        Task.objects.create(scenario=self.camera, slug=f"task-{n}")

    def versions(self, n):
        make_version("camera", "digits", f"3.{n}.0")

    def variants(self, n):
        actor = member_of("developer", "scenario:camera", name=f"w{n}").actor
        upload_variant(actor=actor, version=self.digits, path="prefs.json", key=f"k{n}", content=b"{}", now=NOW)

    def releases(self, n):
        draft_of(self.shop, self.digits, now=NOW)

    def running(self, n):
        if n == 0:
            make_device(self.shop, "d0", "camera/digits")
        add_version(app=self.shop, version=f"8.{n}", actor=SYSTEM)
        move_on(draft_of(self.shop, self.digits, app_versions=[f"8.{n}"], now=NOW), "start", now=NOW)

    def cells(self, n):
        if n == 0:
            draft_of(self.shop, self.digits, now=NOW)
        ended = {"state": "error", "finished_at": NOW}
        SimulationCell.objects.create(release=Release.objects.get(), attempt=1, app_version=f"8.{n}", **ended)

    def devices(self, n):
        make_device(self.shop, f"d{n}", "camera/digits")

    def runs(self, n):
        at, counted = timezone.now() - timedelta(hours=n), {"runs": 1, "failed": 0, "durations": [1], "memory": [1]}
        RunCount.objects.create(task=self.digits.task, app=self.shop, at=at, warm=False, vm_ends={"idle": 1}, **counted)

    def beats(self, n):
        app = self.shop if n == 0 else create_app(slug=f"app-{n}", name="x", actor=SYSTEM, now=NOW)
        grant_role(actor=SYSTEM, user=self.user, scope=f"app:{app.slug}", role="viewer")
        ActivityCount.objects.create(app=app, at=timezone.now() - timedelta(seconds=100 + n), check_ins=1)

    def timeline(self, n):
        if n == 0:
            make_device(self.shop, "d0")
        make_report(self.shop, "d0")

    def streams(self, n):
        if n == 0:
            make_device(self.shop, "d0")
        make_report(self.shop, "d0", task=f"camera/t{n}", runs=RUNS, output={"n": n})
        Report.objects.update(received_at=timezone.now())

    def pipelines(self, n):
        self._pipeline(f"p{n}", "1.0.0", n)

    def pipeline_versions(self, n):
        self._pipeline("p0", f"1.{n}.0", n)

    def _pipeline(self, task, version, n):
        published_entries()  # a process reads each table once
        row = make_version("camera", task, version, kind="pipeline")
        about = {"task": row.task.name, "version": version, "manifest": row.manifest_digest}
        HostedPlan.objects.create(host=self._host(n), state="ready", since=NOW, **about)
        counts = {"requests": 1, "records": 1, "failed": 0, "refused": 0, "latency": [1], "scores": [1]}
        PredictionCount.objects.create(app=self.shop, at=timezone.now(), **about, **counts)

    def _host(self, n):
        times = {"started_at": NOW, "seen_at": NOW}
        return ServingHost.objects.get_or_create(name=f"host-{n}", defaults={**times, "installed": 1})[0]

    def hosts(self, n):
        self._host(n)

    def host_minutes(self, n):
        HostMinute.objects.create(host=self._host(0), at=timezone.now() - timedelta(minutes=n), state={})

    def workflows(self, n):
        put_workflow(scenario=self.camera, slug=f"w{n}", document=problem(), actor=SYSTEM, now=NOW)

    def placements(self, n):
        if n == 0:
            self.workflows(0)
        about = {"problem": {}, "budget_s": 1, "created_by": "ada", "created_at": NOW}
        Placement.objects.create(workflow=Workflow.objects.get(), **about)

    def features(self, n):
        store_features([received.feature(n + 1, task=f"camera/t{n}", received_at=timezone.now().timestamp() - 90)])

    def consumers(self, n):
        FeatureConsumer.objects.create(name=f"reader-{n:02}", app="shop")

    def reports(self, n):
        make_report(self.shop, f"d{n}")

    def sessions(self, n):
        Client().force_login(self.user)

    def mails(self, n):
        Mail.objects.create(user=self.user, purpose="test", due_at=NOW, created_at=NOW)

    def tokens(self, n):
        issue_token(actor=SYSTEM, user=self.user, name=str(n))

    def audit(self, n):
        grant_role(actor=SYSTEM, user=make_user(f"x{n}"), scope="app:shop", role="developer")


LISTS = {
    "apps": "apps",
    "apps/shop/versions": "app_versions",
    "apps/shop/keys": "keys",
    "apps/shop/facts": "facts",
    "apps/shop/lists": "lists",
    "apps/shop/lists/testers/devices": "list_devices",
    "apps/shop/user-facts": "user_facts",
    "apps/shop/bases": "bases",
    "apps/shop/members": "app_members",
    "apps/shop/scenarios": "app_scenarios",
    "scenarios": "scenarios",
    "scenarios/camera/apps": "scenario_apps",
    "scenarios/camera/members": "scenario_members",
    "scenarios/camera/tasks": "tasks",
    "tasks": "tasks",
    "tasks?details=true&order=changed_at": "tasks",
    "tasks/camera/digits/versions": "versions",
    "tasks/camera/digits/versions/1.0.0/variants": "variants",
    "releases": "releases",
    "releases?details=true&order=moved_at": "releases",
    "releases?id={releases}": "releases",
    "devices": "devices",
    "devices?task=camera/digits": "devices",
    "devices?fact.os=android": "devices",
    "devices/shop/d0/timeline": "timeline",
    "features": "features",
    "features?device=phone": "features",
    "pipelines": "pipelines",
    "placements": "placements",
    "workflows": "workflows",
    "reports": "reports",
    "sessions": "sessions",
    "tokens": "tokens",
    "audit": "audit",
}
DETAILS = {
    "account/mail": "mails",
    "me": "scenarios",
    "session": "scenarios",
    "apps/shop": "app_versions",
    "apps/shop/lists/testers": "list_devices",
    "apps/shop/table": "running",
    "apps/shop/user-facts/d0": "user_facts",
    "devices/count": "devices",
    "devices/count?fact.os=android": "devices",
    "devices/shop/d0/explain": "running",
    "devices/shop/d0/streams": "streams",
    "features/arrivals?cursor=WzAsIDBd": "features",
    "features/consumers": "consumers",
    "features/rates": "features",
    "fleet/pulse": "beats",
    "pipelines/camera/p0": "pipeline_versions",
    "pipelines/camera/p0/series": "pipeline_versions",
    "pipelines/camera/p0/versions/1.0.0/explain": "pipeline_versions",
    "workflows/camera/w0": "workflows",
    "rules/vocabulary": "app_versions",
    "scenarios/camera": "tasks",
    "serving/hosts": "hosts",
    "serving/hosts/host-0/series": "host_minutes",
    "tasks/camera/digits": "versions",
    "tasks/camera/digits/installed": "devices",
    "tasks/camera/digits/runs": "runs",
    "tasks/camera/digits/versions/1.0.0": "variants",
    "releases/{releases}/simulation": "cells",
}
ELSEWHERE = {
    # Below.
    "get_device", "get_release",
    # In tests of their own.
    "get_fleet", "get_release_series", "list_release_devices", "plan_clone", "plan_rollback", "diff_versions",
    "list_webhooks",
    "list_deliveries",
    # They read one row, and the rows of one delivery's few attempts.
    "get_placement", "get_webhook", "get_delivery", "get_app_scenario", "get_feature",
    # Files.
    "download_file", "download_version", "get_simulation_log", "export_features",
}  # fmt: skip


@pytest.fixture
def client(shop, camera):
    return member_of("viewer", "app:shop", "scenario:camera", name="vic")


def queries_of(api, path):
    """How often an address asks the database, and what it answers."""
    named = path.format(releases=",".join(map(str, Release.objects.values_list("pk", flat=True))))
    with CaptureQueriesContext(connection) as captured:
        response = api.get(named)
    assert response.status_code == 200
    # That a session is used is noted once a minute, whatever is read.
    return sum("accounts_app_browsersession" not in query["sql"] for query in captured), response.json()


@cases("path", LISTS)
def test_a_list_asks_as_often_for_thirty_rows_as_for_three(client, shop, camera, digits, path):
    make = getattr(World(shop, camera, digits, client.actor.user), LISTS[path])
    for number in range(3):
        make(number)
    few, page = queries_of(client, path)
    assert len(page["results"]) >= 3
    for number in range(3, 30):
        make(number)
    many, page = queries_of(client, path)
    assert len(page["results"]) >= 30
    assert many == few
    assert many <= 9


@cases("path", DETAILS)
def test_other_readings_ask_as_often_for_thirty_rows_as_for_three(client, shop, camera, digits, path):
    make = getattr(World(shop, camera, digits, client.actor.user), DETAILS[path])
    for number in range(3):
        make(number)
    few, _ = queries_of(client, path)
    for number in range(3, 30):
        make(number)
    many, _ = queries_of(client, path)
    assert many == few
    assert many <= 10


def test_every_reading_is_counted():
    counted = {operation("GET", PREFIX + path.partition("?")[0])["operationId"] for path in (*LISTS, *DETAILS)}
    readings = {methods["get"]["operationId"] for methods in document()["paths"].values() if "get" in methods}
    assert (readings - counted, counted & ELSEWHERE) == (ELSEWHERE, set())


def test_a_device_asks_as_often_however_much_it_did(client, shop):
    make_device(shop, "quiet", "camera/digits")
    make_device(shop, "busy", *(f"camera/task-{number}" for number in range(30)))
    for _ in range(15):
        make_report(shop, "busy")
    counts = []
    for device in ("quiet", "busy"):
        with CaptureQueriesContext(connection) as captured:
            client.get(f"devices/shop/{device}")
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_a_release_asks_as_often_however_often_it_moved(client, releaser, shop, digits):
    counts = []
    release = draft_of(shop, digits, now=NOW)
    for actions in (["start"], ["pause", "resume"] * 4):
        for action in actions:
            releaser.post(f"releases/{release.pk}/{action}", {"reason": "again"})
        with CaptureQueriesContext(connection) as captured:
            client.get(f"releases/{release.pk}")
        counts.append(len(captured))
    assert counts[0] == counts[1]
