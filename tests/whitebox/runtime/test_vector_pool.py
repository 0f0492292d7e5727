"""Vectors that are there before somebody predicts."""

from __future__ import annotations

from typing import Any

from walle.whitebox.runtime.vector_pool import VectorPool


class Recorded:
    """Vectors of some bytes, which say whether they were touched."""

    def __init__(self, size: int) -> None:
        self.size, self.touched = size, False

    def touch(self) -> None:
        self.touched = True

    def shrink(self, size: int) -> None:
        raise AssertionError("they are small")


class Sized:
    """A plan whose frame has so many bytes."""

    def __init__(self, size: int) -> None:
        self.vector_bytes = size

    def vectors(self, records: int) -> Recorded:
        return Recorded(self.vector_bytes)


def plan(size: int) -> Any:
    return Sized(size)


def test_the_largest_frame_of_all_plans_is_in_memory_before_the_first_prediction() -> None:
    pool = VectorPool()
    for size in (100, 300, 200):
        pool.prepare(plan(size))
    found = pool.take(plan(100))
    assert (found.size, vars(found)["touched"]) == (300, True)
    pool.give(found)
    pool.prepare(plan(300))
    assert pool.take(plan(300)) is found, "what is large enough is kept"
