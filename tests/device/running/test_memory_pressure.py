"""When idle VMs have to go: by what is available and by who waits, read from files that may be anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.device.running.memory_pressure import (
    LOOK_AGAIN_S,
    LOOK_S,
    MemoryPressure,
    MemoryState,
    bytes_to_free,
    read_memory_state,
)

MB = 1024 * 1024
PRESSURE = "some avg10={stalled:.2f} avg60=0.00 avg300=0.00 total=0\nfull avg10=99.00 avg60=0.00 avg300=0.00 total=0\n"


class VMs:
    """Remembers what was asked for, and has so much to give."""

    def __init__(self, held: int) -> None:
        self.held = held
        self.asked: list[int] = []

    def relieve(self, bytes_wanted: int, /) -> int:
        self.asked.append(bytes_wanted)
        freed = min(self.held, bytes_wanted)
        self.held -= freed
        return freed


@pytest.fixture
def proc(tmp_path):
    """Writes what the kernel says."""
    (tmp_path / "pressure").mkdir()

    def say(available_mb: float, total_mb: float = 1000, stalled: float = 0.0):
        meminfo = (
            f"MemTotal:       {total_mb * 1024:.0f} kB\nMemFree:  1 kB\nMemAvailable:   {available_mb * 1024:.0f} kB\n"
        )
        (tmp_path / "meminfo").write_text(meminfo)
        (tmp_path / "pressure" / "memory").write_text(PRESSURE.format(stalled=stalled))
        return tmp_path

    return say


@pytest.mark.parametrize(
    ("available_mb", "stalled", "wanted_mb"),
    [(500, 0, 0), (100, 9.9, 0), (99, 0, 51), (0, 50, 150), (100, 10, 50), (900, 100, 50)],
)
def test_little_memory_or_much_waiting_asks_for_some_back(available_mb, stalled, wanted_mb):
    assert bytes_to_free(MemoryState(1000 * MB, available_mb * MB, stalled)) == wanted_mb * MB


@given(st.integers(0, 2**45), st.integers(0, 2**45), st.floats(0, 100))
def test_no_more_is_asked_for_than_brings_the_machine_back(total, available, stalled):
    assert 0 <= bytes_to_free(MemoryState(total, available, stalled)) <= 0.15 * total + 1


def test_the_state_is_the_kernels(proc):
    assert read_memory_state(proc(250, stalled=12.5)) == MemoryState(1000 * MB, 250 * MB, 12.5)


def test_a_kernel_that_does_not_count_waiting_says_what_is_available(proc):
    folder = proc(250)
    (folder / "pressure" / "memory").unlink()
    assert read_memory_state(folder) == MemoryState(1000 * MB, 250 * MB)


@pytest.mark.parametrize("meminfo", [b"", b"\xff\x00", b"MemTotal: 5 kB\n", b"MemTotal: x kB\nMemAvailable: 1 kB\n"])
def test_a_machine_that_says_nothing_has_no_state(proc, meminfo):
    folder = proc(250)
    (folder / "meminfo").write_bytes(meminfo)
    assert read_memory_state(folder) is None
    (folder / "meminfo").unlink()
    assert read_memory_state(folder) is None


def test_only_the_beginning_of_a_file_is_read(proc):
    folder = proc(250)
    (folder / "meminfo").write_bytes(b"x" * 65_536 + b"\n" + (folder / "meminfo").read_bytes())
    assert read_memory_state(folder) is None


async def test_vms_are_asked_while_memory_is_short_and_looked_at_sooner_while_they_give(proc):
    vms = VMs(held=60 * MB)
    pressure = MemoryPressure(vms, proc=proc(500))
    assert (await pressure.turn(), vms.asked) == (LOOK_S, [])
    proc(90)
    assert (await pressure.turn(), vms.asked) == (LOOK_AGAIN_S, [60 * MB])
    await pressure.once()
    assert (await pressure.turn(), vms.asked) == (LOOK_S, [60 * MB] * 3)


async def test_a_machine_that_says_nothing_is_let_be(tmp_path):
    vms = VMs(held=60 * MB)
    assert await MemoryPressure(vms, proc=tmp_path).turn() is None
    assert vms.asked == []
