"""Health and readiness, with each failure caused."""

import asyncio
import contextlib
import json
import socket
import tempfile
from pathlib import Path
from types import SimpleNamespace

import httpx
import psycopg
import pytest
from django.db.migrations import Migration
from psycopg_pool import ConnectionPool

from tests.gateway.simulator import Clock, Cloud, make_gateway
from walleweb import health
from walleweb.asgi import Router
from walleweb.broker import BrokerReading
from walleweb.embedded.postgres import VOLATILE, Postgres, database_url

APPLIED = frozenset({("jobs_app", "0001_initial")})


class Watched:
    """A process with a gateway on a simulated control plane, asked over ASGI."""

    def __init__(self, known=APPLIED):
        self.clock, self.cloud = Clock(), Cloud()
        self.gateway = make_gateway(self.cloud, self.clock)
        self.broker, self.asked = "", 0
        broker = BrokerReading(self._of_broker, lambda: self.clock.monotonic)
        migrations = {(app, name): Migration(name, app) for app, name in known}
        readiness = health.Readiness(self.gateway, broker, lambda: migrations, lambda: self.clock.monotonic)
        operations = {"/healthz": health.alive, "/readyz": readiness}
        self.application = Router(django=None, gateway=None, git=None, sockets=None, operations=operations)

    def _of_broker(self):
        self.asked += 1
        return self.broker

    async def get(self, path):
        transport = httpx.ASGITransport(self.application)
        async with httpx.AsyncClient(transport=transport, base_url="http://walle") as client:
            return await client.get(path)

    async def checks(self):
        """The status of /readyz, and what fails with the reason."""
        answer = await self.get("/readyz")
        document = answer.json()
        assert document["ready"] == (answer.status_code == 200)
        failing = {name: check["detail"] for name, check in document["checks"].items() if not check["ok"]}
        return answer.status_code, failing


@pytest.fixture
async def watched(monkeypatch):
    """Ready: with tables, and a database that has the migrations."""
    watched = Watched()
    await watched.gateway.tables.refresh()
    monkeypatch.setattr(health, "direct_connection", Database.connect)
    return watched


class Database:
    """A database that has APPLIED, as far as readiness asks."""

    looks = 0

    @classmethod
    async def connect(cls):
        cls.looks += 1
        return cls()

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        return None

    async def execute(self, query):
        return self

    async def fetchall(self):
        return list(APPLIED)


async def test_alive_is_said_without_anything_else():
    answer = await Watched().get("/healthz")
    assert (answer.status_code, answer.text) == (200, "alive\n")
    assert answer.headers["cache-control"] == "no-store"


async def test_ready(watched):
    assert await watched.checks() == (200, {})


async def test_a_broker_that_is_away_impairs_and_takes_no_process_out(watched):
    watched.broker = "Redis cannot be reached"
    answer = await watched.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["impaired"] == {"broker": "Redis cannot be reached: workers find jobs by looking for them"}
    watched.broker = ""
    await watched.get("/readyz")
    assert watched.asked == 1
    watched.clock.advance(1.1)
    assert (await watched.get("/readyz")).json()["impaired"] == {}


async def test_before_the_first_table_a_process_is_not_ready(watched):
    watched.gateway.tables.state = None
    assert await watched.checks() == (503, {"tables": "no tables have been read yet"})


async def test_without_a_fresh_lease_a_process_is_not_ready(watched):
    watched.clock.advance(5.1)
    assert await watched.checks() == (503, {"tables": "tables could not be read for more than 5 s"})
    await watched.gateway.tables.refresh()
    assert await watched.checks() == (200, {})


async def test_missing_migrations_are_counted(monkeypatch):
    watched = Watched(known=APPLIED | {("jobs_app", "9998_x"), ("jobs_app", "9999_y")})
    await watched.gateway.tables.refresh()
    monkeypatch.setattr(health, "direct_connection", Database.connect)
    assert await watched.checks() == (503, {"migrations": "2 are not applied"})


