"""Ensembles of trees: eight walked at once, or one by sixteen records at once, without branches, so that the processor
waits for as many nodes at a time.

A node is 16 bytes: threshold (f64), feature (u32, with MISSING_RIGHT), left child (i32); the right child follows the
left one. A leaf is its own left child and its threshold is infinity, so that a walk that has arrived stays.
"""

import math

import numpy as np

from walle.whitebox.kernels.codes import ABREAST, RECORDS_ABREAST
from walle.whitebox.kernels.decorators import kernel
from walle.whitebox.kernels.memory import (
    load_f64,
    load_i32,
    load_i64,
    load_u32,
    prefetch,
    store_f64,
    store_i32,
    store_i64,
)
from walle.whitebox.kernels.terms import add_term, clear_seen, seen_size

MISSING_RIGHT = 1 << 31


@kernel
def step(nodes, node, row):
    """Return the child to which a record without missing numbers goes."""
    word = load_i64(nodes, 2 * node + 1)
    right = load_f64(row, word & (MISSING_RIGHT - 1)) > load_f64(nodes, 2 * node)
    return (word >> 32) + np.int64(right)


@kernel
def step_missing(nodes, node, row):
    """Return the child to which a record goes that may have missing numbers."""
    word = np.int64(load_u32(nodes, 4 * node + 2))
    value = load_f64(row, word & (MISSING_RIGHT - 1))
    right = (value > load_f64(nodes, 2 * node)) | (math.isnan(value) & (word >= MISSING_RIGHT))
    return np.int64(load_i32(nodes, 4 * node + 3)) + np.int64(right)


@kernel
def round_row(source, size, row):
    """Copies a record's numbers as float32 has them, on which the trees were trained."""
    for i in range(size):
        store_f64(row, i, np.float64(np.float32(load_f64(source, i))))


@kernel
def has_missing(row, size):
    found = 0
    for i in range(size):
        found |= np.int64(math.isnan(load_f64(row, i)))
    return found != 0


@kernel
def root_of(roots, tree, trees):
    return np.int64(load_i32(roots, min(tree, trees - 1)))


@kernel
def walk_eight(nodes, roots, first, trees, depth, row, leaves):
    """Finds the leaves of eight trees for a record without missing numbers; behind the last tree, it is taken again."""
    a, b = root_of(roots, first, trees), root_of(roots, first + 1, trees)
    c, d = root_of(roots, first + 2, trees), root_of(roots, first + 3, trees)
    e, f = root_of(roots, first + 4, trees), root_of(roots, first + 5, trees)
    g, h = root_of(roots, first + 6, trees), root_of(roots, first + 7, trees)
    for _ in range(depth):
        a2, b2, c2, d2 = step(nodes, a, row), step(nodes, b, row), step(nodes, c, row), step(nodes, d, row)
        e2, f2, g2, h2 = step(nodes, e, row), step(nodes, f, row), step(nodes, g, row), step(nodes, h, row)
        moved = (a ^ a2) | (b ^ b2) | (c ^ c2) | (d ^ d2) | (e ^ e2) | (f ^ f2) | (g ^ g2) | (h ^ h2)
        a, b, c, d, e, f, g, h = a2, b2, c2, d2, e2, f2, g2, h2
        if moved == 0:
            break
    store_i32(leaves, first, a)
    store_i32(leaves, first + 1, b)
    store_i32(leaves, first + 2, c)
    store_i32(leaves, first + 3, d)
    store_i32(leaves, first + 4, e)
    store_i32(leaves, first + 5, f)
    store_i32(leaves, first + 6, g)
    store_i32(leaves, first + 7, h)


@kernel
def step_four(nodes, four, rows, places):
    a, b, c, d = four
    p, q, r, s = places
    return step(nodes, a, rows + p), step(nodes, b, rows + q), step(nodes, c, rows + r), step(nodes, d, rows + s)


@kernel
def have_moved(before, after):
    a, b, c, d = before
    e, f, g, h = after
    return (a ^ e) | (b ^ f) | (c ^ g) | (d ^ h)


