"""Which exposures there are of devices selected for a release, and what they say of how the devices came."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from accounts_app.actors import SYSTEM
from devices_app.models import App
from devices_app.services.apps import create_app
from devices_app.services.intake import store_check_ins, store_reports
from devices_app.services.tables import publish
from releases_app.models import Exposure
from releases_app.services.provenance import update_provenance
from tests.devices_app.conftest import NOW
from tests.devices_app.records import AT, check_in
from tests.release.tables import entry
from tests.releases_app.exposures.records import RELEASE, STAGE, TASK, exposed, exposure, held_back, report, touched
from walle.release.cohort import Cohort, device_point

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("a_shop")]


def test_an_exposure_with_all_it_says(shop: App) -> None:
    store_check_ins([exposed()])
    row = exposure()
    assert (row.app, row.release, row.stage, row.task, row.device) == (shop, RELEASE, STAGE, TASK, "device-1")
    assert (row.arm, row.bucket, row.number, row.outcome, row.metrics) == ("treatment", 5, 17, "", {})
    assert row.drawn_at == row.offered_at == NOW
    assert (row.installed_at, row.settled_at, row.silent) == (None, None, None)


@pytest.mark.parametrize("together", [True, False], ids=["in one batch", "in several"])
def test_the_first_selection_decides_and_a_later_offer_is_filled_in(together: bool) -> None:
    records = [
        exposed(number=None, stage=3),
        exposed(at=AT + 60, number=18, stage=4, bucket=6, arm="control"),
        exposed(at=AT + 120, number=19),
    ]
    for batch in [records] if together else [[record] for record in records]:
        store_check_ins(batch)
    row = exposure()
    assert (row.arm, row.bucket, row.stage, row.drawn_at) == ("treatment", 5, 3, NOW)
    assert (row.number, row.offered_at.timestamp()) == (18, AT + 60)


def test_exposures_are_stored_of_check_ins_that_are_not_worth_a_write() -> None:
    store_check_ins([check_in()])
    store_check_ins([held_back(AT + 1), check_in(at=AT + 2), exposed(at=AT + 3, release=8)])
    assert sorted(Exposure.objects.values_list("release", "arm")) == [(7, "control"), (8, "treatment")]


def test_exposures_of_an_app_that_is_gone_are_dropped() -> None:
    gone = exposed()
    store_check_ins([gone._replace(claims=replace(gone.claims, app="gone"))])
    assert not Exposure.objects.exists()


def test_many_exposures_at_once() -> None:
    records = [exposed(f"device-{number}", bucket=number) for number in range(2000)]
    store_check_ins(records)
    store_check_ins(records)
    assert Exposure.objects.count() == 2000


# How the device came.


def test_an_exposure_says_how_the_device_came() -> None:
    store_check_ins([check_in("device-2", AT - 5)])
    store_check_ins([exposed("device-1")._replace(vouched=True), exposed("device-2")])
    came = {row.device: (row.vouched, row.first_seen.timestamp()) for row in Exposure.objects.all()}
    assert came == {"device-1": (True, AT), "device-2": (False, AT - 5)}


def test_an_exposure_that_only_a_report_proves_is_of_a_device_as_the_registry_knows_it(shop: App) -> None:
    publish(app=shop, entries=[entry(TASK, release=RELEASE, observed=True)], removals=[], now=NOW)
    store_reports([report("run")])
    assert (exposure().vouched, exposure().first_seen) == (False, None)


def test_a_device_that_reports_before_its_first_check_in_is_written_down_is_known_as_what_it_is(shop: App) -> None:
    publish(app=shop, entries=[entry(TASK, release=RELEASE, observed=True)], removals=[], now=NOW)
    store_reports([report("install"), report("run")])
    store_check_ins([exposed()._replace(vouched=True)])
    found = exposure()
    assert (found.vouched, found.first_seen, found.number, found.outcome) == (True, NOW, 17, "success")
    store_check_ins([exposed(at=AT + 9, number=18)])
    assert (exposure().offered_at, exposure().number) == (found.offered_at, 17)


def test_a_device_whose_exposure_was_lost_is_known_once_it_is_registered(shop: App) -> None:
    publish(app=shop, entries=[entry(TASK, release=RELEASE, observed=True)], removals=[], now=NOW)
    store_reports([report("run")])
    assert update_provenance(app=shop, release=RELEASE, since=NOW) == 0
    store_check_ins([check_in(vouched=True)])
    assert update_provenance(app=shop, release=RELEASE, since=NOW) == 1
    assert (exposure().vouched, exposure().first_seen) == (True, NOW)


def test_devices_that_are_vouched_for_after_they_were_selected_are_counted_so_in_one_release(shop: App) -> None:
    store_check_ins([exposed("device-1"), exposed("device-2"), exposed("device-1", release=8)])
    store_check_ins([check_in("device-1", AT + 9, vouched=True)])
    assert update_provenance(app=shop, release=RELEASE, since=NOW + timedelta(seconds=10)) == 0
    assert update_provenance(app=shop, release=RELEASE, since=NOW) == 1
    assert update_provenance(app=shop, release=RELEASE, since=NOW) == 0
    assert set(Exposure.objects.filter(vouched=True).values_list("release", "device")) == {(RELEASE, "device-1")}


# Exposures whose log was lost.


def test_a_report_makes_up_for_a_lost_exposure(shop: App) -> None:
    on_trial = entry(release=RELEASE, stage=STAGE + 1, observed=True, share=10)
    publish(app=shop, entries=[entry("camera/other"), on_trial], removals=[], now=NOW)
    with touched() as releases:
        store_reports([report("install"), report("run", at=2), replace(report("install"), device="device-2")])
    rows = {row.device: row for row in Exposure.objects.all()}
    assert releases == [RELEASE]
    for device, row in rows.items():
        assert row.bucket == Cohort(on_trial.salt).bucket(device_point(device))
        assert (row.arm, row.stage, row.number, row.drawn_at, row.offered_at) == ("treatment", STAGE, 17, NOW, NOW)
    assert {device: row.outcome for device, row in rows.items()} == {"device-1": "success", "device-2": ""}
    store_check_ins([exposed(at=AT + 0.5, bucket=9)])
    assert Exposure.objects.get(device="device-1").drawn_at == NOW


@pytest.mark.parametrize(
    "changes", [{"release": 99}, {"observed": False}, {"task": "camera/other"}], ids=["unknown", "over", "another task"]
)
def test_no_exposure_is_made_up_for_what_is_not_on_trial(shop: App, changes: dict[str, Any]) -> None:
    values = {"release": RELEASE, "observed": True, **changes}
    publish(app=shop, entries=[entry(**values)], removals=[], now=NOW)
    store_reports([report("install"), report("run")])
    assert not Exposure.objects.exists()


def test_an_app_says_nothing_about_the_releases_of_another(shop: App) -> None:
    create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    publish(app=shop, entries=[entry(release=RELEASE, observed=True)], removals=[], now=NOW)
    store_reports([replace(report("run"), app="bank")])
    assert not Exposure.objects.exists()


def test_a_table_that_changed_is_read_again(shop: App) -> None:
    publish(app=shop, entries=[], removals=[], now=NOW)
    store_reports([report("install")])
    publish(app=shop, entries=[entry(release=RELEASE, observed=True)], removals=[], now=NOW)
    store_reports([report("run")])
    assert exposure().outcome == "success"
