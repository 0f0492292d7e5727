"""Features come up a tunnel, are stored in groups, and are acknowledged once they are durable."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from dataclasses import replace
from typing import Any

import pytest

from tests.gateway.serving import eventually
from tests.gateway.simulator import Clock, Cloud
from tests.gateway.tunnel.conftest import Opening
from tests.gateway.tunnel.sinks import MemoryDictionaries, MemorySink, MemoryVersions
from tests.gateway.tunnel.wire import AT_MS, DIGEST, SPOOL, TASK, compressed, feature
from walle.gateway.application import Gateway
from walle.gateway.ports import DictionaryOffer, ReceivedFeature
from walle.gateway.tunnel.endpoint import TunnelEndpoint
from walle.protocol.compression import train
from walle.protocol.tunnel_frames import (
    Acknowledge,
    Hello,
    OpenStream,
    Profile,
    Received,
    Skip,
    StreamOpened,
    Welcome,
    write_frame,
)

KEY = ("shop", "device-1", SPOOL)


async def test_a_feature_is_stored_as_the_port_says(opening: Opening, sink: MemorySink, clock: Clock) -> None:
    wire = await opening()
    await wire.hello()
    sent = feature(1, values={"score": 0.25}, answer_ms=5000)
    await wire.send(sent)
    await wire.acknowledged(1)
    values = b'{"score":0.25}'
    assert sink.stored == [
        ReceivedFeature(
            *KEY,
            sequence=1,
            task=TASK,
            version="",
            manifest=DIGEST.hex(),
            at=AT_MS / 1000,
            tracked_at=AT_MS / 1000 - 0.05,
            received_at=clock.now,
            values=values,
            raw_bytes=len(values),
            wire_bytes=len(write_frame(sent)),
            answer_by=clock.now + 5,
        )
    ]


async def test_a_feature_has_the_name_of_its_version(
    opening: Opening, sink: MemorySink, versions: MemoryVersions
) -> None:
    versions.names["shop", TASK, DIGEST] = "1.0.0"
    wire = await opening()
    await wire.hello()
    await wire.send(feature(1), OpenStream(2, TASK, b"other-digest", b""), feature(2, stream=2))
    await wire.acknowledged(2)
    assert [each.version for each in sink.stored] == ["1.0.0", ""]


async def test_features_that_come_while_a_group_is_stored_are_the_next_group(
    opening: Opening, sink: MemorySink, tunnel: TunnelEndpoint
) -> None:
    sink.held = asyncio.Event()
    wires = [await opening(f"device-{number}") for number in range(5)]
    for wire in wires:
        await wire.hello()
    await wires[0].send(feature(1))
    await eventually(lambda: sink.attempts)
    for wire in wires:
        await wire.send(*(feature(number) for number in (1, 2, 3)))
    await eventually(lambda: tunnel.intake.waiting == 15)
    sink.held.set()
    for wire in wires:
        assert (await wire.acknowledged(3)).sequence == 3
    assert sink.groups == [1, 14]
    assert tunnel.intake.waiting == tunnel.intake.waiting_bytes == 0


async def test_nothing_is_acknowledged_before_it_is_durable(
    opening: Opening, sink: MemorySink, tunnel: TunnelEndpoint
) -> None:
    sink.down = True
    wire = await opening()
    sink.down = False
    await wire.hello()
    sink.down = True
    await wire.send(feature(1))
    await eventually(lambda: tunnel.counts.failures > 1)
    await wire.send(feature(2))
    told = await wire.next(Acknowledge)
    assert told == Acknowledge(0, 0), "devices are to stop"
    sink.down = False
    assert await wire.acknowledged(2) == Acknowledge(2, tunnel.limits.window)
    assert sink.sequences(KEY) == [1, 2]


async def test_a_device_that_was_told_to_stop_is_told_to_go_on(
    opening: Opening, sink: MemorySink, tunnel: TunnelEndpoint
) -> None:
    first, second = await opening("device-1"), await opening("device-2")
    await first.hello()
    await second.hello()
    sink.down = True
    await first.send(feature(1))
    await eventually(lambda: tunnel.counts.failures)
    await second.send(feature(1))
    assert await second.next(Acknowledge) == Acknowledge(0, 0)
    third = await opening("device-3")
    await third.send(Hello(SPOOL, 1))
    sink.down = False
    await first.acknowledged(1)
    assert await second.acknowledged(1) == Acknowledge(1, tunnel.limits.window)
    welcome = await third.next(Welcome)
    assert welcome.window or await third.next(Acknowledge) == Acknowledge(0, tunnel.limits.window)


async def test_an_error_of_the_sink_loses_nothing(
    opening: Opening, sink: MemorySink, tunnel: TunnelEndpoint, caplog: Any
) -> None:
    sink.failure = RuntimeError("a bug")
    wire = await opening()
    await wire.hello()
    await wire.send(feature(1))
    await eventually(lambda: tunnel.counts.failures)
    sink.failure = None
    await wire.acknowledged(1)
    assert sink.sequences(KEY) == [1]


async def test_a_feature_that_can_never_be_stored_keeps_no_other(
    opening: Opening, sink: MemorySink, tunnel: TunnelEndpoint, caplog: Any
) -> None:
    sink.poison.add(b'{"number":2}')
    sink.held = asyncio.Event()
    one, other = await opening("device-1"), await opening("device-2")
    await one.hello()
    await other.hello()
    await one.send(*(feature(number) for number in (1, 2, 3)))
    await other.send(feature(1))
    await eventually(lambda: tunnel.intake.waiting == 4)
    sink.held.set()
    await one.acknowledged(3)
    await other.acknowledged(1)
    assert sink.sequences(KEY) == [1, 3]
    assert tunnel.counts.refused == 1


async def test_repeated_features_are_acknowledged_again(
    opening: Opening, sink: MemorySink, tunnel: TunnelEndpoint
) -> None:
    wire = await opening()
    await wire.hello()
    await wire.send(feature(1), feature(2))
    await wire.acknowledged(2)
    await wire.send(feature(1))
    assert await wire.next(Acknowledge) == Acknowledge(2, tunnel.limits.window)
    assert sink.sequences(KEY) == [1, 2]
    assert tunnel.counts.duplicates == 1


async def test_a_spool_goes_on_over_the_next_connection(opening: Opening, sink: MemorySink) -> None:
    first = await opening()
    await first.hello()
    await first.send(feature(1), feature(2))
    await first.acknowledged(2)
    await first.socket.close()
    second = await opening()
    assert (await second.hello(following=2)).acknowledged == 2
    await second.send(feature(2), feature(3))
    await second.acknowledged(3)
    assert sink.sequences(KEY) == [1, 2, 3]


async def test_what_an_earlier_connection_left_is_stored_once(
    opening: Opening, sink: MemorySink, tunnel: TunnelEndpoint
) -> None:
    sink.held = asyncio.Event()
    first = await opening()
    await first.hello()
    await first.send(feature(1), feature(2))
    await eventually(lambda: tunnel.intake.waiting == 2)
    second = await opening()
    assert (await second.hello()).acknowledged == 0
    await second.send(feature(1), feature(2), feature(3))
    await eventually(lambda: tunnel.counts.duplicates == 2)
    sink.held.set()
    await second.acknowledged(3)
    assert sink.sequences(KEY) == [1, 2, 3]


async def test_other_spools_of_the_device_begin_anew(opening: Opening, sink: MemorySink) -> None:
    first = await opening()
    await first.hello()
    await first.send(feature(1))
    await first.acknowledged(1)
    second = await opening()
    assert (await second.hello(spool=b"spool-02")).acknowledged == 0
    await second.send(feature(1))
    await second.acknowledged(1)
    assert len(sink.stored) == 2


@pytest.mark.parametrize("way", ["skip", "hello"])
async def test_a_device_may_drop_features(opening: Opening, sink: MemorySink, way: str) -> None:
    wire = await opening()
    await wire.hello(1 if way == "skip" else 7)
    if way == "skip":
        await wire.send(Skip(7))
    await wire.send(feature(7))
    await wire.acknowledged(7)
    assert sink.sequences(KEY) == [7]


async def test_a_feature_in_parts_counts_as_one(opening: Opening, sink: MemorySink, tunnel: TunnelEndpoint) -> None:
    noise = random.Random(1).randbytes(90_000).hex()
    large = feature(1, values={"noise": noise})
    wire = await opening()
    await wire.hello()
    await wire.send(large, feature(2))
    await wire.acknowledged(2)
    assert [json.loads(each.values) for each in sink.stored] == [{"noise": noise}, {"number": 2}]
    assert len(write_frame(large)) < sink.stored[0].wire_bytes < len(write_frame(large)) + 200
    assert tunnel.parts.used == 0
    await wire.send(large)
    assert (await wire.next(Acknowledge)).sequence == 2
    assert tunnel.counts.duplicates == 1


async def test_features_are_compressed_with_the_dictionary_of_their_task(
    opening: Opening, sink: MemorySink, dictionaries: MemoryDictionaries, tunnel: TunnelEndpoint, clock: Clock
) -> None:
    samples = [json.dumps({"temperature": number, "place": f"room {number % 7}"}).encode() for number in range(2000)]
    dictionary = train(samples, 4096)
    assert dictionary.digest == hashlib.sha256(dictionary.content).digest()
    dictionaries.offers["shop", TASK] = DictionaryOffer(dictionary.digest, "/walle/v1/artifacts/ab", dictionary.content)
    wires = [await opening(f"device-{number}") for number in (1, 2)]
    for wire in wires:
        await wire.hello()
        assert await wire.next(StreamOpened) == StreamOpened(1, dictionary.digest, "/walle/v1/artifacts/ab")
    await wires[0].send(compressed(1, {"temperature": 21, "place": "room 3"}, dictionary))
    await wires[0].acknowledged(1)
    assert sink.stored[0].values == b'{"temperature":21,"place":"room 3"}'
    assert dictionaries.asked == 1, "devices share what was found"
    clock.monotonic += tunnel.limits.dictionary_s
    await wires[0].send(OpenStream(2, TASK, DIGEST, dictionary.digest))
    assert await wires[0].next(StreamOpened) == StreamOpened(2, dictionary.digest, ""), "the device has it"
    assert dictionaries.asked == 2, "there may be another one by now"


@pytest.mark.parametrize("how", ["another app's", "removed", "withdrawn"])
async def test_the_dictionary_of_a_task_that_an_app_does_not_have_is_not_given_away(
    opening: Opening, dictionaries: MemoryDictionaries, cloud: Cloud, gateway: Gateway, how: str
) -> None:
    """It holds parts of what the devices of other apps sent."""
    dictionary = train([b'{"account":%d}' % number for number in range(5000)], 1024)
    dictionaries.offers["shop", "bank/scores"] = DictionaryOffer(dictionary.digest, "/a", dictionary.content)
    cloud.removals = ["bank/scores"] if how == "removed" else []
    cloud.withdrawn = [("bank/scores", "ab" * 32)] if how == "withdrawn" else []
    cloud.publish()
    await eventually(lambda: gateway.tables.state is not None and gateway.tables.state.revision == cloud.revision)
    wire = await opening()
    await wire.hello(task="bank/scores")
    none, found = StreamOpened(1, b"", ""), StreamOpened(1, dictionary.digest, "/a")
    assert await wire.next(StreamOpened) == (none if how == "another app's" else found)


async def test_without_dictionaries_features_come_all_the_same(
    opening: Opening, sink: MemorySink, dictionaries: MemoryDictionaries
) -> None:
    dictionaries.down = True
    wire = await opening()
    await wire.hello()
    assert await wire.next(StreamOpened) == StreamOpened(1, b"", "")
    await wire.send(feature(1))
    await wire.acknowledged(1)


async def test_a_changed_profile_and_received_offers_are_passed_on(opening: Opening, tunnel: TunnelEndpoint) -> None:
    numbers: list[int] = []
    tunnel.on_received.append(lambda connection, number: numbers.append(number))
    wire = await opening(profile={TASK: DIGEST})
    await wire.hello()
    connection = tunnel.connections.of("shop", "device-1")
    assert list(tunnel.connections.with_installed(TASK, DIGEST)) == [connection]
    await wire.send(Profile(b"camera/faces;d=:ERERERERERERERER:"), Received(3))
    await eventually(lambda: numbers == [3])
    assert list(tunnel.connections.with_installed(TASK, DIGEST)) == []
    assert list(tunnel.connections.with_installed("camera/faces", DIGEST)) == [connection]
    assert connection is not None
    assert connection.headers.profile == b"camera/faces;d=:ERERERERERERERER:"
    await wire.socket.close()
    await eventually(lambda: not len(tunnel.connections))
    assert list(tunnel.connections.with_installed("camera/faces", DIGEST)) == []


async def test_the_counts(opening: Opening, tunnel: TunnelEndpoint) -> None:
    wire = await opening()
    await wire.hello()
    await wire.send(feature(1), feature(2))
    await wire.acknowledged(2)
    counts = tunnel.counts
    assert (counts.opened, counts.features["shop"], counts.raw_bytes["shop"]) == (1, 2, 2 * len('{"number":1}'))
    assert counts.wire_bytes["shop"] == 2 * len(write_frame(feature(1)))
    assert sum(counts.store_s.counts) == counts.groups >= 1
    await wire.socket.close()
    await eventually(lambda: counts.closes == {1000: 1})


@pytest.mark.parametrize("bound", [{"group": 3}, {"group_bytes": 3500}])  # each counts as something over 1024
async def test_groups_are_bounded(
    opening: Opening, sink: MemorySink, tunnel: TunnelEndpoint, bound: dict[str, int]
) -> None:
    tunnel.intake._limits = replace(tunnel.limits, **bound)
    sink.held = asyncio.Event()
    wire = await opening()
    await wire.hello()
    await wire.send(*(feature(number) for number in range(1, 9)))
    await eventually(lambda: tunnel.intake.waiting == 8)
    sink.held.set()
    await wire.acknowledged(8)
    assert max(sink.groups) == 3
