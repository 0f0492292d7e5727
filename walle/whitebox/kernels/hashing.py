"""Hashes of bytes, and searches in the dictionaries of `walle.whitebox.ngram_table`."""

import numpy as np

from walle.whitebox.kernels.decorators import kernel
from walle.whitebox.kernels.memory import load_u8, load_u32, load_u64, prefetch
from walle.whitebox.ngram_table import COLUMN_BITS, FMIX_1, FMIX_2, FNV_OFFSET, FNV_PRIME, MAX_ENTRIES

OFFSET, PRIME = np.uint64(FNV_OFFSET), np.uint64(FNV_PRIME)
MIX_1, MIX_2, HALF = np.uint64(FMIX_1), np.uint64(FMIX_2), np.uint64(33)
MARK, COLUMN = np.uint64(COLUMN_BITS), np.uint64(MAX_ENTRIES)


@kernel
def finalize(state):
    state = (state ^ (state >> HALF)) * MIX_1
    state = (state ^ (state >> HALF)) * MIX_2
    return state ^ (state >> HALF)


@kernel
def table_key(start, end):
    """Return the hash of the bytes between two addresses, as in `walle.whitebox.ngram_table`."""
    state = OFFSET
    for address in range(start, end):
        state = (state ^ np.uint64(load_u8(address, 0))) * PRIME
    return finalize(state)


@kernel
def rotate(word, bits):
    return ((word << np.uint32(bits)) | (word >> np.uint32(32 - bits))) & np.uint32(0xFFFFFFFF)


@kernel
def scramble(word):
    word = np.uint32(word * np.uint32(0xCC9E2D51))
    return np.uint32(rotate(word, 15) * np.uint32(0x1B873593))


@kernel
def murmur(start, end):
    """MurmurHash3 (32 bits, seed 0) of the bytes between two addresses."""
    state, length = np.uint32(0), end - start
    for i in range(length >> 2):
        state = np.uint32(
            rotate(np.uint32(state ^ scramble(load_u32(start, i))), 13) * np.uint32(5) + np.uint32(0xE6546B64)
        )
    rest = length & 3
    if rest:
        last = np.uint32(0)
        for i in range(rest):
            last |= np.uint32(load_u8(end - rest, i)) << np.uint32(8 * i)
        state ^= scramble(last)
    state = np.uint32(state ^ np.uint32(length))
    state = np.uint32((state ^ (state >> np.uint32(16))) * np.uint32(0x85EBCA6B))
    state = np.uint32((state ^ (state >> np.uint32(13))) * np.uint32(0xC2B2AE35))
    return np.uint32(state ^ (state >> np.uint32(16)))


@kernel
def find_column(key, table, capacity):
    """Return the column of a key; -1 where it is no entry."""
    slot = np.int64(key & np.uint64(capacity - 1))
    while True:
        found = load_u64(table, slot)
        if found == 0:
            return np.int64(-1)
        if (found ^ key) >> MARK == 0:
            return np.int64(found & COLUMN) - 1
        slot += 1


@kernel
def prefetch_slot(key, table, capacity):
    prefetch(table + 8 * np.int64(key & np.uint64(capacity - 1)))
