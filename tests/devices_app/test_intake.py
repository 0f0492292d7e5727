"""Check-ins and reports in the real database: batches, news and old news, two gateways at once."""

import random
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.db import connection

from accounts_app.actors import SYSTEM
from devices_app.models import App, Device, InstalledTask, Report
from devices_app.services.apps import create_app
from devices_app.services.devices import revoke
from devices_app.services.intake import store_check_ins, store_reports
from tests.devices_app.conftest import NOW
from tests.vectors.reports import FULL
from walle.gateway.ports import CheckInRecord, Claims, ReceivedReport
from walle.protocol import reports
from walle.protocol.keyed import OfferStamp

AT = NOW.timestamp()
A, B = b"a" * 12, b"b" * 12
pytestmark = pytest.mark.usefixtures("committed_shop")


def check_in(
    device: str = "device-1",
    at: float = AT,
    profile: dict[str, bytes] | None = None,
    facts: dict[str, object] | None = None,
    trusted: dict[str, object] | None = None,
    app: str = "shop",
) -> CheckInRecord:
    """As a gateway hands it over: claims that are equal have equal identities."""
    said = {"app_version": "1.0.0", **(facts or {})}
    identity = f"{hash((app, tuple(said.items()), tuple((profile or {}).items()))) & (1 << 64) - 1:016x}"
    return CheckInRecord(Claims(identity, app, said, profile or {}), device, trusted or {}, at)


def installed(device: str = "device-1") -> dict[str, tuple[str, float]]:
    rows = InstalledTask.objects.filter(device__device=device)
    return {row.task: (row.manifest, row.since.timestamp()) for row in rows}


def test_a_new_device_with_all_it_said() -> None:
    store_check_ins([check_in(profile={"a/b": A}, facts={"vip": True, "n": 0.5}, trusted={"x": "é\\u0001\t\\"})])
    device = Device.objects.get()
    assert (device.app.slug, device.device) == ("shop", "device-1")
    assert device.facts == {"app_version": "1.0.0", "vip": True, "n": 0.5}
    assert device.trusted == {"x": "é\\u0001\t\\"}
    assert device.profile == {"a/b": A.hex()}
    assert device.first_seen == device.last_seen == NOW
    assert installed() == {"a/b": (A.hex(), AT)}


def test_the_same_again_only_moves_when_it_was_seen() -> None:
    store_check_ins([check_in(profile={"a/b": A})])
    store_check_ins([check_in(profile={"a/b": A}, at=AT + 60)])
    device = Device.objects.get()
    assert (device.first_seen.timestamp(), device.last_seen.timestamp()) == (AT, AT + 60)
    assert installed() == {"a/b": (A.hex(), AT)}


def test_installed_tasks_follow_the_profile() -> None:
    steps: list[dict[str, bytes]] = [
        {"a/b": A, "c/d": A},
        {"a/b": B, "c/d": A},
        {"c/d": A, "e/f": B},
        {},
        {"a/b": A},
    ]
    for second, profile in enumerate(steps):
        store_check_ins([check_in(profile=profile, at=AT + second)])
        assert {task: manifest for task, (manifest, _) in installed().items()} == {
            task: digest.hex() for task, digest in profile.items()
        }
    assert installed() == {"a/b": (A.hex(), AT + 4)}


def test_since_is_when_it_changed() -> None:
    for second, digest in enumerate([A, A, B, B]):
        store_check_ins([check_in(profile={"a/b": digest, "c/d": A}, facts={"n": second}, at=AT + second)])
    assert installed() == {"a/b": (B.hex(), AT + 2), "c/d": (A.hex(), AT)}


def test_older_news_than_known_is_ignored() -> None:
    store_check_ins([check_in(profile={"a/b": B}, at=AT + 10)])
    store_check_ins([check_in(profile={"a/b": A}, at=AT)])
    store_check_ins([check_in(profile={"a/b": A}, at=AT + 10)])
    device = Device.objects.get()
    assert device.profile == {"a/b": B.hex()}
    assert device.last_seen.timestamp() == AT + 10
    assert installed() == {"a/b": (B.hex(), AT + 10)}


def test_of_one_batch_the_last_of_a_device_counts() -> None:
    store_check_ins([check_in(profile={"a/b": A}), check_in(profile={"a/b": B}, at=AT + 1), check_in("device-2")])
    assert installed() == {"a/b": (B.hex(), AT + 1)}
    assert Device.objects.count() == 2


def test_new_trusted_facts_are_news() -> None:
    store_check_ins([check_in(trusted={"age": "1"})])
    store_check_ins([check_in(trusted={"age": "2"}, at=AT + 1)])
    assert Device.objects.get().trusted == {"age": "2"}


def test_the_same_id_in_two_apps_is_two_devices() -> None:
    create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    store_check_ins([check_in(profile={"a/b": A}), check_in(app="bank"), check_in(app="gone")])
    assert sorted(Device.objects.values_list("app__slug", "device")) == [("bank", "device-1"), ("shop", "device-1")]


def test_nothing_at_all() -> None:
    store_check_ins([])
    store_reports([])
    assert not Device.objects.exists()


def test_a_revocation_survives_check_ins() -> None:
    store_check_ins([check_in()])
    revoke(device=Device.objects.get(), actor=SYSTEM, now=NOW)
    store_check_ins([check_in(at=AT + 1), check_in(facts={"n": 1}, at=AT + 2)])
    assert Device.objects.get().revoked_at == NOW


