"""How models, and what follows their scores, become instructions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from walle.whitebox.compiling.lowering import Lower, Lowering
from walle.whitebox.compiling.physical import Data, Operand, Place, Room, Sparse, Stride
from walle.whitebox.graph import Transformation
from walle.whitebox.kernels.codes import ABREAST
from walle.whitebox.kernels.operations import Operation
from walle.whitebox.types import LabelType


def lower_linear(lowering: Lowering, step: Transformation) -> None:
    """Emit a linear model; the weights of a sparse vector are kept without their zeros."""
    weights, intercept = step.parameters["weights"], lowering.parameter(step, "intercept")
    rows, width = weights.shape
    given = lowering.values[step.inputs[0]]
    if isinstance(given, Sparse):
        target = lowering.make_dense(step)
        operands = (given.counts, given.columns, given.values, target.place)
        whole = replace(weights, start=0, stop=None, packed=True)
        lowering.emit(
            Operation.LINEAR_PACKED, *operands, rows, Data(whole), rows * width, width, weights.start, intercept
        )
    else:
        dense, target = lowering.dense(step.inputs[0]), lowering.make_dense(step)
        read = (rows, Data(weights), Stride(weights), intercept)
        lowering.emit(Operation.LINEAR, dense.place, dense.size, target.place, *read)


def lower_pca(lowering: Lowering, step: Transformation) -> None:
    """Emit a projection; of a sparse vector from which nothing is taken off, as a linear model."""
    components = step.parameters["components"]
    given = lowering.values[step.inputs[0]]
    if isinstance(given, Sparse) and not {"mean", "divisor"} & step.parameters.keys():
        target = lowering.make_dense(step)
        operands = (given.counts, given.columns, given.values, target.place)
        lowering.emit(Operation.LINEAR_SPARSE, *operands, components.part[0], Data(components), Stride(components), 0)
        return
    dense, target = lowering.dense(step.inputs[0]), lowering.make_dense(step)
    lowering.emit(
        Operation.PCA,
        dense.place,
        dense.size,
        target.place,
        components.part[0],
        Data(components),
        lowering.parameter(step, "mean"),
        lowering.parameter(step, "divisor"),
        lowering.scratch("centered", Room(8 * dense.size)),
    )


def lower_kmeans(lowering: Lowering, step: Transformation) -> None:
    """Emit the distances from centers."""
    centers = step.parameters["centers"]
    given, target = lowering.dense(step.inputs[0]), lowering.make_dense(step)
    lowering.emit(Operation.KMEANS, given.place, given.size, target.place, centers.part[0], Data(centers))


def _find_leaves(lowering: Lowering, step: Transformation) -> tuple[Place, int]:
    """Emit the walk through trees; return where their leaves are written, and how many trees there are."""
    given, trees = lowering.dense(step.inputs[0]), step.parameters["roots"].part[-1]
    leaves = lowering.scratch("leaves", Room(4 * (trees + ABREAST)))
    lowering.emit(
        Operation.FIND_LEAVES,
        given.place,
        given.size,
        lowering.scratch("rounded", Room(8 * given.size)) if step.settings["single"] else given.place,
        int(step.settings["single"]),
        Data(step.parameters["nodes"]),
        Data(step.parameters["roots"]),
        trees,
        Data(step.parameters["depths"]),
        leaves,
    )
    return leaves, trees


def lower_trees(lowering: Lowering, step: Transformation) -> None:
    """Emit an ensemble of trees."""
    leaves, trees = _find_leaves(lowering, step)
    values, target = step.parameters["values"], lowering.make_dense(step)
    lowering.emit(
        Operation.SUM_LEAVES,
        leaves,
        trees,
        target.place,
        target.size,
        Data(values),
        values.part[-1],
        lowering.parameter(step, "targets"),
        lowering.parameter(step, "base"),
        float(trees) if step.settings["average"] else 1.0,
    )


def lower_tree_features(lowering: Lowering, step: Transformation) -> None:
    """Emit the leaves of trees as features."""
    leaves, trees = _find_leaves(lowering, step)
    columns = Data(step.parameters["columns"])
    if not lowering.is_sparse(step.id):
        target = lowering.make_dense(step)
        lowering.emit(Operation.MARK_LEAVES, leaves, trees, columns, target.place, target.size)
        return
    made = lowering.make_sparse(step, Room(trees))
    seen = lowering.scratch("seen", Room(16 * (trees + 4)))
    lowering.emit(Operation.MARK_LEAVES_SPARSE, leaves, trees, columns, seen, made.counts, made.columns, made.values)


def _of_all(operation: Operation, *last: Operand) -> Lower:
    """Return what emits an operation on a vector as a whole."""

    def lower(lowering: Lowering, step: Transformation) -> None:
        given, target = lowering.dense(step.inputs[0]), lowering.make_dense(step)
        lowering.emit(operation, given.place, given.size, target.place, *last)

    return lower


def lower_complement(lowering: Lowering, step: Transformation) -> None:
    """Emit the probabilities of two classes."""
    given, target = lowering.dense(step.inputs[0]), lowering.make_dense(step)
    lowering.emit(Operation.COMPLEMENT, given.place, target.place)


def lower_threshold(lowering: Lowering, step: Transformation) -> None:
    """Emit the comparison of a score with a threshold."""
    given, target = lowering.dense(step.inputs[0]), lowering.make_dense(step)
    lowering.emit(Operation.THRESHOLD, given.place, target.place, float(step.settings["threshold"]))


def lower_vote(lowering: Lowering, step: Transformation) -> None:
    """Emit the label of the greatest weight."""
    given = [lowering.dense(each) for each in step.inputs]
    weights = step.settings["weights"] or [1.0] * len(given)
    label = lowering.types[step.id]
    assert isinstance(label, LabelType)  # noqa: S101 - the graph's types say so
    pairs = [part for each, weight in zip(given, weights, strict=True) for part in (each.place, float(weight))]
    room = lowering.scratch("votes", Room(8 * label.classes))
    target = lowering.make_dense(step)
    lowering.emit(Operation.VOTE, target.place, label.classes, room, len(given), *pairs)


MODEL_LOWERINGS: Final[dict[str, Callable[[Lowering, Transformation], None]]] = {
    "linear": lower_linear,
    "pca": lower_pca,
    "kmeans": lower_kmeans,
    "trees": lower_trees,
    "tree_features": lower_tree_features,
    "sigmoid": _of_all(Operation.SIGMOID),
    "softmax": _of_all(Operation.SOFTMAX),
    "argmax": _of_all(Operation.EXTREME, 1.0),
    "argmin": _of_all(Operation.EXTREME, -1.0),
    "complement": lower_complement,
    "threshold": lower_threshold,
    "vote": lower_vote,
}
