"""Trees as their libraries have them, brought to one form: a node goes left where a number is at most its threshold.

What libraries do otherwise is put into the thresholds. A comparison of numbers that were rounded to float32 is the same
as one of the numbers themselves with the greatest threshold whose neighbours round alike; a set of categories is a
chain of comparisons, one for each end of a run of categories.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from walle.whitebox.archive.contents import MISSING_RIGHT
from walle.whitebox.importing.building import Array

MAX_NODES = 1 << 26
"""The most nodes of one ensemble."""
LEAF = -1


class TreeMalformed(ValueError):
    """Nodes that are no tree."""


@dataclass(frozen=True, slots=True)
class Tree:
    """One tree, its root first and each node before those below it.

    `feature`, `threshold` and `missing_left` are of the inner nodes, `left` is -1 at a leaf, and the node on the right
    is the one behind that on the left; `value` has a row for each node, of which those of leaves count. `source` is
    where each node was before.
    """

    feature: Array
    threshold: Array
    missing_left: Array
    left: Array
    value: Array
    source: Array

    @property
    def leaves(self) -> Array:
        return np.flatnonzero(self.left == LEAF)


def ordered(
    feature: Sequence[int] | Array,
    threshold: Sequence[float] | Array,
    missing_left: Sequence[bool] | Array,
    *,
    left: Sequence[int] | Array,
    right: Sequence[int] | Array,
    value: Sequence[float] | Array,
) -> Tree:
    """Return the tree of nodes in any order, of which the first is the root, breadth first.

    Raises TreeMalformed where a node has no place in it, or where following the nodes would not end.
    """
    left, right = np.asarray(left, np.int64), np.asarray(right, np.int64)
    order = _order(left, right)
    rank = np.full(len(left), LEAF)
    rank[order] = np.arange(len(order))
    inner = left[order] != LEAF
    values = np.asarray(value, np.float64)
    values = values.reshape(len(left), -1)[order]
    if not np.isfinite(values[~inner]).all():
        raise TreeMalformed("a leaf whose value is not finite")
    thresholds = np.asarray(threshold, np.float64)[order]
    if np.isnan(thresholds[inner]).any():
        raise TreeMalformed("a threshold that is no number")
    return Tree(
        np.asarray(feature, np.int64)[order],
        thresholds,
        np.asarray(missing_left, bool)[order],
        np.where(inner, rank[left[order]], LEAF),
        values,
        order,
    )


def _order(left: Array, right: Array) -> Array:
    """Return the nodes breadth first from the first one, level by level."""
    count = len(left)
    if not 1 <= count <= MAX_NODES:
        raise TreeMalformed(f"{count} nodes")
    level, levels, seen = np.zeros(1, np.int64), [], 0
    while len(level):
        levels.append(level)
        seen += len(level)
        inner = level[left[level] != LEAF]
        level = np.stack([left[inner], right[inner]], axis=1).ravel()
        if len(level) and (level.min() < 0 or level.max() >= count):
            raise TreeMalformed("a node below another that is not there")
        if seen + len(level) > count:
            raise TreeMalformed("a node below two others")
    order = np.concatenate(levels)
    if len(np.unique(order)) != len(order):
        raise TreeMalformed("a node below two others")
    return order


def at_most_single(thresholds: Array) -> Array:
    """Return for each threshold the greatest float64 that is at most it once it is rounded to float32."""
    with np.errstate(over="ignore"):
        single = np.asarray(thresholds, np.float64).astype(np.float32)
    single = np.where(single.astype(np.float64) > thresholds, np.nextafter(single, np.float32(-np.inf)), single)
    return _last_that_rounds_to(single)


def below_single(thresholds: Array) -> Array:
    """Return for each threshold the greatest float64 that is below it once it is rounded to float32."""
    single = np.asarray(thresholds, np.float32)
    return _last_that_rounds_to(np.nextafter(single, np.float32(-np.inf)))


def _last_that_rounds_to(single: Array) -> Array:
    """Return the greatest float64 that is rounded to a float32 or less: half way to the next, which is for the even."""
    with np.errstate(over="ignore", invalid="ignore"):
        following = np.nextafter(single, np.float32(np.inf))
        middle = (single.astype(np.float64) + following.astype(np.float64)) / 2
        even = single.view(np.int32) % 2 == 0
        found = np.where(even, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isfinite(following) & np.isfinite(single), found, single.astype(np.float64))


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees one behind the other, as the operators over trees have them (docs/pipeline-format.md)."""

    nodes: Array
    roots: Array
    depths: Array
    values: Array
    leaves: Array


def packed(trees: Sequence[Tree]) -> Forest:
    """Put trees one behind the other."""
    sizes = [len(tree.left) for tree in trees]
    if sum(sizes) > MAX_NODES:
        raise TreeMalformed(f"{sum(sizes)} nodes, more than {MAX_NODES}")
    roots = np.cumsum([0, *sizes])[:-1]
    nodes = np.zeros((sum(sizes), 4), "<i4")
    left = np.concatenate(
        [np.where(tree.left == LEAF, LEAF, tree.left + root) for tree, root in zip(trees, roots, strict=True)]
    )
    leaves = left == LEAF
    thresholds = np.concatenate([tree.threshold for tree in trees])
    right = ~np.concatenate([tree.missing_left for tree in trees])
    features = np.concatenate([tree.feature for tree in trees]).astype(np.uint32)
    nodes[:, 0:2] = np.where(leaves, np.inf, thresholds).astype("<f8").view("<i4").reshape(-1, 2)
    nodes[:, 2] = (
        np.where(leaves, 0, features | np.where(right, MISSING_RIGHT, 0).astype(np.uint32)).astype("<u4").view("<i4")
    )
    nodes[:, 3] = np.where(leaves, np.arange(len(left)), left)
    values = np.concatenate([np.where((tree.left == LEAF)[:, None], tree.value, 0.0) for tree in trees])
    return Forest(nodes, roots.astype("<i4"), np.asarray([_depth(tree) for tree in trees], "<i4"), values, leaves)


def _depth(tree: Tree) -> int:
    """Return the most comparisons on the way to a leaf; each node stands behind its parent."""
    level, depth = np.zeros(1, np.int64), 0
    while len(level := tree.left[level][tree.left[level] != LEAF]):
        level, depth = np.concatenate([level, level + 1]), depth + 1
    return depth
