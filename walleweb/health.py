"""Answer whether this process lives (/healthz) and can do its work (/readyz), without Django.

Readiness is requested often and by anybody: it is checked once a second at most, with a connection of its own and one
of the pool that requests use, and reveals nothing that a stranger could use.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Set
from functools import lru_cache
from typing import Final

import psycopg
import structlog
from django.db.migrations import Migration

from kit.contractions import Key, contractions
from walle.gateway.application import Gateway
from walle.gateway.table_cache import LEASE_S
from walleweb.broker import BrokerReading
from walleweb.databases import direct_connection, pool_problem
from walleweb.plain_answers import Receive, Scope, Send, answer_json, answer_text

DATABASE_S: Final = 2.0
"""Seconds that the database may take to answer."""
POOL_S: Final = 1.0
"""Seconds that a connection of the pool may take to become free; part of DATABASE_S."""
REMEMBERED_S: Final = 1.0

log = structlog.get_logger(__name__)


async def alive(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer /healthz, an ASGI application: an answer shows that the process's event loop runs."""
    await answer_text(send, 200, "alive\n")


class Readiness:
    """The ASGI application of /readyz: 200 if every check passes, 503 otherwise, with the results of the checks.

    `impaired` names what does not work elsewhere, with the reason: no other process would do better, so this one stays.
    """

    def __init__(
        self,
        gateway: Gateway,
        broker: BrokerReading,
        known: Callable[[], Mapping[Key, Migration]] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._gateway = gateway
        self._broker = broker
        self._known = known or known_migrations
        self._monotonic = monotonic
        self._looking: asyncio.Task[dict[str, str]] | None = None
        self._found: dict[str, str] = {}
        self._found_at = float("-inf")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        of_database, of_broker = await asyncio.gather(self._of_database(), self._broker.problem())
        problems = {**of_database, "tables": self._of_tables()}
        checks = {name: {"ok": not text, **({"detail": text} if text else {})} for name, text in problems.items()}
        ready = not any(problems.values())
        impaired = {"broker": f"{of_broker}: workers find jobs by looking for them"} if of_broker else {}
        await answer_json(send, 200 if ready else 503, {"ready": ready, "checks": checks, "impaired": impaired})

    def _of_tables(self) -> str:
        if self._gateway.tables.state is None:
            return "no tables have been read yet"
        return "" if self._gateway.tables.may_offer() else f"tables could not be read for more than {LEASE_S:g} s"

    async def _of_database(self) -> dict[str, str]:
        """Return the faults of the database and its migrations, by check; concurrent requests share one reading."""
        if self._monotonic() - self._found_at < REMEMBERED_S:
            return self._found
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._read_database())
        done, _ = await asyncio.wait({self._looking}, timeout=DATABASE_S)
        if not done:
            return _unreachable(f"it did not answer within {DATABASE_S:g} s")
        self._found, self._found_at = self._looking.result(), self._monotonic()
        return self._found

    async def _read_database(self) -> dict[str, str]:
        try:
            async with await direct_connection() as database:
                rows = await database.execute("SELECT app, name FROM django_migrations")
                applied = set(await rows.fetchall())
            of_pool = await asyncio.to_thread(pool_problem, POOL_S)
        except psycopg.errors.UndefinedTable:
            return {"database": "", "migrations": "none is applied"}
        except (psycopg.Error, OSError) as error:
            log.warning("the database cannot be reached", error=str(error).strip() or type(error).__name__)
            return _unreachable("it cannot be reached")
        missing = missing_migrations(await asyncio.to_thread(self._known), applied)
        return {"database": of_pool, "migrations": f"{len(missing)} are not applied" if missing else ""}


def _unreachable(why: str) -> dict[str, str]:
    return {"database": why, "migrations": "not known while the database cannot be reached"}


def missing_migrations(known: Mapping[Key, Migration], applied: Set[Key]) -> Set[Key]:
    """Return which known migrations have to be applied for the code to work: all but contractions."""
    pending = {key: migration for key, migration in known.items() if key not in applied}
    return pending.keys() - contractions(pending)


@lru_cache
def known_migrations() -> Mapping[Key, Migration]:
    """Return the migrations that belong to this process's code, by app and name."""
    from django.db.migrations.loader import MigrationLoader

    return MigrationLoader(None, ignore_no_migrations=True).disk_migrations
