"""What is old is forgotten, and nothing else."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.sessions.models import Session

from accounts_app.actors import SYSTEM
from devices_app.jobs import forget
from devices_app.models import ActivityCount, App, Device, InstalledTask, Report
from devices_app.services import retention
from devices_app.services.apps import add_version, create_app
from devices_app.services.keys import ensure_keys
from jobs_app.models import Job
from jobs_app.registry import known_kinds
from jobs_app.runner import JobRun, LeaseLost
from releases_app.jobs import forget as forget_releases
from releases_app.models import Exposure, PaceWindow, Release
from releases_app.selectors.evidence import figures_of
from releases_app.services import retention as release_retention
from releases_app.services.figures import keep_figures
from tasks_app.jobs import forget as forget_tasks
from tasks_app.models import IngestedBlob, TaskVersion
from tasks_app.services import retention as task_retention
from tasks_app.services.registration import register_version
from tests.support.fleet import make_device, make_report
from tests.support.releases import draft_of, move_on
from tests.tasks_app.conftest import camera, copy, folders, keys, repository  # noqa: F401
from tests.tasks_app.working_copy import GOOD
from walleweb.jobs import delete_expired_sessions

pytestmark = pytest.mark.django_db

NOW = datetime(2027, 1, 15, 8, tzinfo=UTC)


def run_at(moment: datetime) -> JobRun:
    return JobRun(Job(), owner="test", clock=lambda: moment)


@pytest.fixture
def shop(db) -> App:
    ensure_keys(now=NOW)
    return create_app(slug="shop", name="Shop", actor=SYSTEM, now=NOW)


@pytest.fixture
def small_portions(monkeypatch) -> None:
    monkeypatch.setattr(retention, "PORTION", 3)
    monkeypatch.setattr(retention, "_IDS", 3)
    monkeypatch.setattr(task_retention, "PORTION", 3)
    monkeypatch.setattr(release_retention, "PORTION", 3)


def aged_reports(shop: App, count: int) -> None:
    """One report a day, the newest received a day ago."""
    for days in range(1, count + 1):
        report = make_report(shop, f"device-{days}")
        Report.objects.filter(pk=report.pk).update(received_at=NOW - timedelta(days=days))


def test_reports_go_after_their_time_a_few_at_once(shop: App, small_portions: None, settings) -> None:
    aged_reports(shop, 12)
    settings.WALLE_KEEP_REPORTS_DAYS = 4
    checks: list[int] = []
    assert retention.delete_reports(before=NOW - timedelta(days=4), check=lambda: checks.append(1)) == 8
    assert sorted(Report.objects.values_list("device", flat=True)) == [f"device-{days}" for days in range(1, 5)]
    assert len(checks) == 3
    assert forget(run_at(NOW))["reports"] == 0


def test_many_reports_of_one_moment_are_all_deleted(shop: App, small_portions: None) -> None:
    aged_reports(shop, 10)
    Report.objects.update(received_at=NOW - timedelta(days=100))
    assert retention.delete_reports(before=NOW, check=lambda: None) == 10


def test_reports_are_kept_for_ever_if_so_wanted(shop: App, settings) -> None:
    aged_reports(shop, 1)
    settings.WALLE_KEEP_REPORTS_DAYS = 0
    assert "reports" not in forget(run_at(NOW + timedelta(days=10_000)))
    assert Report.objects.count() == 1


def test_whoever_lost_the_job_stops_between_two_portions(shop: App, small_portions: None) -> None:
    aged_reports(shop, 9)
    left = iter([None])

    def check() -> None:
        if next(left, LeaseLost) is LeaseLost:
            raise LeaseLost

    with pytest.raises(LeaseLost):
        retention.delete_reports(before=NOW, check=check)
    assert Report.objects.count() == 6


def test_unseen_devices_go_with_what_they_had_installed_but_revoked_ones_stay(
    shop: App, small_portions: None, settings
) -> None:
    for number in range(8):
        make_device(shop, f"device-{number}", "camera/digits")
    Device.objects.update(first_seen=NOW - timedelta(days=900), last_seen=NOW - timedelta(days=500))
    Device.objects.filter(device="device-1").update(revoked_at=NOW)
    Device.objects.filter(device="device-6").update(last_seen=NOW - timedelta(days=399))
    settings.WALLE_KEEP_DEVICES_DAYS = 400
    assert forget(run_at(NOW))["devices"] == 6
    assert set(Device.objects.values_list("device", flat=True)) == {"device-1", "device-6"}
    assert InstalledTask.objects.count() == 2


def test_devices_that_never_came_back_go_sooner(shop: App, small_portions: None) -> None:
    """By default after 30 days, and others after 400; what is known of releases and reports stays."""
    ages = {
        "once": (40, 40),
        "for-an-hour": (40, 40 - 1 / 24),
        "next-day": (40, 38.9),
        "lately": (29, 29),
        "long-gone": (900, 401),
        "old": (900, 399),
        "revoked": (900, 900),
    }
    for name, (first, last) in ages.items():
        make_device(shop, name, "camera/digits")
        seen = {"first_seen": NOW - timedelta(days=first), "last_seen": NOW - timedelta(days=last)}
        Device.objects.filter(device=name).update(**seen)
        make_report(shop, name)
    Device.objects.filter(device="revoked").update(revoked_at=NOW)
    Report.objects.update(received_at=NOW)
    Exposure.objects.bulk_create([exposure(shop, 7, name) for name in ages])
    assert forget(run_at(NOW))["devices"] == 3
    assert set(Device.objects.values_list("device", flat=True)) == {"next-day", "lately", "old", "revoked"}
    assert Report.objects.count() == Exposure.objects.count() == len(ages)


def test_those_that_never_came_back_stay_as_long_as_others_if_so_wanted(shop: App, settings) -> None:
    make_device(shop, "device-1")
    settings.WALLE_KEEP_BRIEF_DEVICES_DAYS = 0
    assert forget(run_at(NOW + timedelta(days=100)))["devices"] == 0
    assert forget(run_at(NOW + timedelta(days=500)))["devices"] == 1


def test_devices_stay_for_ever_if_so_wanted(shop: App, settings) -> None:
    make_device(shop, "device-1")
    settings.WALLE_KEEP_DEVICES_DAYS = settings.WALLE_KEEP_BRIEF_DEVICES_DAYS = 0
    assert "devices" not in forget(run_at(NOW + timedelta(days=10_000)))
    assert Device.objects.count() == 1


def test_pace_windows_of_yesterday_go(shop: App) -> None:
    for release, age in ((1, timedelta(days=2)), (2, timedelta(minutes=1))):
        PaceWindow.objects.create(release=release, second=int((NOW - age).timestamp()), leased=1)
    assert forget_releases(run_at(NOW))["pace_windows"] == 1
    assert PaceWindow.objects.get().release == 2


def test_draws_go_only_of_releases_that_ended_long_ago(
    shop: App,
    camera,  # noqa: F811
    copy,  # noqa: F811
    repository,  # noqa: F811
    small_portions: None,
    settings,
) -> None:
    copy.commit(GOOD)
    copy.tag("digits/1.0.0")
    copy.push("digits", "--tags")
    register_version(actor=SYSTEM, scenario=camera, task="digits", version="1.0.0", repository=repository)
    add_version(app=shop, version="1.0.0", actor=SYSTEM)
    version = TaskVersion.objects.get()
    long_ago, lately = NOW - timedelta(days=200), NOW - timedelta(days=10)
    aborted = move_on(draft_of(shop, version, now=long_ago), "start", "abort", now=long_ago)
    recent = move_on(draft_of(shop, version, now=lately), "start", "abort", now=lately)
    running = move_on(draft_of(shop, version, now=long_ago), "start", now=long_ago)
    for release in (aborted, recent, running):
        rows = [exposure(shop, release.pk, f"device-{number}") for number in range(7)]
        Exposure.objects.bulk_create(rows)
    assert forget_releases(run_at(NOW))["exposures"] == 0
    settings.WALLE_KEEP_EXPOSURES_DAYS = 180
    assert forget_releases(run_at(NOW))["exposures"] == 0, "figures that nobody has counted would be lost"
    keep_figures(now=NOW)
    settings.WALLE_KEEP_EXPOSURES_DAYS = 0
    assert "exposures" not in forget_releases(run_at(NOW))
    settings.WALLE_KEEP_EXPOSURES_DAYS = 180
    assert forget_releases(run_at(NOW))["exposures"] == 7
    assert set(Exposure.objects.values_list("release", flat=True)) == {recent.pk, running.pk}
    figures = figures_of(Release.objects.get(pk=aborted.pk), now=NOW)
    assert (figures["treatment"]["drawn"], figures["exposures_deleted_at"]) == (7, NOW.isoformat())


def exposure(app: App, release: int, device: str) -> Exposure:
    stage = {"stage": 1, "task": "camera/digits", "arm": "treatment", "bucket": 1}
    return Exposure(app=app, release=release, device=device, drawn_at=NOW - timedelta(days=200), **stage)


def test_blobs_that_no_repository_has_are_forgotten(camera, copy, repository, small_portions: None) -> None:  # noqa: F811
    copy.commit(GOOD)
    copy.push("digits")
    held = copy.git("rev-parse", "HEAD:main.py").strip()
    oids = [held, *(f"{number:040x}" for number in range(8))]
    IngestedBlob.objects.bulk_create(IngestedBlob(oid=oid, digest="ab" * 32, size=1) for oid in oids)
    assert forget_tasks(run_at(NOW))["blobs"] == 8
    assert IngestedBlob.objects.get().oid == held


def test_sessions_that_are_over_go(db) -> None:
    for key, expires in (("old", NOW - timedelta(seconds=1)), ("live", NOW + timedelta(seconds=1))):
        Session.objects.create(session_key=key, session_data="", expire_date=expires)
    assert delete_expired_sessions(run_at(NOW)) == {"deleted": 1}
    assert Session.objects.get().session_key == "live"


def test_all_of_it_happens_by_itself() -> None:
    every = {kind.name: kind.every for kind in known_kinds()}
    assert every["devices.forget"] == every["releases.forget"] == timedelta(hours=1)
    assert every["tasks.forget"] == every["walleweb.delete-expired-sessions"] == timedelta(days=1)


def test_the_pulse_of_two_days_is_kept(shop: App) -> None:
    for hours in (1, 47, 49, 100):
        ActivityCount.objects.create(app=shop, at=NOW - timedelta(hours=hours), check_ins=hours)
    assert forget(run_at(NOW))["pulse"] == 2
    assert sorted(ActivityCount.objects.values_list("check_ins", flat=True)) == [1, 47]
