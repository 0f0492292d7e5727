"""Operators from numbers to numbers, of dense vectors and of sparse ones.

Each kernel takes the address of its arguments in a program and that of the frame. An argument that stands for a value
is the place of its first byte in the frame; one that stands for a parameter is an address, 0 where there is none; a
number is its bits.
"""

import math

import numpy as np

from walle.whitebox.kernels.codes import NORM_L1, NORM_L2
from walle.whitebox.kernels.decorators import kernel, reassociating
from walle.whitebox.kernels.memory import load_f64, load_i32, load_i64, store_f64, store_i32, store_i64


@kernel
def copy(arguments, frame):
    """source, size, target."""
    source, target = frame + load_i64(arguments, 0), frame + load_i64(arguments, 2)
    for i in range(load_i64(arguments, 1)):
        store_f64(target, i, load_f64(source, i))


@kernel
def restore_dense(arguments, frame):
    """Place of an address, size, target: copies what was kept there."""
    source, target = load_i64(frame + load_i64(arguments, 0), 0), frame + load_i64(arguments, 2)
    for i in range(load_i64(arguments, 1)):
        store_f64(target, i, load_f64(source, i))


@kernel
def restore_sparse(arguments, frame):
    """Place of an address, counts, columns, values: copies what was kept there, with an even number of columns."""
    source = load_i64(frame + load_i64(arguments, 0), 0)
    columns, values = frame + load_i64(arguments, 2), frame + load_i64(arguments, 3)
    count = load_i64(source, 0)
    kept_columns = source + 8
    kept_values = kept_columns + 4 * (count + (count & 1))
    store_i64(frame + load_i64(arguments, 1), 0, count)
    for i in range(count):
        store_i32(columns, i, load_i32(kept_columns, i))
    for i in range(count):
        store_f64(values, i, load_f64(kept_values, i))


@kernel
def scatter(arguments, frame):
    """counts, columns, values, size, target: a sparse vector as a dense one."""
    counts, columns, values = (
        frame + load_i64(arguments, 0),
        frame + load_i64(arguments, 1),
        frame + load_i64(arguments, 2),
    )
    target = frame + load_i64(arguments, 4)
    for i in range(load_i64(arguments, 3)):
        store_f64(target, i, 0.0)
    for i in range(load_i64(counts, 0)):
        store_f64(target, np.int64(load_i32(columns, i)), load_f64(values, i))


@kernel
def start_sparse(arguments, frame):
    """counts: an empty sparse vector, to which others are appended."""
    store_i64(frame + load_i64(arguments, 0), 0, 0)


@kernel
def append_sparse(arguments, frame):
    """counts, columns, values, shift, then those of the target: a sparse vector behind what the target has."""
    counts, columns, values = (
        frame + load_i64(arguments, 0),
        frame + load_i64(arguments, 1),
        frame + load_i64(arguments, 2),
    )
    shift = load_i64(arguments, 3)
    all_counts, all_columns, all_values = (
        frame + load_i64(arguments, 4),
        frame + load_i64(arguments, 5),
        frame + load_i64(arguments, 6),
    )
    end, count = load_i64(all_counts, 0), load_i64(counts, 0)
    for i in range(count):
        store_i32(all_columns, end + i, np.int64(load_i32(columns, i)) + shift)
        store_f64(all_values, end + i, load_f64(values, i))
    store_i64(all_counts, 0, end + count)


@kernel
def append_dense(arguments, frame):
    """source, size, shift, then counts, columns and values of the target: a dense vector behind what the target has."""
    source, size, shift = frame + load_i64(arguments, 0), load_i64(arguments, 1), load_i64(arguments, 2)
    counts, columns, values = (
        frame + load_i64(arguments, 3),
        frame + load_i64(arguments, 4),
        frame + load_i64(arguments, 5),
    )
    end = load_i64(counts, 0)
    for i in range(size):
        store_i32(columns, end + i, shift + i)
        store_f64(values, end + i, load_f64(source, i))
    store_i64(counts, 0, end + size)


@kernel
def select(arguments, frame):
    """source, indices, size, target."""
    source, indices, target = frame + load_i64(arguments, 0), load_i64(arguments, 1), frame + load_i64(arguments, 3)
    for i in range(load_i64(arguments, 2)):
        store_f64(target, i, load_f64(source, np.int64(load_i32(indices, i))))


