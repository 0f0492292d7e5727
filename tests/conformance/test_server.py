"""Walle's own gateway passes; servers that are spoiled in one respect fail the checks meant for it, and no others."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from zlib import crc32

import pytest

from tests.conformance.servers import GATEWAY_KEY, RETIRED, Shop
from tests.gateway.serving import serving
from tests.gateway.simulator import APP_KEY
from tests.vectors import keys
from walle.conformance import report
from walle.conformance.checks import select
from walle.conformance.server import CHECKS, Options, Target, tunnels
from walle.conformance.server.running import TargetUnreachable, check_server, make_client
from walle.gateway import checkin, offers
from walle.gateway.application import GatewayApplication
from walle.gateway.middleware import CheckInMiddleware
from walle.gateway.tunnel import conversation, order
from walle.gateway.tunnel.connections import TunnelConnection
from walle.gateway.uvicorn_protocol import CheckInProtocol
from walle.gateway.uvicorn_tunnels import TunnelProtocol
from walle.protocol import tunnel_frames
from walle.protocol.errors import FrameMalformed
from walle.protocol.keyed import Keyring

pytestmark = pytest.mark.slow

PAST = datetime(2026, 1, 1, tzinfo=UTC)
Spoil = Callable[[Shop, pytest.MonkeyPatch], Any]


async def business(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"vary", b"accept")]})
    await send({"type": "http.response.body", "body": b"business"})


async def outcomes(
    shop: Shop,
    application: Any = None,
    patterns: list[str] | None = None,
    protocol: Any = CheckInProtocol,
    **changes: Any,
):
    """Checks a server with everything that can be checked; its outcomes and what was written."""
    riding = CheckInMiddleware(business, shop.gateway)
    sockets = {"ws": TunnelProtocol, "ws_per_message_deflate": False, "ws_max_size": 65536}
    async with (
        serving(application or shop.application, http=protocol, access_log=False, **sockets) as address,
        serving(riding, lifespan="off") as service,
        make_client() as client,
    ):
        options = Options(
            address,
            "shop",
            APP_KEY,
            root=shop.cloud.roots[1],
            statement=shop.statement(),
            removed=RETIRED,
            riding=f"{service}/cart",
            gateway_key=GATEWAY_KEY,
        )
        target = Target(replace(options, **changes), client)
        return [each async for each in check_server(target, select(CHECKS, patterns or []))], target.wrote


def failed(found: list[Any]) -> set[str]:
    return {each.check.name for each in found if each.result == "failed"}


async def test_walles_own_gateway_conforms(tmp_path):
    shop = Shop(tmp_path)
    found, wrote = await outcomes(shop)
    assert {
        each.check.name: (each.result, each.expected, each.found) for each in found if each.result != "passed"
    } == {}
    assert report.conforms(found)
    enrolled = {device for device, _ in shop.cloud.reports}
    assert wrote[0].endswith("enrolments")
    assert int(wrote[1].split()[0]) >= len(shop.cloud.reports)
    assert all(received.offer is None for received in shop.cloud.reports.values()), "a check's report would be evidence"
    assert {received.report.task for received in shop.cloud.reports.values()} == {"conformance/check"}
    assert len(enrolled) == 1
    assert f"{len(shop.features.stored)} features" in wrote
    assert {feature.task for feature in shop.features.stored} == {"conformance/check", "conformance/other"}


async def test_a_server_without_tunnels_conforms(tmp_path):
    shop = Shop(tmp_path)
    bare = GatewayApplication(shop.gateway, shop.store, shop.cloud)
    found, _ = await outcomes(shop, bare, ["tunnel", "vectors.frames", "checkin.answer"])
    assert {each.found for each in found if each.result == "skipped"} == {"the server has no tunnel"}
    assert [each.check.name for each in found if each.result == "passed"] == ["checkin.answer"]
    assert report.conforms(found)


async def test_what_cannot_be_checked_is_skipped_and_does_not_conform(tmp_path):
    shop = Shop(tmp_path)
    found, _ = await outcomes(shop, app_key=None, statement=None, riding=None, gateway_key=None, removed=None)
    assert failed(found) <= {"enrol.app-unknown"}
    assert not report.conforms(found)
    assert any("--app-key" in str(each.found) for each in found if each.result == "skipped")


async def test_nobody_at_the_address_is_no_report(tmp_path):
    with pytest.raises(TargetUnreachable, match=r"127\.0\.0\.1:9"):
        await outcomes(Shop(tmp_path), server="http://127.0.0.1:9")


async def test_a_server_that_takes_in_any_number_of_headers_fails(tmp_path):
    found, _ = await outcomes(Shop(tmp_path), protocol="httptools")
    assert failed(found) == {"checkin.many-headers"}


def through(change: Callable[[bytes, bytes], bytes | None]) -> Spoil:
    """Spoils the headers of requests: `change` makes of a name and its value another value, None leaves it out."""

    def spoil(shop: Shop, patch: pytest.MonkeyPatch) -> Any:
        async def application(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http":
                lines = [(name, change(name, value)) for name, value in scope["headers"]]
                scope = {**scope, "headers": [line for line in lines if line[1] is not None]}
            await shop.application(scope, receive, send)

        return application

    return spoil


def answering(path: str, change: Callable[[dict[str, Any]], None]) -> Spoil:
    """Spoils the start or body messages of answers below a path."""

    def spoil(shop: Shop, patch: pytest.MonkeyPatch) -> Any:
        async def application(scope: Any, receive: Any, send: Any) -> None:
            async def spoiled(message: dict[str, Any]) -> None:
                if scope["path"].startswith(f"/walle/v1/{path}"):
                    change(message)
                await send(message)

            await shop.application(scope, receive, spoiled if scope["type"] == "http" else send)

        return application

    return spoil


def without_header(left_out: bytes, status: int) -> Callable[[dict[str, Any]], None]:
    def change(message: dict[str, Any]) -> None:
        if message.get("status") == status:
            message["headers"] = [pair for pair in message["headers"] if pair[0] != left_out]

    return change


def forget_number(name: bytes, value: bytes) -> bytes:
    return value.replace(b";n=999999999999999", b";n=0")


def lower_case(name: bytes, value: bytes) -> bytes:
    return value.replace(b";Age=", b";age=")


def forget_condition(name: bytes, value: bytes) -> bytes | None:
    return None if name == b"if-range" else value


def second_root(signer: str, expires: datetime = keys.FAR) -> Spoil:
    def spoil(shop: Shop, patch: pytest.MonkeyPatch) -> None:
        shop.cloud.roots[2] = keys.root(2, int(signer[-1]), signer, expires=expires)
        shop.cloud.refresh()

    return spoil


def everybody_is_known(shop: Shop, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Keyring, "proves_identity", lambda self, credential, device: True)


def nobody_is_known(shop: Shop, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Keyring, "proves_identity", lambda self, credential, device: False)


def always_install(shop: Shop, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(offers, "_action", lambda change, profile: "remove" if isinstance(change, str) else "install")


def any_number_of_lines(shop: Shop, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(checkin, "MAX_LINES", 1000)


def shared_token(shop: Shop, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(offers, "_token", lambda state, asker, change, now: "k1.1.1.1.1.same")


def spoiled_file(shop: Shop, patch: pytest.MonkeyPatch) -> None:
    shop.store.path(shop.main).chmod(0o644)
    shop.store.path(shop.main).write_bytes(b"x" * shop.store.path(shop.main).stat().st_size)


def taken_once(shop: Shop, patch: pytest.MonkeyPatch) -> Any:
    """Rejects a report that it knows."""
    known: set[str] = set()

    def change(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.body" and b'"accepted"' in message["body"]:
            answer = json.loads(message["body"])
            again = [one for one in answer["accepted"] if one in known]
            known.update(answer["accepted"])
            answer["accepted"] = [one for one in answer["accepted"] if one not in again]
            body = json.dumps(answer).encode()
            message["body"] = body + b" " * (len(message["body"]) - len(body))

    return answering("reports", change)(shop, patch)


def acknowledges_at_once(shop: Shop, patch: pytest.MonkeyPatch) -> None:
    """Forgets what it acknowledged."""
    shop.features.position_of = lambda key: 0  # type: ignore[method-assign]


def takes_any_order(shop: Shop, patch: pytest.MonkeyPatch) -> None:
    def is_new(self: order.SpoolOrder, sequence: int) -> bool:
        return sequence > self.received

    patch.setattr(order.SpoolOrder, "is_new", is_new)


def refuses_repetitions(shop: Shop, patch: pytest.MonkeyPatch) -> None:
    def is_new(self: order.SpoolOrder, sequence: int) -> bool:
        if sequence != self.due:
            raise FrameMalformed("frame-out-of-order", f"expected the feature {self.due}, found {sequence}")
        return True

    patch.setattr(order.SpoolOrder, "is_new", is_new)


def ignores_skips(shop: Shop, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(order.SpoolOrder, "skip", lambda self, to: None)


def decompresses_anything(shop: Shop, patch: pytest.MonkeyPatch) -> None:
    decompress = conversation.decompress
    patch.setattr(conversation, "decompress", lambda *given: decompress(*given[:3], 1 << 30) and b"{}")
    patch.setattr(conversation, "read_values", lambda data: {})


def skips_the_sum(shop: Shop, patch: pytest.MonkeyPatch) -> None:
    def read(data: bytes) -> Any:
        content = data[:-4]
        return tunnel_frames.read_device_frame(content + crc32(content).to_bytes(4, "little"))

    patch.setattr(conversation, "read_device_frame", read)


def keeps_older_tunnels(shop: Shop, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(TunnelConnection, "close", lambda self, ending: None)


def waits_longer(message: dict[str, Any]) -> None:
    if message["type"] == "http.response.start":
        waits = {b"walle-retry-after": b"67"}
        message["headers"] = [(name, waits.get(name, value)) for name, value in message["headers"]]


SPOILED: list[tuple[str, Spoil, set[str]]] = [
    ("any credential proves an id", everybody_is_known, {"enrol.forged"}),
    ("old credentials are forgotten", nobody_is_known, {"enrol.again"}),
    ("an answer to be cached", answering("checkin", without_header(b"cache-control", 204)), {"checkin.no-store"}),
    ("longer waits than promised", answering("checkin", waits_longer), {"checkin.spread"}),
    ("numbers are not compared", through(forget_number), {"checkin.higher-number"}),
    ("names of facts in any case", through(lower_case), {"vectors.walle-app"}),
    ("a root that the first did not sign", second_root("root-2"), {"roots.chain"}),
    ("an expired root", second_root("root-1", PAST), {"roots.expiry"}),
    ("updates are called installations", always_install, {"offers.update"}),
    ("any number of lines is joined", any_number_of_lines, {"checkin.most-lines"}),
    ("one token for all", shared_token, {"offers.token"}),
    ("If-Range is not looked at", through(forget_condition), {"files.if-range"}),
    ("a file that was damaged", spoiled_file, {"files.digests"}),
    ("parts without Content-Range", answering("artifacts", without_header(b"content-range", 206)), {"files.range"}),
    ("a repeated report is not accepted", taken_once, {"reports.again"}),
    ("positions are forgotten", acknowledges_at_once, {"tunnel.acknowledged", "tunnel.order", "tunnel.repeated"}),
    ("features in any order", takes_any_order, {"tunnel.order"}),
    ("repeated features are refused", refuses_repetitions, {"tunnel.repeated"}),
    ("what was dropped is waited for", ignores_skips, {"tunnel.dropped"}),
    ("any body is taken", decompresses_anything, {"tunnel.too-large", "vectors.bodies"}),
    ("damaged frames are read", skips_the_sum, {"tunnel.others", "vectors.frames"}),
    ("older tunnels stay", keeps_older_tunnels, {"tunnel.newest"}),
    (
        "variants without a statement",
        answering("exclusive", without_header(b"walle-variant", 200)),
        {"exclusive.variant"},
    ),
]


@pytest.mark.parametrize(("spoil", "failing"), [case[1:] for case in SPOILED], ids=[case[0] for case in SPOILED])
async def test_a_spoiled_server_fails_what_is_meant_for_it(tmp_path, monkeypatch, spoil, failing):
    monkeypatch.setattr(tunnels, "ANSWER_S", 4.0)
    shop = Shop(tmp_path)
    application = spoil(shop, monkeypatch)
    found, _ = await outcomes(shop, application)
    assert failed(found) == failing
    assert not report.conforms(found) or all("exclusive" in name for name in failing)
