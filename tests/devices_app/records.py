"""Check-ins and reports as gateways hand them over."""

from uuid import uuid4

from tests.devices_app.conftest import NOW
from tests.vectors.reports import FULL
from walle.gateway.ports import CheckInRecord, DeviceClaims, ReceivedReport
from walle.protocol.deferrals import Deferral
from walle.protocol.keyed import OfferStamp
from walle.protocol.reports import Report

AT = NOW.timestamp()


def check_in(
    device: str = "device-1",
    at: float = AT,
    profile: dict[str, bytes] | None = None,
    facts: dict[str, object] | None = None,
    trusted: dict[str, object] | None = None,
    app: str = "shop",
    vouched: bool = False,
    deferral: Deferral | None = None,
) -> CheckInRecord:
    """As a gateway hands it over: claims that are equal have equal identities."""
    said = {"app_version": "1.0.0", **(facts or {})}
    identity = f"{hash((app, tuple(said.items()), tuple((profile or {}).items()))) & (1 << 64) - 1:016x}"
    return CheckInRecord(
        DeviceClaims(identity, app, said, profile or {}), device, trusted or {}, at, (), vouched, deferral
    )


def received(received_at: float = AT, offer: OfferStamp | None = None, **changes: object) -> ReceivedReport:
    report = Report.from_dict(FULL | {"id": str(uuid4())} | changes)
    return ReceivedReport("shop", "device-1", report, offer, received_at)
