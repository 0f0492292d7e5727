"""Limits of enrolments per hour, so that a leaked app key cannot create devices without end.

New devices with an app key share a limit of their app. One block of addresses may use only a part of it, so that a
flood from there leaves the rest to others. A device with a credential that was issued to it, or that the app's backend
vouches for, has a limit of its own, which others who have the app key cannot use up. Every gateway process counts for
itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from math import ceil
from typing import Final

from walle.gateway.allowances import HOUR_S, Allowance, Buckets
from walle.gateway.counts import GatewayCounts
from walle.gateway.problems import HttpProblem

IPV4_BLOCK_BITS: Final = 24
IPV6_BLOCK_BITS: Final = 48
LEAST_WAIT_S: Final = 60.0
"""The shortest time after which a refused device is asked to try again; the longest is five times as much."""
_SPREAD: Final = 4.0
_MOST_APPS: Final = 10_000
_MOST_BLOCKS: Final = 20_000
_MOST_DEVICES: Final = 50_000


@dataclass(frozen=True)
class EnrolmentLimits:
    """The enrolments that one gateway process admits per hour, a tenth of them at once.

    `new_per_hour` limits an app's new devices with an app key, unless the app has a limit of its own; `block_percent`
    is the part of it that one block of addresses (IPv4 /24, IPv6 /48) may use; `again_per_hour` limits the enrolments
    of one device that is known by its credential or vouched for by the app's backend.
    """

    new_per_hour: int = 3600
    block_percent: int = 10
    again_per_hour: int = 60


class EnrolmentLimiter:
    """Enforces the limits, by the clock of `counts`; `jitter` returns a number in [0, 1)."""

    def __init__(self, limits: EnrolmentLimits, counts: GatewayCounts, jitter: Callable[[], float]) -> None:
        self._limits = limits
        self._counts = counts
        self._jitter = jitter
        self._apps: Buckets[str] = Buckets(_MOST_APPS)
        self._blocks: Buckets[tuple[str, bytes]] = Buckets(_MOST_BLOCKS)
        self._devices: Buckets[tuple[str, str]] = Buckets(_MOST_DEVICES)

    def admit_new(self, app: str, own_limit: int | None, address: str | None) -> None:
        """Admit a new device of an app, or raise HttpProblem; a refused one uses up nothing.

        `own_limit` is the app's own limit per hour, None if it has none.
        """
        per_hour = self._limits.new_per_hour if own_limit is None else own_limit
        if per_hour == 0:
            raise self._refusal(app, "app", HOUR_S, "no device enrols with an app key alone")
        now, key = self._counts.clock(), (app, address_block(address))
        of_app, of_block = Allowance(per_hour), Allowance(per_hour * self._limits.block_percent / 100)
        if wait := self._blocks.wait(key, of_block, now):
            raise self._refusal(app, "block", wait, "too many new devices come from this network")
        if wait := self._apps.wait(app, of_app, now):
            raise self._refusal(app, "app", wait, "too many new devices come")
        self._blocks.take(key, of_block, now)
        self._apps.take(app, of_app, now)

    def admit_again(self, app: str, device: str) -> None:
        """Admit a device that has proved its identity, or raise HttpProblem."""
        now, allowance = self._counts.clock(), Allowance(self._limits.again_per_hour)
        if wait := self._devices.wait((app, device), allowance, now):
            raise self._refusal(app, "device", wait, "this device enrols too often")
        self._devices.take((app, device), allowance, now)

    def _refusal(self, app: str, limit: str, wait: float, reason: str) -> HttpProblem:
        self._counts.enrolments_refused[app, limit] += 1
        after = ceil(max(wait, LEAST_WAIT_S) * (1 + _SPREAD * self._jitter()))
        return HttpProblem(429, "enrolment-limited", f"{reason}: try again in {after} s", after)


def address_block(address: str | None) -> bytes:
    """Return the block that an address belongs to; all unreadable addresses form one block."""
    try:
        found = ip_address(address or "")
    except ValueError:
        return b""
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is None:
            return found.packed[: IPV6_BLOCK_BITS // 8]
        found = found.ipv4_mapped
    return found.packed[: IPV4_BLOCK_BITS // 8]
