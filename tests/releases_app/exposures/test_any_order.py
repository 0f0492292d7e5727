"""Exposures are the same in whatever order check-ins and reports come, and however often."""

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devices_app.models import App, Report
from devices_app.services.intake import store_check_ins, store_reports
from devices_app.services.tables import publish
from releases_app.models import Exposure
from tests.devices_app.conftest import NOW
from tests.devices_app.records import AT
from tests.devices_app.test_intake import in_threads
from tests.release.tables import entry
from tests.releases_app.exposures.records import OFFER, OLDER, RELEASE, exposed, exposure, held_back, report
from walle.gateway.ports import ReceivedReport

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("a_shop")]


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
def histories(draw: st.DrawFn) -> list[list[ReceivedReport]]:
    """What one device reported, in any order, some of it several times, and in any batches."""
    sent = []
    for number, (kind, outcome) in enumerate(draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=6))):
        said = report(
            kind, outcome, draw(st.integers(1, 5)), draw(st.sampled_from([OFFER, OFFER, None])),
            id=str(UUID(int=number)), duration_ms=float(number),
            start=draw(st.sampled_from(["cold", "warm", None])),
            error_class="fell-back" if kind == "remove" else ("boom" if outcome == "failure" else None),
        )  # fmt: skip
        sent.append(replace(said, received=AT + 10 + number))
    arriving = draw(st.permutations(sent + draw(st.lists(st.sampled_from(sent), max_size=4))))
    cuts = sorted(draw(st.lists(st.integers(0, len(arriving)), max_size=3)))
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


def test_gateways_that_tell_of_the_same_devices_neither_deadlock_nor_disagree(committed_shop: App) -> None:
    """Exposures and reports of the same devices in three releases, in each gateway's own order, all of them twice."""
    devices = [f"device-{number}" for number in range(30)]
    releases = [7, 8, 9]
    entries = [entry(release=release, observed=True) for release in releases]
    publish(app=committed_shop, entries=entries, removals=[], now=NOW)
    records = [exposed(device, release=release) for device in devices for release in releases]
    said = [("install", "success", 1), ("run", "failure", 2), ("run", "success", 3)]
    reports = []
    for number, (device, release, (kind, outcome, at)) in enumerate(itertools.product(devices, releases, said)):
        sent = report(kind, outcome, at, replace(OFFER, release=release), id=str(UUID(int=number)))
        reports.append(replace(sent, device=device))

    def gateway(seed: int) -> Callable[[], None]:
        def run() -> None:
            shuffled = random.Random(seed)
            for part in range(6):
                store_check_ins(shuffled.sample(records, len(records) // 2) if part < 5 else records)
                store_reports(shuffled.sample(reports, len(reports) // 2) if part < 5 else reports)

        return run

    assert in_threads([gateway(seed) for seed in (1, 2, 3)]) == []
    assert Exposure.objects.count() == 90
    assert set(Exposure.objects.values_list("outcome", "reported_at")) == {("failure", NOW + timedelta(seconds=2))}
    assert Report.objects.count() == len(reports)
