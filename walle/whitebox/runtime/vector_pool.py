"""Vectors that were made beforehand, for whoever predicts next: nothing is allocated on the way of a prediction."""

from __future__ import annotations

from typing import Final

from walle.whitebox.runtime.contract import BoundPlan, PlanVectors

KEPT_BYTES: Final = 16 << 20
"""What a long text made vectors grow beyond this is given back after it."""


class VectorPool:
    """As many vectors as were used at once. Plans have one pool together; one with a reservation may have its own."""

    __slots__ = ("_free",)

    def __init__(self) -> None:
        self._free: list[PlanVectors] = []

    def fill(self, plan: BoundPlan, memory_bytes: int) -> None:
        """Have as many vectors ready as fit into so many bytes; one at least."""
        first = plan.vectors(1)
        count = max(1, memory_bytes // max(1, first.size))
        self._free = [first, *(plan.vectors(1) for _ in range(count - 1))]

    def prepare(self, plan: BoundPlan) -> None:
        """Have vectors that are large enough for a plan, in memory: its first prediction does not wait for pages."""
        try:
            kept = self._free.pop()
        except IndexError:
            kept = None
        if kept is None or kept.size < plan.vector_bytes:
            kept = plan.vectors(1)
            kept.touch()
        self._free.append(kept)

    def take(self, plan: BoundPlan) -> PlanVectors:
        """Return vectors that nobody else uses. Two threads never get the same: popping is one step."""
        try:
            return self._free.pop()
        except IndexError:
            made: PlanVectors = plan.vectors(1)
            return made

    def give(self, vectors: PlanVectors) -> None:
        """Take vectors back."""
        if vectors.size > KEPT_BYTES:
            vectors.shrink(KEPT_BYTES)
        self._free.append(vectors)
