"""Which executors and how much memory are reserved for single plans."""

from __future__ import annotations

from dataclasses import dataclass

from walle.whitebox.runtime.errors import ReservationRefused


@dataclass(frozen=True, slots=True)
class Reservation:
    """What a plan has for itself: executors, of which each has a core, and bytes of vectors made beforehand.

    Its parameters stay in memory, too.
    """

    cores: int = 0
    memory_bytes: int = 0

    def __post_init__(self) -> None:
        if self.cores < 0 or self.memory_bytes < 0 or not (self.cores or self.memory_bytes):
            raise ValueError("a reservation is of cores, of bytes of memory, or of both")


class Reservations:
    """The executors of a machine, by number, and which of them are one plan's. At least one is always everybody's."""

    def __init__(self, executors: int, memory_bytes: int) -> None:
        self._owners: list[str | None] = [None] * executors
        self._memory_bytes = memory_bytes
        self._held: dict[str, Reservation] = {}

    @property
    def held(self) -> dict[str, Reservation]:
        """The reservations by plan."""
        return dict(self._held)

    @property
    def shared(self) -> list[int]:
        """The executors that nobody reserved."""
        return self.of(None)

    def of(self, plan: str | None) -> list[int]:
        """Return the executors of a plan; those of everybody for None."""
        return [number for number, owner in enumerate(self._owners) if owner == plan]

    def owner(self, executor: int) -> str | None:
        return self._owners[executor]

    def reserve(self, plan: str, wanted: Reservation) -> None:
        """Reserve for a plan that has no reservation. Raises ReservationRefused; nothing is reserved then."""
        if plan in self._held:
            raise ReservationRefused(f"plan {plan} has a reservation already")
        shared = self.shared
        if wanted.cores >= len(shared):
            most = len(shared) - 1
            raise ReservationRefused(f"{most} cores at most can be reserved now, {wanted.cores} were asked for")
        left = self._memory_bytes - sum(each.memory_bytes for each in self._held.values())
        if wanted.memory_bytes > left:
            raise ReservationRefused(f"{left} bytes at most can be reserved now, {wanted.memory_bytes} were asked for")
        # The last ones: the first core stays shared as long as possible.
        for number in shared[len(shared) - wanted.cores :]:
            self._owners[number] = plan
        self._held[plan] = wanted

    def release(self, plan: str) -> None:
        """Give back what a plan reserved, if it did."""
        self._held.pop(plan, None)
        self._owners = [None if owner == plan else owner for owner in self._owners]
