"""The server side for other gateways: a business service of an app reads the app's state and sends what it received.

Requests are authenticated with a gateway key of the app. The client is walle.gateway.remote; only these two use the
JSON.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from hashlib import blake2b, sha256
from typing import Any, Final

from walle.gateway.counts import GatewayCounts
from walle.gateway.intake import read_offer
from walle.gateway.pacing import paced_releases
from walle.gateway.ports import (
    AppState,
    CheckInRecord,
    DeviceClaims,
    ExposureRecord,
    GatewayState,
    QuotaSource,
    ReceivedReport,
    ReportSink,
)
from walle.gateway.problems import HttpProblem
from walle.protocol.canonical import canonical_json
from walle.protocol.deferrals import read_deferral
from walle.protocol.errors import HeaderMalformed
from walle.protocol.headers import SHORT_DIGEST_BYTES
from walle.protocol.keyed import Keyring
from walle.protocol.names import DEVICE_ID_PATTERN, check_task_name
from walle.protocol.reports import MAX_TIME, Report, ReportMalformed
from walle.release.cohort import Cohort, device_point
from walle.release.table import Entry

_BIGGEST: Final = 2**63 - 1
_OLDEST_S: Final = 60.0
"""The greatest age of a check-in from another gateway, whose clock is not trusted beyond that."""


def authorize(app: AppState, authorization: bytes) -> None:
    """Raise HttpProblem unless the header is `Bearer <a gateway key of the app>`."""
    scheme, _, key = authorization.partition(b" ")
    if scheme.lower() != b"bearer" or sha256(key).hexdigest() not in app.gateway_keys:
        raise HttpProblem(401, "gateway-key-refused", "expected Authorization: Bearer <gateway key of this app>")


def write_state(state: GatewayState, slug: str) -> bytes:
    """Return the part of the state that a gateway of one app needs, as JSON; enrolment stays with the control plane."""
    app = state.apps[slug]
    document = {
        "revision": state.revision,
        "table": _b64(app.envelope),
        "keys": [
            {"key_id": key.key_id, "secret": _b64(key.secret), "accepted": key.accepted} for key in app.keyring.keys
        ],
        "revoked": sorted(app.revoked),
        "lists": {name: sorted(devices) for name, devices in app.lists.items()},
        "held": dict(app.held),
        "roots": {str(version): _b64(root) for version, root in state.roots.items()},
    }
    return json.dumps(document).encode()


class RelayHandler:
    """Accepts batches from other gateways. `clock` returns Unix seconds."""

    def __init__(
        self, sink: ReportSink, quotas: QuotaSource, counts: GatewayCounts, clock: Callable[[], float]
    ) -> None:
        self._sink = sink
        self._quotas = quotas
        self._counts = counts
        self._clock = clock

    async def check_ins(self, app: AppState, body: bytes) -> None:
        """Store check-ins. Raises HttpProblem, or PortUnavailable when they cannot be stored now."""
        observed = {entry.release: entry for entry in app.table.table.entries if entry.observed}
        now = self._clock()
        records = [_check_in(app.keyring.app, observed, item, now) for item in _items(body, "check_ins")]
        await self._sink.record_check_ins(records)
        self._counts.relayed[app.keyring.app, "check-ins"] += len(records)

    async def quotas(self, app: AppState, body: bytes) -> dict[str, Any]:
        """Lease the quotas that another gateway wants. Raises HttpProblem or PortUnavailable.

        Releases of other apps are left out here, and by the source too, because its table may be newer.
        """
        paced = paced_releases(app)
        wanted = {release: count for release, count in _wanted(body).items() if release in paced}
        quotas = await self._quotas.lease(wanted, app.keyring.app) if wanted else {}
        return {"quotas": {str(release): [quota.count, quota.valid_s] for release, quota in quotas.items()}}

    async def reports(self, app: AppState, body: bytes) -> None:
        """Store reports. Raises HttpProblem, or PortUnavailable when they cannot be stored now."""
        received = [_report(app.keyring, item, self._clock()) for item in _items(body, "reports")]
        await self._sink.record_reports(received)
        self._counts.relayed[app.keyring.app, "reports"] += len(received)
        self._counts.reported(app.table, (each.report for each in received))


def _items(body: bytes, name: str) -> list[Mapping[str, Any]]:
    try:
        items = json.loads(body)[name]
        if all(DEVICE_ID_PATTERN.fullmatch(item["device"]) for item in items):
            return list(items)
    except (ValueError, RecursionError, KeyError, TypeError):
        pass
    raise HttpProblem(400, "body-malformed", f'expected a JSON object with a list "{name}" of objects with a device id')


def _wanted(body: bytes) -> dict[int, int]:
    try:
        wanted = {int(release): count for release, count in json.loads(body)["wanted"].items()}
        if all(type(count) is int and 0 < count < 2**31 for count in wanted.values()):
            return wanted
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        pass
    raise HttpProblem(400, "body-malformed", 'expected a JSON object with "wanted": numbers of offers by release')


def _check_in(app: str, observed: Mapping[int, Entry], item: Mapping[str, Any], now: float) -> CheckInRecord:
    """Return a check-in that another gateway received within the last seconds; its time is clamped to that range."""
    try:
        profile = {check_task_name(task): _short_digest(digest) for task, digest in item["profile"].items()}
        facts, trusted, at = _facts(item["facts"]), _facts(item["trusted"]), _moment(item["at"])
        content, vouched = canonical_json([facts, item["profile"], trusted]), item.get("vouched", False)
        if not isinstance(vouched, bool):
            raise ValueError("expected true or false")
        exposures = [_exposure(observed, item["device"], each) for each in item.get("drawn", ())]
        deferral = read_deferral(item.get("deferral", "").encode())
    except (KeyError, TypeError, ValueError, AttributeError, HeaderMalformed) as error:
        expected = "facts, trusted, profile, at and perhaps drawn, vouched and deferral"
        raise HttpProblem(400, "body-malformed", f"check_ins: expected {expected}") from error
    if b"\\u0000" in content:
        raise HttpProblem(400, "body-malformed", "check_ins: expected text without NUL")
    identity = blake2b(canonical_json([facts, item["profile"]]), digest_size=8).hexdigest()
    at = min(max(at, now - _OLDEST_S), now)
    claims = DeviceClaims(identity, app, facts, profile)
    known = tuple(exposure for exposure in exposures if exposure is not None)
    return CheckInRecord(claims, item["device"], trusted, at, known, vouched, deferral)


def _exposure(observed: Mapping[int, Entry], device: str, exposure: Mapping[str, Any]) -> ExposureRecord | None:
    """Return an exposure from another gateway; None unless its release is under observation here too."""
    release, stage, number, arm = exposure["release"], exposure["stage"], exposure["number"], exposure["arm"]
    numbers = (release, stage, 0 if number is None else number)
    if arm not in ("treatment", "control") or not all(type(each) is int and 0 <= each <= _BIGGEST for each in numbers):
        raise ValueError("expected the arm, and whole numbers")
    entry = observed.get(release)
    if entry is None:
        return None
    return ExposureRecord(release, stage, entry.task, arm, Cohort(entry.salt).bucket(device_point(device)), number)


def _facts(claimed: Mapping[str, Any]) -> dict[str, Any]:
    facts = dict(claimed)
    if not all(isinstance(value, (str, int, float, bool)) for value in facts.values()):
        raise ValueError("expected text, numbers and booleans")
    return facts


def _short_digest(digest: str) -> bytes:
    data = bytes.fromhex(digest)
    if len(data) != SHORT_DIGEST_BYTES:
        raise ValueError(f"expected {SHORT_DIGEST_BYTES} bytes")
    return data


def _moment(seconds: float) -> float:
    if not 0 <= float(seconds) <= MAX_TIME:
        raise ValueError("expected Unix seconds")
    return float(seconds)


def _report(keyring: Keyring, item: Mapping[str, Any], now: float) -> ReceivedReport:
    try:
        report = Report.from_dict(item.get("report"))
    except ReportMalformed as error:
        raise HttpProblem(400, error.code, str(error)) from error
    offer = read_offer(keyring, report.offer_token, item["device"])
    return ReceivedReport(keyring.app, item["device"], report, offer, now)


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()
