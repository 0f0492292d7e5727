"""How a batch is divided among executors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

CHUNK_S: Final = 0.004
"""How long a chunk is to take: long beside handing it over (0.1 ms), short beside what others may wait for."""
MOST_RECORDS: Final = 512
MOST_BYTES: Final = 1 << 20


def chunk_ranges(sizes: Sequence[int], record_s: float, executors: int) -> list[tuple[int, int]]:
    """Return the ranges of records, one after the other, in which a batch is answered.

    `sizes` are the bytes of each record. No range exceeds MOST_RECORDS or, unless it is of a single record, MOST_BYTES;
    each takes about CHUNK_S where a record takes `record_s`, less where all `executors` can have a part.
    """
    count = len(sizes)
    by_time = int(CHUNK_S / record_s) if record_s > 0 else MOST_RECORDS
    even = -(-count // max(1, executors))
    shortest = max(1, by_time // 8)
    most = max(1, min(MOST_RECORDS, by_time, max(even, shortest)))
    ranges: list[tuple[int, int]] = []
    first = held = 0
    for index, size in enumerate(sizes):
        if index > first and (index - first >= most or held + size > MOST_BYTES):
            ranges.append((first, index))
            first, held = index, 0
        held += size
    if count:
        ranges.append((first, count))
    return ranges


def size_of(record: Any) -> int:
    """Return about how many bytes a record takes on its way: of text its characters, of what is nested all of it."""
    if isinstance(record, (str, bytes)):
        return 16 + len(record)
    if isinstance(record, dict):
        return 16 + sum(size_of(value) for value in record.values())
    if isinstance(record, (list, tuple)):
        return 16 + sum(size_of(value) for value in record)
    return 16