@kernel
def scaled(value, center, divisor, factor, offset, i):
    if center:
        value -= load_f64(center, i)
    if divisor:
        value /= load_f64(divisor, i)
    if factor:
        value *= load_f64(factor, i)
    if offset:
        value += load_f64(offset, i)
    return value


@kernel
def clipped(value, low, high):
    """Clip a number; a missing value stays missing."""
    value = low if value < low else value
    return high if value > high else value


@kernel
def affine(arguments, frame):
    """source, size, target, center, divisor, factor, offset, low, high."""
    source, size, target = frame + load_i64(arguments, 0), load_i64(arguments, 1), frame + load_i64(arguments, 2)
    center, divisor, factor, offset = (
        load_i64(arguments, 3),
        load_i64(arguments, 4),
        load_i64(arguments, 5),
        load_i64(arguments, 6),
    )
    low, high = load_f64(arguments, 7), load_f64(arguments, 8)
    for i in range(size):
        store_f64(target, i, clipped(scaled(load_f64(source, i), center, divisor, factor, offset, i), low, high))


@kernel
def affine_sparse(arguments, frame):
    """counts, columns, values, target, divisor, factor, low, high: zeros stay zeros."""
    counts, columns, values = (
        frame + load_i64(arguments, 0),
        frame + load_i64(arguments, 1),
        frame + load_i64(arguments, 2),
    )
    target, divisor, factor = frame + load_i64(arguments, 3), load_i64(arguments, 4), load_i64(arguments, 5)
    low, high = load_f64(arguments, 6), load_f64(arguments, 7)
    for i in range(load_i64(counts, 0)):
        column = np.int64(load_i32(columns, i))
        store_f64(target, i, clipped(scaled(load_f64(values, i), 0, divisor, factor, 0, column), low, high))


@kernel
def binarize(arguments, frame):
    """source, size, target, counts, threshold: of all `size` numbers, or of those that a sparse vector's counts say."""
    source, size, target = frame + load_i64(arguments, 0), load_i64(arguments, 1), frame + load_i64(arguments, 2)
    threshold = load_f64(arguments, 4)
    if load_i64(arguments, 3):
        size = load_i64(frame + load_i64(arguments, 3), 0)
    for i in range(size):
        store_f64(target, i, 1.0 if load_f64(source, i) > threshold else 0.0)


@kernel
def impute(arguments, frame):
    """source, size, target, values, marker, indicated, how many: a missing marker is a NaN."""
    source, size, target = frame + load_i64(arguments, 0), load_i64(arguments, 1), frame + load_i64(arguments, 2)
    values, marker = load_i64(arguments, 3), load_f64(arguments, 4)
    indicated, shown = load_i64(arguments, 5), load_i64(arguments, 6)
    for i in range(shown):
        value = load_f64(source, np.int64(load_i32(indicated, i)))
        store_f64(target, size + i, 1.0 if value == marker or (math.isnan(marker) and math.isnan(value)) else 0.0)
    for i in range(size):
        value = load_f64(source, i)
        missing = value == marker or (math.isnan(marker) and math.isnan(value))
        store_f64(target, i, load_f64(values, i) if missing else value)


@kernel
def apply_function(arguments, frame):
    """source, size, target, the place of the function in walle.whitebox.operators.numbers.FUNCTIONS."""
    source, size, target = frame + load_i64(arguments, 0), load_i64(arguments, 1), frame + load_i64(arguments, 2)
    function = load_i64(arguments, 3)
    for i in range(size):
        value = load_f64(source, i)
        if function == 0:
            value = abs(value)
        elif function == 1:
            value = math.exp(value)
        elif function == 2:
            value = math.expm1(value)
        elif function == 3:
            value = np.log(value)
        elif function == 4:
            value = np.log1p(value)
        elif function == 5:
            value = np.sqrt(value)
        else:
            value = value * value
        store_f64(target, i, value)


