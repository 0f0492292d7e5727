"""How operators over vectors become instructions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from walle.whitebox.compiling.lowering import Lower, Lowering
from walle.whitebox.compiling.physical import Data, Dense, Operand, PhysicalValue, Room, Sparse
from walle.whitebox.graph import Transformation
from walle.whitebox.kernels.codes import NORM_L1, NORM_L2, NORM_MAX
from walle.whitebox.kernels.operations import Operation
from walle.whitebox.operators.numbers import FUNCTIONS

NORMS: Final = {"l1": NORM_L1, "l2": NORM_L2, "max": NORM_MAX}
# In the place of the counts of a sparse vector: the vector is dense. The row is there.
DENSE: Final = 0


def lower_concat(lowering: Lowering, step: Transformation) -> None:
    """Emit what puts vectors one behind the other, where they were not made there."""
    if lowering.is_sparse(step.id):
        _append(lowering, step)
        return
    parts = [lowering.values[each] for each in step.inputs]
    joined = _joined(parts)
    if joined is not None and step.id not in lowering.targets:
        lowering.values[step.id] = joined
        return
    target = lowering.make_dense(step)
    start = 0
    runs: list[tuple[Dense, Dense]] = []
    for each in parts:
        assert isinstance(each, Dense | Sparse)  # noqa: S101 - the graph's types say so
        part = target.part(start, each.size)
        start += each.size
        if isinstance(each, Sparse):
            lowering.scatter(each, part)
        elif each != part:
            runs.append((each, part))
    for source, part in _merged(runs):
        lowering.emit(Operation.COPY, source.place, source.size, part.place)


def _joined(parts: Sequence[PhysicalValue]) -> Dense | None:
    """Return vectors that lie one behind the other already as one."""
    first, *rest = parts
    if not isinstance(first, Dense):
        return None
    whole = first
    for each in rest:
        if not isinstance(each, Dense) or each.place != whole.part(whole.size, each.size).place:
            return None
        whole = Dense(whole.place, whole.size + each.size)
    return whole


def _merged(runs: list[tuple[Dense, Dense]]) -> list[tuple[Dense, Dense]]:
    """Return copies with those made one that follow each other where they come from and where they go to."""
    found: list[tuple[Dense, Dense]] = []
    for source, part in runs:
        if found:
            last, last_part = found[-1]
            both, both_parts = _joined([last, source]), _joined([last_part, part])
            if both and both_parts:
                found[-1] = (both, both_parts)
                continue
        found.append((source, part))
    return found


def _append(lowering: Lowering, step: Transformation) -> None:
    parts = [lowering.values[each] for each in step.inputs]
    most = Room(0, 0, 0)
    for each in parts:
        most = most + (each.most if isinstance(each, Sparse) else Room(each.size, 0, each.size))  # type: ignore[union-attr]
    target = lowering.make_sparse(step, most)
    lowering.emit(Operation.START_SPARSE, target.counts)
    shift, to = 0, (target.counts, target.columns, target.values)
    for each in parts:
        if isinstance(each, Sparse):
            lowering.emit(Operation.APPEND_SPARSE, each.counts, each.columns, each.values, shift, *to)
        else:
            assert isinstance(each, Dense)  # noqa: S101 - the graph's types say so
            lowering.emit(Operation.APPEND_DENSE, each.place, each.size, shift, *to)
        shift += each.size


def lower_select(lowering: Lowering, step: Transformation) -> None:
    """Emit what takes some numbers of a vector."""
    indices, given = step.parameters["indices"], lowering.dense(step.inputs[0])
    lowering.emit(Operation.SELECT, given.place, Data(indices), indices.part[-1], lowering.make_dense(step).place)


def lower_affine(lowering: Lowering, step: Transformation) -> None:
    """Emit what scales numbers; of a sparse vector, where zeros stay zeros."""
    low, high = step.settings["clip"] or (-math.inf, math.inf)
    bounds = (float(low), float(high))
    given = lowering.values[step.inputs[0]]
    keeps_zero = not {"center", "offset"} & step.parameters.keys() and low <= 0 <= high
    divisor, factor = lowering.parameter(step, "divisor"), lowering.parameter(step, "factor")
    if isinstance(given, Sparse) and keeps_zero:
        made = lowering.make_sparse(step, given.most, given)
        operands = (given.counts, given.columns, given.values, made.values)
        lowering.emit(Operation.AFFINE_SPARSE, *operands, divisor, factor, *bounds)
        return
    dense = lowering.dense(step.inputs[0])
    center, offset = lowering.parameter(step, "center"), lowering.parameter(step, "offset")
    target = lowering.make_dense(step)
    lowering.emit(Operation.AFFINE, dense.place, dense.size, target.place, center, divisor, factor, offset, *bounds)


def _each_value(lowering: Lowering, step: Transformation, operation: Operation, *last: Operand) -> None:
    """Emit an operation that goes over the values of a vector, whether it is sparse or not."""
    given = lowering.values[step.inputs[0]]
    if isinstance(given, Sparse):
        made = lowering.make_sparse(step, given.most, given)
        lowering.emit(operation, given.values, given.size, made.values, given.counts, *last)
    else:
        dense, target = lowering.dense(step.inputs[0]), lowering.make_dense(step)
        lowering.emit(operation, dense.place, dense.size, target.place, DENSE, *last)


def lower_binarize(lowering: Lowering, step: Transformation) -> None:
    """Emit the comparison of numbers with a threshold; below zero, zeros become ones."""
    if step.settings["threshold"] >= 0:
        _each_value(lowering, step, Operation.BINARIZE, float(step.settings["threshold"]))
        return
    given, target = lowering.dense(step.inputs[0]), lowering.make_dense(step)
    threshold = float(step.settings["threshold"])
    lowering.emit(Operation.BINARIZE, given.place, given.size, target.place, DENSE, threshold)


def lower_normalize(lowering: Lowering, step: Transformation) -> None:
    """Emit the division by a norm."""
    _each_value(lowering, step, Operation.NORMALIZE, NORMS[step.settings["norm"]])


def lower_norm(lowering: Lowering, step: Transformation) -> None:
    """Emit a norm."""
    given, target = lowering.values[step.inputs[0]], lowering.make_dense(step)
    norm = NORMS[step.settings["norm"]]
    if isinstance(given, Sparse):
        lowering.emit(Operation.NORM, given.values, given.size, target.place, given.counts, norm)
    else:
        dense = lowering.dense(step.inputs[0])
        lowering.emit(Operation.NORM, dense.place, dense.size, target.place, DENSE, norm)


def lower_join_norms(lowering: Lowering, step: Transformation) -> None:
    """Emit the norm of a whole of the norms of its parts."""
    places = [lowering.dense(each).place for each in step.inputs]
    norm, target = NORMS[step.settings["norm"]], lowering.make_dense(step)
    lowering.emit(Operation.JOIN_NORMS, target.place, norm, len(places), *places)


def lower_divide(lowering: Lowering, step: Transformation) -> None:
    """Emit the division by a norm that was computed before."""
    norm = lowering.dense(step.inputs[1]).place
    _each_value(lowering, step, Operation.DIVIDE, norm)


def lower_impute(lowering: Lowering, step: Transformation) -> None:
    """Emit what takes the place of missing numbers."""
    given, target = lowering.dense(step.inputs[0]), lowering.make_dense(step)
    missing, indicated = step.settings["missing"], step.parameters.get("indicated")
    lowering.emit(
        Operation.IMPUTE,
        given.place,
        given.size,
        target.place,
        lowering.parameter(step, "values"),
        math.nan if missing is None else float(missing),
        lowering.parameter(step, "indicated"),
        indicated.part[-1] if indicated else 0,
    )


def lower_map(lowering: Lowering, step: Transformation) -> None:
    """Emit a function of each number."""
    given, target = lowering.dense(step.inputs[0]), lowering.make_dense(step)
    function = FUNCTIONS.index(step.settings["function"])
    lowering.emit(Operation.APPLY_FUNCTION, given.place, given.size, target.place, function)


def lower_tfidf(lowering: Lowering, step: Transformation) -> None:
    """Emit the weights of terms."""
    sublinear, idf = int(step.settings["sublinear"]), lowering.parameter(step, "idf")
    given = lowering.values[step.inputs[0]]
    if isinstance(given, Sparse):
        made = lowering.make_sparse(step, given.most, given)
        operands = (given.counts, given.columns, given.values, made.values)
        lowering.emit(Operation.WEIGH_TERMS, *operands, sublinear, idf)
        return
    dense, target = lowering.dense(step.inputs[0]), lowering.make_dense(step)
    lowering.emit(Operation.WEIGH_DENSE, dense.place, dense.size, target.place, sublinear, idf)


def lower_sum(lowering: Lowering, step: Transformation) -> None:
    """Emit the weighted sum of vectors."""
    given = [lowering.dense(each) for each in step.inputs]
    weights = step.settings["weights"] or [1.0] * len(given)
    pairs = [part for each, weight in zip(given, weights, strict=True) for part in (each.place, float(weight))]
    target = lowering.make_dense(step)
    intercept = lowering.parameter(step, "intercept")
    lowering.emit(Operation.ADD, target.place, target.size, intercept, len(given), *pairs)


NUMBER_LOWERINGS: Final[dict[str, Lower]] = {
    "concat": lower_concat,
    "select": lower_select,
    "affine": lower_affine,
    "binarize": lower_binarize,
    "normalize": lower_normalize,
    "norm": lower_norm,
    "join_norms": lower_join_norms,
    "divide": lower_divide,
    "impute": lower_impute,
    "map": lower_map,
    "tfidf": lower_tfidf,
    "sum": lower_sum,
}
