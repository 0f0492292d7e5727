"""What reports make of exposures."""

from dataclasses import replace
from uuid import UUID

import pytest

from devices_app.services.intake import store_check_ins, store_reports
from releases_app.models import Exposure
from tests.devices_app.conftest import NOW
from tests.devices_app.records import AT
from tests.releases_app.exposures.records import (
    OFFER,
    OLDER,
    RELEASE,
    RUN,
    STAGE,
    exposed,
    exposure,
    fell_back,
    held_back,
    report,
    touched,
)
from tests.support.cases import cases
from walle.gateway.ports import CheckInRecord, ExposureRecord, ReceivedReport
from walle.protocol.keyed import OfferStamp

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("a_shop")]

# Of devices that were offered the version.


def test_a_success() -> None:
    store_check_ins([exposed()])
    store_reports([report("install", at=1)])
    assert (exposure().installed_at.timestamp(), exposure().outcome) == (AT + 1, "")
    store_reports([report("run", at=2, **RUN)])
    row = exposure()
    assert (row.outcome, row.error_class, row.settled_at.timestamp()) == ("success", "", AT + 2)
    assert (row.duration_ms, row.metrics) == (12.5, {"confidence": 0.5})


def test_a_failed_installation_settles_it() -> None:
    store_check_ins([exposed()])
    store_reports([report("install", "failure", 1, duration_ms=99.0)])
    store_reports([report("install", at=2), report("run", at=3, **RUN)])
    row = exposure()
    assert (row.outcome, row.error_class, row.settled_at.timestamp()) == ("failure", "boom", AT + 1)
    assert (row.duration_ms, row.metrics) == (None, {})  # those of a run, not of an installation
    assert row.installed_at.timestamp() == AT + 2


def test_only_the_first_run_counts() -> None:
    store_check_ins([exposed()])
    store_reports([report("run", at=1, **RUN), report("run", "failure", 2)])
    store_reports([report("run", "failure", 3)])
    assert (exposure().outcome, exposure().duration_ms) == ("success", 12.5)


@cases("before", [True, False])
def test_a_fall_back_turns_success_into_failure(before: bool) -> None:
    store_check_ins([exposed()])
    sent = [report("run", at=1, **RUN), fell_back()]
    for one in sent[::-1] if before else sent:
        store_reports([one])
    row = exposure()
    assert (row.outcome, row.error_class, row.duration_ms) == ("failure", "fell-back", 12.5)


@pytest.mark.parametrize(
    "sent",
    [
        report("run", "failure", offer=None),
        report("run", "failure", offer=replace(OFFER, expires=int(AT))),
        report("run", "failure", offer=replace(OFFER, release=RELEASE + 1)),
        report("run", "failure", task="camera/other"),
        report("remove", "failure"),
        report("remove"),
        replace(report("run", "failure"), device="device-2"),
        replace(report("run", "failure"), app="gone"),
    ],
    ids=[
        "no proof",
        "too late",
        "another release",
        "another task",
        "no fall-back",
        "removal",
        "another device",
        "gone",
    ],
)
def test_what_decides_nothing(sent: ReceivedReport) -> None:
    store_check_ins([exposed()])
    with touched() as releases:
        store_reports([sent])
    assert (exposure().outcome, exposure().installed_at, releases) == ("", None, [])


def test_a_report_under_the_id_of_another_changes_nothing() -> None:
    store_check_ins([exposed()])
    first = report("install")
    again = report("run", "failure")
    store_reports([first])
    store_reports([replace(again, report=replace(again.report, id=first.report.id))])
    assert exposure().outcome == ""


def test_an_offer_that_was_not_logged_is_proved_by_a_report() -> None:
    store_check_ins([exposed(number=None, at=AT - 100)])
    store_reports([report("install")])
    assert (exposure().number, exposure().offered_at, exposure().drawn_at.timestamp()) == (17, NOW, AT - 100)


# Of devices that were held back.


