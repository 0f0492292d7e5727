"""The product's gateway with a sink that keeps features in memory: what mosquitto without persistence is compared with.

uvicorn benchmarks.support.tunnel.receiving:application
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import django

django.setup()

from devices_app.gateway import PostgresQuotaSource, PostgresReportSink, PostgresTableSource  # noqa: E402
from devices_app.stores import artifact_store  # noqa: E402
from releases_app.services.pacing import lease  # noqa: E402
from tasks_app.exclusive_files import PostgresVariantSource  # noqa: E402
from walle.gateway.application import Gateway, GatewayApplication  # noqa: E402
from walle.gateway.ports import DictionaryOffer, ReceivedFeature  # noqa: E402
from walle.gateway.tunnel.endpoint import TunnelEndpoint  # noqa: E402
from walleweb.tuning import tune_server_process  # noqa: E402

_KEPT: Final = 100_000


class MemorySink:
    """Keeps the last features in memory, and the position of every spool; nothing survives the process."""

    def __init__(self) -> None:
        self._positions: dict[tuple[str, str, bytes], int] = {}
        self._features: list[ReceivedFeature] = []

    async def position(self, app: str, device: str, spool: bytes) -> int:
        return self._positions.get((app, device, spool), 0)

    async def store(self, features: Sequence[ReceivedFeature]) -> None:
        for feature in features:
            self._positions[feature.app, feature.device, feature.spool] = feature.sequence
        self._features += features
        del self._features[:-_KEPT]

    async def close(self) -> None:
        self._features.clear()


class NoDictionaries:
    """Has no dictionary for any task."""

    async def find(self, app: str, task: str) -> DictionaryOffer | None:
        return None


def _build() -> GatewayApplication:
    gateway = Gateway(PostgresTableSource(), PostgresReportSink(), PostgresQuotaSource(lease))
    tunnel = TunnelEndpoint(gateway, MemorySink(), NoDictionaries())
    return GatewayApplication(gateway, artifact_store(), PostgresVariantSource(), tunnel=tunnel)


tune_server_process()
application = _build()
