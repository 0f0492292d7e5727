"""The spool as the event loop uses it: what it costs the disk, and what happens at the same time."""

from __future__ import annotations

import asyncio
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.device.tunnel.test_service import settled
from walle.device.storage.disk import Disk
from walle.device.tunnel.spool import Spool


class CountingDisk(Disk):
    """Counts how often a file is synced."""

    def __init__(self) -> None:
        super().__init__()
        self.synced = 0

    def _fsync(self, descriptor: int) -> None:
        self.synced += 1


async def test_what_is_acknowledged_is_not_synced_any_more(start, cloud):
    disk = CountingDisk()
    tunnel = start(disk=disk)
    tunnel.upload({"n": 0})
    await settled(tunnel)
    begun = disk.synced
    for number in range(1, 4):
        tunnel.upload({"n": number})
        await settled(tunnel)
        tunnel.monotonic.now += 2
        await tunnel.service.turn()
    assert disk.synced == begun
    cloud.acknowledges = False
    tunnel.upload({"n": 4})
    await tunnel.until(lambda: len(cloud.values) == 5)
    tunnel.monotonic.now += 2
    await tunnel.service.turn()
    assert disk.synced == begun + 1


async def test_what_goes_up_at_once_is_not_read_from_the_disk(tunnel, cloud, monkeypatch):
    reads = []
    monkeypatch.setattr(Spool, "read", lambda *arguments, **more: reads.append(arguments) or [])
    for number in range(3):
        tunnel.upload({"n": number})
        await settled(tunnel)
    assert [values["n"] for values in cloud.values] == [0, 1, 2]
    assert reads == []


async def test_a_call_that_nobody_waits_for_any_more_ends_before_the_next_one(tunnel, monkeypatch):
    queue, order = tunnel.service._parts.queue, list[str]()
    begun, go_on = threading.Event(), threading.Event()

    def read(*_: Any, **__: Any) -> list[Any]:
        begun.set()
        go_on.wait(10)
        order.append("read")
        return []

    class Told:
        """The lock of the spool, which tells when somebody has to wait for it."""

        def __init__(self, lock: threading.Lock) -> None:
            self.lock = lock

        def __enter__(self) -> None:
            if self.lock.locked():
                go_on.set()
            self.lock.acquire()

        def __exit__(self, *_: object) -> None:
            self.lock.release()

    tunnel.upload({"n": 1})
    await queue.settle()
    queue._latest = []
    monkeypatch.setattr(queue, "_in_use", Told(queue._in_use))
    monkeypatch.setattr(queue._spool, "read", read)
    monkeypatch.setattr(queue._spool, "acknowledge", lambda sequence: order.append("acknowledge"))
    reading = asyncio.create_task(queue.read(1))
    await asyncio.to_thread(begun.wait, 10)
    reading.cancel()
    await queue.acknowledge(1)
    found = list(order)
    go_on.set()
    assert found == ["read", "acknowledge"]


@pytest.mark.parametrize("connected", [True, False])
async def test_a_folder_that_somebody_removed_is_begun_anew(start, cloud, tmp_path, connected):
    cloud.acknowledges = False
    tunnel = start()
    tunnel.upload({"n": 1})
    await (tunnel.until(lambda: cloud.values) if connected else tunnel.service._parts.queue.settle())
    shutil.rmtree(tmp_path / "tunnel" / "spool")
    cloud.acknowledges = True
    tunnel.upload({"n": 2})
    await tunnel.until(lambda: {"n": 2} in cloud.values, pace=0.1)
    await settled(tunnel)
    assert segments(tmp_path)


async def test_a_segment_that_is_gone_when_it_is_read_ends_the_spool(start, cloud, tmp_path):
    cloud.refusal = (503, "")
    before = start()
    before.upload({"n": 1})
    await before.service.stop()
    cloud.refusal = None
    after = start()
    segments(tmp_path)[0].unlink()
    await after.until(lambda: "damaged" in after.names(), pace=1)
    after.upload({"n": 2})
    await after.until(lambda: {"n": 2} in cloud.values, pace=1)


def segments(folder: Path) -> list[Path]:
    return list((folder / "tunnel" / "spool").glob("*.seg"))
