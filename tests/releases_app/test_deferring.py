"""Devices that put a release's version off: counted beside silent ones, and in no verdict."""

from datetime import timedelta

import pytest

from accounts_app.actors import SYSTEM
from releases_app.models import Exposure
from releases_app.selectors.evidence import figures_of
from releases_app.selectors.selected_devices import SelectionCriteria, selected_devices
from tests.releases_app.trials import STAGED, Trial, installed_everywhere
from walle.protocol.deferrals import Deferral

pytestmark = pytest.mark.django_db
ALL_AT_ONCE = {
    **STAGED,
    "control_percent": 0,
    "stages": [{"kind": "gray", "percent": 100, "dwell_s": 60, "evidence": 195}],
}


@pytest.fixture
def put_off(fleet, versions):
    """A release that ten devices put off: seven are in a call, three on battery."""
    installed_everywhere(fleet, versions[0])
    trial = Trial(fleet, versions[1], strategy=ALL_AT_ONCE).start()
    for number, device in enumerate(fleet.devices[:10]):
        device.deferral = Deferral("in-call" if number < 7 else "on-battery", 3600)
    trial.round()
    return trial


def figures(trial):
    return figures_of(trial.row(), now=trial.now)


def test_they_are_counted_by_reason_and_are_neither_silent_nor_judged(put_off, fleet):
    found = figures(put_off)
    assert found["deferred"] == {"in-call": 7, "on-battery": 3}
    treatment = found["treatment"]
    assert (treatment["drawn"], treatment["offered"], treatment["reported"], treatment["deferred"]) == (
        200,
        190,
        190,
        10,
    )
    assert [stage["deferred"] for stage in found["stages"]] == [10]
    put_off.pass_time(900)
    put_off.look()
    assert figures(put_off)["treatment"]["silent"] == 0
    named = selected_devices(put_off.row(), SYSTEM, SelectionCriteria(became="deferred"), 100, now=put_off.now)
    assert {(row.device, row.deferral) for row in named.rows} == {
        (device.name, device.deferral.reason) for device in fleet.devices[:10]
    }
    all_of_it = selected_devices(put_off.row(), SYSTEM, SelectionCriteria(), 500, now=put_off.now).rows
    assert sum(row.deferral == "" for row in all_of_it) == 190


def test_the_release_waits_for_them_past_its_grace_period_and_says_so(put_off):
    put_off.pass_time(3000)
    step = put_off.look()
    assert step.action is None
    assert step.reason.endswith("190 of the 195 devices needed have reported; 10 devices put it off for now")


def test_when_their_moment_has_come_they_take_part(put_off, fleet):
    for device in fleet.devices:
        device.deferral = None
    put_off.pass_time(60)
    put_off.round()
    found = figures(put_off)
    assert (found["deferred"], found["treatment"]["deferred"], found["treatment"]["reported"]) == ({}, 0, 200)
    assert Exposure.objects.filter(release=put_off.release.pk, offered_at=None).count() == 0


def test_who_has_not_come_back_in_time_does_not_count_any_more(put_off):
    put_off.now += timedelta(seconds=3601)
    assert figures(put_off)["treatment"]["deferred"] == 0
    named = selected_devices(put_off.row(), SYSTEM, SelectionCriteria(became="deferred"), 100, now=put_off.now)
    assert named.rows == []


def test_a_release_that_may_not_be_put_off_has_none(fleet, versions):
    installed_everywhere(fleet, versions[0])
    for device in fleet.devices[:10]:
        device.deferral = Deferral("in-call", 3600)
    trial = Trial(fleet, versions[1], strategy={**ALL_AT_ONCE, "defer_s": 0}).start()
    trial.round()
    assert figures(trial)["treatment"]["reported"] == 200
    assert figures(trial)["deferred"] == {}
