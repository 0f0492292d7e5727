"""Check-ins and reports of devices in one release, and what is kept of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from django.db import transaction

from releases_app.models import Exposure
from releases_app.services import intake
from tests.devices_app.records import AT, check_in, received
from walle.gateway.offers import OFFER_LEASE_S
from walle.gateway.ports import CheckInRecord, ExposureRecord, ReceivedReport
from walle.protocol.keyed import OfferStamp

TASK = "camera/digits"
RELEASE, STAGE = 7, 3
OFFER = OfferStamp(RELEASE, STAGE, 17, int(AT) + OFFER_LEASE_S)
OLDER = OfferStamp(RELEASE - 1, 1, 9, int(AT) + OFFER_LEASE_S)
RUN = {"duration_ms": 12.5, "metrics": {"confidence": 0.5}}


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
    """A report of device-1, so many seconds after the selection, by the device's clock and by the gateway's."""
    error_class = "boom" if outcome == "failure" else None
    values = {"task": TASK, "kind": kind, "outcome": outcome, "at": AT + at, "error_class": error_class, **changes}
    return received(AT + at, offer, **values)


def fell_back(at: float = 9.0, offer: OfferStamp | None = OFFER) -> ReceivedReport:
    return report("remove", "failure", at, offer, error_class="fell-back")


def exposure() -> Exposure:
    return Exposure.objects.get()


@contextmanager
def touched() -> Iterator[list[int]]:
    """The releases that stored reports concern, one after the other."""
    found: list[int] = []

    def note(releases: list[int]) -> None:
        assert not transaction.get_autocommit()
        found.extend(releases)

    with patch.object(intake, "enqueue_reconcile_reported", note):
        yield found
