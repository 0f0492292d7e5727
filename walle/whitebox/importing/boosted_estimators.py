"""Estimators of LightGBM and XGBoost among those of scikit-learn: they are read by the model files that they can write.

Their settings concern training; what counts for predictions is in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from walle.whitebox.importing.boosted import BoostedModel, boosted_answer
from walle.whitebox.importing.building import ModelAnswer, is_missing
from walle.whitebox.importing.lightgbm_text import read_lightgbm
from walle.whitebox.importing.use import Use
from walle.whitebox.importing.xgboost_files import read_xgboost


def lightgbm_estimator(use: Use) -> ModelAnswer:
    """Import a LightGBM model: its file has the iterations up to the best one, by which it predicts."""
    return _read(use, read_lightgbm(use.estimator.booster_.model_to_string().encode()))


def xgboost_estimator(use: Use) -> ModelAnswer:
    """Import an XGBoost model up to its best iteration, if training stopped early."""
    estimator = use.estimator
    if not is_missing(estimator.missing):
        raise use.refuse(f"takes {estimator.missing!r} for a missing number")
    booster = estimator.get_booster()
    if getattr(estimator, "early_stopping_rounds", None):
        booster = booster[: booster.best_iteration + 1]
    use.builder.single = True
    return _read(use, read_xgboost(bytes(booster.save_raw("ubj"))))


def _read(use: Use, model: BoostedModel) -> ModelAnswer:
    vector = use.matrix()
    if vector.size != len(model.features):
        raise use.refuse(f"was trained with {len(model.features)} numbers, and is given {vector.size}")
    if hasattr(use.estimator, "classes_"):
        model = replace(model, classes=use.classes())
    answer = boosted_answer(replace(use, estimator=model, given=vector))
    return answer if hasattr(use.estimator, "decision_function") else replace(answer, decision=None)


BOOSTERS: Final[Mapping[tuple[str, str], Callable[[Use], ModelAnswer]]] = {
    ("lightgbm", "LGBMClassifier"): lightgbm_estimator,
    ("lightgbm", "LGBMRegressor"): lightgbm_estimator,
    ("xgboost", "XGBClassifier"): xgboost_estimator,
    ("xgboost", "XGBRegressor"): xgboost_estimator,
}
"""How estimators are read, by library and class."""
