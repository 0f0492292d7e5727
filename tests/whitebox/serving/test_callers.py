"""Tokens are checked without a question to the database, and stop working promptly all the same."""

from __future__ import annotations

import asyncio
from hashlib import sha256

import pytest

from tests.gateway.simulator import Clock, Cloud
from tests.whitebox.serving.simulator import TOKEN, SimulatedPorts
from walle.whitebox.serving import callers
from walle.whitebox.serving.callers import FRESH_S, KEPT_S, MOST_WAITING, TokenCache
from walle.whitebox.serving.ports import ServiceGrant
from walle.whitebox.serving.problems import PredictionRefused

DIGEST = sha256(TOKEN.encode()).hexdigest()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def ports() -> SimulatedPorts:
    return SimulatedPorts(Cloud())


@pytest.fixture
async def cache(ports: SimulatedPorts, clock: Clock) -> TokenCache:
    return TokenCache(ports, lambda: clock.now, lambda: clock.monotonic)


async def status(cache: TokenCache, token: str = TOKEN) -> int:
    try:
        await cache.grant_of(token.encode())
    except PredictionRefused as refusal:
        return refusal.status
    finally:
        await asyncio.sleep(0.01)  # what is asked in the background is answered
    return 200


async def test_a_fresh_answer_is_not_asked_for_again(cache: TokenCache, ports: SimulatedPorts) -> None:
    assert [await status(cache) for _ in range(5)] == [200] * 5
    assert len(ports.asked) == 1


async def test_a_revoked_token_stops_after_one_question(cache: TokenCache, ports: SimulatedPorts, clock: Clock) -> None:
    await status(cache)
    ports.tokens.clear()
    assert await status(cache) == 200
    clock.advance(FRESH_S + 0.1)
    assert await status(cache) == 200, "nobody waits for the question"
    assert await status(cache) == 401


async def test_an_unknown_token_is_asked_for_again_soon(cache: TokenCache, ports: SimulatedPorts, clock: Clock) -> None:
    grant = ports.tokens.pop(DIGEST)
    assert [await status(cache), await status(cache)] == [401, 401]
    assert len(ports.asked) == 1
    ports.tokens[DIGEST] = grant
    clock.advance(FRESH_S + 0.1)
    assert await status(cache) == 200


async def test_an_expired_token_is_refused_at_once(cache: TokenCache, ports: SimulatedPorts, clock: Clock) -> None:
    ports.tokens[DIGEST] = ServiceGrant("wl_00000001", None, expires=clock.now + 1)
    assert await status(cache) == 200
    clock.advance(1)
    assert await status(cache) == 401


async def test_known_tokens_work_for_a_while_without_the_control_plane(
    cache: TokenCache, ports: SimulatedPorts, clock: Clock
) -> None:
    await status(cache)
    ports.cloud.down = True
    clock.advance(KEPT_S - 1)
    assert [await status(cache) for _ in range(5)] == [200] * 5
    assert len(ports.asked) == 2, "a control plane that is away is not asked with every request"
    clock.advance(2)
    assert await status(cache) == 503


async def test_many_unknown_tokens_wait_for_nobody(cache: TokenCache, ports: SimulatedPorts) -> None:
    held = asyncio.Event()

    async def find(digest: str) -> ServiceGrant | None:
        await held.wait()
        return None

    ports.find = find  # type: ignore[method-assign]
    asking = [asyncio.create_task(status(cache, f"{number}")) for number in range(MOST_WAITING + 3)]
    await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.sleep(0.02)
    assert sorted(task.result() for task in asking if task.done()) == [503] * 3
    held.set()
    assert {await task for task in asking} == {401, 503}


async def test_what_is_kept_is_bounded(cache: TokenCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callers, "MOST_KEPT", 3)
    for number in range(10):
        await status(cache, f"{number}")
    assert len(cache._known) == 3
