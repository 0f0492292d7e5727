"""The console as a whole: its links lead somewhere, and back to the dashboard."""

import html
import re
from collections import deque
from datetime import timedelta
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry, Member
from accounts_app.services.tokens import issue_token
from devices_app.attention import Concern, Urgency
from devices_app.models import AppKey, Device, Report
from devices_app.services.apps import create_secret_key, set_base
from devices_app.services.facts import declare_fact, set_user_facts
from devices_app.services.intake import store_check_ins
from devices_app.services.lists import put_list
from jobs_app.models import Job
from releases_app.models import SimulationCell
from releases_app.services.releases import act
from serving_app.models import ExplainedVersion, HostedPlan, Placement, ServingHost, Workflow
from tasks_app.models import Scenario, TaskVersion, Variant, VersionFile
from tests.api.conftest import NOW
from tests.support.admin_pages import AdminPages, pages_by_model
from tests.support.fleet import make_device, make_report
from tests.support.people import make_user
from tests.support.releases import draft_of
from walle.gateway.ports import CheckInRecord, DeviceClaims, ExposureRecord
from walle.release.states import ReleaseAction
from walleweb.console.home import place_of
from walleweb.console.navigation import GROUPS
from webhooks_app.models import Delivery, Mail, MailSettings, Webhook

ROOT = Path(__file__).parents[2]
LINKS = re.compile(r"""(?:href|src|hx-get)=["']([^"'#]+)""")
# Signing out is a form; how a list is narrowed and ordered is not what this is about.
NOT_FOLLOWED = ("/admin/logout/", "/admin/password_change/")


@pytest.fixture
def rows(shop, digits, staff):
    """At least one row of every model that has pages."""
    member = Member.objects.create(user=staff, scope="app:shop", role="owner")
    issue_token(actor=SYSTEM, user=member.user, name="ci")
    create_secret_key(app=shop, kind=AppKey.Kind.ENROL, label="release build", actor=SYSTEM)
    set_base(
        app=shop, region="eu", shared="https://a.example.org", exclusive="https://b.example.org", actor=SYSTEM, now=NOW
    )
    make_device(shop, "phone-1", "camera/digits", trusted={"age_band": "18-29"})
    make_report(shop, "phone-1", outcome="failure", error_class="MemoryError", message="too much")
    declare_fact(app=shop, name="vip", type="boolean", source="user", actor=SYSTEM)
    set_user_facts(app=shop, facts={"phone-1": {"vip": True}}, actor=SYSTEM, now=NOW)
    put_list(app=shop, name="testers", devices=["phone-1"], actor=SYSTEM, now=NOW)
    release = draft_of(shop, digits, now=NOW)
    drawn = ExposureRecord(release.pk, release.stages.first().pk, "camera/digits", "treatment", 5, 17)
    claims = DeviceClaims("0" * 16, "shop", {"app_version": "1.0.0"}, {})
    store_check_ins([CheckInRecord(claims, "phone-1", {}, NOW.timestamp(), (drawn,))])
    SimulationCell.objects.create(release=release, attempt=1, app_version="1.0.0", os="ios", os_version="17")
    file = VersionFile.objects.exclude(template="").first()
    Variant.objects.create(file=file, key="18-29", digest="0" * 64, size=1, uploaded_at=NOW)
    host = ServingHost.objects.create(name="host-1", started_at=NOW, seen_at=timezone.now(), installed=1)
    HostedPlan.objects.create(
        host=host, task="comments/mood", version="1.0.0", manifest="0" * 64, state="ready", since=NOW
    )
    ExplainedVersion.objects.create(manifest="0" * 64, problem="too large", at=NOW)
    workflow = Workflow.objects.create(
        scenario=Scenario.objects.get(), slug="questions", document={}, updated_by="ada", updated_at=NOW
    )
    Placement.objects.create(workflow=workflow, problem={}, budget_s=1, created_by="ada", created_at=NOW)
    Job.objects.create(kind="releases.reconcile", run_at=NOW, created_at=NOW)
    hook = Webhook.objects.create(
        scope="site", url="https://hooks.example.org", events=["*"], sealed_secret=b"", created_by="ada", created_at=NOW
    )
    Delivery.objects.create(
        webhook=hook, entry=AuditEntry.objects.first(), event="app.create", scopes=[], due_at=NOW, created_at=NOW
    )
    reader = User.objects.create_user("reader")
    MailSettings.objects.create(user=reader, kinds=["rolled-back"])
    Mail.objects.create(user=reader, purpose=Mail.Purpose.EVENTS, due_at=NOW, created_at=NOW)
    return release


def links_of(response):
    return {
        urljoin(response.request["PATH_INFO"], html.unescape(link)) for link in LINKS.findall(response.content.decode())
    }


