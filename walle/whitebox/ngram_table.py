"""Dictionaries from texts to columns, as one array that is looked up in where it lies: an open hash table.

The hash of a text is FNV-1a of its UTF-8 bytes (64 bits), which grows with each byte, so that an n-gram's continues
that of the shorter one before it, and then the finalizer of MurmurHash3 (fmix64). The table is an array of u64 with a
capacity that is a power of two, and a tail. An entry's home is the slot `hash % capacity`; it lies there or in one of
the slots behind it, with no empty slot between. A slot is zero, which is empty, or

    (hash >> 24 << 24) | (column + 1)

The last slot is empty, so that a search ends without turning round at the end; the capacity is the greatest power of
two below the length. One slot is eight bytes, so that a search touches one line of the cache almost always.

No two entries are taken for each other: `build_table` looks. A text that is no entry is taken for one if forty bits of
its hash are those of an entry behind its home, which happens to two in 10^12 texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

FNV_OFFSET: Final = 0xCBF29CE484222325
FNV_PRIME: Final = 0x100000001B3
FMIX_1: Final = 0xFF51AFD7ED558CCD
FMIX_2: Final = 0xC4CEB9FE1A85EC53
COLUMN_BITS: Final = 24
MAX_ENTRIES: Final = (1 << COLUMN_BITS) - 1
LONGEST_RUN: Final = 4096
"""The most slots in use in a row, so that no search takes long."""

_COLUMN_MASK: Final = MAX_ENTRIES
_WORD: Final = (1 << 64) - 1

Words = npt.NDArray[np.uint64]


class TableImpossible(ValueError):
    """Texts that no table can tell apart, or too many."""


def hash_text(text: str) -> int:
    """Return the hash of one text."""
    state = FNV_OFFSET
    for byte in text.encode():
        state = (state ^ byte) * FNV_PRIME & _WORD
    return finalize(state)


def finalize(state: int) -> int:
    """Return the hash that the state of FNV-1a after a text's last byte stands for."""
    state = (state ^ state >> 33) * FMIX_1 & _WORD
    state = (state ^ state >> 33) * FMIX_2 & _WORD
    return state ^ state >> 33


def hash_texts(texts: Sequence[str]) -> Words:
    """Return the hashes of texts, in their order."""
    encoded = [text.encode() for text in texts]
    lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
    data = np.frombuffer(b"".join(encoded), np.uint8)
    starts = np.cumsum(lengths) - lengths
    # The longest first: those that still have a byte are always the first ones.
    order = np.argsort(-lengths, kind="stable")
    starts, ascending = starts[order], np.sort(lengths)
    states = np.full(len(texts), FNV_OFFSET, np.uint64)
    prime = np.uint64(FNV_PRIME)
    for place in range(int(ascending[-1]) if len(texts) else 0):
        left = len(texts) - int(np.searchsorted(ascending, place, "right"))
        states[:left] = (states[:left] ^ data[starts[:left] + place]) * prime
    hashes = np.empty_like(states)
    hashes[order] = _finalized(states)
    return hashes


def _finalized(states: Words) -> Words:
    shift = np.uint64(33)
    states = (states ^ states >> shift) * np.uint64(FMIX_1)
    states = (states ^ states >> shift) * np.uint64(FMIX_2)
    return states ^ states >> shift


def build_table(texts: Sequence[str], columns: npt.ArrayLike | None = None) -> Words:
    """Return the table of texts, all different, and their columns; these are 0, 1, 2 ... if none are given.

    The same entries yield the same array, in whatever order they come. Raises TableImpossible.
    """
    if len(texts) > MAX_ENTRIES:
        raise TableImpossible(f"expected at most {MAX_ENTRIES} entries, found {len(texts)}")
    numbers = np.arange(len(texts), dtype=np.uint64) if columns is None else np.asarray(columns, np.uint64)
    if len(numbers) != len(texts) or (len(numbers) and int(numbers.max()) >= MAX_ENTRIES):
        raise TableImpossible(f"expected a column below {MAX_ENTRIES} for each of {len(texts)} texts")
    hashes = hash_texts(texts)
    order = np.argsort(hashes, kind="stable")
    hashes, numbers = hashes[order], numbers[order]
    if np.any(hashes[1:] == hashes[:-1]):
        raise TableImpossible("two of the texts are equal, or have the same hash")
    capacity = 1 << (3 * len(texts) // 2).bit_length()
    for doubled in range(8):
        table = _laid_out(hashes, numbers, capacity << doubled)
        if table is not None:
            return table
    raise TableImpossible("texts whose hashes are too much alike")


def _laid_out(hashes: Words, columns: Words, capacity: int) -> Words | None:
    """Return the table of a capacity; None where two entries would be taken for each other, or too many lie in a row.

    In the order of their homes, each entry lies at its home or behind the one before it.
    """
    homes = (hashes & np.uint64(capacity - 1)).astype(np.int64)
    order = np.argsort(homes, kind="stable")
    ranks = np.arange(len(hashes))
    slots = ranks + np.maximum.accumulate(homes[order] - ranks)
    end = max(capacity, int(slots[-1]) + 1 if len(slots) else 0) + 1
    if end > 2 * capacity:
        return None
    table = np.zeros(end, np.uint64)
    bits = np.uint64(COLUMN_BITS)
    table[slots] = hashes[order] >> bits << bits | (columns[order] + np.uint64(1))
    runs = np.cumsum(np.diff(slots, prepend=-1) > 1)
    marks = table[slots] >> bits
    together = np.lexsort((marks, runs))
    marks, runs = marks[together], runs[together]
    alike = np.any((marks[1:] == marks[:-1]) & (runs[1:] == runs[:-1]))
    return None if alike or longest_run(table) > LONGEST_RUN else table


def capacity_of(length: int) -> int:
    """Return the capacity of a table with a number of slots, at least 2."""
    return 1 << ((length - 1).bit_length() - 1)


def longest_run(table: Words) -> int:
    """Return the most slots in use in a row."""
    empty = np.flatnonzero(table == 0)
    return int(np.diff(empty, prepend=-1, append=len(table)).max()) - 1


def greatest_column(table: Words) -> int:
    """Return the greatest column of a table's entries; -1 where there is none."""
    return int((table & np.uint64(_COLUMN_MASK)).max()) - 1 if len(table) else -1


def look_up(table: Words, text: str) -> int:
    """Return the column of a text; -1 where it is no entry."""
    key = hash_text(text)
    slot = key & (capacity_of(len(table)) - 1)
    while found := int(table[slot]):
        if found >> COLUMN_BITS == key >> COLUMN_BITS:
            return (found & _COLUMN_MASK) - 1
        slot += 1
    return -1
