"""Who may open a tunnel, and what the others are answered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from tests.gateway.serving import eventually, serving
from tests.gateway.simulator import Cloud, make_application, make_gateway
from tests.gateway.tunnel.conftest import Opening
from tests.gateway.tunnel.wire import DIGEST, TASK, Wire
from walle.gateway.tunnel.endpoint import TunnelEndpoint
from walle.gateway.tunnel.limits import TunnelLimits
from walle.protocol.deferrals import DEFERRAL
from walle.protocol.tunnel_frames import Welcome


async def refusal(address: str, headers: Any, **options: Any) -> tuple[int, str]:
    with pytest.raises(InvalidStatus) as caught:
        await Wire.open(address, headers, **options)
    response = caught.value.response
    assert f'"code": "{response.headers["walle-error"]}"' in (response.body or b"").decode()
    return response.status_code, response.headers["walle-error"]


async def test_a_device_is_welcomed(opening: Opening, tunnel: TunnelEndpoint) -> None:
    wire = await opening(profile={TASK: DIGEST})
    assert wire.socket.subprotocol == "walle.tunnel.1"
    assert await wire.hello() == Welcome(0, tunnel.limits.window)
    connection = tunnel.connections.of("shop", "device-1")
    assert connection is not None
    assert connection.profile == {TASK: DIGEST}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"Walle-Device": '"device-1";c="k1.1..abc";n=0'}, (401, "credential-invalid")),
        ({"Walle-Device": ""}, (400, "header-malformed")),
        ({"Walle-App": '"nobody";v="1"'}, (400, "app-unknown")),
        ({"Walle-Profile": "nonsense"}, (400, "header-malformed")),
    ],
)
async def test_a_handshake_is_refused_as_a_check_in_is(
    address: str, cloud: Cloud, tunnel: TunnelEndpoint, change: dict[str, str], expected: tuple[int, str]
) -> None:
    assert await refusal(address, cloud.headers() | change) == expected
    assert tunnel.gateway.counts.refusals["tunnel", expected[1]] == 1
    assert not tunnel.counts.opened


async def test_what_a_device_put_off_when_it_connected_means_nothing_later(
    address: str, cloud: Cloud, tunnel: TunnelEndpoint
) -> None:
    async with await Wire.open(address, cloud.headers() | {DEFERRAL: "in-call;for=600"}) as wire:
        await wire.hello()
        connection = tunnel.connections.of("shop", "device-1")
        assert connection is not None
        assert connection.headers.deferral == b""


async def test_a_revoked_device_is_refused(address: str, cloud: Cloud, tunnel: TunnelEndpoint) -> None:
    cloud.revoked.add("device-1")
    cloud.refresh()
    await eventually(lambda: tunnel.gateway.tables.state is cloud.state)
    assert await refusal(address, cloud.headers()) == (401, "device-revoked")


async def test_the_subprotocol_has_to_be_named(address: str, cloud: Cloud) -> None:
    assert await refusal(address, cloud.headers(), subprotocols=None) == (400, "subprotocol-unknown")


async def test_a_gateway_that_stops_refuses(address: str, cloud: Cloud, tunnel: TunnelEndpoint) -> None:
    tunnel.drain()
    assert await refusal(address, cloud.headers()) == (503, "unavailable")


class TestFullGateway:
    @pytest.fixture
    def limits(self, limits: TunnelLimits) -> TunnelLimits:
        return replace(limits, connections=1)

    async def test_only_who_is_connected_may_connect(self, opening: Opening, address: str, cloud: Cloud) -> None:
        await (await opening()).hello()
        assert await refusal(address, cloud.headers("device-2")) == (503, "unavailable")
        await (await opening()).hello()


async def test_a_gateway_without_a_sink_has_no_tunnels(cloud: Cloud, clock: Any, tmp_path: Any) -> None:
    plain = make_application(make_gateway(cloud, clock), cloud, tmp_path)
    async with serving(plain) as address:
        assert await refusal(address, cloud.headers()) == (404, "not-found")
