"""Checks of the relay, which feeds gateways in business services, and of cohorts, which it reveals."""

from __future__ import annotations

import base64
from typing import Any, Final

import httpx

from walle.conformance.checks import ExpectationUnmet, Skipped, Suite, expect
from walle.conformance.server.target import Target, describe
from walle.protocol import headers as wire
from walle.protocol.errors import ProtocolError
from walle.release.decision import CompiledTable, choose
from walle.release.rules import RuleMalformed
from walle.release.table import Table

SUITE: Final = Suite[Target]()
_DEVICES: Final = 8


async def _state(target: Target, **headers: str) -> httpx.Response:
    if target.options.gateway_key is None:
        raise Skipped("needs --gateway-key")
    bearer = {"Authorization": f"Bearer {target.options.gateway_key}"}
    return await target.request("GET", f"/relay/{target.options.app}/state", headers={**bearer, **headers})


@SUITE.check("relay.refused", "relay", "Without a gateway key of the app: 401 gateway-key-refused", mandatory=False)
async def refused(target: Target) -> None:
    for headers in ({}, {"Authorization": "Bearer wg_conformance-no-such-key"}):
        response = await target.request("GET", f"/relay/{target.options.app}/state", headers=headers)
        found = (response.status_code, response.headers.get(wire.ERROR))
        expect(found == (401, "gateway-key-refused"), "401 gateway-key-refused", describe(response))


@SUITE.check("relay.state", "relay", "The state has its revision as ETag, and is not sent twice", mandatory=False)
async def state(target: Target) -> None:
    response = await _state(target)
    expect(response.status_code == 200, "200", describe(response))
    etag = response.headers.get("etag", "")
    revision = response.json().get("revision")
    expect(etag == f'"{revision}"', f'the ETag "{revision}"', etag or "none")
    repeated = await _state(target, **{"If-None-Match": etag})
    expect(repeated.status_code in (200, 304), "304", describe(repeated))
    unchanged = repeated.status_code == 304 or repeated.headers.get("etag") != etag
    expect(unchanged, "304 for If-None-Match", describe(repeated))


@SUITE.check("relay.table", "table", "The table is signed by the timestamp role and can be read", mandatory=False)
async def table(target: Target) -> None:
    await _table(target, await _state(target))


async def _table(target: Target, response: httpx.Response) -> CompiledTable:
    expect(response.status_code == 200, "200", describe(response))
    state: dict[str, Any] = response.json()
    try:
        envelope = base64.b64decode(state["table"])
        signed = Table.from_payload((await target.roots()).verify("table", envelope))
        return CompiledTable(signed, state["lists"])
    except (ProtocolError, RuleMalformed, ValueError, KeyError, TypeError) as error:
        raise ExpectationUnmet(
            "a table that the chain of roots vouches for", f"{type(error).__name__}: {error}"
        ) from error


@SUITE.check("relay.cohorts", "cohorts", "Devices are offered what their buckets say", mandatory=False)
async def cohorts(target: Target) -> None:
    """Check the offers of releases without pace and time window, which can be predicted."""
    compiled = await _table(target, await _state(target))
    unsure = {entry.task for entry in compiled.table.entries if entry.pace is not None or entry.open_until is not None}
    facts = {"app_version": target.options.app_version, **target.options.facts}
    for number in range(_DEVICES):
        device = await target.device(f"cohort {number}")
        offers = await target.offered(device)
        changes, _ = choose(compiled.plan(facts, {}), device.device)
        predicted = {change if isinstance(change, str) else change.task for change in changes} - unsure
        offered = {offer.task for offer in offers} - unsure
        right = offered == predicted if len(predicted | unsure) <= 4 else offered <= predicted
        expect(right, f"{sorted(predicted)} for {device.device}", sorted(offered))
