"""The backend as Django loads it by its name (ENGINE)."""

import socket
from contextlib import suppress
from typing import Any, Final

from django.db.backends.postgresql import base
from django.db.backends.postgresql.psycopg_any import IsolationLevel
from django.utils.asyncio import async_unsafe
from psycopg_pool import PoolTimeout

AWAY_S: Final = 1.0
"""Seconds after which a request is refused if nobody listens where the server should be."""
BUSY_S: Final = 5.0
"""Seconds after which it is refused if the server is there, and all connections of the pool are in use."""
DEFAULT_PORT: Final = "5432"


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection of Django's; with a pool, a server that is away is noticed sooner than one that is busy."""

    @async_unsafe
    def get_new_connection(self, conn_params: Any) -> Any:
        pool = self.pool
        if pool is None:
            return super().get_new_connection(conn_params)
        self.isolation_level = IsolationLevel.READ_COMMITTED
        pool.open()
        try:
            return pool.getconn(AWAY_S)
        except PoolTimeout:
            if not is_there(self.settings_dict["HOST"], self.settings_dict["PORT"], AWAY_S):
                raise
        return pool.getconn(BUSY_S - AWAY_S)


def is_there(hosts: str, ports: str, timeout: float) -> bool:
    """Return whether something listens at one of these places, which may be folders of sockets; see libpq.

    Nothing is sent: a server that has no connection left for us is there.
    """
    named = ports.split(",")
    for number, host in enumerate(hosts.split(",")):
        port = named[number % len(named)] or DEFAULT_PORT
        with suppress(OSError):
            if not host or host.startswith("/"):
                with socket.socket(socket.AF_UNIX) as probe:
                    probe.settimeout(timeout)
                    probe.connect(f"{host or '/var/run/postgresql'}/.s.PGSQL.{port}")
                    return True
            with socket.create_connection((host, int(port)), timeout):
                return True
    return False