async def test_many_callers_wait_for_one_look_and_it_is_remembered_for_a_second(watched):
    Database.looks = 0
    await asyncio.gather(*(watched.checks() for _ in range(50)))
    assert Database.looks == 1
    watched.clock.advance(0.9)
    await watched.checks()
    assert Database.looks == 1
    watched.clock.advance(0.2)
    await watched.checks()
    assert Database.looks == 2


async def test_a_database_that_does_not_answer_holds_nobody_up(watched, monkeypatch):
    """Something listens, accepts, and says nothing."""
    monkeypatch.setattr(health, "DATABASE_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        address = f"postgresql://walle:hunter22@127.0.0.1:{port}/walle"
        monkeypatch.setattr(health, "direct_connection", lambda: psycopg.AsyncConnection.connect(address))
        status, failing = await watched.checks()
        assert (status, failing["database"]) == (503, "it did not answer within 0.2 s")
        looking = {task for task in asyncio.all_tasks() if "_read_database" in repr(task)}
        for task in looking:
            task.cancel()
        await asyncio.gather(*looking, return_exceptions=True)


@pytest.fixture
def server():
    """A PostgreSQL server of the test's own, to be stopped."""
    with tempfile.TemporaryDirectory(prefix="walle-test-") as folder:
        Path(folder).chmod(0o755)
        server = Postgres(Path(folder) / "postgres", log=Path(folder) / "log", settings=VOLATILE)
        server.start()
        yield server
        with contextlib.suppress(Exception):
            server.stop()


async def test_a_stopped_postgresql_is_told_and_its_return_too(watched, server, monkeypatch):
    address = database_url(server.directory)
    monkeypatch.setattr(health, "direct_connection", lambda: psycopg.AsyncConnection.connect(address))
    assert await watched.checks() == (503, {"migrations": "none is applied"})
    async with await psycopg.AsyncConnection.connect(address) as connection:
        await connection.execute("CREATE TABLE django_migrations AS SELECT 'jobs_app' app, '0001_initial' name")
    watched.clock.advance(1)
    assert await watched.checks() == (200, {})

    server.stop()
    watched.clock.advance(1)
    status, failing = await watched.checks()
    assert status == 503
    assert failing == {
        "database": "it cannot be reached",
        "migrations": "not known while the database cannot be reached",
    }
    assert "postgres" not in json.dumps(failing)  # neither its address nor its folder
    assert (await watched.get("/healthz")).status_code == 200

    server.start()
    watched.clock.advance(1)
    assert await watched.checks() == (200, {})


async def test_an_exhausted_pool_is_told_in_time(watched, server, monkeypatch):
    with ConnectionPool(database_url(server.directory), min_size=0, max_size=1) as pool:
        monkeypatch.setattr("django.db.connection", SimpleNamespace(pool=pool))
        assert await watched.checks() == (200, {})
        with pool.connection():
            watched.clock.advance(1)
            assert await watched.checks() == (503, {"database": "no connection of the pool came free within 1 s"})
        watched.clock.advance(1)
        assert await watched.checks() == (200, {})


def test_migrations_of_the_code_are_missed_and_contractions_may_come_later():
    known = health.known_migrations()
    contracting = {key for key, each in known.items() if hasattr(each, "contracts")}
    assert contracting
    assert health.missing_migrations(known, known.keys() - contracting) == set()
    lacking = {("jobs_app", "0001_initial"), ("auth", "0001_initial")}
    assert health.missing_migrations(known, known.keys() - contracting - lacking) == lacking


@pytest.mark.django_db(transaction=True)
async def test_the_real_process_answers_with_the_real_database():
    """Its gateway has not been started here, so it has no tables; the database is there and migrated."""
    from walleweb.asgi import application

    async with httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost") as client:
        answer = await client.get("/readyz")
    assert answer.status_code == 503
    assert {name: check["ok"] for name, check in answer.json()["checks"].items()} == {
        "database": True,
        "migrations": True,
        "tables": False,
    }
