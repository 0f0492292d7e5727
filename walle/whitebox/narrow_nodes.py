"""Nodes of trees in eight bytes, half of those that archives have: thresholds as float32, in an order of integers.

A comparison with a threshold (f64) is one of float32 where the numbers that are above it are those whose float32 is
above another threshold: so it is for trees that were trained on float32, as scikit-learn's are. To a float32 an integer
(u32) is given that is in the same order, the last one to NaN, so that a record's numbers are brought to this form once
and compared as integers. In words (u64):

    1 where nodes are narrow; 0 where they are as archives have them, because some do not fit
    how many nodes there are
    how many of a record's numbers are compared, if the nodes name places in a list of these; else 0
    that list, two places (i32) in a word, if there is one
    the nodes
    a bit for each narrow node, from the lowest up, that sends missing numbers left
    how many words (i32) the nodes of the archive are

A narrow node is, from its lowest bit up: the place of what is compared (16 bits); how far behind it its left child is
(16), 0 for a leaf; and the integer of the threshold (32), the last one for a leaf, so that whoever is there stays.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from walle.whitebox.archive.contents import MISSING_RIGHT

Words = NDArray[np.uint64]

LAST: Final = 0xFFFFFFFF
"""The integer of NaN, and of a leaf's threshold."""
_MOST: Final = 1 << 16
"""Below this are places and distances of narrow nodes."""


def narrow_nodes(numbers: NDArray[Any]) -> Words:
    """Return the nodes of an ensemble (i32, four for each) in this form."""
    nodes = np.ascontiguousarray(numbers).reshape(-1, 4)
    index = np.arange(len(nodes))
    leaf, inner = nodes[:, 3] == index, nodes[:, 3] != index
    thresholds = nodes.view("<f8").reshape(-1, 2)[:, 0]
    features = (nodes[:, 2] & (MISSING_RIGHT - 1)).astype(np.int64)
    single = rounded(thresholds)
    used, places = np.unique(features[inner], return_inverse=True)
    # Where most are compared, bringing all of them to integers takes less than picking some.
    listed = used if 2 * len(used) <= used.max(initial=0) else used[:0]
    found = np.zeros(len(nodes), np.int64)
    found[inner] = places if len(listed) else features[inner]
    distances = nodes[:, 3] - index
    fits = found.max(initial=0) < _MOST and distances.max(initial=0) < _MOST
    if not (fits and _are_single(thresholds[inner], single[inner])):
        return _joined([0, len(nodes), 0], listed[:0], nodes.view("<u8").ravel(), np.zeros(0, np.uint64), nodes.size)
    codes = np.where(leaf, LAST, order_of(single)).astype(np.uint64)
    narrow = codes << np.uint64(32) | distances.astype(np.uint64) << np.uint64(16) | found.astype(np.uint64)
    left = np.zeros(-(-len(nodes) // 64) * 64, bool)
    left[: len(nodes)] = inner & (nodes[:, 2] >= 0)
    return _joined([1, len(nodes), len(listed)], listed, narrow, np.packbits(left, bitorder="little").view("<u8"), nodes.size)


def _are_single(thresholds: NDArray[Any], single: NDArray[np.float32]) -> bool:
    """Return whether to be above each threshold and to be above its float32, once rounded, are the same."""
    with np.errstate(over="ignore"):
        finite = np.isfinite(single) & np.isfinite(np.nextafter(single, np.float32(np.inf)))
    return bool(np.all((finite & (last_that_rounds_to(single) == thresholds)) | np.isposinf(thresholds)))


def _joined(head: list[int], listed: NDArray[Any], nodes: Words, left: Words, count: int) -> Words:
    places = np.zeros(len(listed) + len(listed) % 2, "<i4")
    places[: len(listed)] = listed
    end = np.array([count], np.uint64)
    return np.concatenate([np.array(head, np.uint64), places.view("<u8"), nodes, left, end])


def rounded(numbers: NDArray[Any]) -> NDArray[np.float32]:
    """Return numbers as float32 has them, to which of two neighbours however far each is."""
    with np.errstate(over="ignore"):
        found: NDArray[np.float32] = np.asarray(numbers, np.float64).astype(np.float32)
    return found


def order_of(single: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Return integers in the order of float32 numbers; both zeros have the same."""
    bits = (single + np.float32(0)).view(np.int32)
    return (bits ^ (bits >> 31 | np.int32(-(1 << 31)))).view(np.uint32)


def last_that_rounds_to(single: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the greatest float64 that is rounded to a float32 or less: half way to the next, which is for the even."""
    with np.errstate(over="ignore", invalid="ignore"):
        following = np.nextafter(single, np.float32(np.inf))
        middle = (single.astype(np.float64) + following.astype(np.float64)) / 2
        even = single.view(np.int32) % 2 == 0
        found = np.where(even, middle, np.nextafter(middle, -np.inf))
    found = np.where(np.isfinite(following) & np.isfinite(single), found, single.astype(np.float64))
    return np.asarray(found, np.float64)
