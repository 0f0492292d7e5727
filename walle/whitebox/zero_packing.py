"""Arrays of numbers without their zeros, in which each number is still looked up at once: a bitmap with ranks.

A linear model over n-grams has zeros for all n-grams that its training did not see, often more than half of its
weights. Of 64 numbers (f64) at a time, in C order, the form has two words (u64): a bit for each number that is not
zero, from the lowest up, and where the first of these stands among those of all. The words of all numbers are followed
by a zero, and by the numbers that are not zero; places are counted from the zero on, so that a number whose bit is not
set is found at place 0. The last word is how many numbers there are with zeros.

That takes a quarter of a byte for each number, and eight for each that is not zero. Nothing is rounded: sums of
products are the same to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

_BLOCK = 64


def pack_zeros(numbers: NDArray[Any]) -> Words:
    """Return finite numbers (f64, of any shape) without their zeros."""
    flat = numbers.reshape(-1)
    filled = flat != 0
    blocks = -(-flat.size // _BLOCK)
    bits = np.zeros(8 * blocks, np.uint8)
    packed = np.packbits(filled, bitorder="little")
    bits[: packed.size] = packed
    words = np.empty(2 * blocks + 1 + np.count_nonzero(filled) + 1, np.uint64)
    heads = words[: 2 * blocks].reshape(blocks, 2)
    heads[:, 0] = bits.view("<u8")
    counts = np.bitwise_count(heads[:, 0])
    heads[:, 1] = np.cumsum(counts, dtype=np.uint64) - counts + np.uint64(1)
    words[2 * blocks] = 0
    words[2 * blocks + 1 : -1] = flat[filled].view(np.uint64)
    words[-1] = flat.size
    return words


def packed_count(words: Words) -> int:
    """Return how many numbers there were before they were packed."""
    return int(words[-1])