@kernel
def weigh_terms(arguments, frame):
    """counts, columns, values, target, sublinear, idf."""
    counts, columns, values = (
        frame + load_i64(arguments, 0),
        frame + load_i64(arguments, 1),
        frame + load_i64(arguments, 2),
    )
    target, sublinear, idf = frame + load_i64(arguments, 3), load_i64(arguments, 4), load_i64(arguments, 5)
    for i in range(load_i64(counts, 0)):
        value = load_f64(values, i)
        if sublinear and value != 0.0:
            value = 1.0 + np.log(value)
        if idf:
            value *= load_f64(idf, np.int64(load_i32(columns, i)))
        store_f64(target, i, value)


@kernel
def weigh_dense(arguments, frame):
    """source, size, target, sublinear, idf."""
    source, size, target = frame + load_i64(arguments, 0), load_i64(arguments, 1), frame + load_i64(arguments, 2)
    sublinear, idf = load_i64(arguments, 3), load_i64(arguments, 4)
    for i in range(size):
        value = load_f64(source, i)
        if sublinear and value != 0.0:
            value = 1.0 + np.log(value)
        store_f64(target, i, value * load_f64(idf, i) if idf else value)


@reassociating
def norm_of(values, size, norm):
    """Return the norm of numbers."""
    total = 0.0
    if norm == NORM_L2:
        for i in range(size):
            total += load_f64(values, i) * load_f64(values, i)
        total = math.sqrt(total)
    elif norm == NORM_L1:
        for i in range(size):
            total += abs(load_f64(values, i))
    else:
        for i in range(size):
            total = max(total, abs(load_f64(values, i)))
    return total


@kernel
def normalize(arguments, frame):
    """source, size, target, counts, norm: of all `size` numbers, or of those that a sparse vector's counts say."""
    source, size, target = frame + load_i64(arguments, 0), load_i64(arguments, 1), frame + load_i64(arguments, 2)
    if load_i64(arguments, 3):
        size = load_i64(frame + load_i64(arguments, 3), 0)
    norm_value = norm_of(source, size, load_i64(arguments, 4))
    for i in range(size):
        value = load_f64(source, i)
        store_f64(target, i, value / norm_value if norm_value != 0.0 else value)


@kernel
def norm(arguments, frame):
    """source, size, target, counts, norm: as for normalize."""
    source, size, target = frame + load_i64(arguments, 0), load_i64(arguments, 1), frame + load_i64(arguments, 2)
    if load_i64(arguments, 3):
        size = load_i64(frame + load_i64(arguments, 3), 0)
    store_f64(target, 0, norm_of(source, size, load_i64(arguments, 4)))


@kernel
def join_norms(arguments, frame):
    """target, norm, how many, then the place of each: the norm of a whole of those of its parts."""
    which, total = load_i64(arguments, 1), 0.0
    for k in range(load_i64(arguments, 2)):
        part = load_f64(frame + load_i64(arguments, 3 + k), 0)
        if which == NORM_L2:
            total += part * part
        elif which == NORM_L1:
            total += part
        else:
            total = max(total, part)
    store_f64(frame + load_i64(arguments, 0), 0, math.sqrt(total) if which == NORM_L2 else total)


@kernel
def divide(arguments, frame):
    """source, size, target, counts, the place of a norm: as normalize, by a norm that is there."""
    source, size, target = frame + load_i64(arguments, 0), load_i64(arguments, 1), frame + load_i64(arguments, 2)
    if load_i64(arguments, 3):
        size = load_i64(frame + load_i64(arguments, 3), 0)
    divisor = load_f64(frame + load_i64(arguments, 4), 0)
    for i in range(size):
        value = load_f64(source, i)
        store_f64(target, i, value / divisor if divisor != 0.0 else value)


@kernel
def add(arguments, frame):
    """target, size, intercept, how many, then the place and the weight of each input."""
    target, size, intercept = frame + load_i64(arguments, 0), load_i64(arguments, 1), load_i64(arguments, 2)
    for i in range(size):
        store_f64(target, i, load_f64(intercept, i) if intercept else 0.0)
    for k in range(load_i64(arguments, 3)):
        source, weight = frame + load_i64(arguments, 4 + 2 * k), load_f64(arguments, 5 + 2 * k)
        for i in range(size):
            store_f64(target, i, load_f64(target, i) + weight * load_f64(source, i))
