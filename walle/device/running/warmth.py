"""Guesses which runs will be warm, so that not too many cold ones are begun at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Warmth:
    """What the last run of each version left behind. Times are seconds of one clock.

    A guess, since a VM can end at any time: a wrong one costs some waiting and nothing else.
    """

    def __init__(self) -> None:
        self._idle_until: dict[str, float] = {}

    def ran(self, folder: str, vm: Mapping[str, Any] | None, now: float, *, success: bool) -> None:
        """Take note of a run that ended now; `vm` is what its manifest says of the task's VM, if anything."""
        if vm and vm.get("keep") and success:
            self._idle_until[folder] = now + float(vm.get("idle_s", 0))
        else:
            self._idle_until.pop(folder, None)

    def lasts(self, folder: str, now: float) -> bool:
        """Return whether the version in this folder still has a VM, by all that is known."""
        return now < self._idle_until.get(folder, now)
