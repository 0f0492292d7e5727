"""Listen to what PostgreSQL announces, over a connection of its own."""

import asyncio
import logging
from collections.abc import AsyncIterator

import psycopg
from django.db import connection
from psycopg import sql

log = logging.getLogger(__name__)

AGAIN_S = 1.0
"""Seconds until the next attempt after the connection failed."""
_DJANGOS_OWN = frozenset({"cursor_factory", "context", "prepare_threshold"})


async def announcements(channel: str) -> AsyncIterator[str | None]:
    """Yield the payload of each announcement on a channel, for ever; it connects anew by itself.

    Yields None whenever it begins to listen: what was announced before then is lost.
    """
    while True:
        try:
            async with await _connect() as listening:
                await listening.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
                yield None
                async for announced in listening.notifies():
                    yield announced.payload
        except (psycopg.Error, OSError) as error:
            log.info("not listening for %s: %s", channel, error)
        await asyncio.sleep(AGAIN_S)


async def _connect() -> psycopg.AsyncConnection[tuple[object, ...]]:
    parameters = connection.get_connection_params()
    # Keeps TLS settings and the like, without the parameters that only Django's connections understand.
    options = {name: value for name, value in parameters.items() if name not in _DJANGOS_OWN}
    return await psycopg.AsyncConnection.connect(**options, autocommit=True)
