"""Operators from the scores of models to probabilities and labels."""

from __future__ import annotations

from typing import Final

from walle.schema import Number
from walle.whitebox.operators.operator import Bound, Call, Flow, Operator
from walle.whitebox.types import LabelType, ValueType, VectorType


def _dense(call: Call) -> ValueType | None:
    vector = call.vector()
    return VectorType(vector.size) if vector else None


def _complement(call: Call) -> ValueType | None:
    return VectorType(2) if call.are_single(0) else None


def _threshold(call: Call) -> ValueType | None:
    return LabelType(2) if call.are_single(0) else None


def _arg(call: Call) -> ValueType | None:
    vector = call.vector()
    return LabelType(vector.size) if vector else None


SCORE_OPERATORS: Final = (
    Operator(
        "sigmoid",
        "the logistic function of each score",
        Flow.ONE_TO_ONE,
        Bound.COMPUTE,
        _dense,
        vectorizable=True,
        elementwise=True,
    ),
    Operator(
        "softmax",
        "the exponential of each score, divided by their sum",
        Flow.MANY_TO_ONE,
        Bound.COMPUTE,
        _dense,
        breaks=True,
        vectorizable=True,
    ),
    Operator(
        "complement",
        "the probabilities of two classes, of that of the second",
        Flow.ONE_TO_MANY,
        Bound.COMPUTE,
        _complement,
    ),
    Operator(
        "argmax",
        "the place of the greatest score; the first where several are",
        Flow.MANY_TO_ONE,
        Bound.COMPUTE,
        _arg,
    ),
    Operator(
        "argmin",
        "the place of the least score; the first where several are",
        Flow.MANY_TO_ONE,
        Bound.COMPUTE,
        _arg,
    ),
    Operator(
        "threshold",
        "the second class where the score is above the threshold, else the first",
        Flow.ONE_TO_ONE,
        Bound.COMPUTE,
        _threshold,
        settings={"threshold": Number()},
    ),
)
