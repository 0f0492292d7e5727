"""Checks of enrolments: docs/protocol.md, section Enrolment."""

from __future__ import annotations

import json
from typing import Any, Final

from walle.conformance.checks import Skipped, Suite, expect
from walle.conformance.server.target import Target, describe, expect_refused, is_now
from walle.protocol.documents import FactsStatement
from walle.protocol.names import DEVICE_ID_PATTERN
from walle.protocol.signing import sign
from walle.protocol.signing_libraries import CryptoSigner

SUITE: Final = Suite[Target]()
_TOO_LARGE: Final = b'{"app": "' + b"a" * (64 << 10) + b'"}'


def _with_key(target: Target) -> None:
    if target.options.app_key is None:
        raise Skipped("needs --app-key")


@SUITE.check("enrol.key", "enrolment", "An app key enrols: device id, credential, expiry and interval")
async def enrols(target: Target) -> None:
    _with_key(target)
    response = await target.enrol(future={"is": "ignored"})
    expect(response.status_code == 200, "200", describe(response))
    target.enrolled(response)
    answer: dict[str, Any] = response.json()
    device, credential = answer["device"], answer["credential"]
    expect(DEVICE_ID_PATTERN.fullmatch(device), "a device id of [A-Za-z0-9_-]{1,64}", device)
    fits = 0 < len(credential) <= 2048 and all(c.isalnum() or c in "._-" for c in credential)
    expect(fits, "a credential of [A-Za-z0-9._-]{1,2048}", credential[:80])
    expect(is_now(answer.get("expires"), after=3600), "expires: Unix seconds in the future", answer.get("expires"))
    interval = answer.get("interval")
    expect(type(interval) is int and interval >= 1, "interval: seconds, 1 or more", interval)


@SUITE.check("enrol.new-ids", "enrolment", "Each device gets an id of its own")
async def own_ids(target: Target) -> None:
    first, second = await target.device(), await target.device("second")
    expect(first.device != second.device, "two device ids", f"{first.device} twice")


@SUITE.check("enrol.again", "enrolment", "A device that shows its old credential keeps its id")
async def keeps_id(target: Target) -> None:
    _with_key(target)
    known = await target.device()
    repeated = target.enrolled(await target.enrol(device=known.device, credential=known.credential))
    expect(repeated.device == known.device, f"the id {known.device}", repeated.device)


@SUITE.check("enrol.forged", "enrolment", "An id without a genuine credential is not handed out")
async def no_theft(target: Target) -> None:
    _with_key(target)
    known, other = await target.device(), await target.device("second")
    for credential in (other.credential, "k1.1.x.0", None):
        response = await target.enrol(device=known.device, credential=credential)
        if response.status_code == 200:
            device = target.enrolled(response).device
            expect(device != known.device, "another id, or a refusal", "the id of somebody else")


@SUITE.check("enrol.key-refused", "errors", "An unknown app key is refused: 403 app-key-refused")
async def key_refused(target: Target) -> None:
    expect_refused(await target.enrol(key="wa_conformance-no-such-key"), 403, "app-key-refused")
    expect_refused(await target.enrol(key=None), 403, "app-key-refused")


@SUITE.check("enrol.app-unknown", "errors", "An unknown app is refused: 400 app-unknown")
async def app_unknown(target: Target) -> None:
    expect_refused(await target.enrol(app="conformance-no-such-app"), 400, "app-unknown")


@SUITE.check("enrol.body", "errors", "A body that is no JSON object with an app is refused: 400 body-malformed")
async def body_malformed(target: Target) -> None:
    for body in (b"", b"{", b"[]", b"7", b"null", b"{}", b'{"app": 7}', b"\xff\xfe", b"[" * 60_000):
        response = await target.request("POST", "/enrol", content=body)
        expect_refused(response, 400, "body-malformed")


@SUITE.check("enrol.too-large", "limits", "A body of more than 64 KiB is refused: 413 body-too-large")
async def too_large(target: Target) -> None:
    expect_refused(await target.request("POST", "/enrol", content=_TOO_LARGE), 413, "body-too-large")


@SUITE.check("enrol.method", "errors", "Enrolment is a POST: 405 method-not-allowed")
async def method(target: Target) -> None:
    expect_refused(await target.request("GET", "/enrol"), 405, "method-not-allowed")


@SUITE.check("enrol.statement-forged", "enrolment", "A statement that no backend key signed is refused: 403")
async def forged_statement(target: Target) -> None:
    document = FactsStatement(target.options.app, "conformance-forged", {"vip": True}, 2_000_000_000).to_dict()
    signed = json.loads(sign("facts", document, [CryptoSigner.generate_ed25519()]))
    expect_refused(await target.enrol(statement=signed), 403, "wrong-signature")
    expect_refused(await target.enrol(statement={**signed, "signatures": []}), 403, "unsigned")
    expect_refused(await target.enrol(statement={"vip": True}), 403, "unsigned")


@SUITE.check("enrol.statement", "enrolment", "A backend's statement enrols the device that it names", mandatory=False)
async def statement(target: Target) -> None:
    if target.options.statement is None:
        raise Skipped("needs --statement")
    device = await target.device("stated")
    expect(DEVICE_ID_PATTERN.fullmatch(device.device), "a device id", device.device)
    expect((await target.check_in(target.headers(device))).status_code == 204, "204 for its check-in", "a refusal")


@SUITE.check("errors.not-found", "errors", "Other paths are not of the protocol: 404 not-found")
async def not_found(target: Target) -> None:
    for path in ("/conformance", "/enrol/x", "/checkin/x"):
        expect_refused(await target.request("GET", path), 404, "not-found")
