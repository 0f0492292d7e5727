"""Signs of life in memory that a serving process shares with its supervisor, which no loop can keep from being read."""

from __future__ import annotations

import mmap
import signal
import struct
import time
from typing import Final, NamedTuple

_BEAT: Final = struct.Struct("<d")
_RUN: Final = struct.Struct("<d64s")
_BEGAN: Final = struct.Struct("<d")
_BEAT_AT: Final = 0
_RUN_AT: Final = 64
_LOAD_AT: Final = 192
BEAT_EVERY_S: Final = 0.1


class Pulse(NamedTuple):
    """What a heartbeat said: when the event loop last ran, which plan has run in it, and which was being loaded.

    Times are in seconds of the monotonic clock, which all processes of a machine share; `began` and `loading_since` are
    0 while no plan runs or is loaded.
    """

    beat: float
    began: float = 0.0
    plan: str = ""
    loading_since: float = 0.0
    loading: str = ""


class Heartbeat:
    """Shared memory: whoever forks after it was made shares it with the fork."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, mmap.PAGESIZE)
        self._longest_s = 0.0

    def beat(self) -> None:
        """Say that the event loop runs."""
        _BEAT.pack_into(self._memory, _BEAT_AT, time.monotonic())
        if self._longest_s:
            signal.setitimer(signal.ITIMER_REAL, self._longest_s)

    def end_without(self, seconds: float) -> None:
        """Have the kernel end this process if it does not beat for so long, whatever it is doing."""
        self._longest_s = seconds
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def begin(self, plan: bytes) -> None:
        """Say that a plan begins to run in the event loop's thread; `plan` is its id, 64 bytes in ASCII."""
        _RUN.pack_into(self._memory, _RUN_AT, time.monotonic(), plan)

    def end(self) -> None:
        """Say that it has ended."""
        _BEGAN.pack_into(self._memory, _RUN_AT, 0.0)

    def load(self, plan: bytes) -> None:
        """Say that a plan begins to be loaded, in whatever thread; `plan` is as in `begin`."""
        _RUN.pack_into(self._memory, _LOAD_AT, time.monotonic(), plan)

    def loaded(self) -> None:
        """Say that it is, or that it failed."""
        _BEGAN.pack_into(self._memory, _LOAD_AT, 0.0)

    def clear(self) -> None:
        """Forget what a former process said."""
        self.beat()
        self.end()
        self.loaded()

    def read(self) -> Pulse:
        (beat,) = _BEAT.unpack_from(self._memory, _BEAT_AT)
        return Pulse(beat, *self._read(_RUN_AT), *self._read(_LOAD_AT))

    def _read(self, at: int) -> tuple[float, str]:
        began, plan = _RUN.unpack_from(self._memory, at)
        return began, plan.rstrip(b"\0").decode("ascii", "replace") if began else ""
