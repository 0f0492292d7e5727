"""Every admin page, at a size at which reading or counting a whole table would show in its queries."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from accounts_app.services.members import grant_role
from accounts_app.services.tokens import issue_token
from devices_app.models import AppKey, Device, InstalledTask, Report, UserFacts
from devices_app.services.apps import create_secret_key, set_base
from devices_app.services.facts import declare_fact
from devices_app.services.lists import put_list
from jobs_app.models import Job
from kit.admin import large
from releases_app.models import Exposure, SimulationCell
from tasks_app.services.variants import upload_variant
from tests.api.conftest import NOW
from tests.support.admin_pages import pages_by_model
from tests.support.cases import cases
from tests.support.fleet import make_device, make_report
from tests.support.people import make_user
from tests.support.releases import draft_of, move_on

pytestmark = pytest.mark.django_db

LARGE = (AuditEntry, Device, Exposure, InstalledTask, Job, Report, UserFacts)
BASES = {"shared": "https://a.example", "exclusive": "https://b.example"}
TABLES = [model._meta.db_table for model in LARGE]


class World:
    """Makes more of everything that has a page."""

    def __init__(self, shop, digits):
        self.shop, self.digits, self.made = shop, digits, 0

    def grow(self, count):
        for number in range(self.made, self.made + count):
            self._more(number)
        self.made += count

    def _more(self, number):
        user, name = make_user(f"user-{number}"), f"d{number}"
        grant_role(actor=SYSTEM, user=user, scope="app:shop", role="viewer")
        issue_token(actor=SYSTEM, user=user, name=name)
        make_device(self.shop, name, "camera/digits")
        make_report(self.shop, name, release=number + 1)
        seen = {"app": self.shop, "task": "camera/digits", "bucket": 5, "arm": "treatment", "drawn_at": NOW}
        Exposure.objects.create(device=name, release=number, stage=1, **seen)
        UserFacts.objects.create(app=self.shop, device=name, facts={"vip": True}, updated_at=NOW)
        Job.objects.create(kind="tasks.sweep-repositories", run_at=NOW, created_at=NOW)
        create_secret_key(app=self.shop, kind=AppKey.Kind.ENROL, label=name, actor=SYSTEM)
        set_base(
            app=self.shop, region=name, shared="https://a.example", exclusive="https://b.example", actor=SYSTEM, now=NOW
        )
        declare_fact(app=self.shop, name=f"f{number}", type="text", source="device", actor=SYSTEM)
        put_list(app=self.shop, name=f"l{number}", devices=[name], actor=SYSTEM, now=NOW)
        upload_variant(actor=SYSTEM, version=self.digits, path="prefs.json", key=name, content=b"{}", now=NOW)
        release = move_on(draft_of(self.shop, self.digits, now=NOW), "start", "pause", now=NOW)
        cell = {"attempt": 1, "app_version": "1.0.0", "os": "ios", "os_version": "1", "state": "passed"}
        SimulationCell.objects.create(release=release, finished_at=NOW, **cell)


@pytest.fixture
def world(shop, digits):
    made = World(shop, digits)
    made.grow(3)
    return made


def addresses():
    """The list of every model, and the page of its last row."""
    for model in pages_by_model():
        listed = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        yield model, "list", listed
        if row := model._default_manager.order_by("-pk").first():
            yield model, "page", f"{listed}{row.pk}/change/"


def narrowed(pages, model):
    """The list of a model with a search, and with the last choice of each filter."""
    changelist = pages.list_of(model).context_data["cl"]
    listed = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
    for spec in changelist.filter_specs:
        yield listed + list(spec.choices(changelist))[-1]["query_string"]
    yield f"{listed}?q=d1"


def queries_of(pages, address):
    with CaptureQueriesContext(connection) as captured:
        assert pages.client.get(address).status_code == 200, address
    # That the session is in use is noted once a minute, whatever the page.
    return [query["sql"] for query in captured if not query["sql"].startswith('UPDATE "accounts_app_browsersession"')]


def counts(statements):
    """The statements that count the rows of a large table, or read its distinct values."""
    asked = [each for each in statements if "COUNT(" in each.upper() or "DISTINCT" in each.upper()]
    return [each for each in asked if any(f'FROM "{table}"' in each for table in TABLES)]


def test_no_page_counts_a_large_table_and_none_asks_more_often_when_there_is_more(pages, world):
    few = {(model, kind): queries_of(pages, address) for model, kind, address in list(addresses())}
    assert {key: found for key, asked in few.items() if (found := counts(asked))} == {}
    world.grow(6)
    many = {(model, kind): queries_of(pages, address) for model, kind, address in list(addresses())}
    grown = {key: (len(few[key]), len(asked)) for key, asked in many.items() if key in few}
    assert {key: both for key, both in grown.items() if both[1] > both[0]} == {}


@cases("model", [model for model in LARGE if model in pages_by_model()])
def test_neither_searches_nor_filters_count_a_large_table(pages, world, model):
    for address in narrowed(pages, model):
        assert not counts(queries_of(pages, address)), address


def test_what_no_index_answers_is_looked_for_among_the_newest(pages, world, monkeypatch):
    monkeypatch.setattr(large, "AFFORDABLE", 0)
    monkeypatch.setattr(large, "NEWEST", 2)
    make_report(world.shop, "old", outcome="failure")
    for _ in range(2):
        make_report(world.shop, "new")
    listed = pages.list_of(Report, outcome__exact="failure").content.decode()
    assert "/change/" not in listed.partition("result_list")[2]
    assert pages.list_of(Report).content.decode().count("/admin/devices_app/report/") >= 2


def test_a_search_finds_what_is_old_too(pages, world, monkeypatch):
    monkeypatch.setattr(large, "NEWEST", 1)
    device = Device.objects.get(device="d0")
    assert f"/admin/devices_app/device/{device.pk}/change/" in pages.list_of(Device, q="d0").content.decode()
    report = Report.objects.get(device="d0")
    assert f"/admin/devices_app/report/{report.pk}/change/" in pages.list_of(Report, q="d0").content.decode()
    assert pages.list_of(Report, q="%' OR 1=1 --").status_code == 200
    assert pages.list_of(Exposure, q="9" * 40).status_code == 200


def test_filters_of_the_audit_log_list_what_there_is(pages, world):
    page = pages.list_of(AuditEntry).content.decode()
    for action in AuditEntry.objects.values_list("action", flat=True).distinct():
        assert f"action={action}" in page
    listed = pages.list_of(AuditEntry, action="member.grant")
    assert {entry.action for entry in listed.context_data["cl"].result_list} <= {"member.grant"}


def test_jobs_are_filtered_by_the_kinds_that_the_code_knows(pages, world):
    listed = pages.list_of(Job, kind="tasks.sweep-repositories")
    assert len(listed.context_data["cl"].result_list) == 3
    assert not pages.list_of(Job, kind="tasks.forget").context_data["cl"].result_list