@pytest.mark.parametrize("offer", [None, OLDER], ids=["no proof", "an older release"])
def test_a_run_of_what_it_had_tells_about_a_device_that_is_held_back(offer: OfferStamp | None) -> None:
    store_check_ins([held_back()])
    with touched() as releases:
        store_reports([report("run", "failure", 1, offer, **RUN), report("run", at=2, offer=offer)])
    row = exposure()
    assert (row.outcome, row.error_class, row.duration_ms, row.installed_at) == ("failure", "boom", 12.5, None)
    assert releases == [RELEASE]
    store_reports([report("run", at=3, offer=offer)])
    assert exposure().outcome == "failure"


@pytest.mark.parametrize(
    "sent",
    [
        report("run", "failure", 0, None),
        report("run", "failure", -5, None),
        report("install", "failure", 1, None),
        report("run", "failure", 1, None, task="camera/other"),
        replace(report("run", "failure", 1, None), device="device-2"),
    ],
    ids=["the moment of the selection", "before it", "an installation", "another task", "another device"],
)
def test_what_tells_nothing_about_a_device_that_is_held_back(sent: ReceivedReport) -> None:
    store_check_ins([held_back()])
    store_reports([sent])
    assert exposure().outcome == ""


def test_a_run_counts_that_was_reported_before_the_check_in_of_a_device_that_is_held_back_was_stored() -> None:
    """Several runs in one report, and none of another task, of another device, or of the time before."""
    runs = {"since": AT, "until": AT + 2, "count": 20, "failed": 1, "shed": 0, "events": 20, "cold": 0}
    decided_by_its_id = str(UUID(int=0))  # which of many runs count: those that passed
    store_reports(
        [
            report("run", "failure", -1, None),
            report("run", "failure", 1, None, task="camera/other"),
            replace(report("run", "failure", 1, None), device="device-2"),
            report("run", "failure", 2, None, start="warm", runs=runs, id=decided_by_its_id, **RUN),
        ]
    )
    with touched() as releases:
        store_check_ins([held_back(), exposed(release=8)])
        store_check_ins([held_back(AT + 5)])
    row = Exposure.objects.get(release=RELEASE)
    assert (row.outcome, row.settled_at.timestamp(), row.warm_ms, row.metrics) == (
        "success", AT + 2, 12.5, {"confidence": 0.5},
    )  # fmt: skip
    assert (releases, Exposure.objects.get(release=8).outcome) == ([RELEASE], "")


def test_a_repeat_is_decided_by_what_was_reported_before_it_was_stored() -> None:
    store_check_ins([held_back()])
    store_reports([report("run", "failure", 1, None), report("run", at=20, offer=None)])
    store_check_ins([exposed(at=AT + 10, arm="control", number=None, stage=STAGE + 1)])
    assert list(Exposure.objects.order_by("id").values_list("arm", "outcome")) == [
        ("control", "failure"), ("repeat", "success"),
    ]  # fmt: skip


def test_a_fall_back_of_a_device_that_is_held_back() -> None:
    store_check_ins([held_back()])
    store_reports([report("run", at=1, offer=None), fell_back(offer=None)])
    assert (exposure().outcome, exposure().error_class) == ("failure", "fell-back")


def test_a_device_that_is_offered_the_version_after_all_is_control_no_longer() -> None:
    store_check_ins([held_back()])
    store_check_ins([exposed(at=AT + 10, number=30)])
    store_reports([report("run", "failure", 11, None), report("run", "failure", 12)])
    row = exposure()
    assert (row.arm, row.number, row.outcome) == ("control", 30, "")
    store_reports([report("run", at=9, offer=None)])  # late, but about the time before
    assert exposure().outcome == "success"


def test_the_version_itself_says_nothing_about_what_was_there_before_it() -> None:
    """The offer was not logged, but the report proves it."""
    store_check_ins([held_back(AT - 60)])
    store_reports([report("install", at=1), report("run", "failure", 2)])
    row = exposure()
    assert (row.arm, row.offered_at, row.number, row.outcome, row.installed_at) == ("control", NOW, 17, "", None)


def test_one_report_may_concern_several_releases() -> None:
    store_check_ins([exposed(), held_back()._replace(exposures=(replace_release(held_back(), 9),))])
    with touched() as releases:
        store_reports([report("run", "failure")])
    assert releases == [RELEASE, 9]
    assert set(Exposure.objects.values_list("outcome", flat=True)) == {"failure"}


def replace_release(record: CheckInRecord, release: int) -> ExposureRecord:
    return record.exposures[0]._replace(release=release)
