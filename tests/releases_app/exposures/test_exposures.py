"""Devices on trial: what draws and reports make of them, whatever their order and however often they come."""

import itertools
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from unittest.mock import patch
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts_app.actors import SYSTEM
from devices_app.models import App, Report
from devices_app.services.apps import create_app
from devices_app.services.intake import store_check_ins, store_reports
from devices_app.services.tables import publish
from releases_app.models import Exposure
from releases_app.services import intake
from releases_app.services.provenance import update_provenance
from tests.devices_app.conftest import NOW
from tests.devices_app.records import AT, check_in, received
from tests.devices_app.test_intake import in_threads
from tests.release.tables import entry
from tests.support.cases import cases
from walle.gateway.offers import OFFER_LEASE_S
from walle.gateway.ports import CheckInRecord, ExposureRecord, ReceivedReport
from walle.protocol.keyed import OfferStamp
from walle.release.cohort import Cohort, device_point

TASK = "camera/digits"
RELEASE, STAGE = 7, 3
OFFER = OfferStamp(RELEASE, STAGE, 17, int(AT) + OFFER_LEASE_S)
pytestmark = [pytest.mark.database, pytest.mark.usefixtures("a_shop")]


@pytest.fixture
def a_shop(request: pytest.FixtureRequest) -> None:
    """Committed where a test asks for that."""
    if "committed_shop" not in request.fixturenames:
        request.getfixturevalue("shop")


def exposed(device: str = "device-1", at: float = AT, **changes: Any) -> CheckInRecord:
    """A check-in whose device was offered the version, unless `changes` say otherwise."""
    offered: dict[str, Any] = {
        "release": RELEASE, "stage": STAGE, "task": TASK, "arm": "treatment", "bucket": 5, "number": 17,
    }  # fmt: skip
    return check_in(device, at)._replace(exposures=(ExposureRecord(**offered | changes),))


def held_back(at: float = AT) -> CheckInRecord:
    return exposed(at=at, arm="control", number=None, bucket=999_999)


def report(
    kind: str, outcome: str = "success", at: float = 1.0, offer: OfferStamp | None = OFFER, **changes: Any
) -> ReceivedReport:
    """A report of device-1, so many seconds after the draw by the device's clock and by the gateway's."""
    error_class = "boom" if outcome == "failure" else None
    values = {"task": TASK, "kind": kind, "outcome": outcome, "at": AT + at, "error_class": error_class, **changes}
    return received(AT + at, offer, **values)


def fell_back(at: float = 9.0, offer: OfferStamp | None = OFFER) -> ReceivedReport:
    return report("remove", "failure", at, offer, error_class="fell-back")


def exposure() -> Exposure:
    return Exposure.objects.get()


def test_a_draw_notes_how_the_device_came() -> None:
    store_check_ins([check_in("device-2", AT - 5)])
    store_check_ins([exposed("device-1")._replace(vouched=True), exposed("device-2")])
    came = {row.device: (row.vouched, row.first_seen.timestamp()) for row in Exposure.objects.all()}
    assert came == {"device-1": (True, AT), "device-2": (False, AT - 5)}


def test_a_draw_that_only_a_report_proves_is_of_a_device_as_the_registry_knows_it(shop: App) -> None:
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


def test_a_device_whose_draw_was_lost_is_known_once_it_is_registered(shop: App) -> None:
    publish(app=shop, entries=[entry(TASK, release=RELEASE, observed=True)], removals=[], now=NOW)
    store_reports([report("run")])
    assert update_provenance(app=shop, release=RELEASE, since=NOW) == 0
    store_check_ins([check_in(vouched=True)])
    assert update_provenance(app=shop, release=RELEASE, since=NOW) == 1
    assert (exposure().vouched, exposure().first_seen) == (True, NOW)


def test_devices_that_are_vouched_for_after_their_draw_are_counted_so_in_one_release(shop: App) -> None:
    store_check_ins([exposed("device-1"), exposed("device-2"), exposed("device-1", release=8)])
    store_check_ins([check_in("device-1", AT + 9, vouched=True)])
    assert update_provenance(app=shop, release=RELEASE, since=NOW + timedelta(seconds=10)) == 0
    assert update_provenance(app=shop, release=RELEASE, since=NOW) == 1
    assert update_provenance(app=shop, release=RELEASE, since=NOW) == 0
    assert set(Exposure.objects.filter(vouched=True).values_list("release", "device")) == {(RELEASE, "device-1")}


