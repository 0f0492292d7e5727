"""Enrolment: a device proves that it belongs to an app and receives a stateless credential.

There are two ways: with a key that ships in the app (weak: it proves the app, so the server chooses the device id), or
with a statement signed by the app's backend (strong: it names the device and its trusted facts). A device that enrols
again with an old credential keeps its id, whatever its key. Enrolments are rate limited (enrolment_limits) after their
proof was verified.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, Final

from walle.gateway.checkin import app_state
from walle.gateway.counts import GatewayCounts
from walle.gateway.enrolment_limits import EnrolmentLimiter
from walle.gateway.ports import AppState, GatewayState
from walle.gateway.problems import HttpProblem
from walle.protocol.documents import FactsStatement
from walle.protocol.errors import ProtocolError
from walle.protocol.names import DEVICE_ID_PATTERN, NEW_DEVICE_ID, NEW_DEVICE_ID_PATTERN
from walle.protocol.signing import verify_with_key

CREDENTIAL_S: Final = 90 * 24 * 3600
ID_BYTES: Final = 16


class EnrolmentHandler:
    """Answers enrolments. `clock` returns Unix seconds, `new_id` an unguessable device id."""

    def __init__(
        self, counts: GatewayCounts, limiter: EnrolmentLimiter, clock: Callable[[], float], new_id: Callable[[], str]
    ) -> None:
        self._counts = counts
        self._limiter = limiter
        self._clock = clock
        self._new_id = new_id

    def enrol(self, state: GatewayState | None, body: bytes, address: str | None) -> dict[str, Any]:
        """Return the answer to an enrolment request (docs/protocol.md) from an address. Raises HttpProblem."""
        request = _parse(body)
        app = app_state(state, request["app"])
        now = self._clock()
        facts: Mapping[str, Any] | None = None
        if request.get("statement") is not None:
            way = "statement"
            device, facts = _by_statement(app, request, now)
        else:
            known = _known_by_credential(app, request)
            way, device = ("key", self._new_id()) if known is None else ("again", known)
        if device in app.revoked:
            raise HttpProblem(403, "device-revoked", "this device may no longer enrol")
        if way == "key":
            self._limiter.admit_new(request["app"], app.enrolment_limit, address)
        else:
            self._limiter.admit_again(request["app"], device)
        self._counts.enrolments[request["app"], way] += 1
        expires = int(now) + CREDENTIAL_S
        return {
            "device": device,
            "credential": app.keyring.issue_credential(device, expires, facts),
            "expires": expires,
            "interval": app.table.table.interval,
        }


def new_device_id(token: Callable[[int], str]) -> str:
    """Return the id of a new device: `token` of 16 random bytes in Base64 for URLs.

    It does not begin with "-": a command would take it for an option.
    """
    while (device := token(ID_BYTES)).startswith("-"):
        pass
    return device


def _known_by_credential(app: AppState, request: Mapping[str, Any]) -> str | None:
    """Return the device whose old credential comes with an app key, if any. Raises HttpProblem for a wrong key."""
    key = request.get("key")
    if not isinstance(key, str) or sha256(key.encode(errors="replace")).hexdigest() not in app.enrol_keys:
        raise HttpProblem(403, "app-key-refused", "expected a current key of this app")
    return _shown(app, request)


def _shown(app: AppState, request: Mapping[str, Any]) -> str | None:
    """Return the device whose old credential comes with a request, if any."""
    device, credential = request.get("device"), request.get("credential")
    shown = isinstance(device, str) and isinstance(credential, str) and DEVICE_ID_PATTERN.fullmatch(device)
    return str(device) if shown and app.keyring.proves_identity(str(credential), str(device)) else None


def _by_statement(app: AppState, request: Mapping[str, Any], now: float) -> tuple[str, Mapping[str, Any]]:
    try:
        envelope = json.dumps(request["statement"]).encode()
        statement = FactsStatement.from_payload(verify_with_key("facts", envelope, app.backend_keys))
    except ProtocolError as error:
        raise HttpProblem(403, error.code, str(error)) from error
    if statement.app != request["app"]:
        raise HttpProblem(403, "mixed", f"the statement is for app {statement.app}")
    if statement.expires < now:
        raise HttpProblem(403, "expired", "the statement's time is over: ask the app's backend for a new one")
    if not NEW_DEVICE_ID_PATTERN.fullmatch(statement.device) and _shown(app, request) != statement.device:
        raise HttpProblem(400, "document-malformed", f"facts.device: expected {NEW_DEVICE_ID}")
    return statement.device, statement.facts


def _parse(body: bytes) -> Mapping[str, Any]:
    try:
        request = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise HttpProblem(400, "body-malformed", "expected a JSON object") from error
    if not isinstance(request, dict) or not isinstance(request.get("app"), str):
        raise HttpProblem(400, "body-malformed", 'expected a JSON object with "app"')
    return request
