"""The sinks of features of the control plane's own gateways."""

from collections.abc import Sequence
from typing import Final

from django.conf import settings

from devices_app.gateway import database_thread
from devices_app.services.features import store_features, stored_position
from walle.gateway.ports import FeatureSink, ReceivedFeature

_DAY_S: Final = 86_400


class PostgresFeatureSink:
    """The feature sink that stores in PostgreSQL (devices_app.services.features)."""

    def __init__(self) -> None:
        self._positions = database_thread("walle-feature-positions")
        self._features = database_thread("walle-features")

    async def position(self, app: str, device: str, spool: bytes) -> int:
        return await self._positions.run(lambda: stored_position(app, device, spool))

    async def store(self, features: Sequence[ReceivedFeature]) -> None:
        await self._features.run(lambda: store_features(features))

    async def close(self) -> None:
        await self._positions.close()
        await self._features.close()


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
