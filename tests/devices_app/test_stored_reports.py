"""Reports in the real database: once by their id, evidence or not, and whatever was accepted can be stored."""

from dataclasses import replace

import pytest

from devices_app.models import App, Report
from devices_app.services.intake import store_reports
from tests.devices_app.conftest import NOW
from tests.devices_app.records import AT, received
from tests.support.cases import cases
from tests.vectors.reports import RUNS
from walle.protocol import reports
from walle.protocol.keyed import OfferStamp

pytestmark = pytest.mark.usefixtures("shop")


def test_a_report_with_everything(shop: App) -> None:
    sent = received(offer=OfferStamp(12, 34, 56, int(AT) + 1), message="画像", error_class="too-large")
    store_reports([sent])
    row = Report.objects.get()
    assert (row.app, row.device, str(row.report_id)) == (shop, "device-1", sent.report.id)
    for name in ("task", "version", "manifest", "kind", "outcome", "error_class", "message", "output"):
        assert getattr(row, name) == getattr(sent.report, name)
    assert (row.duration_ms, row.peak_memory_kb, row.metrics) == (12.5, 20480, {"confidence": 0.93, "rows": 3})
    assert (row.release, row.stage, row.number, row.evidence) == (12, 34, 56, True)
    assert row.reported_at.timestamp() == sent.report.at
    assert row.received_at == NOW


def test_a_run_says_how_it_began_or_nothing(shop: App) -> None:
    ended = {"start": "cold", "vm_end": "killed:SIGKILL"}
    store_reports([received(), received(id="0d4b2a1c-5a55-4a3f-9c0b-6f1c2f0e7e11", **ended)])
    assert list(Report.objects.order_by("vm_end").values_list("start", "vm_end")) == [("", ""), tuple(ended.values())]


def test_a_report_about_several_runs(shop: App) -> None:
    store_reports([received(), received(id="0d4b2a1c-5a55-4a3f-9c0b-6f1c2f0e7e11", runs=RUNS | {"future": 7})])
    assert list(Report.objects.order_by("runs__count").values_list("runs", flat=True)) == [RUNS, None]


def test_a_report_with_next_to_nothing() -> None:
    spare = ("error_class", "message", "duration_ms", "peak_memory_kb", "metrics", "output", "offer_token")
    store_reports([received(**dict.fromkeys(spare))])
    row = Report.objects.get()
    assert (row.error_class, row.message, row.duration_ms, row.metrics, row.output) == ("", "", None, {}, None)
    assert (row.release, row.evidence) == (None, False)


@cases(("late", "evidence"), [(0, True), (0.5, False)])
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
    {"vm_end": "x" * 20 + ":" + "9" * 19},
    {"runs": RUNS | {"count": 2**53 - 1, "failed": 2**53 - 1, "shed": 2**53 - 1, "max_ms": 10**299, "cpu_ms": 9.9e299}},
]


@pytest.mark.parametrize("change", EXTREMES, ids=lambda change: repr(change)[:40])
def test_every_report_that_is_accepted_can_be_stored(change: dict[str, object]) -> None:
    """One that could not be would be sent for ever, and would hold up all that share its group."""
    store_reports([received(**change), received()])
    assert Report.objects.count() == 2
    assert Report.objects.order_by("id")[0].app.slug == "shop"


def test_nothing_at_all() -> None:
    store_reports([])
    assert not Report.objects.exists()
