"""Sparse vectors in the making: what is added to a column that was met before goes to its value.

A sparse vector in a frame is how many columns (i64), the columns (i32), in the order in which they were first met, and
their values (f64). `seen` is an open hash table from columns to places in it, of a power of two, zeroed by its user.
"""

import numpy as np

from walle.whitebox.kernels.decorators import kernel
from walle.whitebox.kernels.memory import load_f64, load_i32, store_f64, store_i32, store_u64

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@kernel
def seen_size(total):
    """Return the size of a table for so many columns, no more than half full; at least 16."""
    size = 16
    while size < 2 * total:
        size *= 2
    return size


@kernel
def clear_seen(seen, size):
    for i in range(size >> 1):
        store_u64(seen, i, np.uint64(0))


@kernel
def add_term(column, amount, seen, size, columns, values, count):
    """Adds to the value of a column; returns how many columns there are now."""
    slot = np.int64((np.uint64(column) * GOLDEN) >> np.uint64(40)) & (size - 1)
    while True:
        place = np.int64(load_i32(seen, slot)) - 1
        if place < 0:
            store_i32(seen, slot, count + 1)
            store_i32(columns, count, column)
            store_f64(values, count, amount)
            return count + 1
        if load_i32(columns, place) == column:
            store_f64(values, place, load_f64(values, place) + amount)
            return count
        slot = (slot + 1) & (size - 1)
