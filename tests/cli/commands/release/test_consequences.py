"""Commands that undo what rests, or go on after somebody stopped it, say what they touch and ask why."""

import io
import sys
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from devices_app.models import Device, InstalledTask
from releases_app.models import Release
from tasks_app.models import TaskVersion
from tests.support.releases import draft_of, move_on
from walle.cli.app import run
from walle.release.strategy import AT_ONCE

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def terminal(walle, monkeypatch, capsys):
    """Runs a command in a terminal, in which somebody types these lines."""

    def call(*arguments, typed):
        stdin = io.TextIOWrapper(io.BytesIO(typed.encode()))
        monkeypatch.setattr(stdin, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(sys, "stdin", stdin)
        capsys.readouterr()
        status = run([str(argument) for argument in arguments])
        told = capsys.readouterr()
        return int(status), " ".join((told.out + told.err).split())

    return call


@pytest.fixture
def fleet(shop, pushed, task):
    """Three devices that have version 1.1.0, of which two releases are known: 1.0.0 complete, 1.1.0 a draft."""
    now = timezone.now()
    first, second = (TaskVersion.objects.get(version=name) for name in ("1.0.0", "1.1.0"))
    for number in range(3):
        seen = {"first_seen": now - timedelta(days=1), "last_seen": now}
        facts = {"app_version": "1.0.0"}
        device = Device.objects.create(app=shop, device=f"d-{number}", facts=facts, **seen)
        InstalledTask.objects.create(device=device, task=task, manifest=second.manifest_digest[:24], since=now)
    old = move_on(draft_of(shop, first, now=now), "start", "complete", now=now)
    halves = {
        **AT_ONCE,
        "stages": [{"kind": "gray", "percent": 50, "evidence": 0}, {"kind": "gray", "percent": 100, "evidence": 0}],
    }
    return old, draft_of(shop, second, strategy=halves, now=now)


def test_a_complete_release_is_rolled_back_after_a_question_and_a_reason(terminal, fleet, task):
    old, new = fleet
    move_on(new, "start", "complete", now=timezone.now())
    status, said = terminal("release", "roll-back", new.pk, typed="n\n")
    told = (
        f"3 devices have {task} 1.1.0 now in shop; they return to 1.0.0 (release {old.pk}), and the version goes into"
    )
    assert f"Roll back release {new.pk}, which is complete? {told} quarantine." in said
    assert (status, Release.objects.get(pk=new.pk).state) == (1, "complete")
    status, said = terminal("release", "roll-back", new.pk, typed="y\n\n")
    assert f"a reason is needed to roll release {new.pk} back" in said
    assert Release.objects.get(pk=new.pk).state == "complete"
    status, said = terminal("release", "roll-back", new.pk, typed="y\ntoo slow\n")
    row = Release.objects.get(pk=new.pk)
    assert (status, row.state, row.transitions.last().reason) == (0, "rolled-back", "too slow")


def test_what_is_under_way_is_rolled_back_at_once(terminal, fleet):
    _, new = fleet
    move_on(new, "start", now=timezone.now())
    status, said = terminal("release", "roll-back", new.pk, typed="")
    assert (status, "?" in said, Release.objects.get(pk=new.pk).state) == (0, False, "rolled-back")


def test_a_paused_release_is_resumed_after_a_question_and_a_reason(terminal, fleet):
    old, new = fleet
    move_on(new, "start", "pause", now=timezone.now())
    status, said = terminal("release", "resume", new.pk, typed="y\nit was the network\n")
    told = f"Stage 1 of 2 reaches about 2 devices of shop; if it fails, they return to 1.0.0 (release {old.pk})."
    assert f"Resume release {new.pk}? {told}" in said
    row = Release.objects.get(pk=new.pk)
    assert (status, row.state, row.transitions.last().reason) == (0, "running", "it was the network")


def test_a_revocation_says_what_the_device_keeps(terminal, fleet, task):
    status, said = terminal("device", "revoke", "shop", "d-1", typed="y\nstolen\n")
    assert (
        f"Revoke device d-1 of shop? It keeps what it has ({task}), hears of no new version and of no rollback" in said
    )
    assert (status, Device.objects.get(device="d-1").revoked_at is None) == (0, False)


def test_a_revocation_of_many_says_how_many(terminal, fleet):
    since = (timezone.now() - timedelta(days=2)).isoformat()
    status, said = terminal("device", "revoke-new", "shop", "--first-seen-since", since, typed="n\n")
    assert f"Revoke 3 devices of shop that came from {since} until now with an app key?" in said
    assert status == 1


def test_an_id_that_begins_with_a_dash_is_an_argument_after_two(walle, fleet, shop):
    now = datetime.now(tz=timezone.get_current_timezone())
    Device.objects.create(app=shop, device="-odd", facts={}, first_seen=now, last_seen=now)
    assert walle("device", "show", "shop", "--", "-odd").out
    done = walle("device", "revoke", "shop", "-r", "lost", "--yes", "--", "-odd")
    assert done.out.endswith("undo with: walle device reinstate shop -- -odd\n")
    assert walle("device", "reinstate", "shop", "--", "-odd").status == 0