@contextmanager
def touched() -> Iterator[list[int]]:
    """The releases that stored reports concern, one after the other."""
    found: list[int] = []

    def note(releases: list[int]) -> None:
        assert not transaction.get_autocommit()
        found.extend(releases)

    with patch.object(intake, "enqueue_reconcile_reported", note):
        yield found


# Draws.


def test_a_draw_with_all_it_says(shop: App) -> None:
    store_check_ins([exposed()])
    row = exposure()
    assert (row.app, row.release, row.stage, row.task, row.device) == (shop, RELEASE, STAGE, TASK, "device-1")
    assert (row.arm, row.bucket, row.number, row.outcome, row.metrics) == ("treatment", 5, 17, "", {})
    assert row.drawn_at == row.offered_at == NOW
    assert (row.installed_at, row.settled_at, row.silent) == (None, None, None)


@pytest.mark.parametrize("together", [True, False], ids=["in one batch", "in several"])
def test_the_first_draw_decides_and_a_later_offer_is_filled_in(together: bool) -> None:
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


def test_draws_survive_what_makes_check_ins_not_worth_a_write() -> None:
    store_check_ins([check_in()])
    store_check_ins([held_back(AT + 1), check_in(at=AT + 2), exposed(at=AT + 3, release=8)])
    assert sorted(Exposure.objects.values_list("release", "arm")) == [(7, "control"), (8, "treatment")]


def test_draws_for_an_app_that_is_gone_are_dropped() -> None:
    gone = exposed()
    store_check_ins([gone._replace(claims=replace(gone.claims, app="gone"))])
    assert not Exposure.objects.exists()


def test_many_draws_at_once() -> None:
    records = [exposed(f"device-{number}", bucket=number) for number in range(2000)]
    store_check_ins(records)
    store_check_ins(records)
    assert Exposure.objects.count() == 2000


# Outcomes of those that were offered the version.

RUN = {"duration_ms": 12.5, "metrics": {"confidence": 0.5}}


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


# Draws whose log was lost.


def test_a_report_makes_up_for_a_lost_draw(shop: App) -> None:
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
def test_no_draw_is_made_up_for_what_is_not_on_trial(shop: App, changes: dict[str, Any]) -> None:
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


# Outcomes of those that were held back.

OLDER = OfferStamp(RELEASE - 1, 1, 9, int(AT) + OFFER_LEASE_S)


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
    ids=["the moment of the draw", "before it", "an installation", "another task", "another device"],
)
def test_what_tells_nothing_about_a_device_that_is_held_back(sent: ReceivedReport) -> None:
    store_check_ins([held_back()])
    store_reports([sent])
    assert exposure().outcome == ""


def test_a_run_counts_that_was_reported_before_the_check_in_of_a_device_that_is_held_back_was_stored() -> None:
    """Several runs in one report, and none of another task, of another device, or of the time before."""
    runs = {"since": AT, "until": AT + 2, "count": 20, "failed": 1, "shed": 0, "events": 20, "cold": 0}
    decided_by_its_id = str(UUID(int=0))  # which of many runs are drawn: those that passed
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


# Any order.


@dataclass(frozen=True)
class Expected:
    """What an exposure should say, worked out from the stored reports in the plainest way."""

    outcome: str
    error_class: str
    settled_at: float | None
    duration_ms: float | None
    installed_at: float | None
    cold: tuple[float, float] | None
    warm: tuple[float, float] | None

    @classmethod
    def of(cls, arm: str, reports: list[Report]) -> "Expected":
        proved = [report for report in reports if arm == "control" or report.release == RELEASE]
        deciding = [
            r
            for r in proved
            if r.kind == "run" or (arm == "treatment" and r.kind == "install" and r.outcome == "failure")
        ]
        fallen = [r.received_at.timestamp() for r in proved if r.kind == "remove" and r.error_class == "fell-back"]
        installed = [
            r.received_at.timestamp()
            for r in proved
            if r.kind == "run" or (r.kind == "install" and r.outcome == "success")
        ]
        runs = [
            (r.start == "warm", r.reported_at.timestamp(), r.duration_ms)
            for r in proved
            if r.kind == "run" and r.duration_ms is not None
        ]
        first = min(deciding, key=lambda r: (r.reported_at, r.received_at), default=None)
        return cls(
            outcome="failure" if fallen else first.outcome if first else "",
            error_class="fell-back" if fallen else first.error_class if first else "",
            settled_at=first.received_at.timestamp() if first else min(fallen, default=None),
            duration_ms=first.duration_ms if first and first.kind == "run" else None,
            installed_at=min(installed, default=None) if arm == "treatment" else None,
            cold=min(((at, took) for warm, at, took in runs if not warm), default=None),
            warm=min(((at, took) for warm, at, took in runs if warm), default=None),
        )


