"""The same port over Redis Streams, with a real Redis that is killed and runs full."""

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator

import pytest
import redis

from tests.features.received import SPOOL, feature
from tests.support.processes import Child, Children, free_port
from tests.support.waiting import wait_for
from walle.gateway.ports import FeatureRefused, PortUnavailable, ReceivedFeature
from walle.gateway.redis_features import STREAM, RedisFeatureSink, feature_of
from walleweb.config import BASE_DIR

PROGRAM = shutil.which("redis-server")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="Redis is not installed: apt-get install -y redis-server")

STORING = """
import asyncio, sys
from tests.features.received import feature
from walle.gateway.redis_features import RedisFeatureSink
async def store():
    sink, begin = RedisFeatureSink(sys.argv[1]), int(sys.argv[2])
    while True:
        await sink.store([feature(begin + number) for number in range(10)])
        print(begin + 9, flush=True)
        begin += 10
asyncio.run(store())
"""


class RedisServer:
    """A Redis that keeps an append-only file, always on the same port."""

    def __init__(self, children: Children, folder) -> None:
        self._children, self._folder, self.port = children, folder, free_port()
        self.address = f"redis://127.0.0.1:{self.port}/0"
        self.child: Child | None = None

    def start(self, **options: str) -> None:
        declared = {
            **{"port": str(self.port), "bind": "127.0.0.1", "save": "", "dir": str(self._folder)},
            **{"appendonly": "yes", "appendfsync": "always", **options},
        }
        argv = [part for name, value in declared.items() for part in (f"--{name.replace('_', '-')}", value)]
        self.child = self._children.start(PROGRAM, *argv, name=f"redis-{self.port}")
        with self.client() as client:
            wait_for(lambda: _answers(client), describe=self.child.output)

    def client(self) -> redis.Redis:
        return redis.Redis(port=self.port)

    def features(self) -> list[ReceivedFeature]:
        with self.client() as client:
            return [feature_of(entry) for _, entry in client.xrange(STREAM)]


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False


@pytest.fixture
def make_redis(children: Children, tmp_path) -> Iterator[Callable[[], RedisServer]]:
    def make() -> RedisServer:
        folder = tmp_path / f"redis-{free_port()}"
        folder.mkdir()
        return RedisServer(children, folder)

    yield make
    children.stop_all()


@pytest.fixture
def server(make_redis) -> RedisServer:
    made = make_redis()
    made.start()
    return made


def in_sink(server: RedisServer, work, **options: int):
    async def run():
        sink = RedisFeatureSink(server.address, **options)
        try:
            return await work(sink)
        finally:
            await sink.close()

    return asyncio.run(run())


def store(server: RedisServer, *features: ReceivedFeature, **options: int) -> None:
    in_sink(server, lambda sink: sink.store(features), **options)


def online_replicas(client) -> list[str]:
    found = client.info("replication")
    return [name for name, about in found.items() if isinstance(about, dict) and about["state"] == "online"]


def position(server: RedisServer) -> int:
    return in_sink(server, lambda sink: sink.position("shop", "phone", SPOOL))


def test_a_feature_comes_back_as_it_was_and_once(server: RedisServer) -> None:
    group = [feature(1), feature(2, answer_by=5.25, values={"a": "ü\n"}), feature(1, device="other:0")]
    assert position(server) == 0
    store(server, *group)
    store(server, group[1], feature(3), feature(3))
    store(server, feature(1))
    assert server.features() == [*group, feature(3)]
    assert position(server) == 3


def test_a_feature_that_cannot_be_stored_is_refused_by_its_place(server: RedisServer) -> None:
    with pytest.raises(FeatureRefused) as refused:
        store(server, feature(1), feature(2**53), feature(2))
    assert refused.value.index == 1
    assert server.features() == []


def test_nothing_is_lost_or_doubled_when_redis_or_the_gateway_is_killed(server: RedisServer, children) -> None:
    for number in range(4):
        begin = position(server)
        argv = ("-c", STORING, server.address, str(begin + 1))
        gateway = children.python(*argv, env={**os.environ, "PYTHONPATH": str(BASE_DIR)}, name=f"gateway-{number}")
        wait_for(lambda begin=begin: position(server) > begin + 50, 60, gateway.output)
        if number % 2:
            gateway.kill()
        else:
            server.child.kill()
            wait_for(gateway.ended, 60, gateway.output)
            server.start()
        acknowledged = [int(line) for line in gateway.output().splitlines() if line.isdigit()]
        assert begin < acknowledged[-1] <= position(server)
    assert [each.sequence for each in server.features()] == list(range(1, position(server) + 1))


@pytest.mark.parametrize("options", [{"appendonly": "no"}, {"appendfsync": "everysec"}])
def test_a_redis_that_may_forget_is_given_nothing(make_redis, options: dict[str, str]) -> None:
    server = make_redis()
    server.start(**options)
    with pytest.raises(PortUnavailable, match="expected appendonly yes and appendfsync always"):
        store(server, feature(1))
    assert server.features() == []


def test_a_redis_without_room_acknowledges_nothing_and_forgets_nothing(server: RedisServer) -> None:
    store(server, feature(1))
    with server.client() as client:
        client.config_set("maxmemory", 1)
    with pytest.raises(PortUnavailable, match="maxmemory"):
        store(server, feature(2))
    with server.client() as client:
        client.config_set("maxmemory", 0)
    store(server, feature(2), feature(3))
    assert [each.sequence for each in server.features()] == [1, 2, 3]


def test_replicas_have_a_feature_before_it_is_acknowledged(make_redis, server: RedisServer) -> None:
    with pytest.raises(PortUnavailable, match="expected 1 replicas to have the features, 0 do"):
        store(server, feature(1), replicas=1)
    replica = make_redis()
    replica.start(replicaof=f"127.0.0.1 {server.port}")
    with server.client() as client:
        # One that is still given the data does not acknowledge.
        wait_for(lambda: online_replicas(client) == ["slave0"], describe=replica.child.output)
    store(server, feature(1), feature(2), replicas=1)
    assert [each.sequence for each in replica.features()] == [1, 2]


def test_old_features_are_trimmed_and_positions_expire(server: RedisServer) -> None:
    """Redis trims whole nodes of a hundred entries."""
    with server.client() as client:
        for number in range(250):
            client.xadd(STREAM, {"about": b"{}", "values": b"{}"}, id=f"{number + 1}-0")
    store(server, feature(1), keep_s=3600, keep_positions_s=7200)
    with server.client() as client:
        assert client.xlen(STREAM) <= 100
        [key] = client.keys("*position*")
        assert 7000 < client.ttl(key) <= 7200


def test_a_redis_that_is_away_is_unavailable(make_redis) -> None:
    with pytest.raises(PortUnavailable, match="Redis: "):
        store(make_redis(), feature(1))
    with pytest.raises(PortUnavailable, match="Redis: "):
        position(make_redis())
