"""Trained models from files, in the process of the person who trained them. Here alone is anything unpickled.

Loading a joblib or pickle file executes what its author has put into it. Nothing that a server runs imports this.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from walle.cli.errors import CommandFailed, WrongUsage
from walle.whitebox.importing import (
    Imported,
    NotImportable,
    import_boosted,
    import_estimator,
    read_lightgbm,
    read_xgboost,
)
from walle.whitebox.importing.boosted import MAX_FILE
from walle.whitebox.importing.libraries import (
    SINGLE_TOLERANCE,
    TOLERANCE,
    BoosterLibrary,
    EstimatorLibrary,
    Library,
)

PICKLED: Final = (".joblib", ".pkl", ".pickle")
_NEEDS: Final = "install what reads it: pip install 'walle[export]'"


@dataclass(frozen=True)
class TrainedModel:
    """A model as a graph, and the library that trained it, which predicts what the graph has to predict."""

    name: str
    imported: Imported
    library: Library


def load_model(path: Path) -> TrainedModel:
    """Load the model of a file by its ending. Raises CommandFailed for what cannot be imported, else WrongUsage."""
    if not path.is_file():
        raise WrongUsage(f"expected the file of a model, found no file {path}")
    if path.stat().st_size > MAX_FILE:
        raise WrongUsage(f"expected a model of at most {MAX_FILE >> 20} MiB, found {path.stat().st_size >> 20} MiB")
    load = _pickled if path.suffix in PICKLED else _BOOSTED.get(path.suffix)
    if load is None:
        raise WrongUsage(
            f"expected {', '.join((*PICKLED, *_BOOSTED))}, found {path.name}",
            "scikit-learn: joblib.dump(model, ...); LightGBM: save_model to .txt; XGBoost: save_model to .json or .ubj",
        )
    try:
        return load(path)
    except NotImportable as error:
        raise CommandFailed(
            f"cannot export {path.name}: {error}", "docs/guides/pipelines.md says what can be"
        ) from error
    except ImportError as error:
        raise CommandFailed(f"cannot read {path.name}: {error}", _NEEDS) from error


def _pickled(path: Path) -> TrainedModel:
    import joblib

    try:
        estimator = joblib.load(path)
    except (pickle.UnpicklingError, EOFError, KeyError, ValueError) as error:
        raise WrongUsage(f"cannot read {path} as a joblib or pickle file: {error}") from error
    imported = import_estimator(estimator)
    name = f"{type(estimator).__name__} of scikit-learn"
    return TrainedModel(name, imported, EstimatorLibrary(estimator, imported, _frame))


def _frame(columns: dict[str, Any]) -> Any:
    import pandas as pd

    return pd.DataFrame(columns)


def _lightgbm(path: Path) -> TrainedModel:
    imported = import_boosted(read_lightgbm(path.read_bytes()))
    import lightgbm

    booster = lightgbm.Booster(model_file=path)
    library = BoosterLibrary(
        imported.graph, booster.predict, lambda given: booster.predict(given, raw_score=True), TOLERANCE
    )
    return TrainedModel("model of LightGBM", imported, library)


def _xgboost(path: Path) -> TrainedModel:
    model = read_xgboost(path.read_bytes())
    imported = import_boosted(model)
    import xgboost

    booster = xgboost.Booster(model_file=path)
    if model.link == "softmax":
        # With the objective multi:softmax it would predict labels alone.
        booster.set_param({"objective": "multi:softprob"})

    def predict(given: Any, *, scores: bool = False) -> Any:
        return booster.predict(xgboost.DMatrix(given, feature_names=booster.feature_names), output_margin=scores)

    library = BoosterLibrary(imported.graph, predict, partial(predict, scores=True), SINGLE_TOLERANCE)
    return TrainedModel("model of XGBoost", imported, library)


_BOOSTED: Final = {".txt": _lightgbm, ".json": _xgboost, ".ubj": _xgboost}
