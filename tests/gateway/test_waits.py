"""When devices are asked again: sooner while they are watched, within the budget of a gateway."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.gateway.serving import eventually
from tests.gateway.simulator import Clock, Cloud
from tests.release.tables import digest, entry
from walle.gateway.application import Gateway
from walle.gateway.waits import FREE_PER_S, SAVED_S, SHARE, ExtraCheckIns, sooner
from walle.protocol.headers import short_digest, write_profile
from walle.release.table import Mode

BAD = digest("camera/digits 2.0.0")


class Answered:
    """Stands for a gateway's buffer: only how many check-ins passed through it."""

    added = 0


def test_a_budget_is_used_up_and_earned_again() -> None:
    clock, answered = Clock(monotonic=1000.0), Answered()
    extra = ExtraCheckIns(answered, lambda: clock.monotonic)  # type: ignore[arg-type]
    at_first = sum(extra.take(60) for _ in range(10_000))
    assert at_first == int(FREE_PER_S * SAVED_S / 0.75)
    assert (extra.granted, extra.refused) == (at_first, 10_000 - at_first)
    clock.monotonic += 10
    answered.added += 1000
    earned = sum(extra.take(60) for _ in range(10_000))
    assert abs(earned - (10 * FREE_PER_S + 1000 * SHARE) / 0.75) <= 1


def test_of_an_idle_day_no_more_is_saved_than_of_a_minute() -> None:
    clock, answered = Clock(monotonic=0.0), Answered()
    extra = ExtraCheckIns(answered, lambda: clock.monotonic)  # type: ignore[arg-type]
    clock.monotonic, answered.added = 86_400.0, 864_000
    assert sum(extra.take(60) for _ in range(10_000)) == int((FREE_PER_S + 10 * SHARE) * SAVED_S / 0.75)


@given(st.lists(st.tuples(st.floats(0.01, 5), st.integers(0, 200), st.integers(0, 200)), max_size=60))
def test_what_it_costs_is_never_more_than_the_budget(seconds: list[tuple[float, int, int]]) -> None:
    clock, answered = Clock(monotonic=0.0), Answered()
    extra = ExtraCheckIns(answered, lambda: clock.monotonic)  # type: ignore[arg-type]
    for passed, others, watched in seconds:
        clock.monotonic += passed
        answered.added += others
        for _ in range(watched):
            answered.added += 1
            extra.take(60)
    free = FREE_PER_S * (SAVED_S + clock.monotonic)
    assert extra.granted * (1 - sooner(60) / 60) <= free + SHARE * answered.added + 1e-6


@pytest.mark.parametrize(("interval", "wait"), [(1, 1), (2, 1), (3, 1), (60, 15), (86_400, 21_600)])
def test_a_quarter_of_the_interval_and_never_nothing(interval: int, wait: int) -> None:
    assert sooner(interval) == wait


async def asked_for(client: httpx.AsyncClient, headers: dict[str, str]) -> int:
    return int((await client.get("/checkin", headers=headers)).headers["walle-retry-after"])


@pytest.fixture
def steady(gateway: Gateway) -> Gateway:
    """A gateway that spreads nothing."""
    gateway.check_ins._jitter = lambda: 0.5
    return gateway


def having(cloud: Cloud, manifest: str) -> dict[str, str]:
    return cloud.headers() | {"walle-profile": write_profile({"camera/digits": short_digest(manifest)})}


@pytest.fixture
async def published(client: httpx.AsyncClient, cloud: Cloud, steady: Gateway) -> Callable[..., object]:
    async def publish(*entries: object, withdrawn: str = "") -> None:
        cloud.entries[:] = entries  # type: ignore[assignment]
        cloud.withdrawn[:] = [("camera/digits", withdrawn)] if withdrawn else []
        cloud.publish()
        await eventually(lambda: steady.tables.state is cloud.state)

    return publish


@pytest.mark.parametrize(("mode", "observed", "wait"), [("offer", True, 15), ("hold", True, 15), ("offer", False, 60)])
async def test_a_device_in_a_release_is_asked_sooner_while_the_release_runs(
    client: httpx.AsyncClient, cloud: Cloud, published: Callable[..., object], mode: str, observed: bool, wait: int
) -> None:
    released = entry(mode=Mode(mode), observed=observed)
    await published(released)  # type: ignore[misc]
    assert await asked_for(client, having(cloud, released.manifest)) == wait
    assert await asked_for(client, cloud.headers()) == (15 if observed and mode == "offer" else 60)


async def test_once_the_budget_is_used_up_it_is_asked_as_all_others(
    client: httpx.AsyncClient, cloud: Cloud, steady: Gateway, published: Callable[..., object]
) -> None:
    released = entry(observed=True)
    await published(released)  # type: ignore[misc]
    while steady.check_ins.extra.take(60):
        pass
    assert await asked_for(client, having(cloud, released.manifest)) == 60


async def test_what_replaces_a_withdrawn_version_waits_for_no_pace_and_no_window(
    client: httpx.AsyncClient, cloud: Cloud, clock: Clock, published: Callable[..., object]
) -> None:
    newer = entry(version="3.0.0", release=3, pace=1, open_until=int(clock.now) - 1)
    await published(newer, withdrawn=BAD)  # type: ignore[misc]
    cloud.leased[3] = 1  # by another gateway: nothing is left
    response = await client.get("/checkin", headers=having(cloud, BAD))
    assert "camera/digits" in response.headers["walle-offers"]
    assert response.headers["walle-retry-after"] == "15"
    response = await client.get("/checkin", headers=cloud.headers())
    assert "walle-offers" not in response.headers
