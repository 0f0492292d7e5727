"""Turn what serving processes tell of callers into check-ins and reports, as devices would have made them.

From there on releases treat callers as devices (docs/adr/0027).
"""

from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID, uuid5

from walle.gateway.offers import OFFER_LEASE_S
from walle.gateway.ports import CheckInRecord, DeviceClaims, ExposureRecord, ReceivedReport
from walle.protocol.keyed import OfferStamp
from walle.protocol.reports import Report
from walle.release.outcome import FELL_BACK
from walle.whitebox.serving.ports import CallerExposure, CallerOutcome

_REPORTS: Final = UUID("6f1c9f0e-3c57-5c3f-9a43-6f0d7b4b1f17")
"""The namespace of the ids of reports: the same outcome told twice is one report."""


def check_ins_of(exposures: Iterable[CallerExposure]) -> list[CheckInRecord]:
    """Return the exposures of callers as check-ins with one exposure each."""
    return [
        CheckInRecord(
            claims=DeviceClaims("", each.app, {}, {}),
            device=each.caller,
            trusted={},
            at=each.at,
            exposures=(_exposure(each),),
            vouched=each.vouched,
        )
        for each in exposures
    ]


def _exposure(each: CallerExposure) -> ExposureRecord:
    number = each.number if each.arm == "treatment" else None
    return ExposureRecord(each.release, each.stage, each.task, each.arm, each.bucket, number)


def report_of(outcome: CallerOutcome) -> ReceivedReport:
    """Return an outcome as the report of a device about its runs: one for each record.

    It proves the release that chose the version if the caller counts as one of its treatment.
    """
    treated = (outcome.release, "treatment") in outcome.arms
    offer = OfferStamp(outcome.release, outcome.stage, 0, int(outcome.at) + OFFER_LEASE_S) if treated else None
    return ReceivedReport(outcome.app, outcome.caller, _report(outcome), offer, outcome.at)


def _report(outcome: CallerOutcome) -> Report:
    about: dict[str, Any] = {
        "id": str(uuid5(_REPORTS, "\n".join(map(str, _identity(outcome))))),
        "task": outcome.task,
        "version": outcome.version,
        "manifest": outcome.manifest,
        "outcome": "failure" if outcome.failed else "success",
        "at": outcome.at,
        "error_class": outcome.error_class or None,
    }
    if outcome.error_class == FELL_BACK:
        return Report(kind="remove", **about)
    return Report(
        kind="run",
        duration_ms=outcome.latency_ms,
        start="cold" if outcome.cold else "warm",
        metrics=_metrics(outcome),
        runs=_aggregate(outcome) if outcome.records > 1 else None,
        **about,
    )


def _identity(outcome: CallerOutcome) -> tuple[object, ...]:
    return outcome.app, outcome.task, outcome.manifest, outcome.release, outcome.caller, outcome.at


def _metrics(outcome: CallerOutcome) -> dict[str, float]:
    told = {"score": outcome.score, "confidence": outcome.confidence}
    return {name: value for name, value in told.items() if value is not None}


def _aggregate(outcome: CallerOutcome) -> dict[str, Any]:
    """Return the runs of an outcome as walle.protocol.aggregates has them."""
    failures = [{"error_class": outcome.error_class, "count": outcome.failed}] if outcome.failed else []
    return {
        "since": outcome.at,
        "until": outcome.at,
        "count": outcome.records,
        "failed": outcome.failed,
        "shed": 0,
        "events": 0,
        "cold": int(outcome.cold),
        "p50_ms": outcome.latency_ms,
        "max_ms": outcome.latency_ms,
        "failures": failures,
    }
