"""What a gateway keeps in memory is bounded, whatever devices send."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gateway.simulator import Clock, Cloud, make_gateway
from walle.gateway import buffer as buffers
from walle.gateway import checkin, plans
from walle.gateway.buffer import CheckInBuffer, flush
from walle.gateway.cache import TwoGenerationCache
from walle.gateway.checkin import RawCheckIn
from walle.gateway.ports import CheckInRecord, DeviceClaims

NOW = 1_800_000_000


def claims(identity: str = "0" * 16, app: str = "shop") -> DeviceClaims:
    return DeviceClaims(identity, app, {"app_version": "1.0.0"}, {})


def add(buffer: CheckInBuffer, device: str, said: DeviceClaims | None = None, at: float = NOW, **trusted: Any) -> None:
    buffer.add(CheckInRecord(said or claims(), device, trusted, at))


def test_check_ins_wait_in_order_until_they_are_drained() -> None:
    buffer = CheckInBuffer()
    add(buffer, "device-1")
    add(buffer, "device-2")
    add(buffer, "device-1", claims("1" * 16), at=NOW + 1)
    assert [(record.device, record.at) for record in buffer.drain()] == [
        ("device-1", NOW),
        ("device-2", NOW),
        ("device-1", NOW + 1),
    ]
    assert buffer.drain() == []


def test_beyond_the_capacity_check_ins_are_dropped_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffers, "CAPACITY", 100)
    buffer = CheckInBuffer()
    for number in range(250):
        add(buffer, f"device-{number}")
    assert (len(buffer.drain()), buffer.dropped) == (100, 150)
    add(buffer, "device-249")
    assert len(buffer.drain()) == 1


async def test_what_could_not_be_written_is_said(caplog: pytest.LogCaptureFixture) -> None:
    for failure in (None, RuntimeError("a bug")):
        cloud, buffer = Cloud(), CheckInBuffer()
        cloud.down, cloud.failure = True, failure
        add(buffer, "device-1")
        with caplog.at_level(logging.WARNING):
            await flush(buffer, cloud)
        assert "1 check-ins lost" in caplog.text
        cloud.down, cloud.failure = False, None
        add(buffer, "device-1")
        await flush(buffer, cloud)
        await flush(buffer, cloud)
        assert cloud.batches == [1]


def test_what_is_in_use_stays() -> None:
    """It was dropped once a generation, however often it was used."""
    cache: TwoGenerationCache[str, str] = TwoGenerationCache(100)
    cache.put("in use", "value", 1)
    for number in range(10_000):
        cache.put(f"once {number}", "value", 1)
        if number % 20 == 0:
            assert cache.get("in use") == "value"
    assert cache.get("once 0") is None


def test_what_is_false_is_kept_too() -> None:
    cache: TwoGenerationCache[str, int] = TwoGenerationCache(100)
    cache.put("zero", 0, 1)
    assert cache.get("zero") == 0


def test_what_weighs_too_much_is_not_kept_and_puts_out_nothing() -> None:
    cache: TwoGenerationCache[str, str] = TwoGenerationCache(100)
    cache.put("a", "small", 10)
    cache.put("b", "large", 51)
    assert cache.get("b") is None
    assert cache.get("a") == "small"
    cache.put("a", "now large", 51)
    assert cache.get("a") is None


keys = st.integers(0, 12)
steps = st.one_of(st.tuples(st.just("put"), keys, st.integers(1, 60)), st.tuples(st.just("get"), keys, st.just(0)))


@settings(max_examples=200)
@given(st.lists(steps, max_size=80))
def test_never_more_than_the_capacity_and_never_another_value(steps: list[tuple[str, int, int]]) -> None:
    cache: TwoGenerationCache[int, tuple[int, int]] = TwoGenerationCache(100)
    newest: dict[int, tuple[int, int]] = {}
    for turn, (step, key, weight) in enumerate(steps):
        if step == "put":
            newest[key] = turn, weight
            cache.put(key, newest[key], weight)
        assert cache.get(key) in (None, newest.get(key))
        if step == "put" and weight <= 50:
            assert cache.get(key) == newest[key]
        kept = [value for other in newest if (value := (cache._young.get(other) or cache._old.get(other)))]
        assert sum(weight for _, weight in kept) <= 100
        assert len(cache) == len(kept)


async def test_hostile_headers_do_not_fill_the_memory_of_a_gateway(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every check-in with facts and profile of its own: the cache turns over, and stays within its bytes."""
    monkeypatch.setattr(checkin, "CACHE_BYTES", 1 << 20)
    monkeypatch.setattr(plans, "CACHE_BYTES", 1 << 20)
    cloud = Cloud()
    gateway = make_gateway(cloud, Clock())
    await gateway.tables.refresh()
    handler = gateway.check_ins
    device = cloud.headers()["Walle-Device"].encode()
    profile = b", ".join(b"a/t%d;d=:AAAAAAAAAAAAAAAA:" % number for number in range(200))
    for number in range(400):
        own = b", b/t%d;d=:AAAAAAAAAAAAAAAA:" % number
        answer = handler.answer(RawCheckIn(device, b'"shop";v="1";x=%d' % number, profile + own))
        assert answer.problem is None
    assert len(handler._shared) * (len(profile) + 4096) <= 1 << 20
    assert len(handler._plans["shop"]._known) * (len(profile) + 2048) <= 1 << 20
