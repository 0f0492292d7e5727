"""Which idle VMs have to end so that memory is given back."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Final, TypeVar

Key = TypeVar("Key", bound=Hashable)
# What a VM takes beside what its task holds: three processes that share nearly all else with their launcher.
OVERHEAD_MB: Final = 6.0


def size_mb(held_mb: float) -> float:
    """The memory that an idle VM takes, in mebibytes, if its task holds so much."""
    return OVERHEAD_MB + held_mb


def choose_to_end(idle: Mapping[Key, float], excess_mb: float, excess: int = 0) -> list[Key]:
    """Those of the idle VMs that have to end to give `excess_mb` back, and at least `excess`: the largest first, and no
    more than needed.

    `idle` says what the task of each holds, in mebibytes.
    """
    chosen: list[Key] = []
    for key, held_mb in sorted(idle.items(), key=lambda item: -item[1]):
        if excess_mb <= 0 and len(chosen) >= excess:
            break
        chosen.append(key)
        excess_mb -= size_mb(held_mb)
    return chosen
