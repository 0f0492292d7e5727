"""How long a request waits for a connection: briefly if the server is away, longer when all of the pool are in use."""

import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from psycopg_pool import PoolTimeout

from walleweb.databases import django_database
from walleweb.embedded.postgres import VOLATILE, Postgres, database_url
from walleweb.postgresql import base
from walleweb.postgresql.base import DatabaseWrapper, is_there

DEFAULTS = {"AUTOCOMMIT": True, "ATOMIC_REQUESTS": False, "CONN_MAX_AGE": 0, "TIME_ZONE": None, "TEST": {}}


@pytest.fixture
def server() -> Iterator[Postgres]:
    """A PostgreSQL server of the test's own, to be stopped."""
    with tempfile.TemporaryDirectory(prefix="walle-test-") as folder:
        Path(folder).chmod(0o755)
        server = Postgres(Path(folder) / "postgres", log=Path(folder) / "log", settings=VOLATILE)
        server.start()
        yield server
        with suppress(Exception):
            server.stop()


@pytest.fixture
def wrapper(server: Postgres, monkeypatch) -> Iterator[DatabaseWrapper]:
    """One connection of Django's, over a pool of one."""
    monkeypatch.setattr(base, "AWAY_S", 0.3)
    wrapper = DatabaseWrapper(DEFAULTS | django_database(database_url(server.directory), pool=1), alias="pool")
    yield wrapper
    wrapper.close_pool()


def test_a_busy_pool_is_waited_for_and_a_server_that_is_away_is_not(server: Postgres, wrapper: DatabaseWrapper) -> None:
    held = wrapper.get_new_connection({})
    # Longer than a server may be away, so that the request has asked whether it is.
    freed = threading.Timer(0.6, lambda: wrapper.pool.putconn(held))
    freed.start()
    again = wrapper.get_new_connection({})
    assert again.execute("SELECT 1").fetchone() == (1,)
    wrapper.pool.putconn(again)
    freed.join()

    server.stop()
    began = time.monotonic()
    with pytest.raises(PoolTimeout):
        wrapper.get_new_connection({})
    assert time.monotonic() - began < base.BUSY_S / 2

    server.start()
    again = wrapper.get_new_connection({})
    assert again.execute("SELECT 1").fetchone() == (1,)
    wrapper.pool.putconn(again)


def test_one_of_several_hosts_is_enough() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        here, nobody = listening.getsockname()[1], silent.getsockname()[1]
        assert is_there("127.0.0.1,127.0.0.1", f"{nobody},{here}", 1.0)
        assert not is_there("127.0.0.1", str(nobody), 1.0)
        assert not is_there("/nowhere", "", 1.0)