def test_a_large_batch() -> None:
    records = [check_in(f"device-{number}", profile={"a/b": A if number % 2 else B}) for number in range(3000)]
    store_check_ins(records)
    store_check_ins([record._replace(at=AT + 60) for record in records])
    assert Device.objects.filter(last_seen=datetime.fromtimestamp(AT + 60, UTC)).count() == 3000
    assert InstalledTask.objects.filter(manifest=A.hex()).count() == 1500


def in_threads(works: Iterable[Callable[[], None]]) -> list[Exception]:
    """Runs each work in a thread with a connection of its own; what went wrong."""
    errors: list[Exception] = []

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return errors


def test_two_gateways_that_see_the_same_devices_neither_deadlock_nor_disagree() -> None:
    """Some devices say the same as before, others something new, in an order of each gateway's own."""
    devices = [f"device-{number}" for number in range(60)]
    store_check_ins([check_in(device, profile={"a/b": A}) for device in devices])

    def gateway(seed: int) -> Callable[[], None]:
        draw = random.Random(seed)

        def run() -> None:
            for turn in range(1, 25):
                batch = [
                    check_in(device, AT + turn + draw.random() / 2, {"a/b": draw.choice([A, A, A, B])})
                    for device in draw.sample(devices, 40)
                ]
                store_check_ins(batch)

        return run

    assert in_threads([gateway(seed) for seed in (1, 2, 3)]) == []
    for device in Device.objects.all():
        assert {task: manifest for task, (manifest, _) in installed(device.device).items()} == device.profile


def received(received_at: float = AT, offer: OfferStamp | None = None, **changes: object) -> ReceivedReport:
    report = reports.Report.from_dict(FULL | {"id": str(uuid4())} | changes)
    return ReceivedReport("shop", "device-1", report, offer, received_at)


def test_a_report_with_everything(committed_shop: App) -> None:
    sent = received(offer=OfferStamp(12, 34, 56, int(AT) + 1), message="画像", error_class="too-large")
    store_reports([sent])
    row = Report.objects.get()
    assert (row.app, row.device, str(row.report_id)) == (committed_shop, "device-1", sent.report.id)
    for name in ("task", "version", "manifest", "kind", "outcome", "error_class", "message", "output"):
        assert getattr(row, name) == getattr(sent.report, name)
    assert (row.duration_ms, row.peak_memory_kb, row.metrics) == (12.5, 20480, {"confidence": 0.93, "rows": 3})
    assert (row.release, row.stage, row.number, row.evidence) == (12, 34, 56, True)
    assert row.reported_at.timestamp() == sent.report.at
    assert row.received_at == NOW


def test_a_report_with_next_to_nothing() -> None:
    spare = ("error_class", "message", "duration_ms", "peak_memory_kb", "metrics", "output", "offer_token")
    store_reports([received(**dict.fromkeys(spare))])
    row = Report.objects.get()
    assert (row.error_class, row.message, row.duration_ms, row.metrics, row.output) == ("", "", None, {}, None)
    assert (row.release, row.evidence) == (None, False)


@pytest.mark.parametrize(("late", "evidence"), [(0, True), (0.5, False)])
def test_an_offer_counts_until_its_lease_is_over(late: float, evidence: bool) -> None:
    store_reports([received(AT + 10 + late, OfferStamp(1, 2, 3, int(AT) + 10))])
    row = Report.objects.get()
    assert row.evidence is evidence
    assert (row.release, row.stage, row.number) == ((1, 2, 3) if evidence else (None, None, None))


def test_a_report_is_stored_once_by_its_id_and_device() -> None:
    sent = received()
    again = replace(sent, received=AT + 99)
    upper = replace(sent, report=replace(sent.report, id=sent.report.id.upper()))
    other = replace(sent, device="device-2")
    store_reports([sent, sent])
    store_reports([again, upper, other])
    assert sorted(Report.objects.values_list("device", flat=True)) == ["device-1", "device-2"]
    assert Report.objects.get(device="device-1").received_at == NOW


def test_reports_of_an_app_that_is_gone_are_dropped() -> None:
    store_reports([replace(received(), app="gone"), received()])
    assert Report.objects.count() == 1


EXTREMES: list[dict[str, object]] = [
    {"at": 0},
    {"at": reports.MAX_TIME},
    {"duration_ms": 0},
    {"duration_ms": 9.9e299},
    {"duration_ms": 10**299},
    {"peak_memory_kb": 2**40},
    {"metrics": {"m": 10**299, "n": -9.9e299, "o": 5e-324}},
    {"metrics": {"m" + "x" * 63: 1}},
    {"output": {"x": "y" * 4000, "é": [None, True, {"deep": [[[]]]}]}},
    {"output": {"x": 10**1000}},
    {"output": {"x": 1.7976931348623157e308, "": -0.0}},
    {"message": "x" * 2000},
    {"message": "\x01\x7f\u2028\U0001f600"},
    {"version": "1.0.0-" + "x" * 58},
    {"task": "a" * 40 + "/" + "b" * 40},
    {"error_class": "x" * 80},
]


@pytest.mark.parametrize("change", EXTREMES, ids=lambda change: repr(change)[:40])
def test_every_report_that_is_accepted_can_be_stored(change: dict[str, object]) -> None:
    """One that could not be would be sent for ever, and would hold up all that share its group."""
    store_reports([received(**change), received()])
    assert Report.objects.count() == 2
    assert Report.objects.order_by("id")[0].app.slug == "shop"
