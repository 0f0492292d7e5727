"""Models over vectors: linear ones, projections, distances from centers, and ensembles of trees."""

import math

import numpy as np

from walle.whitebox.kernels.decorators import kernel, reassociating
from walle.whitebox.kernels.memory import count_bits, load_f64, load_i32, load_i64, load_u64, store_f64


@reassociating
def dot(left, right, size):
    """Return the product of two dense vectors, summed in any order."""
    total = 0.0
    for i in range(size):
        total += load_f64(left, i) * load_f64(right, i)
    return total


@reassociating
def squared_distance(left, right, size):
    total = 0.0
    for i in range(size):
        difference = load_f64(left, i) - load_f64(right, i)
        total += difference * difference
    return total


@kernel
def linear(arguments, frame):
    """source, size, target, rows, weights, the bytes from one row of them to the next, intercept."""
    source, size, target = frame + load_i64(arguments, 0), load_i64(arguments, 1), frame + load_i64(arguments, 2)
    rows, weights, stride, intercept = (
        load_i64(arguments, 3),
        load_i64(arguments, 4),
        load_i64(arguments, 5),
        load_i64(arguments, 6),
    )
    for row in range(rows):
        score = dot(source, weights + row * stride, size)
        store_f64(target, row, score + load_f64(intercept, row) if intercept else score)


@kernel
def linear_sparse(arguments, frame):
    """counts, columns, values, target, rows, weights, stride, intercept."""
    counts, columns, values = (
        frame + load_i64(arguments, 0),
        frame + load_i64(arguments, 1),
        frame + load_i64(arguments, 2),
    )
    target, rows, weights = frame + load_i64(arguments, 3), load_i64(arguments, 4), load_i64(arguments, 5)
    stride, intercept = load_i64(arguments, 6), load_i64(arguments, 7)
    count = load_i64(counts, 0)
    for row in range(rows):
        score = 0.0
        for i in range(count):
            score += load_f64(values, i) * load_f64(weights + row * stride, np.int64(load_i32(columns, i)))
        store_f64(target, row, score + load_f64(intercept, row) if intercept else score)


@kernel
def packed_place(packed, at):
    """Return where a number stands among those of an array without zeros, 0 for one that is zero."""
    block, bit = at >> 6, np.uint64(at & 63)
    bits = load_u64(packed, 2 * block)
    before = count_bits(bits & ((np.uint64(1) << bit) - np.uint64(1)))
    return (load_i64(packed, 2 * block + 1) + np.int64(before)) * np.int64((bits >> bit) & np.uint64(1))


@kernel
def linear_packed(arguments, frame):
    """counts, columns, values, target, rows, weights without zeros, how many with them, those of a row, the first of
    these that is used, intercept.
    """
    counts, columns, values = (
        frame + load_i64(arguments, 0),
        frame + load_i64(arguments, 1),
        frame + load_i64(arguments, 2),
    )
    target, rows, packed = frame + load_i64(arguments, 3), load_i64(arguments, 4), load_i64(arguments, 5)
    numbers = packed + 16 * ((load_i64(arguments, 6) + 63) >> 6)
    width, first, intercept = load_i64(arguments, 7), load_i64(arguments, 8), load_i64(arguments, 9)
    count = load_i64(counts, 0)
    for row in range(rows):
        score, start = 0.0, row * width + first
        for i in range(count):
            place = packed_place(packed, start + np.int64(load_i32(columns, i)))
            score += load_f64(values, i) * load_f64(numbers, place)
        store_f64(target, row, score + load_f64(intercept, row) if intercept else score)


@kernel
def pca(arguments, frame):
    """source, size, target, rows, components, mean, divisor, and room for a centered vector."""
    source, size, target = frame + load_i64(arguments, 0), load_i64(arguments, 1), frame + load_i64(arguments, 2)
    rows, components, mean, divisor = (
        load_i64(arguments, 3),
        load_i64(arguments, 4),
        load_i64(arguments, 5),
        load_i64(arguments, 6),
    )
    if mean:
        centered = frame + load_i64(arguments, 7)
        for i in range(size):
            store_f64(centered, i, load_f64(source, i) - load_f64(mean, i))
        source = centered
    for row in range(rows):
        score = dot(source, components + row * size * 8, size)
        store_f64(target, row, score / load_f64(divisor, row) if divisor else score)


@kernel
def kmeans(arguments, frame):
    """source, size, target, rows, centers."""
    source, size, target = frame + load_i64(arguments, 0), load_i64(arguments, 1), frame + load_i64(arguments, 2)
    centers = load_i64(arguments, 4)
    for row in range(load_i64(arguments, 3)):
        store_f64(target, row, math.sqrt(squared_distance(source, centers + row * size * 8, size)))
