"""Trained estimators of scikit-learn as graphs: which can be imported, and how one inside another is.

Classes are known by name and library, and are never imported: what unpickles them is the business of who calls.
A class that derives from one of these is another class, and is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from walle.whitebox.graph import GraphMalformed, check_graph
from walle.whitebox.importing.boosted import BoostedModel, boosted_answer
from walle.whitebox.importing.boosted_estimators import BOOSTERS
from walle.whitebox.importing.building import Builder, Imported, ModelAnswer, Record, Value
from walle.whitebox.importing.categories import CATEGORIES
from walle.whitebox.importing.composition import COMPOSED_ANSWERS, COMPOSED_VALUES
from walle.whitebox.importing.ensembles import ENSEMBLES
from walle.whitebox.importing.linear import LINEAR
from walle.whitebox.importing.numbers import CLUSTERS, NUMBERS
from walle.whitebox.importing.supporting import Made, Supported
from walle.whitebox.importing.text import TEXT
from walle.whitebox.importing.trees import TREE_FEATURES, TREES
from walle.whitebox.importing.use import Use

LIBRARY: Final = "sklearn"
TRANSFORMERS: Final[dict[str, Supported[Value]]] = {
    each.name: each for each in (*COMPOSED_VALUES, *TEXT, *CATEGORIES, *NUMBERS, *TREE_FEATURES)
}
"""The transformers that can be imported, by the name of their class."""
MODELS: Final[dict[str, Supported[ModelAnswer]]] = {
    each.name: each for each in (*COMPOSED_ANSWERS, *LINEAR, *TREES, *CLUSTERS, *ENSEMBLES)
}
"""The models that can be imported, by the name of their class."""


_REASONS: Final = {
    "SVC": "keeps its support vectors; a LinearSVC can be imported",
    "KNeighborsClassifier": "keeps all of its training data",
    "MLPClassifier": "is a neural network",
}


def import_estimator(estimator: Any, place: str = "model") -> Imported:
    """Return the graph that predicts what a trained estimator predicts. Raises NotImportable."""
    use = Use(estimator, Record(), place, Builder(), _Estimators())
    return _checked(use, use.importer.answered(use))


def import_boosted(model: BoostedModel) -> Imported:
    """Return the graph that predicts what a model file predicts, of columns named as its features."""
    use = Use(model, Record(), "model", Builder(), _Estimators())
    return _checked(use, boosted_answer(use))


def _checked(use: Use, answer: ModelAnswer) -> Imported:
    imported = use.builder.imported(answer)
    try:
        check_graph(imported.graph)
    except GraphMalformed as error:
        raise use.refuse(f"is beyond what a pipeline can be: {error}") from error
    return imported


class _Estimators:
    """Imports estimators, and those inside them."""

    def transformed(self, use: Use) -> Value:
        return _built(use, _supported(use, TRANSFORMERS, "transformers").build)

    def answered(self, use: Use) -> ModelAnswer:
        read = BOOSTERS.get((_library(use), use.operator))
        return _built(use, read or _supported(use, MODELS, "models").build)


def _built(use: Use, build: Callable[[Use], Made]) -> Made:
    try:
        return build(use)
    except AttributeError as error:
        raise use.refuse(f"is not trained, or was trained by another release of its library: {error}") from error


def _supported(use: Use, known: Mapping[str, Supported[Made]], kind: str) -> Supported[Made]:
    library, found = _library(use), known.get(use.operator)
    if library != LIBRARY or found is None:
        raise use.refuse(_why_not(use, library, kind))
    found.check(use.estimator.get_params(deep=False), use.place)
    return found


def _library(use: Use) -> str:
    return type(use.estimator).__module__.partition(".")[0]


def _why_not(use: Use, library: str, kind: str) -> str:
    if library != LIBRARY:
        return f"is a class of {library}, whose code is not known"
    if use.operator in _REASONS:
        return _REASONS[use.operator]
    if use.operator in TRANSFORMERS:
        return "makes features and no prediction: a pipeline ends with a model"
    return f"is none of the {kind} that can be imported (docs/guides/pipelines.md)"
