"""Connect walle.whitebox.serving to PostgreSQL: the ports of this control plane's own serving processes.

Each port has its own thread with its own database connection, so that the event loop never waits, and nothing that
requests wait for queues behind writing what they got.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from accounts_app.exceptions import InvalidToken
from accounts_app.permissions import Permission, scopes_allowing
from accounts_app.selectors import slugs_among
from accounts_app.services.tokens import actor_of_digest
from devices_app.gateway import PostgresTableSource
from kit.database_threads import DatabaseThread
from serving_app.services.outcomes import store_outcomes
from serving_app.services.remembering import RememberedState
from walle.gateway.ports import GatewayState, PortUnavailable
from walle.whitebox.serving.ports import ControlPlaneAway, ServiceGrant, ServingOutcomes, ServingPorts


class PostgresPipelineSource:
    """The source of tables: that of gateways, with a copy on disk of what it last read."""

    def __init__(self, remembered: RememberedState) -> None:
        self._tables = PostgresTableSource()
        self._copy = remembered

    async def read(self, revision: int | None) -> GatewayState | None:
        try:
            state = await self._tables.read(revision)
        except PortUnavailable as error:
            raise ControlPlaneAway(str(error)) from error
        if state is not None:
            await asyncio.to_thread(self._copy.keep, state)
        return state

    async def wait(self, timeout: float) -> None:
        await self._tables.wait(timeout)

    async def remembered(self) -> GatewayState | None:
        return await asyncio.to_thread(self._copy.read)

    async def close(self) -> None:
        await self._tables.close()


class PostgresServiceTokens:
    """The check of API tokens by their digests. `clock` returns the present time."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._thread = _thread("walle-service-tokens")

    async def find(self, digest: str) -> ServiceGrant | None:
        return await self._thread.run(lambda: service_grant(digest, self._clock()))

    async def close(self) -> None:
        await self._thread.close()


class PostgresOutcomeSink:
    """The sink of outcomes; a group is stored in the order in which it came."""

    def __init__(self) -> None:
        self._thread = _thread("walle-outcomes")

    async def record(self, outcomes: ServingOutcomes) -> None:
        await self._thread.run(lambda: store_outcomes(outcomes))

    async def close(self) -> None:
        await self._thread.close()


def service_grant(digest: str, now: datetime) -> ServiceGrant | None:
    """Return what the token with this SHA-256 (hex) permits; None if it is no good or may not predict for any app."""
    try:
        actor = actor_of_digest(digest=digest, now=now)
    except InvalidToken:
        return None
    token = actor.token
    if token is None or not token.permits(Permission.PREDICT):
        return None
    if actor.has_every_permission:
        apps = slugs_among(token.scopes, "app") if token.scopes else None
    else:
        apps = slugs_among(scopes_allowing(actor, Permission.PREDICT), "app")
    if apps is not None and not apps:
        return None
    expires = token.expires_at.timestamp() if token.expires_at else None
    return ServiceGrant(token.prefix, None if apps is None else frozenset(apps), expires)


def serving_ports(folder: Path) -> ServingPorts:
    """Return the ports of a serving process that keeps its own files in a folder."""
    return ServingPorts(
        PostgresPipelineSource(RememberedState(folder / "state")),
        PostgresServiceTokens(lambda: datetime.now(UTC)),
        PostgresOutcomeSink(),
    )


def _thread(name: str) -> DatabaseThread:
    return DatabaseThread(name, unavailable=ControlPlaneAway)
