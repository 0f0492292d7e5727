"""Connect walle.gateway to PostgreSQL and the artifact store.

Each port has its own thread with its own database connection, so that the event loop never waits and reading tables
never queues behind writing check-ins.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from django.conf import settings

from devices_app.listening import announcements
from devices_app.selectors.state import StateReader, gateway_revision
from devices_app.services.intake import store_check_ins, store_enrolments, store_reports
from devices_app.services.presence import record_presence
from devices_app.services.revisions import CHANNEL
from devices_app.stores import artifact_store
from kit.database_threads import DatabaseThread
from walle.gateway.application import Gateway, GatewayApplication
from walle.gateway.enrolment_limits import EnrolmentLimits
from walle.gateway.ports import (
    CheckInRecord,
    Enrolments,
    GatewayState,
    PortUnavailable,
    Quota,
    ReceivedReport,
    VariantSource,
)
from walle.gateway.tunnel.endpoint import TunnelEndpoint

Lease = Callable[[Mapping[int, int], str | None], Mapping[int, Quota]]
"""Returns the granted quota of each release, of one app or of all (releases_app.services.pacing); blocks.
"""


def database_thread(name: str) -> DatabaseThread:
    """Return the thread of one port.

    It keeps its connection: nothing that devices wait for waits for the connection pool.
    """
    return DatabaseThread(name, unavailable=PortUnavailable)


class ChangeListener:
    """Sets an event whenever PostgreSQL announces a change; reconnects automatically."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self._task = asyncio.create_task(self._listen())

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _listen(self) -> None:
        async for _ in announcements(CHANNEL):
            self.changed.set()


class PostgresTableSource:
    """The table source of the control plane's own gateways."""

    def __init__(self) -> None:
        self._thread = database_thread("walle-tables")
        self._listener: ChangeListener | None = None
        self._reader = StateReader()

    async def read(self, revision: int | None) -> GatewayState | None:
        return await self._thread.run(lambda: self._read(revision))

    def _read(self, revision: int | None) -> GatewayState | None:
        if revision is not None and gateway_revision() == revision:
            return None
        return self._reader.read()

    async def wait(self, timeout: float) -> None:
        if self._listener is None:
            self._listener = ChangeListener()
        try:
            await asyncio.wait_for(self._listener.changed.wait(), timeout)
            self._listener.changed.clear()
        except TimeoutError:
            return

    async def close(self) -> None:
        if self._listener:
            await self._listener.close()
        await self._thread.close()


class PostgresReportSink:
    """The report sink of the control plane's own gateways."""

    def __init__(self) -> None:
        self._check_ins = database_thread("walle-check-ins")
        self._reports = database_thread("walle-reports")
        self._presence = database_thread("walle-presence")

    async def record_check_ins(self, records: Sequence[CheckInRecord]) -> None:
        await self._check_ins.run(lambda: store_check_ins(records))

    async def record_enrolments(self, enrolments: Mapping[str, Enrolments]) -> None:
        await self._check_ins.run(lambda: store_enrolments(enrolments))

    async def record_presence(self) -> None:
        await self._presence.run(record_presence)

    async def record_reports(self, reports: Sequence[ReceivedReport]) -> None:
        await self._reports.run(lambda: store_reports(reports))

    async def close(self) -> None:
        await self._check_ins.close()
        await self._reports.close()
        await self._presence.close()


class PostgresQuotaSource:
    """The quota source of the control plane's own gateways; `lease` reads the database."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._thread = database_thread("walle-quotas")

    async def lease(self, requested: Mapping[int, int], app: str | None = None) -> Mapping[int, Quota]:
        return await self._thread.run(lambda: self._lease(requested, app))

    async def close(self) -> None:
        await self._thread.close()


def build_application(
    variants: VariantSource, lease: Lease, build_tunnel: Callable[[Gateway], TunnelEndpoint] | None = None
) -> GatewayApplication:
    """Return this control plane's gateway.

    `variants` finds exclusive files, `lease` leases the pace of releases, `build_tunnel` makes the gateway's tunnels,
    of which there are none without it.
    """
    gateway = Gateway(PostgresTableSource(), PostgresReportSink(), PostgresQuotaSource(lease))
    limits = EnrolmentLimits(
        new_per_hour=settings.WALLE_ENROLMENTS_PER_HOUR,
        block_percent=settings.WALLE_ENROLMENTS_BLOCK_PERCENT,
        again_per_hour=settings.WALLE_ENROLMENTS_AGAIN_PER_HOUR,
    )
    return GatewayApplication(gateway, artifact_store(), variants, limits, build_tunnel and build_tunnel(gateway))
