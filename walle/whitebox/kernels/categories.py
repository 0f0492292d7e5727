"""Operators over categories. A category in a frame is a cell: the address of its UTF-8, the length in bytes, MISSING
where it is missing.

A number is a category of a sorted list instead. What is found is a place from 0; `finish` makes of it what the operator
answers.
"""

import math

import numpy as np

from walle.whitebox.kernels.codes import MISSING
from walle.whitebox.kernels.decorators import kernel
from walle.whitebox.kernels.hashing import find_column, table_key
from walle.whitebox.kernels.memory import load_f64, load_i32, load_i64, store_f64, store_i32, store_i64

UNKNOWN = -1


@kernel
def fill(arguments, frame):
    """source, target, address and length of the text that takes the place of a missing one."""
    source, target = frame + load_i64(arguments, 0), frame + load_i64(arguments, 1)
    missing = load_i64(source, 2) == MISSING
    store_i64(target, 0, load_i64(arguments, 2) if missing else load_i64(source, 0))
    store_i64(target, 1, load_i64(arguments, 3) if missing else load_i64(source, 1))
    store_i64(target, 2, 0 if missing else load_i64(source, 2))


@kernel
def find_text(cell, table, capacity, missing):
    """Return the place of a category in a dictionary."""
    if load_i64(cell, 2) == MISSING:
        return missing
    start = load_i64(cell, 0)
    return find_column(table_key(start, start + load_i64(cell, 1)), table, capacity)


@kernel
def find_number(source, values, size, missing):
    """Return the place of a number in an ascending list."""
    value = load_f64(source, 0)
    if math.isnan(value):
        return missing
    low, high = 0, size
    while low < high:
        middle = (low + high) >> 1
        if load_f64(values, middle) < value:
            low = middle + 1
        else:
            high = middle
    return low if low < size and load_f64(values, low) == value else UNKNOWN


@kernel
def find_place(arguments, frame):
    """source, by text, table or values, capacity or size, missing: the place of what was given."""
    source, keys, size, missing = (
        frame + load_i64(arguments, 0),
        load_i64(arguments, 2),
        load_i64(arguments, 3),
        load_i64(arguments, 4),
    )
    if load_i64(arguments, 1):
        return find_text(source, keys, size, missing)
    return find_number(source, keys, size, missing)


@kernel
def one_hot(arguments, frame):
    """What find_place takes, then columns, column of the unknown, refuse unknown, target, size. Says whether it is
    refused.
    """
    place = find_place(arguments, frame)
    columns, column = load_i64(arguments, 5), load_i64(arguments, 6)
    target, size = frame + load_i64(arguments, 8), load_i64(arguments, 9)
    if place >= 0:
        column = np.int64(load_i32(columns, place)) if columns else place
    elif load_i64(arguments, 7):
        return True
    for i in range(size):
        store_f64(target, i, 0.0)
    if column >= 0:
        store_f64(target, column, 1.0)
    return False


@kernel
def one_hot_sparse(arguments, frame):
    """What find_place takes, then columns, column of the unknown, refuse unknown, counts, columns, values of the
    target.
    """
    place = find_place(arguments, frame)
    columns, column = load_i64(arguments, 5), load_i64(arguments, 6)
    if place >= 0:
        column = np.int64(load_i32(columns, place)) if columns else place
    elif load_i64(arguments, 7):
        return True
    store_i64(frame + load_i64(arguments, 8), 0, np.int64(column >= 0))
    store_i32(frame + load_i64(arguments, 9), 0, column)
    store_f64(frame + load_i64(arguments, 10), 0, 1.0)
    return False


@kernel
def ordinal(arguments, frame):
    """What find_place takes, then codes, number of the unknown, refuse unknown, target. Says whether it is refused."""
    place = find_place(arguments, frame)
    codes, code = load_i64(arguments, 5), load_f64(arguments, 6)
    if place >= 0:
        code = load_f64(codes, place) if codes else np.float64(place)
    elif load_i64(arguments, 7):
        return True
    store_f64(frame + load_i64(arguments, 8), 0, code)
    return False
