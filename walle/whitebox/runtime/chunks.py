"""How a batch is divided among executors."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from walle.whitebox.columns import RecordColumns

CHUNK_S: Final = 0.016
"""How long a chunk is to take: long beside handing it over (0.3 ms), short beside what others may wait for."""
MOST_RECORDS: Final = 2048
MOST_BYTES: Final = 1 << 20
_EACH: Final = 16
"""What a value takes beside the characters of a text."""
_NUMBERS: Final = frozenset((float, int, bool, type(None)))


def chunk_ranges(sizes: Sequence[int] | NDArray[np.int64], record_s: float, idle: int) -> list[tuple[int, int]]:
    """Return the ranges of records, one after the other, in which a batch is answered.

    `sizes` are the bytes of each record. No range exceeds MOST_RECORDS or, unless it is of a single record, MOST_BYTES;
    each takes about CHUNK_S where a record takes `record_s`, less where all `idle` executors can have a part at once.
    """
    count, ends = len(sizes), np.cumsum(sizes)
    by_time = int(min(MOST_RECORDS, CHUNK_S / record_s)) if record_s > 0 else MOST_RECORDS
    even = -(-count // max(1, idle))
    shortest = max(1, by_time // 8)
    most = max(1, min(by_time, max(even, shortest)))
    ranges: list[tuple[int, int]] = []
    first = before = 0
    while first < count:
        fitting = int(np.searchsorted(ends, before + MOST_BYTES, side="right"))
        last = max(first + 1, min(first + most, fitting, count))
        ranges.append((first, last))
        first, before = last, int(ends[last - 1])
    return ranges


def sizes_of(records: Sequence[Any]) -> NDArray[np.int64]:
    """Return about how many bytes each record takes on its way."""
    if isinstance(records, RecordColumns):
        return records.sizes()
    return np.array([size_of(record) for record in records], np.int64)


def size_of(record: Any) -> int:
    """Return about how many bytes a record takes on its way: of text its characters, of what is nested all of it."""
    if isinstance(record, (str, bytes)):
        return _EACH + len(record)
    if isinstance(record, dict):
        return _EACH + _size_of_all(record.values())
    if isinstance(record, (list, tuple)):
        return _EACH + _size_of_all(record)
    return _EACH


def _size_of_all(values: Collection[Any]) -> int:
    """Return the sizes of values together; a call for each number would take as long as predicting with them."""
    others = [each for each in values if each.__class__ not in _NUMBERS]
    return _EACH * (len(values) - len(others)) + sum(map(size_of, others))
