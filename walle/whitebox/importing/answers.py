"""How scores become what a model answers: labels and probabilities as scikit-learn derives them."""

from __future__ import annotations

from walle.whitebox.graph import ClassName
from walle.whitebox.importing.building import Matrix, ModelAnswer, floats
from walle.whitebox.importing.use import Use


def binary(use: Use, score: Matrix, *, probable: bool = True) -> ModelAnswer:
    """Two classes of one score, whose logistic function is the probability of the second."""
    label = use.builder.add("threshold", [score.id], {"threshold": 0.0})
    probabilities = complement(use, use.step("sigmoid", score)).id if probable else None
    return ModelAnswer(label, probabilities, decision=score.id, classes=use.classes())


def softmax(use: Use, scores: Matrix) -> ModelAnswer:
    """Several classes with a score each, whose exponentials are in proportion to the probabilities."""
    label = use.builder.add("argmax", [scores.id])
    return ModelAnswer(label, use.step("softmax", scores).id, decision=scores.id, classes=use.classes())


def one_against_rest(use: Use, scores: Matrix, *, probable: bool = True) -> ModelAnswer:
    """Several classes with a score each, whose logistic functions are in proportion to the probabilities."""
    label = use.builder.add("argmax", [scores.id])
    made = use.step("normalize", use.step("sigmoid", scores), {"norm": "l1"}).id if probable else None
    return ModelAnswer(label, made, decision=scores.id, classes=use.classes())


def of_probabilities(use: Use, probabilities: Matrix, classes: tuple[ClassName, ...] | None = None) -> ModelAnswer:
    """Return the most probable class, the first where several are."""
    label = use.builder.add("argmax", [probabilities.id])
    return ModelAnswer(label, probabilities.id, classes=use.classes() if classes is None else classes)


def complement(use: Use, probability: Matrix) -> Matrix:
    """Return the probabilities of two classes, of that of the second."""
    return Matrix(use.builder.add("complement", [probability.id]), 2)


def scaled(use: Use, vector: Matrix, divisor: float) -> Matrix:
    """Divide all numbers of a vector."""
    return use.step("affine", vector, {"clip": None}, divisor=floats([divisor] * vector.size))