@kernel
def four_places(first, last, stride):
    """Return where four records begin; behind the last one, it is taken again."""
    a, b = stride * min(first, last), stride * min(first + 1, last)
    c, d = stride * min(first + 2, last), stride * min(first + 3, last)
    return a, b, c, d


@kernel
def store_four(leaves, places, tree, four):
    a, b, c, d = four
    p, q, r, s = places
    store_i32(leaves + p, tree, a)
    store_i32(leaves + q, tree, b)
    store_i32(leaves + r, tree, c)
    store_i32(leaves + s, tree, d)


@kernel
def walk_records(nodes, root, depth, rows, stride, first, count, leaves, tree):
    """Finds the leaf of a tree for RECORDS_ABREAST records without missing numbers, whose rows and leaves lie `stride`
    bytes apart.
    """
    last = count - 1
    p, q = four_places(first, last, stride), four_places(first + 4, last, stride)
    r, s = four_places(first + 8, last, stride), four_places(first + 12, last, stride)
    a = b = c = d = (root, root, root, root)
    for _ in range(depth):
        a2, b2 = step_four(nodes, a, rows, p), step_four(nodes, b, rows, q)
        c2, d2 = step_four(nodes, c, rows, r), step_four(nodes, d, rows, s)
        moved = have_moved(a, a2) | have_moved(b, b2) | have_moved(c, c2) | have_moved(d, d2)
        a, b, c, d = a2, b2, c2, d2
        if moved == 0:
            break
    store_four(leaves, p, tree, a)
    store_four(leaves, q, tree, b)
    store_four(leaves, r, tree, c)
    store_four(leaves, s, tree, d)


@kernel
def walk_missing(nodes, roots, trees, depths, row, leaves):
    """Finds the leaves of all trees for a record that may have missing numbers."""
    for tree in range(trees):
        node = np.int64(load_i32(roots, tree))
        for _ in range(load_i32(depths, tree)):
            node = step_missing(nodes, node, row)
        store_i32(leaves, tree, node)


@kernel
def find_leaves(arguments, frame):
    """source, size, room for a rounded row, single, nodes, roots, trees, depths, leaves: the leaf of each tree in which
    a record ends.

    There is room for eight leaves more.
    """
    row, size = frame + load_i64(arguments, 0), load_i64(arguments, 1)
    nodes, roots, trees = load_i64(arguments, 4), load_i64(arguments, 5), load_i64(arguments, 6)
    depths, leaves = load_i64(arguments, 7), frame + load_i64(arguments, 8)
    if load_i64(arguments, 3):
        row = frame + load_i64(arguments, 2)
        round_row(frame + load_i64(arguments, 0), size, row)
    if not has_missing(row, size):
        for first in range(0, trees, ABREAST):
            depth = 0
            for tree in range(first, min(first + ABREAST, trees)):
                depth = max(depth, np.int64(load_i32(depths, tree)))
            walk_eight(nodes, roots, first, trees, depth, row, leaves)
    else:
        walk_missing(nodes, roots, trees, depths, row, leaves)


@kernel
def find_leaves_together(arguments, frame, stride, count):
    """What find_leaves takes, for several records at once: what was brought near of a tree serves all of them."""
    source, size, single = frame + load_i64(arguments, 0), load_i64(arguments, 1), load_i64(arguments, 3)
    rows = frame + load_i64(arguments, 2) if single else source
    nodes, roots, trees = load_i64(arguments, 4), load_i64(arguments, 5), load_i64(arguments, 6)
    depths, leaves = load_i64(arguments, 7), frame + load_i64(arguments, 8)
    missing = False
    for record in range(count):
        if single:
            round_row(source + stride * record, size, rows + stride * record)
        missing |= has_missing(rows + stride * record, size)
    if missing:
        for record in range(count):
            walk_missing(nodes, roots, trees, depths, rows + stride * record, leaves + stride * record)
        return
    for tree in range(trees):
        root, depth = np.int64(load_i32(roots, tree)), load_i32(depths, tree)
        for first in range(0, count, RECORDS_ABREAST):
            walk_records(nodes, root, depth, rows, stride, first, count, leaves, tree)


