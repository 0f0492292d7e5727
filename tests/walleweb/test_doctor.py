"""What `manage.py doctor` says of installations to which something is missing."""

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from devices_app.services.keys import ensure_keys
from jobs_app.models import Job, JobState, Worker
from jobs_app.services import enqueue_periodic
from tests.support.people import make_user
from walleweb.config import Config
from walleweb.dashboard.collected import manifest_name
from walleweb.doctor import database, places, work
from walleweb.doctor.findings import Health
from walleweb.doctor.settings import check_settings
from walleweb.health import known_migrations

SHIPPED = Path(__file__).resolve().parents[2] / "deploy" / "systemd" / "walle.env"
GOOD = {
    "WALLE_HTTPS": "on",
    "WALLE_PUBLIC_URL": "https://walle.shop.org",
    "WALLE_ALLOWED_HOSTS": "walle.shop.org",
    "WALLE_TRUSTED_ORIGINS": "https://walle.shop.org",
    "WALLE_TRUSTED_PROXIES": "127.0.0.1",
    "DATABASE_URL": "postgresql://walle:secret@127.0.0.1/walle",
    "SECRET_KEY": "s" * 50,
    "WALLE_MASTER_KEY": "m" * 50,
}


def unwell(findings):
    return {finding.name: finding.health for finding in findings if finding.health is not Health.OK}


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({}, None),
        ({"WALLE_HTTPS": "off"}, "https"),
        ({"WALLE_PUBLIC_URL": "http://walle.shop.org"}, "https"),
        ({"WALLE_PUBLIC_URL": ""}, "hosts"),
        ({"WALLE_TRUSTED_ORIGINS": "https://walle.example.com"}, "hosts"),
        ({"WALLE_TRUSTED_PROXIES": ""}, "proxies"),
        ({"DATABASE_URL": "postgresql://walle:CHANGE-ME@127.0.0.1/walle"}, "secrets"),
        ({"SECRET_KEY": "CHANGE-ME" * 8}, "secrets"),
        ({"WALLE_MASTER_KEY": "s" * 50}, "secrets"),
        ({"WALLE_DEBUG": "on"}, "debug"),
    ],
)
def test_each_setting_that_harms_users_is_told(wrong, named):
    found = unwell(check_settings(Config.from_env(GOOD | wrong)))
    # Without an address there is none with TLS either.
    assert found.get(named) is (Health.MISSING if named else None)
    assert set(found) <= {named, "https"}


def test_the_shipped_settings_are_to_be_filled_in():
    lines = [line for line in SHIPPED.read_text().splitlines() if line and not line.startswith("#")]
    shipped = dict(line.split("=", 1) for line in lines) | {"SECRET_KEY": "s" * 50, "WALLE_MASTER_KEY": "m" * 50}
    assert unwell(check_settings(Config.from_env(shipped))) == {"hosts": Health.MISSING, "secrets": Health.MISSING}


def test_on_one_machine_settings_are_only_warned_of():
    assert set(unwell(check_settings(Config.from_env({}))).values()) == {Health.WARNING}


@pytest.mark.parametrize(("gib", "health"), [(6, Health.OK), (4, Health.WARNING), (0.5, Health.MISSING)])
def test_scarce_room_is_told(gib, health):
    assert places.disk_space(Path("/srv"), int(gib * 2**30)).health is health


def test_what_cannot_be_written_to_is_told(settings, tmp_path):
    (tmp_path / "a file").touch()
    settings.WALLE_DATA_DIR = settings.WALLE_GIT_DIR = tmp_path / "a file"
    settings.WALLE_ARTIFACTS_DIR, settings.WALLE_EXCLUSIVE_DIR = tmp_path / "a file" / "x", tmp_path / "whole"
    assert unwell(places.check_folders()) == {"data folder": Health.MISSING, "repositories": Health.MISSING}
    assert unwell(places.check_stores()) == {"artifacts": Health.MISSING}
    assert [path for path in (tmp_path / "whole").rglob("*") if path.is_file()] == []


