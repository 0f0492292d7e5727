"""The one PostgreSQL address in the forms that Django, Celery and Channels expect."""

from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Conninfo
from psycopg_pool import PoolTimeout

from walleweb.config import Config
from walleweb.embedded.postgres import database_url

if TYPE_CHECKING:
    from django.db.backends.postgresql.base import DatabaseWrapper

APPLICATION = "walle"
# Seconds. The pool retries at growing intervals, and would go on so for minutes when the database is back: so it gives
# up early, and the next request makes it retry at once. How long that one waits is decided in walleweb.postgresql.
POOL_TIMEOUTS = {"timeout": 5, "reconnect_timeout": 4}
# A silently broken network is noticed within about ten seconds by clients that have sent something (the user timeout,
# in milliseconds) and by clients that only listen (keepalives); a host that never answers, sooner.
NETWORK_TIMEOUTS = {
    "connect_timeout": 5,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
}
# Members of a group renew their membership each minute; those that were killed expire.
GROUP_EXPIRY_S = 180

_DJANGOS_OWN = frozenset({"cursor_factory", "context", "prepare_threshold"})
# Which server of an address with several is the right one, beside the TLS options.
_OF_THE_SERVER = ("ssl", "target_session_attrs", "load_balance_hosts")


def effective_database_url(config: Config) -> str:
    """Return DATABASE_URL, or the address of the embedded cluster."""
    directory = config.embedded_postgres
    return config.database_url if directory is None else database_url(directory)


def django_database(address: str, *, pool: int) -> dict[str, Any]:
    """Return one entry of Django's DATABASES; it keeps up to `pool` connections, none if 0."""
    parts = conninfo_to_dict(address)
    known = {name: parts.pop(name, "") for name in ("dbname", "user", "password", "host", "port")}
    options: dict[str, Any] = {"application_name": APPLICATION, **NETWORK_TIMEOUTS, **parts}
    if pool:
        options["pool"] = {"min_size": 0, "max_size": pool, **POOL_TIMEOUTS}
    return {
        "ENGINE": "walleweb.postgresql",
        "NAME": known["dbname"],
        "USER": known["user"],
        "PASSWORD": known["password"],
        "HOST": known["host"],
        "PORT": str(known["port"]),
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": options,
    }


def broker_url(database: dict[str, Any], *, redis_url: str) -> str:
    """Return Celery's broker: Redis, or the same PostgreSQL (jobs_app.broker_transport).

    Messages only wake workers, and may get lost (jobs_app.broker_messages): nobody waits until one is on the disk.
    """
    address = plain_url(database).replace("postgresql://", "walle+postgresql+psycopg://", 1)
    options = urlencode({"options": "-c synchronous_commit=off", **NETWORK_TIMEOUTS}, quote_via=quote)
    return redis_url or f"{address}{'&' if '?' in address else '?'}{options}"


async def direct_connection() -> psycopg.AsyncConnection[Any]:
    """Open a connection beside Django's and its pool, to check the database when those may be in trouble.

    Connecting and queries time out after seconds. Raises psycopg.Error.
    """
    from django.db import connection

    parameters = connection.get_connection_params()
    options = {name: value for name, value in parameters.items() if name not in _DJANGOS_OWN}
    options |= {"connect_timeout": 3, "tcp_user_timeout": 5000, "options": "-c statement_timeout=3000"}
    return await psycopg.AsyncConnection.connect(**options, autocommit=True)


def postgres_connection() -> "DatabaseWrapper":
    """Return Django's connection of this thread with the type that it always has here."""
    from django.db import connection

    return cast("DatabaseWrapper", connection)


def pool_problem(timeout: float) -> str:
    """Return what is wrong with Django's connection pool; "" if nothing, or without a pool.

    It waits `timeout` seconds for a connection, as a request would. Raises psycopg.Error.
    """
    pool = postgres_connection().pool
    if pool is None:
        return ""
    pool.open()
    try:
        pool.putconn(pool.getconn(timeout))
    except PoolTimeout:
        return f"no connection of the pool came free within {timeout:g} s"
    return ""


def plain_url(database: dict[str, Any]) -> str:
    """Return the address of an entry of DATABASES (whose NAME may be a test database), without pool, with those options
    only that say which server is meant.

    A folder of sockets, and several servers, are in the query, which psycopg, psql and SQLAlchemy all understand.
    """
    host, port = database["HOST"], database["PORT"]
    query = {name: str(value) for name, value in database["OPTIONS"].items() if name.startswith(_OF_THE_SERVER)}
    place = ""
    if host.startswith("/") or "," in host:
        query |= {"host": host} | ({"port": port} if port else {})
    elif host:
        place = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    user, password = (quote(database[name], safe="") for name in ("USER", "PASSWORD"))
    login = user + (f":{password}" if password else "") + ("@" if user else "")
    suffix = f"?{urlencode(query)}" if query else ""
    return f"postgresql://{login}{place}/{quote(database['NAME'], safe='')}{suffix}"


def libpq_variables(address: str) -> dict[str, str]:
    """Return the environment variables from which PostgreSQL's own programs take an address."""
    names = {option.keyword.decode(): option.envvar for option in Conninfo.get_defaults()}
    parts = {names[name]: str(value) for name, value in conninfo_to_dict(address).items()}
    return {variable.decode(): value for variable, value in parts.items() if variable}


def channel_layer(database: dict[str, Any], *, redis_url: str) -> dict[str, Any]:
    """Return the layer that carries hints (live_app.hints): Redis, or LISTEN/NOTIFY on the same PostgreSQL."""
    if redis_url:
        config = {"hosts": [redis_url], "group_expiry": GROUP_EXPIRY_S}
        return {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": config}
    options = {name: value for name, value in database["OPTIONS"].items() if name != "pool"}
    # A hint lost in a crash costs a second: none waits for the disk.
    options["options"] = f"{options.get('options', '')} -c synchronous_commit=off".strip()
    return {
        "BACKEND": "channels_postgres.core.PostgresChannelLayer",
        "CONFIG": {
            **{name: database[name] for name in ("ENGINE", "NAME", "USER", "PASSWORD", "HOST", "PORT")},
            "OPTIONS": options,
            # The layer passes this to a Django connection, which expects it filled in.
            "TIME_ZONE": None,
            "PSYCOPG_OPTIONS": {"min_size": 0, "max_size": 2, **POOL_TIMEOUTS},
            "group_expiry": GROUP_EXPIRY_S,
        },
    }
