"""Histograms of measurements whose buckets grow with the values: small to keep, added up by adding the counts.

Eight buckets double the value, so that a quantile is known to within 9 %. A histogram is a list of counts by bucket;
buckets at its end that hold nothing may be missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import ceil, log2
from typing import Final

PER_OCTAVE: Final = 8
MOST_BUCKETS: Final = 256
"""The last one holds everything above 2^32 times the smallest value told apart."""


def bucket_of(value: float, smallest: float) -> int:
    """Return the bucket of a value of at least 0; those up to `smallest` (above 0) share the first."""
    if value <= smallest:
        return 0
    return min(MOST_BUCKETS - 1, ceil(PER_OCTAVE * log2(value / smallest)))


def quantile(counts: Sequence[int], share: float, smallest: float) -> float | None:
    """Return the value that a share (0 to 1) of the values do not exceed, within its bucket by proportion.

    None where nothing was counted.
    """
    total = sum(counts)
    if not total:
        return None
    wanted = share * total
    for bucket, (until, count) in enumerate(zip(accumulate(counts), counts, strict=True)):
        if count and until >= wanted:
            part = 1 - (until - wanted) / count
            return float(smallest * 2 ** ((bucket - 1 + part) / PER_OCTAVE)) if bucket else smallest
    return None
