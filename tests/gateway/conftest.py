"""A gateway in front of a simulated control plane, over real HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.gateway.serving import serving
from tests.gateway.simulator import Clock, Cloud, make_application, make_gateway
from tests.release.tables import entry
from tests.support.waiting import ANSWER_S
from walle.gateway import buffer, table_cache
from walle.gateway.application import Gateway, GatewayApplication


@pytest.fixture(autouse=True)
def flushed_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffer, "FLUSH_EVERY_S", 0.02)


@pytest.fixture
def read_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that wait for a reading and do not ask how long that takes."""
    monkeypatch.setattr(table_cache, "READ_EVERY_S", 0.05)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def cloud() -> Cloud:
    """One task is released to every device of the app's version 1.0.0."""
    return Cloud(entries=[entry()])


@pytest.fixture
async def gateway(cloud: Cloud, clock: Clock) -> Gateway:
    return make_gateway(cloud, clock)


@pytest.fixture
async def application(gateway: Gateway, cloud: Cloud, tmp_path: Path) -> GatewayApplication:
    return make_application(gateway, cloud, tmp_path)


@pytest.fixture
async def address(application: GatewayApplication) -> AsyncIterator[str]:
    async with serving(application) as address:
        yield address


@pytest.fixture
async def client(address: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"{address}/walle/v1", timeout=ANSWER_S, verify=False) as client:
        yield client
