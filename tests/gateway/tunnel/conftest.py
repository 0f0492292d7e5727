"""A gateway with tunnels in front of a sink in memory, on a real uvicorn."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.gateway.serving import serving
from tests.gateway.simulator import Clock, Cloud, make_gateway
from tests.gateway.tunnel.sinks import MemoryDictionaries, MemorySink, MemoryVersions
from tests.gateway.tunnel.wire import Wire
from walle.artifacts import LocalStore
from walle.gateway.application import Gateway, GatewayApplication
from walle.gateway.tunnel.endpoint import TunnelEndpoint
from walle.gateway.tunnel.limits import TunnelLimits
from walle.gateway.uvicorn_tunnels import TunnelProtocol

Opening = Callable[..., Awaitable[Wire]]


@pytest.fixture
def sink() -> MemorySink:
    return MemorySink()


@pytest.fixture
def dictionaries() -> MemoryDictionaries:
    return MemoryDictionaries()


@pytest.fixture
def versions() -> MemoryVersions:
    return MemoryVersions()


@pytest.fixture
def limits() -> TunnelLimits:
    return TunnelLimits(retry_s=0.01, retry_most_s=0.02, close_s=0.5, drain_s=0.5)


@pytest.fixture
async def gateway(cloud: Cloud, clock: Clock) -> Gateway:
    return make_gateway(cloud, clock)


@pytest.fixture
async def tunnel(
    gateway: Gateway,
    sink: MemorySink,
    dictionaries: MemoryDictionaries,
    limits: TunnelLimits,
    versions: MemoryVersions,
) -> TunnelEndpoint:
    return TunnelEndpoint(gateway, sink, dictionaries, limits, versions)


@pytest.fixture
async def application(gateway: Gateway, cloud: Cloud, tunnel: TunnelEndpoint, tmp_path: Path) -> GatewayApplication:
    return GatewayApplication(gateway, LocalStore(tmp_path / "artifacts"), cloud, tunnel=tunnel)


@pytest.fixture
async def address(application: GatewayApplication) -> AsyncIterator[str]:
    async with serving(application, ws=TunnelProtocol, ws_per_message_deflate=False, ws_max_size=65536) as address:
        yield address


@pytest.fixture
async def opening(address: str, cloud: Cloud) -> AsyncIterator[Opening]:
    """Opens the tunnel of a device, and closes it after the test."""
    async with AsyncExitStack() as stack:

        async def opened(device: str = "device-1", **options: object) -> Wire:
            headers = cloud.headers(device, profile=options.pop("profile", None))  # type: ignore[arg-type]
            return await stack.enter_async_context(await Wire.open(address, headers, **options))

        yield opened
