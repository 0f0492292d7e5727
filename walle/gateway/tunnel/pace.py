"""How fast one device is read: what it brings must not take all of a gateway's time, nor fill the disk by itself.

What it brings is counted in bytes, and what costs time without being long as so many bytes more. The budget is the
device's, over all of its connections to this gateway.
"""

from __future__ import annotations

from typing import Final

from walle.gateway.tunnel.limits import TunnelLimits

CONNECTION: Final = 32 << 10
"""What a handshake counts, which costs as much as many messages, and may bring a new spool."""
PROFILE: Final = 16 << 10
"""What a changed profile counts, which may be answered as a check-in is."""
STRANGE_TASK: Final = 64 << 10
"""What a stream of a task counts that the app's table does not name: each is counted by itself ever after."""
FRAME: Final = 256
"""What each message counts besides its length."""
_VALUE: Final = 24
"""What each value in a feature counts besides its length: `[]` takes as long as a hundred bytes of text."""
_MOST: Final = 100_000
_PRUNED: Final = 1024

DeviceKey = tuple[str, str]


def cost_of(values: bytes) -> int:
    """Return what the values of a feature count, as JSON."""
    return len(values) + _VALUE * (values.count(b",") + values.count(b"[") + values.count(b"{"))


class Pace:
    """One device's budget: `rate` bytes a second and as many at once, and `lasting` of them if it goes on for hours.

    Time comes in as an argument, in monotonic seconds.
    """

    __slots__ = ("_lasting", "_limits", "_paid")

    def __init__(self, limits: TunnelLimits, now: float) -> None:
        self._limits = limits
        self._paid = now - 1.0
        """The time up to which the budget of a second is used."""
        self._lasting = now - limits.saved / limits.lasting
        """The same of the lasting one."""

    def wait(self, size: int, now: float) -> float:
        """Count bytes that were read, and return the seconds for which nothing more is to be read."""
        limits = self._limits
        self._paid = max(self._paid, now - 1.0) + size / limits.rate
        self._lasting = max(self._lasting, now - limits.saved / limits.lasting) + size / limits.lasting
        return max(0.0, self._paid - now, self._lasting - now)

    def is_used(self, now: float) -> bool:
        """Return whether any of it is used."""
        return self._lasting > now - self._limits.saved / self._limits.lasting


class Paces:
    """The budgets of devices, connected or not, as far as they are used."""

    def __init__(self, limits: TunnelLimits) -> None:
        self._limits = limits
        self._known: dict[DeviceKey, Pace] = {}
        self._prune_at = _PRUNED

    def __len__(self) -> int:
        return len(self._known)

    def of(self, device: DeviceKey, now: float) -> Pace:
        """Return the budget of a device that connects."""
        found = self._known.get(device)
        if found is None:
            found = Pace(self._limits, now)
            self.keep(device, found, now)
        return found

    def keep(self, device: DeviceKey, pace: Pace, now: float) -> None:
        """Keep the budget of a device, also once it is gone; forget those that are whole again."""
        self._known[device] = pace
        if len(self._known) >= self._prune_at:
            used = [(key, kept) for key, kept in self._known.items() if kept.is_used(now)]
            self._known = dict(used[-_MOST:])
            self._prune_at = max(_PRUNED, 2 * len(self._known))
