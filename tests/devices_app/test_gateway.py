"""The gateway wired to the real database: told of changes at once, and steady while the database is away."""

import asyncio
import contextlib
import itertools
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from uuid import uuid4

import httpx
import psycopg
import pytest
from django.db import connection, transaction
from django.db.models import Q

from accounts_app.actors import SYSTEM
from devices_app.gateway import PostgresReportSink, PostgresTableSource, build_application
from devices_app.models import App, AppKey, Device, GatewayPresence, InstalledTask, PublishedTable, Report
from devices_app.selectors.state import gateway_state
from devices_app.services import apps
from devices_app.services.devices import revoke
from devices_app.services.revisions import announce_change
from devices_app.services.rotation import rotate
from devices_app.services.tables import publish
from releases_app.models import Exposure
from releases_app.services.pacing import lease
from tests.devices_app.conftest import NOW
from tests.devices_app.records import check_in, received
from tests.gateway.serving import eventually, serving
from tests.release.tables import entry
from tests.support.waiting import ANSWER_S
from tests.vectors.reports import FULL
from walle.gateway import table_cache
from walle.gateway.ports import FoundVariant, PortUnavailable
from walle.protocol.headers import AppHeader, CheckIn, DeviceHeader, read_offers, short_digest
from walle.protocol.keyed import ExclusiveGrant
from walle.protocol.signing import TrustedRoots, detached
from walle.release.cohort import Cohort, device_point
from walle.release.table import Entry

Result = TypeVar("Result")


def outside(work: Callable[[], Result]) -> Result:
    """What people do meanwhile: in a thread, with a connection that is closed afterwards."""

    def run() -> Result:
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


@pytest.fixture
def shop(committed_shop: App) -> App:
    """Leaves no connection of the test's own open, which an outage would break."""
    connection.close()
    return committed_shop


@pytest.fixture
async def source(shop: App) -> AsyncIterator[PostgresTableSource]:
    source = PostgresTableSource()
    yield source
    await source.close()


@pytest.fixture
async def sink(shop: App) -> AsyncIterator[PostgresReportSink]:
    sink = PostgresReportSink()
    yield sink
    await sink.close()


