"""Models made of models: votes, averages and stacks; and searches, which answer by the best that they found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from walle.whitebox.importing import answers
from walle.whitebox.importing.building import Matrix, ModelAnswer, floats, integers
from walle.whitebox.importing.supporting import Supported, words
from walle.whitebox.importing.use import Use


def voting_classifier(use: Use) -> ModelAnswer:
    voter = use.estimator
    voices, weights = list(_voices(use)), _weights(use)
    if voter.voting == "hard":
        labels = [answer.label for _, answer in voices]
        label = use.builder.add("vote", [each for each in labels if each], {"weights": weights})
        return ModelAnswer(label, classes=use.classes())
    probabilities = [Matrix(_asked(inner, answer), len(use.classes())) for inner, answer in voices]
    return answers.of_probabilities(use, _mean(use, probabilities, weights))


def voting_regressor(use: Use) -> ModelAnswer:
    values = [Matrix(str(answer.value), 1) for _, answer in _voices(use)]
    return ModelAnswer(value=_mean(use, values, _weights(use)).id)


def _voices(use: Use) -> Iterator[tuple[Use, ModelAnswer]]:
    names = [name for name, estimator in use.estimator.estimators if estimator != "drop"]
    for name, estimator in zip(names, use.estimator.estimators_, strict=True):
        inner = use.inside(name, estimator)
        yield inner, use.importer.answered(inner)


def _weights(use: Use) -> list[float] | None:
    weights = use.estimator._weights_not_none
    return None if weights is None else [float(each) for each in weights]


def _mean(use: Use, parts: Sequence[Matrix], weights: list[float] | None) -> Matrix:
    """Add first and divide then, as NumPy's average does, so that what is equal there is equal here."""
    total = Matrix(use.builder.add("sum", [each.id for each in parts], {"weights": weights}), parts[0].size)
    return answers.scaled(use, total, float(np.sum(weights)) if weights else float(len(parts)))


def _asked(use: Use, answer: ModelAnswer) -> str:
    if answer.probabilities is None:
        raise use.refuse("has no probabilities, which the model that it is a part of asks for")
    return answer.probabilities


def stacking_classifier(use: Use) -> ModelAnswer:
    """The stacked answers are numbers for the final model; of two probabilities it gets the second alone."""
    stack = use.estimator
    if any(method == "predict" for method in stack.stack_method_):
        raise use.refuse("stacks labels")
    parts = []
    for (inner, answer), method in zip(_voices(use), stack.stack_method_, strict=True):
        if method == "decision_function":
            size = 1 if len(use.classes()) == 2 else len(use.classes())
            parts.append(Matrix(str(answer.decision), size))
            continue
        found = Matrix(_asked(inner, answer), len(use.classes()))
        parts.append(use.step("select", found, size=1, indices=integers([1])) if found.size == 2 else found)
    return _stacked(use, parts, answer_classes=True)


def stacking_regressor(use: Use) -> ModelAnswer:
    parts = [Matrix(str(answer.value), 1) for _, answer in _voices(use)]
    return _stacked(use, parts, answer_classes=False)


def _stacked(use: Use, parts: list[Matrix], *, answer_classes: bool) -> ModelAnswer:
    if use.estimator.passthrough:
        parts.append(use.matrix())
    inner = use.inside("final_estimator", use.estimator.final_estimator_, use.builder.concat(parts))
    found = use.importer.answered(inner)
    return replace(found, classes=use.classes()) if answer_classes else found


def calibrated_classifier(use: Use) -> ModelAnswer:
    """Return the mean of what each fold's model gives, after its sigmoid."""
    folds = use.estimator.calibrated_classifiers_
    if len(use.classes()) != 2:
        raise use.refuse("calibrates more than two classes")
    return answers.of_probabilities(
        use, _mean(use, [_calibrated(use, index, each) for index, each in enumerate(folds)], None)
    )


def _calibrated(use: Use, index: int, fold: Any) -> Matrix:
    inner = use.inside(f"fold-{index}", fold.estimator)
    answer = use.importer.answered(inner)
    (calibrator,) = fold.calibrators
    if answer.decision is not None:
        score = Matrix(answer.decision, 1)
    else:
        score = use.step("select", Matrix(_asked(inner, answer), 2), size=1, indices=integers([1]))
    factor, offset = floats([-calibrator.a_]), floats([-calibrator.b_])
    moved = use.step("affine", score, {"clip": None}, factor=factor, offset=offset)
    return answers.complement(use, use.step("sigmoid", moved))


def search(use: Use) -> ModelAnswer:
    return use.importer.answered(use.inside("best_estimator_", use.estimator.best_estimator_))


_SEARCH: Final = words("cv error_score estimator n_jobs pre_dispatch refit return_train_score scoring verbose")

ENSEMBLES: Final = (
    Supported(
        "VotingClassifier",
        voting_classifier,
        words("flatten_transform n_jobs verbose"),
        words("estimators voting weights"),
    ),
    Supported("VotingRegressor", voting_regressor, words("n_jobs verbose"), words("estimators weights")),
    Supported(
        "StackingClassifier",
        stacking_classifier,
        words("cv n_jobs verbose"),
        words("estimators final_estimator stack_method passthrough"),
    ),
    Supported(
        "StackingRegressor",
        stacking_regressor,
        words("cv n_jobs verbose"),
        words("estimators final_estimator passthrough"),
    ),
    Supported(
        "CalibratedClassifierCV",
        calibrated_classifier,
        words("cv ensemble n_jobs"),
        words("estimator"),
        {"method": ("sigmoid",)},
    ),
    Supported("GridSearchCV", search, _SEARCH | words("param_grid")),
    Supported("RandomizedSearchCV", search, _SEARCH | words("param_distributions n_iter random_state")),
)