@pytest.fixture
def crawled(pages, rows):
    """Every page of the console that can be reached from its home by links, by address; and who leads to which."""
    found, waiting = {}, deque(["/admin/"])
    asked = {"/admin/"}
    while waiting:
        address = waiting.popleft()
        response = pages.client.get(address, follow=True)
        found[address] = response
        if response.status_code != 200 or "html" not in response["Content-Type"]:
            continue
        for link in links_of(response):
            parts = urlsplit(link)
            page = parts.path
            if not parts.netloc and page.startswith("/admin/") and page not in asked and page not in NOT_FOLLOWED:
                asked.add(page)
                waiting.append(page)
    return found


def frontend_routes():
    """The dashboard's own addresses, as patterns."""
    sources = (path.read_text() for path in (ROOT / "frontend" / "src" / "features").rglob("*route*.ts*"))
    paths = {path for source in sources for path in re.findall(r"path: '(/[^']*)'", source)}
    return [re.compile(re.sub(r"\$[a-z]+", "[^/]+", path) + r"\Z") for path in paths]


@pytest.mark.django_db
def test_no_link_of_the_console_leads_nowhere(crawled):
    assert {address: page.status_code for address, page in crawled.items() if page.status_code != 200} == {}
    for model in pages_by_model():
        changed = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert any(re.fullmatch(rf"{changed}[^/]+/change/", address) for address in crawled), changed
    routes, statics = frontend_routes(), set()
    for page in crawled.values():
        for link in links_of(page):
            parts = urlsplit(link)
            if parts.netloc or parts.path.startswith("/admin/"):
                continue
            if parts.path.startswith("/static/"):
                statics.add(parts.path.removeprefix("/static/"))
            else:
                assert any(route.match(parts.path) for route in routes), (link, page.request["PATH_INFO"])
    assert statics
    assert [name for name in statics if finders.find(name) is None] == []


@pytest.mark.django_db
def test_things_lead_to_the_dashboards_page_of_the_same_thing(pages, rows):
    for row, address in (
        (rows, f"/releases/{rows.pk}"),
        (rows.simulation_cells.get(), f"/releases/{rows.pk}"),
        (rows.app, "/apps/shop"),
        (Device.objects.get(), "/devices/shop/phone-1"),
        (Report.objects.get(), "/devices/shop/phone-1"),
        (Scenario.objects.get(), "/scenarios/camera"),
        (TaskVersion.objects.get(), "/tasks/camera/digits?version=1.0.0"),
        (Workflow.objects.get(), "/placements/camera/questions"),
        (HostedPlan.objects.get(), "/serving/comments/mood"),
    ):
        page = html.unescape(pages.page_of(row).content.decode())
        assert re.search(rf'href="{re.escape(address)}"[^>]*>.*?Open in the dashboard', page, re.DOTALL), address
    assert "Open in the dashboard" not in pages.page_of(Job.objects.first()).content.decode()


@pytest.mark.django_db
def test_home_shows_what_needs_attention_as_the_dashboard_does_and_the_pages_by_group(pages, shop, digits):
    release = draft_of(shop, digits, now=NOW)
    act(release=release, action=ReleaseAction.START, actor=SYSTEM, now=timezone.now() - timedelta(hours=1))
    act(release=release, action=ReleaseAction.PAUSE, actor=SYSTEM, now=timezone.now(), reason="look")
    page = html.unescape(pages.client.get("/admin/").content.decode())
    shown = pages.client.get("/api/v1/fleet").json()["attention"]
    assert shown
    for concern in shown:
        assert concern["title"] in page
        assert concern["reason"] in page
    assert f'href="/releases/{release.pk}"' in page
    for group in GROUPS:
        assert group.about in page


@pytest.mark.django_db
def test_who_is_no_staff_gets_no_home(shop):
    assert AdminPages(make_user("guest")).client.get("/admin/").status_code == 302


def test_every_model_that_has_pages_is_in_one_group():
    listed = [page.model for group in GROUPS for page in group.pages]
    assert sorted(listed) == sorted(model._meta.label_lower for model in pages_by_model())


@pytest.mark.parametrize(
    ("kind", "target", "address"),
    [
        ("rolled-back", "releases/7", "/releases/7"),
        ("silent", "apps/shop", "/devices?app=shop"),
        ("table-old", "apps/shop", "/admin/devices_app/publishedtable/?q=shop"),
        ("webhook-off", "webhooks/3", "/admin/webhooks_app/webhook/3/change/"),
        ("features-unread", "", "/features"),
        ("plan-isolated", "pipelines/shop/mood", "/serving/shop/mood"),
        ("host-lost", "", "/serving"),
        ("no-worker", "", "/admin/jobs_app/job/"),
    ],
)
def test_a_concern_is_looked_into_where_the_dashboard_does(kind, target, address):
    assert place_of(Concern(kind, Urgency.NOW, "title", "reason", None, target, next_step="look")) == address
