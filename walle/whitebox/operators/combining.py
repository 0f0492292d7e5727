"""Operators that put several values together, or take parts of one."""

from __future__ import annotations

from typing import Final

from walle.schema import Items, Nullable, Number, OneOfTexts
from walle.whitebox.operators.operator import Bound, Call, Flow, Operator, ParameterSpec
from walle.whitebox.types import MAX_SIZE, NUMBER, LabelType, ValueType, VectorType

WEIGHTS: Final = Nullable(Items(Number(), "a list with a weight for each input, or null", 1, 4096))


def _concat(call: Call) -> ValueType | None:
    vectors = call.vectors()
    if vectors is None:
        return None
    size = sum(each.size for each in vectors)
    if size > MAX_SIZE:
        call.refuse("inputs", f"a size of at most {MAX_SIZE} together", str(size))
        return None
    return VectorType(size, any(each.sparse for each in vectors))


def _select(call: Call) -> ValueType | None:
    vector = call.vector()
    return VectorType(call.shapes["indices"][0], vector.sparse) if vector else None


def _are_weighted(call: Call) -> bool:
    weights = call.settings["weights"]
    if weights is None or len(weights) == len(call.inputs):
        return True
    call.refuse("settings.weights", f"{len(call.inputs)} weights, one for each input", str(len(weights)))
    return False


def _sum(call: Call) -> ValueType | None:
    vectors = call.vectors()
    if vectors is None or not _are_weighted(call):
        return None
    size = vectors[0].size
    for index, each in enumerate(vectors):
        if each.size != size:
            call.refuse(f"inputs[{index}]", f"vector of {size}, like the first", str(each))
            return None
    if not call.fits("intercept", (size,)):
        return None
    return VectorType(size)


def _join_norms(call: Call) -> ValueType | None:
    return NUMBER if call.takes(VectorType) and call.are_single(0) else None


def _divide(call: Call) -> ValueType | None:
    return call.inputs[0] if call.takes(VectorType) and call.are_single(1) else None


def _vote(call: Call) -> ValueType | None:
    if not call.takes(LabelType) or not _are_weighted(call):
        return None
    if len(set(call.inputs)) != 1:
        call.refuse("inputs", "labels of the same number of classes", ", ".join(map(str, call.inputs[:10])))
        return None
    return call.inputs[0]


COMBINING_OPERATORS: Final = (
    Operator(
        "concat",
        "all inputs one behind the other",
        Flow.MANY_TO_ONE,
        Bound.MEMORY,
        _concat,
        inputs=None,
        associative=True,
        breaks=True,
    ),
    Operator(
        "select",
        "the numbers at some places",
        Flow.ONE_TO_ONE,
        Bound.MEMORY,
        _select,
        parameters={"indices": ParameterSpec("<i4", 1, "the places that are taken")},
    ),
    Operator(
        "sum",
        "the sum of all inputs, number by number, each times its weight, plus the intercept",
        Flow.MANY_TO_ONE,
        Bound.COMPUTE,
        _sum,
        inputs=None,
        settings={"weights": WEIGHTS},
        parameters={"intercept": ParameterSpec("<f8", 1, "what is added to the sum", False)},
        commutative=True,
        associative=True,
        vectorizable=True,
    ),
    Operator(
        "join_norms",
        "the norm of all that some norms are those of parts of",
        Flow.MANY_TO_ONE,
        Bound.MEMORY,
        _join_norms,
        inputs=None,
        settings={"norm": OneOfTexts(("l1", "l2", "max"))},
        commutative=True,
        associative=True,
    ),
    Operator(
        "divide",
        "the numbers of the first input by the second, a norm; unchanged where that is zero",
        Flow.MANY_TO_ONE,
        Bound.MEMORY,
        _divide,
        inputs=2,
        vectorizable=True,
    ),
    Operator(
        "vote",
        "the label of most inputs, or of the greatest weight; the lowest where several have it",
        Flow.MANY_TO_ONE,
        Bound.COMPUTE,
        _vote,
        inputs=None,
        settings={"weights": WEIGHTS},
        commutative=True,
    ),
)
