"""The names of versions are looked up once for many devices, and features never wait for names that cannot be had."""

from __future__ import annotations

import asyncio

import pytest

from tests.gateway.tunnel.sinks import MemoryVersions
from walle.gateway.tunnel.versions import VersionNames

pytestmark = pytest.mark.pure

VERSION = ("shop", "camera/look", b"first-digest")


class Names(VersionNames):
    """Those of a source in memory, with a clock that is set."""

    def __init__(self, source: MemoryVersions | None) -> None:
        self.now = 0.0
        super().__init__(source, 30.0, lambda: self.now)


async def test_a_name_is_looked_up_once_even_while_it_is_looked_up() -> None:
    source = MemoryVersions({VERSION: "1.0.0"})
    names = Names(source)
    assert await asyncio.gather(*(names.find(*VERSION) for _ in range(9))) == ["1.0.0"] * 9
    names.now = 1e6
    source.down = True
    assert await names.find(*VERSION) == "1.0.0"
    assert source.asked == [VERSION]


async def test_an_unknown_version_is_looked_up_again_after_a_while() -> None:
    source = MemoryVersions()
    names = Names(source)
    assert await names.find(*VERSION) == ""
    source.names[VERSION] = "1.0.0"
    names.now = 29.0
    assert await names.find(*VERSION) == ""
    names.now = 30.0
    assert await names.find(*VERSION) == "1.0.0"


async def test_a_source_that_cannot_be_reached_is_asked_again_after_a_while() -> None:
    source = MemoryVersions({VERSION: "1.0.0"}, down=True)
    names = Names(source)
    assert [await names.find(*VERSION) for _ in range(3)] == [""] * 3
    source.down, names.now = False, 30.0
    assert await names.find(*VERSION) == "1.0.0"
    assert len(source.asked) == 2


async def test_a_source_that_fails_costs_no_features(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(MemoryVersions):
        async def name_of(self, app: str, task: str, manifest: bytes) -> str:
            raise ValueError("broken")

    assert await Names(Broken()).find(*VERSION) == ""
    assert "broken" in caplog.text


async def test_a_gateway_without_a_source_knows_no_names() -> None:
    assert await Names(None).find(*VERSION) == ""
