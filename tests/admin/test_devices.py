"""The admin pages of apps, keys, devices, reports, tables and roots."""

import re
from hashlib import sha256

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from devices_app.admin_audience import MAX_SHOWN
from devices_app.models import (
    App,
    AppFact,
    AppKey,
    AppVersion,
    Device,
    IdList,
    PublishedTable,
    RegionBase,
    Report,
    Root,
    ServerKey,
    UserFacts,
)
from devices_app.models.fields import TOO_DEEP
from devices_app.services.apps import create_secret_key, set_base
from devices_app.services.facts import declare_fact, set_user_facts
from devices_app.services.intake import store_check_ins
from devices_app.services.lists import put_list
from releases_app.models import Exposure
from tests.api.conftest import NOW
from tests.support.admin_pages import AdminPages
from tests.support.cases import cases
from tests.support.fleet import make_device, make_report
from tests.support.people import make_user
from walle.gateway.ports import CheckInRecord, DeviceClaims, ExposureRecord
from walle.schema.values import MAX_DEPTH

pytestmark = pytest.mark.django_db

READ_ONLY = (Device, Exposure, PublishedTable, Report, Root, ServerKey, UserFacts)
MODELS = (App, AppFact, AppKey, AppVersion, IdList, RegionBase, *READ_ONLY)
BASE = {"shared": "https://a.example.org/walle/v1", "exclusive": "https://b.example.org/walle/v1"}


@pytest.fixture
def rows(shop):
    """One row of every model that has pages."""
    create_secret_key(app=shop, kind=AppKey.Kind.ENROL, label="release build", actor=SYSTEM)
    set_base(app=shop, region="eu", **BASE, actor=SYSTEM, now=NOW)
    make_device(shop, "phone-1", "camera/digits", trusted={"age_band": "18-29"})
    make_report(shop, "phone-1", outcome="failure", error_class="MemoryError", message="<b>too much</b>")
    declare_fact(app=shop, name="vip", type="boolean", source="user", actor=SYSTEM)
    set_user_facts(app=shop, facts={"phone-1": {"vip": True}}, actor=SYSTEM, now=NOW)
    put_list(app=shop, name="testers", devices=["phone-1", "phone-2"], actor=SYSTEM, now=NOW)
    drawn = ExposureRecord(7, 3, "camera/digits", "treatment", 5, 17)
    claims = DeviceClaims("0" * 16, "shop", {"app_version": "1.0.0"}, {})
    store_check_ins([CheckInRecord(claims, "phone-1", {}, NOW.timestamp(), (drawn,))])
    return [model.objects.all()[0] for model in MODELS]


def actions():
    return set(AuditEntry.objects.values_list("action", flat=True))


def test_staff_reads_every_list_and_page(pages, rows):
    for row in rows:
        listed = pages.list_of(type(row))
        assert listed.status_code == 200
        assert pages.list_of(type(row), q="1").status_code == 200
        assert pages.page_of(row).status_code == 200


def test_others_see_no_page(rows):
    pages = AdminPages(make_user("guest"))
    for row in rows:
        assert pages.list_of(type(row)).status_code == 302
        assert pages.page_of(row).status_code == 302


def test_no_secret_is_on_any_page(pages, rows):
    secrets = [AppKey.objects.get().material, *(bytes(key.secret).decode() for key in ServerKey.objects.all())]
    shown = [pages.page_of(row).content.decode() + pages.list_of(type(row)).content.decode() for row in rows]
    shown += [pages.page_of(key).content.decode() for key in ServerKey.objects.all()]
    assert not [secret for secret in secrets for page in shown if secret in page]


@cases("model", READ_ONLY)
def test_what_devices_said_and_what_was_signed_cannot_be_changed(pages, rows, model):
    row = model.objects.all()[0]
    before = {field.attname: getattr(row, field.attname) for field in model._meta.fields}
    assert pages.add_page(model).status_code == 403
    assert pages.add(model).status_code == 403
    assert pages.change(row, **dict.fromkeys(before, "1")).status_code == 403
    assert pages.delete(row).status_code == 403
    pages.act("delete_selected", row)
    row.refresh_from_db()
    assert {name: getattr(row, name) for name in before} == before


