"""Operators from numbers to numbers: scalers, imputers, weights of terms, norms and projections."""

from __future__ import annotations

from typing import Final

from walle.schema import Items, Nullable, Number, OneOfTexts
from walle.whitebox.operators.operator import Bound, Call, Flow, Operator, ParameterSpec
from walle.whitebox.operators.text import BOOLEAN
from walle.whitebox.types import NUMBER, ValueType, VectorType

NORM: Final = OneOfTexts(("l1", "l2", "max"))
FUNCTIONS: Final = ("abs", "exp", "expm1", "log", "log1p", "sqrt", "square")
_CLIP: Final = Nullable(Items(Number(), "the least and the greatest number, or null", 2, 2))


def _same(call: Call) -> ValueType | None:
    return call.vector()


def _dense(call: Call) -> ValueType | None:
    vector = call.vector()
    return VectorType(vector.size) if vector else None


def _impute(call: Call) -> ValueType | None:
    vector = call.vector()
    if vector is None or not call.fits("values", (vector.size,)):
        return None
    return VectorType(vector.size + call.shapes.get("indicated", (0,))[0], vector.sparse)


def _affine(call: Call) -> ValueType | None:
    vector = call.vector()
    if vector is None or not call.fit(dict.fromkeys(("center", "divisor", "factor", "offset"), (vector.size,))):
        return None
    clip = call.settings["clip"]
    if clip is not None and clip[0] > clip[1]:
        call.refuse("settings.clip", "the least number first", str(clip))
        return None
    moves = "center" in call.shapes or "offset" in call.shapes or (clip is not None and not clip[0] <= 0 <= clip[1])
    return VectorType(vector.size, vector.sparse and not moves)


def _binarize(call: Call) -> ValueType | None:
    vector = call.vector()
    return VectorType(vector.size, vector.sparse and call.settings["threshold"] >= 0) if vector else None


def _tfidf(call: Call) -> ValueType | None:
    vector = call.vector()
    return vector if vector and call.fits("idf", (vector.size,)) else None


def _norm(call: Call) -> ValueType | None:
    return NUMBER if call.vector() else None


def _pca(call: Call) -> ValueType | None:
    vector = call.vector()
    size = call.shapes["components"][0]
    shapes = {"mean": (vector.size,), "components": (size, vector.size), "divisor": (size,)} if vector else {}
    return VectorType(size) if vector and call.fit(shapes) else None


def _kmeans(call: Call) -> ValueType | None:
    vector = call.vector()
    size = call.shapes["centers"][0]
    return VectorType(size) if vector and call.fits("centers", (size, vector.size)) else None


def _each(words: str) -> ParameterSpec:
    return ParameterSpec("<f8", 1, words, False)


NUMBER_OPERATORS: Final = (
    Operator(
        "impute",
        "a number in the place of each missing one; then a one for each indicated number that was missing",
        Flow.ONE_TO_ONE,
        Bound.MEMORY,
        _impute,
        settings={"missing": Nullable(Number())},
        parameters={
            "values": ParameterSpec("<f8", 1, "what takes the place of each missing number"),
            "indicated": ParameterSpec("<i4", 1, "the numbers for which it is said whether they are missing", False),
        },
    ),
    Operator(
        "affine",
        "less the center, by the divisor, times the factor, plus the offset, then clipped",
        Flow.ONE_TO_ONE,
        Bound.MEMORY,
        _affine,
        settings={"clip": _CLIP},
        parameters={
            "center": _each("what is taken off each number first"),
            "divisor": _each("what each number is divided by then"),
            "factor": _each("what each number is multiplied with then"),
            "offset": _each("what is added to each number then"),
        },
        vectorizable=True,
        elementwise=True,
    ),
    Operator(
        "binarize",
        "one for each number above the threshold, zero for the others",
        Flow.ONE_TO_ONE,
        Bound.MEMORY,
        _binarize,
        settings={"threshold": Number()},
        vectorizable=True,
        elementwise=True,
    ),
    Operator(
        "map",
        "a function of each number",
        Flow.ONE_TO_ONE,
        Bound.COMPUTE,
        _dense,
        settings={"function": OneOfTexts(FUNCTIONS)},
        vectorizable=True,
        elementwise=True,
    ),
    Operator(
        "tfidf",
        "counts of terms, or one more than their logarithm, times the inverse document frequency",
        Flow.ONE_TO_ONE,
        Bound.MEMORY,
        _tfidf,
        settings={"sublinear": BOOLEAN},
        parameters={"idf": _each("the inverse document frequency of each term")},
        vectorizable=True,
        elementwise=True,
    ),
    Operator(
        "normalize",
        "divided by the norm of all numbers; zeros stay as they are",
        Flow.MANY_TO_ONE,
        Bound.MEMORY,
        _same,
        settings={"norm": NORM},
        breaks=True,
        vectorizable=True,
    ),
    Operator(
        "norm",
        "the norm of all numbers",
        Flow.MANY_TO_ONE,
        Bound.MEMORY,
        _norm,
        settings={"norm": NORM},
        vectorizable=True,
    ),
    Operator(
        "pca",
        "less the mean, projected on components, by the divisor",
        Flow.MANY_TO_ONE,
        Bound.COMPUTE,
        _pca,
        parameters={
            "components": ParameterSpec("<f8", 2, "the components, each a row"),
            "mean": _each("what is taken off each number first"),
            "divisor": _each("what each projection is divided by"),
        },
        vectorizable=True,
    ),
    Operator(
        "kmeans",
        "the Euclidean distance from each center",
        Flow.MANY_TO_ONE,
        Bound.COMPUTE,
        _kmeans,
        parameters={"centers": ParameterSpec("<f8", 2, "the centers, each a row")},
        vectorizable=True,
    ),
)