KINDS = [("run", "success"), ("run", "failure"), ("install", "success"), ("install", "failure"), ("remove", "failure")]


@st.composite
def histories(exposed: st.DrawFn) -> list[list[ReceivedReport]]:
    """What one device reported, in any order, some of it several times, and in any batches."""
    sent = []
    for number, (kind, outcome) in enumerate(exposed(st.lists(st.sampled_from(KINDS), min_size=1, max_size=6))):
        said = report(
            kind, outcome, exposed(st.integers(1, 5)), exposed(st.sampled_from([OFFER, OFFER, None])),
            id=str(UUID(int=number)), duration_ms=float(number),
            start=exposed(st.sampled_from(["cold", "warm", None])),
            error_class="fell-back" if kind == "remove" else ("boom" if outcome == "failure" else None),
        )  # fmt: skip
        sent.append(replace(said, received=AT + 10 + number))
    arriving = exposed(st.permutations(sent + exposed(st.lists(st.sampled_from(sent), max_size=4))))
    cuts = sorted(exposed(st.lists(st.integers(0, len(arriving)), max_size=3)))
    return [arriving[start:end] for start, end in zip([0, *cuts], [*cuts, len(arriving)], strict=True)]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arm=st.sampled_from(["treatment", "control"]), batches=histories(), late=st.integers(0, 4))
def test_exposures_say_what_the_stored_reports_say(arm: str, batches: list[list[ReceivedReport]], late: int) -> None:
    """Whatever was reported before the check-in of a device that is held back was stored, too."""
    offered_but_not_control = OFFER if arm == "treatment" else OLDER
    before = late if arm == "control" else 0
    with transaction.atomic():
        for batch in [*batches[:before], None, *batches[before:]]:
            if batch is None:
                store_check_ins([exposed() if arm == "treatment" else held_back()])
            else:
                store_reports([replace(one, offer=one.offer and offered_but_not_control) for one in batch])
        row = exposure()
        found = Expected(
            row.outcome,
            row.error_class,
            row.settled_at and row.settled_at.timestamp(),
            row.duration_ms,
            row.installed_at and row.installed_at.timestamp(),
            (row.cold_at.timestamp(), row.cold_ms) if row.cold_at else None,
            (row.warm_at.timestamp(), row.warm_ms) if row.warm_at else None,
        )
        assert found == Expected.of(arm, list(Report.objects.all()))
        transaction.set_rollback(True)


# Many at once.


def test_gateways_that_tell_of_the_same_devices_neither_deadlock_nor_disagree(committed_shop: App) -> None:
    """Draws and reports of the same devices in three releases, in an order of each gateway's own, all of them twice."""
    devices = [f"device-{number}" for number in range(30)]
    releases = [7, 8, 9]
    entries = [entry(release=release, observed=True) for release in releases]
    publish(app=committed_shop, entries=entries, removals=[], now=NOW)
    drawn = [exposed(device, release=release) for device in devices for release in releases]
    said = [("install", "success", 1), ("run", "failure", 2), ("run", "success", 3)]
    reports = []
    for number, (device, release, (kind, outcome, at)) in enumerate(itertools.product(devices, releases, said)):
        sent = report(kind, outcome, at, replace(OFFER, release=release), id=str(UUID(int=number)))
        reports.append(replace(sent, device=device))

    def gateway(seed: int) -> Callable[[], None]:
        def run() -> None:
            shuffled = random.Random(seed)
            for part in range(6):
                store_check_ins(shuffled.sample(drawn, len(drawn) // 2) if part < 5 else drawn)
                store_reports(shuffled.sample(reports, len(reports) // 2) if part < 5 else reports)

        return run

    assert in_threads([gateway(seed) for seed in (1, 2, 3)]) == []
    assert Exposure.objects.count() == 90
    assert set(Exposure.objects.values_list("outcome", "reported_at")) == {("failure", NOW + timedelta(seconds=2))}
    assert Report.objects.count() == len(reports)
