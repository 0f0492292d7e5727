"""Boosted trees that LightGBM or XGBoost trained, as their files say: trees, a base and a link to predictions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from walle.whitebox.graph import ClassName
from walle.whitebox.importing import answers
from walle.whitebox.importing.building import Matrix, ModelAnswer, floats, integers
from walle.whitebox.importing.forest import Tree, TreeMalformed, packed
from walle.whitebox.importing.refusal import NotImportable
from walle.whitebox.importing.trees import ensemble
from walle.whitebox.importing.use import Use

Link = Literal["identity", "exp", "sigmoid", "softmax"]

MAX_FILE: Final = 1 << 30
"""The most bytes of a model file."""
MAX_FEATURES: Final = 4096
MAX_GROUPS: Final = 1000


@dataclass(frozen=True)
class BoostedModel:
    """An ensemble: tree `i` adds to score `targets[i]` of `groups`; their sum, or mean, plus the base is linked.

    `steepness` is what a score is multiplied with before its logistic function is taken; `classes` are numbers from 0
    where none are given. As estimators of scikit-learn do, it has the names of its features and of its classes.
    """

    library: str
    features: tuple[str, ...]
    trees: tuple[Tree, ...]
    targets: tuple[int, ...]
    groups: int
    base: tuple[float, ...]
    link: Link
    average: bool = False
    steepness: float = 1.0
    classes: tuple[ClassName, ...] | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.features) <= MAX_FEATURES:
            raise self.malformed(f"has {len(self.features)} features, not 1 to {MAX_FEATURES}")
        if len(set(self.features)) != len(self.features):
            raise self.malformed("has features of the same name")
        if not self.trees or len(self.targets) != len(self.trees):
            raise self.malformed("has no trees")
        for tree in self.trees:
            if tree.feature.min() < 0 or tree.feature.max() >= len(self.features):
                raise self.malformed("compares a feature that it does not have")

    @property
    def feature_names_in_(self) -> tuple[str, ...]:
        return self.features

    @property
    def classes_(self) -> tuple[ClassName, ...]:
        return self.classes or tuple(range(max(self.groups, 2)))

    def malformed(self, reason: str) -> NotImportable:
        return NotImportable(self.library, "model", reason)


def boosted_answer(use: Use) -> ModelAnswer:
    """The use of a BoostedModel."""
    model: BoostedModel = use.estimator
    scores = _scores(use, model)
    match model.link:
        case "identity":
            return ModelAnswer(value=scores.id)
        case "exp":
            return ModelAnswer(value=use.step("map", scores, {"function": "exp"}).id)
        case "softmax":
            return answers.softmax(use, scores)
        case "sigmoid":
            steep = scores if model.steepness == 1 else answers.scaled(use, scores, 1 / model.steepness)
            return replace(answers.binary(use, steep), decision=scores.id)


def _scores(use: Use, model: BoostedModel) -> Matrix:
    try:
        forest = packed(model.trees)
    except TreeMalformed as error:
        raise model.malformed(f"has {error}") from error
    targets = integers(model.targets) if model.groups > 1 else None
    base = floats(model.base) if any(model.base) else None
    return ensemble(use, forest, model.groups, average=model.average, targets=targets, base=base)