@contextlib.contextmanager
def database_away() -> Iterator[None]:
    """Nobody can connect, and whoever is connected is thrown out; until the block ends."""
    settings = connection.settings_dict
    elsewhere = {name: settings[name.upper()] for name in ("user", "password", "host", "port")}
    with psycopg.connect(**elsewhere, dbname="postgres", autocommit=True) as keeper:
        name = psycopg.sql.Identifier(settings["NAME"])
        keeper.execute(psycopg.sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(name))
        keeper.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [settings["NAME"]])
        try:
            yield
        finally:
            keeper.execute(psycopg.sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true").format(name))


async def listening(source: PostgresTableSource) -> None:
    """Waits until the listener has announced its own beginning."""
    await source.wait(ANSWER_S)


async def test_the_state_is_read_once_per_revision(source: PostgresTableSource, shop: App) -> None:
    state = await source.read(None)
    assert state
    assert await source.read(state.revision) is None
    outside(lambda: publish(app=shop, entries=[entry()], removals=[], now=NOW))
    changed = await source.read(state.revision)
    assert changed
    assert changed.revision > state.revision
    assert changed.apps["shop"].table.table.entries == (entry(),)


async def test_a_publication_is_announced_at_once(source: PostgresTableSource, shop: App) -> None:
    await listening(source)
    for _ in range(3):
        waiting = asyncio.create_task(source.wait(30))
        await asyncio.sleep(0)
        began = asyncio.get_running_loop().time()
        outside(lambda: publish(app=shop, entries=[entry()], removals=[], now=NOW))
        published = asyncio.get_running_loop().time()
        await waiting
        assert asyncio.get_running_loop().time() - published < 1.0, published - began


async def test_revocations_keys_and_roots_are_announced_too(source: PostgresTableSource, shop: App) -> None:
    device = outside(
        lambda: Device.objects.create(app=shop, device="device-1", claims="", first_seen=NOW, last_seen=NOW)
    )
    await listening(source)
    changes = (
        lambda: revoke(device=device, actor=SYSTEM, now=NOW, reason="stolen"),
        lambda: apps.create_secret_key(app=shop, kind=AppKey.Kind.ENROL, label="x", actor=SYSTEM),
        lambda: rotate(purpose="root", actor=SYSTEM, now=NOW),
        lambda: rotate(purpose="device", actor=SYSTEM, now=NOW),
        lambda: apps.limit_enrolment(app=shop, per_hour=10, actor=SYSTEM),
    )
    for change in changes:
        state = await source.read(None)
        assert state
        outside(change)
        await asyncio.wait_for(source.wait(30), 5)
        assert await source.read(state.revision)


async def test_nothing_is_announced_before_it_is_committed(source: PostgresTableSource, shop: App) -> None:
    published, commit = threading.Event(), threading.Event()

    def slowly() -> None:
        with transaction.atomic():
            publish(app=shop, entries=[entry()], removals=[], now=NOW)
            published.set()
            commit.wait(ANSWER_S)

    await listening(source)
    person = asyncio.get_running_loop().run_in_executor(None, outside, slowly)
    await eventually(published.is_set)
    began = asyncio.get_running_loop().time()
    await source.wait(0.2)
    assert asyncio.get_running_loop().time() - began >= 0.19
    commit.set()
    await asyncio.wait_for(source.wait(30), 5)
    await person


async def test_the_listener_connects_as_django_does(source: PostgresTableSource) -> None:
    """With its TLS settings above all; the name of the application shows that options go along."""
    await listening(source)
    assert outside(listeners) == {connection.settings_dict["OPTIONS"]["application_name"]}


def listeners() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT application_name FROM pg_stat_activity WHERE query = 'LISTEN \"walle_gateway\"'")
        return {name for (name,) in cursor.fetchall()}


async def test_while_the_database_is_away_every_port_says_so_and_recovers(
    source: PostgresTableSource, sink: PostgresReportSink, shop: App
) -> None:
    state = await source.read(None)
    assert state
    await listening(source)
    await sink.record_check_ins([check_in()])
    with database_away():
        for _ in range(2):
            for call in (
                lambda: source.read(state.revision),
                lambda: sink.record_check_ins([check_in(at=NOW.timestamp() + 60)]),
                lambda: sink.record_reports([received()]),
                sink.record_presence,
            ):
                with pytest.raises(PortUnavailable):
                    await call()
    assert await source.read(state.revision) is None
    await sink.record_check_ins([check_in(at=NOW.timestamp() + 60)])
    await sink.record_reports([received()])
    assert outside(Device.objects.get).last_seen.timestamp() == NOW.timestamp() + 60
    assert outside(Report.objects.count) == 1
    await sink.record_presence()
    assert outside(GatewayPresence.objects.exists)
    # The listener finds its way back by itself.
    while True:
        outside(lambda: publish(app=shop, entries=[entry()], removals=[], now=NOW))
        began = asyncio.get_running_loop().time()
        await source.wait(1.5)
        if asyncio.get_running_loop().time() - began < 1.0:
            break


class Variants:
    async def find(self, grant: ExclusiveGrant, path: str) -> FoundVariant | None:
        return None


@pytest.fixture
async def client(shop: App, settings, tmp_path) -> AsyncIterator[httpx.AsyncClient]:
    settings.WALLE_ARTIFACTS_DIR = tmp_path
    application = build_application(Variants(), lease)
    async with (
        serving(application) as address,
        httpx.AsyncClient(base_url=f"{address}/walle/v1", verify=False, timeout=ANSWER_S) as client,
    ):
        yield client


async def enrolled(client: httpx.AsyncClient, text: str) -> dict[str, str]:
    answer = (await client.post("/enrol", json={"app": "shop", "key": text})).json()
    header = DeviceHeader(answer["device"], answer["credential"], 0)
    profile = {"camera/digits": bytes(12)}
    return CheckIn(header, AppHeader("shop", {"app_version": "1.0.0"}), profile).headers()


@pytest.fixture
def app_key(shop: App) -> str:
    kind = AppKey.Kind.ENROL
    return outside(lambda: apps.create_secret_key(app=shop, kind=kind, label="in the app", actor=SYSTEM))[1]


async def test_the_whole_way(app_key: str, client: httpx.AsyncClient, shop: App) -> None:
    """Enrol, check in, be offered what is published a moment later, report, and be in the registry."""
    headers = await enrolled(client, app_key)
    assert "walle-offers" not in (await client.get("/checkin", headers=headers)).headers
    outside(lambda: publish(app=shop, entries=[entry()], removals=[], now=NOW))
    async with asyncio.timeout(5):
        while "walle-offers" not in (response := await client.get("/checkin", headers=headers)).headers:
            await asyncio.sleep(0.01)
    (offer,) = read_offers(response.headers["walle-offers"].encode())
    trusted = TrustedRoots((await client.get("/roots/1.json")).content)
    assert trusted.verify("assignment", detached("assignment", offer.assignment, offer.key_id, offer.signature))
    report = FULL | {"offer_token": offer.token}
    answer = (await client.post("/reports", json={"reports": [report]}, headers=headers)).json()
    assert answer == {"accepted": [report["id"]], "rejected": []}
    row, table = outside(Report.objects.get), outside(PublishedTable.objects.get)
    assert (row.evidence, row.release, row.number) == (True, 1, table.number)
    await eventually(lambda: outside(InstalledTask.objects.exists))
    installed = outside(InstalledTask.objects.get)
    assert (installed.task, installed.manifest) == ("camera/digits", short_digest("00" * 32).hex())


async def test_a_device_on_trial(app_key: str, client: httpx.AsyncClient, shop: App) -> None:
    """It is offered the version within its pace; its exposure is logged, its report settles it; another is control."""
    on_trial = entry(release=7, stage=3, share=500_000, control=500_000, observed=True, pace=50)
    device = next(name for number in itertools.count() if bucket(on_trial, name := f"device-{number}") < 500_000)
    other = next(name for number in itertools.count() if bucket(on_trial, name := f"device-{number}") >= 500_000)
    outside(lambda: publish(app=shop, entries=[on_trial], removals=[], now=NOW))
    keyring = outside(gateway_state).apps["shop"].keyring

    def headers_of(name: str) -> dict[str, str]:
        header = DeviceHeader(name, keyring.issue_credential(name, int(time.time()) + 600), 0)
        return CheckIn(header, AppHeader("shop", {"app_version": "1.0.0"}), {"camera/digits": bytes(12)}).headers()

    async with asyncio.timeout(10):
        while "walle-offers" not in (response := await client.get("/checkin", headers=headers_of(device))).headers:
            await asyncio.sleep(0.05)
    assert "walle-offers" not in (await client.get("/checkin", headers=headers_of(other))).headers
    await eventually(lambda: outside(Exposure.objects.filter(Q(arm="control") | Q(number__gt=0)).count) == 2)
    (offer,) = read_offers(response.headers["walle-offers"].encode())
    for name, token in ((device, offer.token), (other, None)):
        report = FULL | {"id": str(uuid4()), "offer_token": token}
        await client.post("/reports", json={"reports": [report]}, headers=headers_of(name))
    rows = outside(lambda: {row.device: row for row in Exposure.objects.all()})
    assert {name: (row.arm, row.outcome) for name, row in rows.items()} == {
        device: ("treatment", FULL["outcome"]),
        other: ("control", FULL["outcome"]),
    }
    assert rows[device].bucket == bucket(on_trial, device)


def bucket(released: Entry, device: str) -> int:
    return Cohort(released.salt).bucket(device_point(device))


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gateway that reads ten times a second and trusts that for half a second."""
    monkeypatch.setattr(table_cache, "LEASE_S", 0.5)
    monkeypatch.setattr(table_cache, "READ_EVERY_S", 0.1)


async def test_an_outage_of_the_database(hurried: None, app_key: str, client: httpx.AsyncClient, shop: App) -> None:
    """Reports wait, offers stop once the lease is over, check-ins go on; and all of it comes back."""
    headers = await enrolled(client, app_key)
    outside(lambda: publish(app=shop, entries=[entry()], removals=[], now=NOW))
    report = {"reports": [FULL | {"offer_token": None}]}

    async def offered() -> bool:
        response = await client.get("/checkin", headers=headers)
        assert response.status_code == 204
        return "walle-offers" in response.headers

    async def until(wanted: bool) -> None:
        async with asyncio.timeout(10):
            while await offered() is not wanted:
                await asyncio.sleep(0.02)

    await until(True)
    with database_away():
        refused = await client.post("/reports", json=report, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
        await until(False)
    await until(True)
    assert (await client.post("/reports", json=report, headers=headers)).status_code == 200
    assert outside(Report.objects.count) == 1


async def test_a_table_that_cannot_be_read_stops_offers_and_nothing_else(
    hurried: None, app_key: str, client: httpx.AsyncClient, shop: App
) -> None:
    headers = await enrolled(client, app_key)
    good = bytes(outside(PublishedTable.objects.get).envelope)
    outside(lambda: (PublishedTable.objects.update(envelope=b"{}"), announce_change()))
    assert (await client.get("/checkin", headers=headers)).status_code == 204
    outside(lambda: PublishedTable.objects.update(envelope=good))
    outside(lambda: publish(app=shop, entries=[entry()], removals=[], now=NOW))
    async with asyncio.timeout(10):
        while "walle-offers" not in (await client.get("/checkin", headers=headers)).headers:
            await asyncio.sleep(0.02)