def test_a_fact_is_declared_and_described_through_the_services(pages, shop):
    given = {"app": shop.pk, "source": "user", "name": "age_band", "type": "text", "values": '["18-29"]'}
    assert pages.add(AppFact, **given, description="").status_code == 302
    fact = AppFact.objects.get()
    assert pages.change(fact, values='["18-29", "30-49"]', description="in years", type="number").status_code == 302
    fact.refresh_from_db()
    assert (fact.type, fact.values, fact.description) == ("text", ["18-29", "30-49"], "in years")
    assert "fact.declare" in actions()
    refused = pages.add(AppFact, **{**given, "source": "device", "name": "os"})
    assert "Every app has this fact" in refused.content.decode()
    assert pages.delete(fact).status_code == 403


def test_a_short_list_is_edited_line_by_line(pages, shop):
    made = pages.add(IdList, app=shop.pk, name="testers", description="ours", devices="a\r\n\r\n b \r\n")
    assert made.status_code == 302
    testers = IdList.objects.get()
    assert "a\nb" in pages.page_of(testers).content.decode()
    assert pages.change(testers, description="theirs", devices="b\r\nc").status_code == 302
    assert sorted(testers.members.values_list("device", flat=True)) == ["b", "c"]
    assert IdList.objects.get().description == "theirs"
    refused = pages.change(testers, description="", devices="b\r\nc d")
    assert "place 1" in refused.content.decode()
    assert {"list.create", "list.put"} <= actions()


def test_a_long_list_is_shown_by_its_size_only(pages, shop):
    put_list(app=shop, name="testers", devices=[f"device-{n}" for n in range(MAX_SHOWN + 1)], actor=SYSTEM, now=NOW)
    testers = IdList.objects.get()
    page = pages.page_of(testers).content.decode()
    assert str(MAX_SHOWN + 1) in page
    assert "device-1999" not in page
    assert pages.change(testers, description="x", devices="").status_code == 403
    assert testers.members.count() == MAX_SHOWN + 1


def test_an_app_is_made_and_changed_through_the_services(pages, keys):
    made = pages.add(App, slug="shop", name="Shop", check_in_interval="60", **no_inlines())
    assert made.status_code == 302
    app = App.objects.get()
    number = app.table.number
    changed = pages.change(app, name="Shop 2", check_in_interval="5", slug="other", **no_inlines())
    assert changed.status_code == 302
    app = App.objects.get()
    assert (app.slug, app.name, app.check_in_interval) == ("shop", "Shop 2", 5)
    assert app.table.number > number
    assert {"app.create", "app.configure"} <= actions()


def no_inlines():
    forms = {}
    for name in ("versions", "keys", "bases"):
        forms |= {f"{name}-TOTAL_FORMS": "0", f"{name}-INITIAL_FORMS": "0"}
    return forms


def test_a_wrong_app_is_told_at_its_field(pages, keys):
    answer = pages.add(App, slug="Shop!", name="Shop", check_in_interval="0")
    assert b"expected a lowercase letter" in answer.content
    assert b"greater than or equal to 1" in answer.content
    assert not App.objects.exists()


def test_a_version_is_declared_through_the_service(pages, shop):
    assert pages.add(AppVersion, app=shop.pk, version="7.0.0").status_code == 302
    assert AuditEntry.objects.filter(action="app.add_version", after={"version": "7.0.0"}).count() == 1


@cases(("kind", "prefix"), [("enrol", "wa_"), ("gateway", "wg_")])
def test_a_secret_keys_text_is_on_one_page_only(pages, shop, kind, prefix):
    answer = pages.add(AppKey, app=shop.pk, kind=kind, label="x")
    assert "no-store" in answer["Cache-Control"]
    text = re.search(prefix + r"[A-Za-z0-9_-]{32}", answer.content.decode())[0]
    key = AppKey.objects.get()
    assert key.material == sha256(text.encode()).hexdigest()
    assert text not in pages.page_of(key).content.decode() + pages.list_of(AppKey).content.decode()


def test_a_backend_key_is_given_by_its_public_half(pages, shop):
    assert pages.add(AppKey, app=shop.pk, kind="backend", label="x", public_key="AB" * 32).status_code == 302
    key = AppKey.objects.get()
    assert (key.kind, key.material) == ("backend", "ab" * 32)
    assert b"ab" * 32 in pages.page_of(key).content


@cases(("kind", "public_key"), [("backend", ""), ("backend", "xyz"), ("enrol", "ab" * 32)])
def test_a_wrong_key_is_told_at_its_field(pages, shop, kind, public_key):
    answer = pages.add(AppKey, app=shop.pk, kind=kind, label="x", public_key=public_key)
    assert answer.status_code == 200
    assert "public_key" in answer.context["adminform"].form.errors
    assert not AppKey.objects.exists()