def test_pages_that_are_not_there_are_told(settings, tmp_path, monkeypatch):
    monkeypatch.setattr(places, "DIST", tmp_path)
    settings.STATIC_ROOT = settings.WALLE_DATA_DIR = tmp_path
    assert unwell(places.check_pages(collected=False)) == {"dashboard": Health.MISSING}
    found = unwell(places.check_pages(collected=True))
    assert found == {"dashboard": Health.MISSING, "static files": Health.MISSING}
    (tmp_path / "index.html").touch()
    (tmp_path / manifest_name()).touch()
    assert unwell(places.check_pages(collected=True)) == {}


@pytest.mark.django_db
def test_a_wrong_master_key_is_told_and_that_nobody_can_sign_in(settings):
    ensure_keys(now=timezone.now())
    make_user("somebody")
    found = unwell(database.check_contents())
    # How the server of the tests commits is not decided here.
    assert found == {"people": Health.MISSING} | {name: found[name] for name in found if name == "commits"}
    make_user("root", superuser=True)
    settings.WALLE_MASTER_KEY = "another " * 5
    assert set(unwell(database.check_contents())) - {"commits"} == {"master key"}


@pytest.mark.django_db
def test_migrations_that_are_not_applied_and_clocks_that_differ_are_told(monkeypatch):
    monkeypatch.setattr(database, "is_set", lambda: True)
    now = timezone.now()
    assert database.check_migrations().health is database.check_clock(now).health is Health.OK
    assert database.check_clock(now - timedelta(seconds=9)).health is Health.MISSING
    recorder = MigrationRecorder(connection)
    contracting = next(key for key, each in known_migrations().items() if hasattr(each, "contracts"))
    recorder.record_unapplied(*contracting)
    assert database.check_migrations().health is Health.WARNING
    recorder.record_unapplied("devices_app", "0001_initial")
    assert database.check_migrations().health is Health.MISSING
    monkeypatch.setattr(database, "is_set", lambda: False)
    assert database.check_clock(timezone.now()).health is Health.WARNING


@pytest.mark.django_db
def test_workers_without_a_sign_and_sweeps_that_do_not_come_are_told():
    now = timezone.now()
    for pid, (queue, ago) in enumerate({"urgent": 5, "celery": 90}.items()):
        Worker.objects.create(host="h", pid=pid, queue=queue, started_at=now, seen_at=now - timedelta(seconds=ago))
    assert unwell(work.check_workers(now)) == {"worker celery": Health.MISSING, "worker simulations": Health.MISSING}
    assert unwell(work.check_jobs(now)) == {"beat": Health.MISSING}
    enqueue_periodic(now=now)
    assert unwell(work.check_jobs(now)) == {}
    # They wait for workers now, and nobody has to enqueue them again.
    assert unwell(work.check_jobs(now + timedelta(days=2))) == {"jobs": Health.WARNING}
    Job.objects.update(state=JobState.SUCCEEDED, finished_at=now)
    assert unwell(work.check_jobs(now + timedelta(days=2))) == {"beat": Health.MISSING}


@pytest.mark.django_db
@pytest.mark.processes
def test_the_command_says_what_to_do_and_fails(settings):
    printed = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("doctor", "--json", stdout=printed)
    found = json.loads(printed.getvalue())
    assert (ended.value.code, found["healthy"]) == (1, False)
    by_name = {finding["name"]: finding for finding in found["findings"]}
    assert by_name["database"]["health"] == by_name["broker"]["health"] == "ok"
    assert by_name["people"]["advice"] == "walle-admin createsuperuser"
    assert all(finding["advice"] for finding in found["findings"] if finding["health"] != "ok")
    with pytest.raises(SystemExit):
        call_command("doctor", stdout=(lines := StringIO()), stderr=StringIO())
    assert "→ walle-admin createsuperuser" in lines.getvalue()
