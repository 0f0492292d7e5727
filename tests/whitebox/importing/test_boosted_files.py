"""Files of LightGBM and XGBoost: what they predict, what cannot be imported, and files that are damaged or lie."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from typing import Any

import lightgbm
import numpy as np
import pytest
import xgboost
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.whitebox.importing.support import Pipeline
from walle.whitebox.importing import (
    NotImportable,
    import_boosted,
    import_estimator,
    read_lightgbm,
    read_xgboost,
)
from walle.whitebox.importing.boosted import BoostedModel
from walle.whitebox.importing.libraries import (
    SINGLE_TOLERANCE,
    TOLERANCE,
    BoosterLibrary,
    EstimatorLibrary,
    differences,
)

NAMES = ["age", "fare", "height", "weight"]


@cache
def data() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    values = random.normal(size=(300, 4)) * [10, 1, 0.01, 1]
    score = values[:, 0] / 10 + values[:, 1]
    values[random.random(values.shape) < 0.1] = np.nan
    return values, score


def target(classes: int) -> np.ndarray:
    _, score = data()
    return np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])) if classes else np.exp(score)


@cache
def light(objective: str, classes: int, **options: Any) -> str:
    settings = {"objective": objective, "num_leaves": 6, "verbose": -1, "num_threads": 1, **dict(options)}
    if classes > 2:
        settings["num_class"] = classes
    table = lightgbm.Dataset(data()[0], target(classes), feature_name=NAMES)
    return str(lightgbm.train(settings, table, 6).model_to_string())


@cache
def extreme(objective: str, classes: int, form: str = "json", **options: Any) -> bytes:
    settings = {"objective": objective, "max_depth": 3, "nthread": 1, **options}
    if classes > 2:
        settings["num_class"] = classes
    table = xgboost.DMatrix(data()[0], target(classes), feature_names=NAMES)
    return bytes(xgboost.train(settings, table, 6).save_raw(form))


def both_light(objective: str, classes: int, **options: Any) -> tuple[BoostedModel, Callable[..., Any]]:
    text = light(objective, classes, **options)
    booster = lightgbm.Booster(model_str=text)
    return read_lightgbm(text.encode()), lambda given, scores: booster.predict(given, raw_score=scores)


def both_extreme(objective: str, classes: int, form: str = "json", **options: Any):
    content = extreme(objective, classes, form, **options)
    booster = xgboost.Booster(model_file=bytearray(content))

    def predict(given, scores):
        return booster.predict(xgboost.DMatrix(given, feature_names=NAMES), output_margin=scores)

    return read_xgboost(content), predict


MODELS = {
    "LightGBM binary": partial(both_light, "binary", 2),
    "LightGBM steeper": partial(both_light, "binary", 2, sigmoid=2.5),
    "LightGBM classes": partial(both_light, "multiclass", 3),
    "LightGBM regression": partial(both_light, "regression", 0),
    "LightGBM Poisson": partial(both_light, "poisson", 0),
    "LightGBM forest": partial(both_light, "regression", 0, boosting="rf", bagging_freq=1, bagging_fraction=0.5),
    "LightGBM that takes missing for zero": partial(both_light, "binary", 2, use_missing=False),
    "XGBoost binary": partial(both_extreme, "binary:logistic", 2),
    "XGBoost UBJSON": partial(both_extreme, "binary:logistic", 2, "ubj"),
    "XGBoost classes": partial(both_extreme, "multi:softprob", 3, "ubj"),
    "XGBoost regression": partial(both_extreme, "reg:squarederror", 0),
    "XGBoost gamma": partial(both_extreme, "reg:gamma", 0),
    "XGBoost dart": partial(both_extreme, "binary:logistic", 2, booster="dart", rate_drop=0.5),
    "XGBoost forest": partial(both_extreme, "reg:squarederror", 0, num_parallel_tree=3, subsample=0.5),
}


@cache
def compared(name: str) -> tuple[Pipeline, BoosterLibrary]:
    model, predict = MODELS[name]()
    imported = import_boosted(model)
    tolerance = SINGLE_TOLERANCE if model.library == "XGBoost" else TOLERANCE
    library = BoosterLibrary(imported.graph, partial(predict, scores=False), partial(predict, scores=True), tolerance)
    return Pipeline(imported), library


number = st.none() | st.floats(-50, 50) | st.sampled_from([0.0, -0.0, 1e-36, 1e30])


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=15, deadline=None)
@given(record=st.fixed_dictionaries(dict.fromkeys(NAMES, number)))
def test_a_file_predicts_what_its_library_predicts(name, record):
    pipeline, library = compared(name)
    [wanted] = library.predictions([record])
    assert differences(pipeline.predict(record), wanted, library.tolerance) == []


@pytest.mark.parametrize("name", ["LightGBM binary", "XGBoost binary"])
def test_numbers_at_the_thresholds_go_where_the_library_sends_them(name):
    pipeline, library = compared(name)
    model, _ = MODELS[name]()
    thresholds = np.unique(np.concatenate([tree.threshold[tree.left >= 0] for tree in model.trees]))
    values = [np.nextafter(thresholds, -np.inf), thresholds, np.nextafter(thresholds, np.inf)]
    records = [dict.fromkeys(NAMES, value) for value in np.concatenate(values).tolist()]
    for record, wanted in zip(records, library.predictions(records), strict=True):
        assert differences(pipeline.predict(record), wanted, library.tolerance) == []


def refusal(read: Callable[[bytes], BoostedModel], content: bytes) -> str:
    with pytest.raises(NotImportable) as caught:
        read(content)
    return str(caught.value)


LIGHT = light("binary", 2)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("tree\n", "bush\n", 'LightGBM is no model file: its first line is not "tree"'),
        ("end of trees", "", 'is cut off: "end of trees" is missing'),
        ("objective=binary sigmoid:1", "objective=mine", "has the objective 'mine'"),
        ("objective=binary sigmoid:1", "objective=regression sqrt", "predicts squares of what was learned"),
        ("sigmoid:1", "sigmoid:0", "has '0' where a positive number is expected"),
        ("num_tree_per_iteration=1", "num_tree_per_iteration=10000000", "expected an integer from 1 to 1000"),
        ("num_tree_per_iteration=1", "num_tree_per_iteration=2", "has 2 trees in each iteration"),
        ("num_cat=0", "num_cat=1", "splits by sets of categories"),
        ("is_linear=0", "is_linear=1", "has linear models in its leaves"),
        ("num_leaves=6", "num_leaves=99999999", "expected an integer from 1 to 67108864"),
        ("num_leaves=6", "num_leaves=7", "numbers of leaf_value in a tree, not 7"),
        ("feature_names=age fare height weight", "feature_names=age", "compares a feature that it does not have"),
        ("feature_names=age fare height weight", "feature_names=age age b c", "has features of the same name"),
        ("decision_type=", "decision_type=4 ", "numbers of decision_type"),
    ],
)
def test_a_text_file_that_lies_is_refused(old, new, said):
    assert old in LIGHT
    assert said in refusal(read_lightgbm, LIGHT.replace(old, new, 1).encode())


def test_a_text_file_whose_nodes_go_round_is_refused():
    row = next(line for line in LIGHT.splitlines() if line.startswith("left_child="))
    round_ = LIGHT.replace(row, "left_child=" + " ".join(["0"] * len(row.split())), 1)
    assert "has a tree with a node below two others" in refusal(read_lightgbm, round_.encode())


def changed(**parts: Any) -> bytes:
    document = json.loads(extreme("binary:logistic", 2))
    model = document["learner"]["gradient_booster"]["model"]
    for name, value in parts.items():
        for place in (document["learner"], document["learner"]["learner_model_param"], model, model["trees"][0]):
            if name in place:
                place[name] = value
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "XGBoost is no JSON"),
        (b"[" * 100_000, "is no JSON"),
        (b"{}", "lacks what a model file has"),
        (b"{L" + b"\xff" * 40, "is no UBJSON"),
        (b"{L\0\0\0\0\0\0\0\1a[$D#L" + b"\x7f" * 8, "it ends too early"),
        (b"{L\0\0\0\0\0\0\0\1a" + b"[" * 200, "it is nested more than 64 deep"),
        (changed(objective={"name": "survival:cox"}), "has the objective 'survival:cox'"),
        (changed(num_class="3"), "has 3 classes"),
        (changed(num_target="2"), "predicts several targets at once"),
        (changed(base_score="nan"), "has the base_score 'nan'"),
        (changed(base_score="2"), "lacks what a model file has"),
        (changed(feature_names=["age"]), "has 1 names of 4 features"),
        (changed(categories_nodes=[1]), "splits by sets of categories"),
        (changed(left_children=[-1] * 3), "has a tree whose lists differ in length"),
        (changed(left_children="many"), "is no list of integers"),
        (changed(tree_info=[5] * 6), "has a tree for a class that is not there"),
    ],
)
def test_an_xgboost_file_that_lies_is_refused(content, said):
    assert said in refusal(read_xgboost, content)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_damaged_file_is_refused_or_read_and_never_anything_else(data):
    form = data.draw(st.sampled_from(["ubj", "json", "txt"]))
    content = bytearray(LIGHT.encode() if form == "txt" else extreme("binary:logistic", 2, form))
    for _ in range(data.draw(st.integers(0, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    read = read_lightgbm if form == "txt" else read_xgboost
    with suppress(NotImportable):
        import_boosted(read(bytes(content[: data.draw(st.integers(len(content) // 2, len(content)))])))


ESTIMATORS = {
    "LightGBM": lambda: lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1),
    "LightGBM regression": lambda: lightgbm.LGBMRegressor(n_estimators=5, verbose=-1, n_jobs=1),
    "XGBoost": lambda: xgboost.XGBClassifier(n_estimators=5, n_jobs=1),
    "XGBoost regression": lambda: xgboost.XGBRegressor(n_estimators=5, n_jobs=1),
}


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("classes", [2, 3])
def test_estimators_of_both_libraries_stand_at_the_end_of_pipelines(name, classes):
    labels = target(0) if "regression" in name else target(classes)
    words = np.array(["no", "yes", "maybe"])[labels] if name == "LightGBM" else labels
    model = make_pipeline(SimpleImputer(), StandardScaler(), ESTIMATORS[name]()).fit(data()[0], words)
    imported = import_estimator(model)
    library, pipeline = EstimatorLibrary(model, imported, frame=None), Pipeline(imported)
    records = [
        dict(zip(("x0", "x1", "x2", "x3"), map(float, row), strict=True)) for row in np.nan_to_num(data()[0][:40])
    ]
    for record, wanted in zip(records, library.predictions(records), strict=True):
        assert differences(pipeline.predict(record), wanted, library.tolerance) == []
