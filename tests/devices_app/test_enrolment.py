"""Enrolment with the real database behind it: limits that people set, and what is known of enrolments afterwards."""

import json
from collections import Counter
from collections.abc import AsyncIterator

import httpx
import pytest
from django.db import connection
from django.db.models import Sum

from accounts_app.actors import SYSTEM
from devices_app.gateway import build_application
from devices_app.models import ActivityCount, App, AppKey
from devices_app.services import apps
from tests.devices_app.test_gateway import outside
from tests.gateway.serving import eventually, serving
from tests.support.waiting import ANSWER_S
from walle.gateway import buffer
from walle.gateway.application import GatewayApplication

COUNTED = ("enrolled_by_key", "enrolled_by_statement", "enrolments_refused")


class NoVariants:
    async def find(self, grant: object, path: str) -> None:
        return None


@pytest.fixture(autouse=True)
def flushed_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffer, "FLUSH_EVERY_S", 0.02)


@pytest.fixture
def key(committed_shop: App) -> str:
    _, text = apps.create_secret_key(app=committed_shop, kind=AppKey.Kind.ENROL, label="phones", actor=SYSTEM)
    connection.close()
    return text


@pytest.fixture
def application(key: str, settings) -> GatewayApplication:
    settings.WALLE_ENROLMENTS_PER_HOUR, settings.WALLE_ENROLMENTS_BLOCK_PERCENT = 50, 100
    return build_application(NoVariants(), lambda wanted, app: {})


@pytest.fixture
async def client(application: GatewayApplication) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        serving(application) as address,
        httpx.AsyncClient(base_url=f"{address}/walle/v1", timeout=ANSWER_S, verify=False) as client,
    ):
        yield client


async def enrol(client: httpx.AsyncClient, key: str, times: int) -> Counter[int]:
    body = json.dumps({"app": "shop", "key": key})
    return Counter([(await client.post("/enrol", content=body)).status_code for _ in range(times)])


def counted() -> dict[str, int]:
    return ActivityCount.objects.aggregate(**{name: Sum(name, default=0) for name in COUNTED})


async def test_the_server_s_limit_holds_until_the_app_has_one_of_its_own(
    client: httpx.AsyncClient, application: GatewayApplication, key: str, committed_shop: App
) -> None:
    assert await enrol(client, key, 8) == {200: 5, 429: 3}
    outside(lambda: apps.limit_enrolment(app=committed_shop, per_hour=1000, actor=SYSTEM))
    await eventually(lambda: application.gateway.tables.state.apps["shop"].enrolment_limit == 1000)
    assert (await enrol(client, key, 20))[200] == 20
    outside(lambda: apps.limit_enrolment(app=committed_shop, per_hour=0, actor=SYSTEM))
    await eventually(lambda: application.gateway.tables.state.apps["shop"].enrolment_limit == 0)
    assert await enrol(client, key, 3) == {429: 3}


async def test_what_gateways_count_is_added_to_the_pulse(client: httpx.AsyncClient, key: str) -> None:
    await enrol(client, key, 8)
    wanted = {"enrolled_by_key": 5, "enrolled_by_statement": 0, "enrolments_refused": 3}
    await eventually(lambda: outside(counted) == wanted)
    await enrol(client, key, 2)
    await eventually(lambda: outside(counted) == wanted | {"enrolments_refused": 5})
