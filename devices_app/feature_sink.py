"""The sinks of features of the control plane's own gateways."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from django.conf import settings

from devices_app.gateway import database_thread
from devices_app.services.features import announce_features, store_features, stored_position
from walle.gateway.ports import FeatureSink, PortUnavailable, ReceivedFeature

_DAY_S: Final = 86_400


class PostgresFeatureSink:
    """The feature sink that stores in PostgreSQL (devices_app.services.features).

    What is stored is announced beside that, once for all groups that were stored meanwhile: no group waits for it.
    """

    def __init__(self) -> None:
        self._positions = database_thread("walle-feature-positions")
        self._features = database_thread("walle-features")
        self._stored = asyncio.Event()
        self._announcing: asyncio.Task[None] | None = None

    async def position(self, app: str, device: str, spool: bytes) -> int:
        return await self._positions.run(lambda: stored_position(app, device, spool))

    async def store(self, features: Sequence[ReceivedFeature]) -> None:
        if await self._features.run(lambda: store_features(features)):
            self._stored.set()
            if self._announcing is None:
                self._announcing = asyncio.create_task(self._announce())

    async def close(self) -> None:
        if self._announcing is not None:
            self._announcing.cancel()
            await asyncio.gather(self._announcing, return_exceptions=True)
        await self._positions.close()
        await self._features.close()

    async def _announce(self) -> None:
        while True:
            await self._stored.wait()
            self._stored.clear()
            # Consumers look from time to time without it.
            with suppress(PortUnavailable):
                await self._positions.run(announce_features)


def feature_sink() -> FeatureSink:
    """Return the sink that the settings choose: PostgreSQL, or Redis."""
    if not settings.WALLE_FEATURES_REDIS:
        return PostgresFeatureSink()
    from walle.gateway.redis_features import RedisFeatureSink

    return RedisFeatureSink(
        settings.WALLE_FEATURES_REDIS,
        replicas=settings.WALLE_FEATURES_REDIS_REPLICAS,
        keep_s=settings.WALLE_KEEP_FEATURES_DAYS * _DAY_S,
        keep_positions_s=settings.WALLE_KEEP_DEVICES_DAYS * _DAY_S,
    )