def test_keys_are_revoked_through_the_service(pages, rows):
    pages.act("revoke", AppKey.objects.get())
    assert AppKey.objects.get().revoked_at
    assert "app.revoke_key" in actions()


def test_bases_are_set_through_the_service_and_travel_in_the_table(pages, shop):
    number = PublishedTable.objects.get().number
    assert pages.add(RegionBase, app=shop.pk, region="eu", **BASE).status_code == 302
    base = RegionBase.objects.get()
    assert pages.change(base, **BASE | {"shared": "https://c.example.org"}, region="us").status_code == 302
    base.refresh_from_db()
    assert (base.region, base.shared) == ("eu", "https://c.example.org")
    assert PublishedTable.objects.get().number > number + 1
    assert b"https://c.example.org" in pages.page_of(PublishedTable.objects.get()).content


def test_devices_are_revoked_and_reinstated_through_the_services(pages, rows):
    device = Device.objects.get()
    address = f"/admin/devices_app/device/{device.pk}/revoke/"
    pages.client.post(address, {"_form_submitted": "on", "reason": ""})
    device.refresh_from_db()
    assert device.revoked_at is None, "it asks why"
    pages.client.post(address, {"_form_submitted": "on", "reason": "stolen"})
    device.refresh_from_db()
    assert device.revoked_at
    pages.act("reinstate", device)
    device.refresh_from_db()
    assert device.revoked_at is None
    assert {"device.revoke", "device.reinstate"} <= actions()


@cases("depth", [MAX_DEPTH, 500, 850, 950, 3000])
def test_one_report_nested_too_deeply_does_not_take_the_others_with_it(pages, shop, depth):
    """It was stored before gateways refused it."""
    shallow, deep = make_report(shop, "phone-1", output={"label": 7}), make_report(shop, "phone-2")
    with connection.cursor() as cursor:
        sent = '{"x":' + "[" * depth + "]" * depth + "}"
        cursor.execute("UPDATE devices_app_report SET output = %s::jsonb WHERE id = %s", [sent, deep.pk])
    for model_page in (pages.list_of(Report), pages.page_of(shallow), pages.page_of(deep)):
        assert model_page.status_code == 200
    assert f"nested more than {MAX_DEPTH} deep" in pages.page_of(deep).content.decode()
    answer = pages.client.get("/api/v1/reports").json()["results"]
    assert [each["output"] for each in answer] == [TOO_DEEP, {"label": 7}]


def test_pages_link_to_what_they_speak_of(pages, rows):
    device, report, app = Device.objects.get(), Report.objects.get(), App.objects.get()
    page = pages.page_of(report).content.decode()
    assert f"/admin/devices_app/device/{device.pk}/change/" in page
    assert f"/admin/devices_app/app/{app.pk}/change/" in page
    assert "<b>too much</b>" not in page
    page = pages.page_of(app).content.decode()
    for row in (AppKey.objects.get(), RegionBase.objects.get(), PublishedTable.objects.get()):
        assert f"/admin/devices_app/{row._meta.model_name}/{row.pk}/change/" in page
    query = re.search(r"/admin/devices_app/report/\?([^\"]+)", pages.page_of(device).content.decode())[1]
    found = pages.client.get(f"/admin/devices_app/report/?{query.replace('&amp;', '&')}")
    assert b"MemoryError" in found.content


def test_devices_and_reports_are_found_by_what_staff_knows(pages, shop, rows):
    make_device(shop, "tablet")
    make_report(shop, "tablet", task="voice/words")
    assert b"phone-1" in pages.list_of(Device, q="phone").content
    assert b"tablet" not in pages.list_of(Device, q="phone").content
    for query, there, not_there in (("voice/words", b"words", b"digits"), ("phone-1", b"digits", b"words")):
        content = pages.list_of(Report, q=query).content
        assert there in content
        assert not_there not in content
    assert b"tablet" not in pages.list_of(Device, revoked_at__isempty="0").content
    assert b"words" not in pages.list_of(Report, outcome__exact="failure").content


@cases("model", [Device, Report, AppVersion])
def test_a_list_asks_as_often_for_thirty_rows_as_for_three(pages, shop, model):
    def make(numbers):
        for number in numbers:
            make_device(shop, f"d{number}", "camera/digits")
            make_report(shop, f"d{number}")
            AppVersion.objects.create(app=shop, version=f"9.{number}")

    make(range(3))
    with CaptureQueriesContext(connection) as few:
        pages.list_of(model)
    make(range(3, 30))
    with CaptureQueriesContext(connection) as many:
        pages.list_of(model)
    assert len(few) == len(many)
