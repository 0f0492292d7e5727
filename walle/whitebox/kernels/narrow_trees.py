"""Walks through trees whose nodes are narrow (walle.whitebox.narrow_nodes): a record's numbers are brought to integers
once, and a step is one comparison and one addition. Eight walks go abreast, of as many trees or records.

Whether all have arrived is looked at now and then only, since one that has stays where it is.
"""

import numpy as np

from walle.whitebox.kernels.codes import ABREAST
from walle.whitebox.kernels.decorators import kernel
from walle.whitebox.kernels.memory import (
    load_f64,
    load_i32,
    load_i64,
    load_u32,
    load_u64,
    single_order,
    store_i32,
    store_u32,
)

LOW = np.uint64(0xFFFF)
MISSING = np.uint32(0xFFFFFFFF)
UNWATCHED = 6
"""How many steps are made before it is looked whether all have arrived."""


@kernel
def order_row(source, size, listed, places, row):
    """Brings a record's numbers to integers, all or those that are listed. Says whether one of them is missing."""
    missing = False
    if listed:
        for i in range(listed):
            code = single_order(load_f64(source, np.int64(load_i32(places, i))))
            store_u32(row, i, code)
            missing |= code == MISSING
    else:
        for i in range(size):
            code = single_order(load_f64(source, i))
            store_u32(row, i, code)
            missing |= code == MISSING
    return missing


@kernel
def step(nodes, node, row):
    """The child to which a record without missing numbers goes."""
    word = load_u64(nodes, node)
    right = np.uint64(load_u32(row, np.int64(word & LOW))) > (word >> np.uint64(32))
    return node + np.int64((word >> np.uint64(16)) & LOW) + np.int64(right)


@kernel
def step_missing(nodes, node, row, left):
    """The child to which a record goes that may have missing numbers; `left` are the bits of nodes."""
    word = load_u64(nodes, node)
    code = load_u32(row, np.int64(word & LOW))
    right = np.uint64(code) > (word >> np.uint64(32))
    if code == MISSING:
        bits = load_u64(left, node >> 6) >> np.uint64(node & 63)
        right = right & ((bits & np.uint64(1)) == np.uint64(0))
    return node + np.int64((word >> np.uint64(16)) & LOW) + np.int64(right)


@kernel
def root_of(roots, tree, trees):
    return np.int64(load_i32(roots, min(tree, trees - 1)))


@kernel
def walk_trees(nodes, roots, first, trees, depth, row, leaves):
    """Finds the leaves of ABREAST trees for a record without missing numbers; behind the last tree, it is taken
    again.
    """
    a, b = root_of(roots, first, trees), root_of(roots, first + 1, trees)
    c, d = root_of(roots, first + 2, trees), root_of(roots, first + 3, trees)
    e, f = root_of(roots, first + 4, trees), root_of(roots, first + 5, trees)
    g, h = root_of(roots, first + 6, trees), root_of(roots, first + 7, trees)
    left = depth
    while left > 0:
        for _ in range(min(left, UNWATCHED)):
            a, b, c, d = step(nodes, a, row), step(nodes, b, row), step(nodes, c, row), step(nodes, d, row)
            e, f, g, h = step(nodes, e, row), step(nodes, f, row), step(nodes, g, row), step(nodes, h, row)
        left -= UNWATCHED
        if left > 0 and all_leaves(nodes, a, b, c, d) and all_leaves(nodes, e, f, g, h):
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
def all_leaves(nodes, a, b, c, d):
    """Whether four nodes are leaves, whose children are not behind them."""
    words = load_u64(nodes, a) | load_u64(nodes, b) | load_u64(nodes, c) | load_u64(nodes, d)
    return (words >> np.uint64(16)) & LOW == np.uint64(0)


@kernel
def walk_records(nodes, root, depth, rows, stride, count, leaves, tree):
    """Finds the leaf of a tree for ABREAST records without missing numbers, whose rows and leaves lie `stride` bytes
    apart; behind the last of `count` records, it is taken again.
    """
    last = count - 1
    q, r, s = stride * min(1, last), stride * min(2, last), stride * min(3, last)
    t, u, v = stride * min(4, last), stride * min(5, last), stride * min(6, last)
    w = stride * min(7, last)
    a = b = c = d = e = f = g = h = root
    left = depth
    while left > 0:
        for _ in range(min(left, UNWATCHED)):
            a, b = step(nodes, a, rows), step(nodes, b, rows + q)
            c, d = step(nodes, c, rows + r), step(nodes, d, rows + s)
            e, f = step(nodes, e, rows + t), step(nodes, f, rows + u)
            g, h = step(nodes, g, rows + v), step(nodes, h, rows + w)
        left -= UNWATCHED
        if left > 0 and all_leaves(nodes, a, b, c, d) and all_leaves(nodes, e, f, g, h):
            break
    store_i32(leaves, tree, a)
    store_i32(leaves + q, tree, b)
    store_i32(leaves + r, tree, c)
    store_i32(leaves + s, tree, d)
    store_i32(leaves + t, tree, e)
    store_i32(leaves + u, tree, f)
    store_i32(leaves + v, tree, g)
    store_i32(leaves + w, tree, h)


@kernel
def walk_missing(nodes, roots, trees, depths, row, left, leaves):
    """Finds the leaves of all trees for a record that may have missing numbers."""
    for tree in range(trees):
        node = np.int64(load_i32(roots, tree))
        for _ in range(load_i32(depths, tree)):
            node = step_missing(nodes, node, row, left)
        store_i32(leaves, tree, node)


@kernel
def walk_all(nodes, roots, trees, depths, row, leaves):
    """Finds the leaves of all trees for a record without missing numbers."""
    for first in range(0, trees, ABREAST):
        depth = 0
        for tree in range(first, min(first + ABREAST, trees)):
            depth = max(depth, np.int64(load_i32(depths, tree)))
        walk_trees(nodes, roots, first, trees, depth, row, leaves)


@kernel
def walk_together(nodes, roots, trees, depths, rows, stride, count, leaves):
    """Finds the leaves of all trees for several records without missing numbers, tree by tree."""
    for tree in range(trees):
        root, depth = np.int64(load_i32(roots, tree)), np.int64(load_i32(depths, tree))
        for first in range(0, count, ABREAST):
            at = stride * first
            walk_records(nodes, root, depth, rows + at, stride, count - first, leaves + at, tree)


@kernel
def find_of_one(source, size, row, listed, places, nodes, left, roots, trees, depths, leaves):
    """The leaf of each tree in which a record ends."""
    if order_row(source, size, listed, places, row):
        walk_missing(nodes, roots, trees, depths, row, left, leaves)
    else:
        walk_all(nodes, roots, trees, depths, row, leaves)


@kernel
def find_leaves(source, size, rows, listed, places, nodes, left, roots, trees, depths, leaves, stride, count):
    """The leaf of each tree in which each of some records ends, whose frames lie `stride` bytes apart."""
    missing = False
    if count > 1:
        for record in range(count):
            at = stride * record
            missing |= order_row(source + at, size, listed, places, rows + at)
        if not missing:
            walk_together(nodes, roots, trees, depths, rows, stride, count, leaves)
            return
    for record in range(count):
        at = stride * record
        find_of_one(source + at, size, rows + at, listed, places, nodes, left, roots, trees, depths, leaves + at)
