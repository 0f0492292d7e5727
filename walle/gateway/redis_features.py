"""The sink of features over Redis Streams, and how features lie in a stream.

All features are in one stream, and the position of each spool has a key of its own. A script adds the features above
the position and moves it, as one step that nothing comes between: so each is in the stream once, however often it is
sent. Old ones are trimmed by their age, never by their number: where Redis has no room left, it refuses (`maxmemory-
policy noeviction`), nothing is acknowledged, and devices keep their features.

Redis acknowledges what it has written to its append-only file: `appendonly yes` and `appendfsync always` are required,
and `replicas` others may have to have it, too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import redis.asyncio
from redis.exceptions import NoScriptError, RedisError, ResponseError

from walle.gateway.feature_checks import check_features
from walle.gateway.ports import PortUnavailable, ReceivedFeature

STREAM: Final = "{walle}:features"
"""The name of the stream; what stands in braces puts all keys on one node of a cluster."""
TIMEOUT_S: Final = 10.0

# KEYS: the stream, then the position of each feature's spool. ARGV: the least id that is kept, for how many seconds
# positions are kept (0: for ever), then of each feature its sequence, what describes it, and its values. A position is
# written even where it stays, so that WAIT has something to wait for.
_STORE: Final = """
for place = 2, #KEYS do
    local sequence, about, values = unpack(ARGV, 3 * place - 3, 3 * place - 1)
    local held = tonumber(redis.call('GET', KEYS[place]) or '0')
    if tonumber(sequence) > held then
        redis.call('XADD', KEYS[1], 'MINID', '~', ARGV[1], '*', 'about', about, 'values', values)
        held = tonumber(sequence)
    end
    local position = string.format('%.0f', held)
    if ARGV[2] == '0' then
        redis.call('SET', KEYS[place], position)
    else
        redis.call('SET', KEYS[place], position, 'EX', ARGV[2])
    end
end
"""
_DIGEST: Final = hashlib.sha1(_STORE.encode(), usedforsecurity=False).hexdigest()


class RedisFeatureSink:
    """The feature sink over Redis Streams.

    `replicas` must have a feature before it is stored. Features are kept for `keep_s` seconds, positions for
    `keep_positions_s`; 0 means for ever.
    """

    def __init__(self, address: str, *, replicas: int = 0, keep_s: int = 0, keep_positions_s: int = 0) -> None:
        self._redis = redis.asyncio.Redis.from_url(address, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S)
        self._replicas, self._keep_s, self._keep_positions_s = replicas, keep_s, keep_positions_s
        self._is_durable = False

    async def position(self, app: str, device: str, spool: bytes) -> int:
        try:
            return int(await self._redis.get(position_key(app, device, spool)) or 0)
        except (RedisError, OSError) as error:
            raise PortUnavailable(f"Redis: {error}") from error

    async def store(self, features: Sequence[ReceivedFeature]) -> None:
        check_features(features)
        if not features:
            return
        try:
            await self._check_durable()
            least = await self._least_id()
            try:
                replicas = await self._run(features, least)
            except NoScriptError:
                await self._redis.script_load(_STORE)
                replicas = await self._run(features, least)
        except (RedisError, OSError) as error:
            raise PortUnavailable(f"Redis: {error}") from error
        if replicas < self._replicas:
            raise PortUnavailable(f"Redis: expected {self._replicas} replicas to have the features, {replicas} do")

    async def close(self) -> None:
        await self._redis.aclose()

    async def _run(self, features: Sequence[ReceivedFeature], least: int) -> int:
        """Store a group; return how many replicas have it."""
        keys = [STREAM, *(position_key(each.app, each.device, each.spool) for each in features)]
        arguments: list[Any] = [least, self._keep_positions_s]
        for each in features:
            arguments += (each.sequence, *entry_of(each).values())
        async with self._redis.pipeline(transaction=False) as pipeline:
            pipeline.evalsha(_DIGEST, len(keys), *keys, *arguments)
            if self._replicas:
                pipeline.execute_command("WAIT", self._replicas, int(TIMEOUT_S * 500))
            answers = await pipeline.execute()
        return int(answers[1]) if self._replicas else 0

    async def _least_id(self) -> int:
        """Return the time in ms from which on features are kept, by the clock of Redis, which ids are made of."""
        if not self._keep_s:
            return 0
        seconds, _ = await self._redis.time()
        return max(0, int(seconds) - self._keep_s) * 1000

    async def _check_durable(self) -> None:
        """Raise PortUnavailable unless Redis writes features to its disk before it answers, or does not let us know."""
        if self._is_durable:
            return
        try:
            found = await self._redis.config_get("appendonly", "appendfsync")
        except ResponseError:
            found = {}
        self._is_durable = found.get("appendonly", "yes") == "yes" and found.get("appendfsync", "always") == "always"
        if not self._is_durable:
            raise PortUnavailable(
                "Redis would lose acknowledged features with its machine: expected appendonly yes and appendfsync "
                f"always, found {found.get('appendonly')} and {found.get('appendfsync')}"
            )


def position_key(app: str, device: str, spool: bytes) -> str:
    """Return the key of a spool's position."""
    return f"{{walle}}:position:{app}:{device}:{spool.hex()}"


def entry_of(feature: ReceivedFeature) -> dict[str, bytes]:
    """Return a feature as an entry of the stream: `values`, and as JSON `about` all its other fields."""
    about = {**feature._asdict(), "spool": feature.spool.hex()}
    return {
        "about": json.dumps({name: about[name] for name in about if name != "values"}).encode(),
        "values": feature.values,
    }


def feature_of(entry: Mapping[bytes, bytes]) -> ReceivedFeature:
    """Return the feature in an entry of the stream."""
    about: dict[str, Any] = json.loads(entry[b"about"])
    return ReceivedFeature(**{**about, "spool": bytes.fromhex(about["spool"]), "values": entry[b"values"]})