@kernel
def leaf_values(values, width, leaves, tree):
    return values + 8 * width * np.int64(load_i32(leaves, tree))


@kernel
def add_leaves(target, values, width, leaves, trees):
    """Adds the values of all leaves in the order of the trees, those of four trees in one pass."""
    rest = trees & 3
    for tree in range(0, trees - rest, 4):
        a, b = leaf_values(values, width, leaves, tree), leaf_values(values, width, leaves, tree + 1)
        c, d = leaf_values(values, width, leaves, tree + 2), leaf_values(values, width, leaves, tree + 3)
        for ahead in range(4):
            prefetch(leaf_values(values, width, leaves, tree + ABREAST + ahead))
        for i in range(width):
            total = load_f64(target, i) + load_f64(a, i) + load_f64(b, i) + load_f64(c, i) + load_f64(d, i)
            store_f64(target, i, total)
    for tree in range(trees - rest, trees):
        a = leaf_values(values, width, leaves, tree)
        for i in range(width):
            store_f64(target, i, load_f64(target, i) + load_f64(a, i))


@kernel
def sum_leaves(arguments, frame):
    """leaves, trees, target, size, values, their width, targets, base, divisor: the values of leaves, added up."""
    leaves, trees, target = frame + load_i64(arguments, 0), load_i64(arguments, 1), frame + load_i64(arguments, 2)
    size, values, width = load_i64(arguments, 3), load_i64(arguments, 4), load_i64(arguments, 5)
    targets, base, divisor = load_i64(arguments, 6), load_i64(arguments, 7), load_f64(arguments, 8)
    if size == 1:
        total = 0.0
        for tree in range(trees):
            total += load_f64(values, np.int64(load_i32(leaves, tree)))
        total /= divisor
        store_f64(target, 0, total + load_f64(base, 0) if base else total)
        return
    for i in range(size):
        store_f64(target, i, 0.0)
    if targets:
        for tree in range(trees):
            to, leaf = target + 8 * np.int64(load_i32(targets, tree)), leaf_values(values, width, leaves, tree)
            for i in range(width):
                store_f64(to, i, load_f64(to, i) + load_f64(leaf, i))
    else:
        add_leaves(target, values, width, leaves, trees)
    for i in range(size):
        total = load_f64(target, i) / divisor
        store_f64(target, i, total + load_f64(base, i) if base else total)


@kernel
def mark_leaves(arguments, frame):
    """leaves, trees, columns of leaves, target, size: a one for each leaf."""
    leaves, trees, places = frame + load_i64(arguments, 0), load_i64(arguments, 1), load_i64(arguments, 2)
    target = frame + load_i64(arguments, 3)
    for i in range(load_i64(arguments, 4)):
        store_f64(target, i, 0.0)
    for tree in range(trees):
        column = np.int64(load_i32(places, np.int64(load_i32(leaves, tree))))
        if column >= 0:
            store_f64(target, column, 1.0)


@kernel
def mark_leaves_sparse(arguments, frame):
    """leaves, trees, columns of leaves, room for `seen`, then counts, columns and values of the target: a one for each
    leaf.

    Several trees may share a column.
    """
    leaves, trees, places = frame + load_i64(arguments, 0), load_i64(arguments, 1), load_i64(arguments, 2)
    seen, columns, values = (
        frame + load_i64(arguments, 3),
        frame + load_i64(arguments, 5),
        frame + load_i64(arguments, 6),
    )
    size = seen_size(trees)
    clear_seen(seen, size)
    count = 0
    for tree in range(trees):
        column = np.int64(load_i32(places, np.int64(load_i32(leaves, tree))))
        if column >= 0:
            count = add_term(column, 0.0, seen, size, columns, values, count)
    for i in range(count):
        store_f64(values, i, 1.0)
    store_i64(frame + load_i64(arguments, 4), 0, count)
