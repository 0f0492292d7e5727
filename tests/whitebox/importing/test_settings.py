"""Every setting of every class that can be imported was looked at, and one that cannot be honoured is refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import (
    calibration,
    cluster,
    compose,
    decomposition,
    ensemble,
    feature_extraction,
    feature_selection,
    impute,
    linear_model,
    model_selection,
    naive_bayes,
    pipeline,
    preprocessing,
    svm,
    tree,
)
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from walle.whitebox.importing import NotImportable, import_estimator
from walle.whitebox.importing.estimators import MODELS, TRANSFORMERS
from walle.whitebox.importing.supporting import Supported

# sklearn.utils.all_estimators would import all of scikit-learn, and torch with it.
MODULES = (
    *(calibration, cluster, compose, decomposition, ensemble, feature_extraction.text, feature_selection, impute),
    *(linear_model, model_selection, naive_bayes, pipeline, preprocessing, svm, tree),
)
CLASSES = {name: each for module in MODULES for name, each in vars(module).items() if isinstance(each, type)}
SUPPORTED = [*TRANSFORMERS.values(), *MODELS.values()]
TEXTS, LABELS = ["good film", "bad film", "a good one", "so bad"], [1, 0, 1, 0]


@pytest.mark.parametrize("supported", SUPPORTED, ids=lambda each: each.name)
def test_each_setting_of_a_class_was_looked_at_and_none_that_is_not_there(supported: Supported):
    assert frozenset(CLASSES[supported.name]._get_param_names()) == supported.settings
    groups = [supported.training, supported.honoured, frozenset(supported.only)]
    assert sum(map(len, groups)) == len(supported.settings), "a setting in two of the groups"


def refusal(estimator) -> str:
    with pytest.raises(NotImportable) as caught:
        import_estimator(estimator)
    return str(caught.value)


def of_texts(vectorizer, *steps):
    return make_pipeline(vectorizer, *steps, LogisticRegression()).fit(TEXTS, LABELS)


def of_numbers(*steps):
    return make_pipeline(*steps).fit(np.arange(8.0).reshape(4, 2), LABELS)


class Renamed(StandardScaler):
    """A class of somebody's own, which may transform in another way."""


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (lambda: of_texts(CountVectorizer(tokenizer=str.split)), "CountVectorizer has tokenizer=split; only None"),
        (
            lambda: of_texts(CountVectorizer(preprocessor=str.upper)),
            "CountVectorizer has preprocessor=upper; only None",
        ),
        (lambda: of_texts(CountVectorizer(analyzer=str.split)), "has an analyzer of its own (split), which is code"),
        (lambda: of_texts(CountVectorizer(strip_accents=str.upper)), "has a strip_accents of its own (upper)"),
        (lambda: of_texts(CountVectorizer(token_pattern=r"[a-z]+")), "has the token_pattern '[a-z]+'; only"),
        (lambda: of_texts(TfidfVectorizer(dtype=np.float32)), "TfidfVectorizer has dtype=float32; only float64"),
        (lambda: of_texts(CountVectorizer(), FunctionTransformer(lambda x: x)), "calls '<lambda>', which is code"),
        (lambda: of_numbers(FunctionTransformer(np.log1p, kw_args={"where": True}), LogisticRegression()), "'log1p'"),
        (lambda: of_numbers(StandardScaler(), SVC()), "model.svc: SVC keeps its support vectors; a LinearSVC can be"),
        (lambda: of_numbers(StandardScaler()), "StandardScaler makes features and no prediction"),
        (lambda: of_numbers(SGDClassifier(loss="modified_huber")), "SGDClassifier has loss='modified_huber'"),
        (lambda: of_numbers(Renamed(), LogisticRegression()), "model.renamed: Renamed is a class of tests"),
        (lambda: make_pipeline(CountVectorizer(), LogisticRegression()), "CountVectorizer has no vocabulary"),
        (lambda: make_pipeline(LogisticRegression()), "LogisticRegression is not trained, or was trained by another"),
        (lambda: {"not": "an estimator"}, "model: dict is a class of builtins, whose code is not known"),
    ],
)
def test_what_cannot_be_imported_is_refused_with_its_name_its_place_and_the_reason(model, said):
    assert said in refusal(model())


def test_a_setting_of_a_newer_release_is_refused_until_somebody_has_looked_at_it(monkeypatch):
    model = of_numbers(StandardScaler(), LogisticRegression())
    monkeypatch.setattr(StandardScaler, "get_params", lambda self, deep: {"copy": True, "squared": True})
    assert "StandardScaler has the setting squared, of which it is not known what it changes" in refusal(model)


def test_the_place_goes_through_everything_that_contains_something():
    inner = make_pipeline(OneHotEncoder(dtype=np.float32))
    model = Pipeline([("features", inner), ("last", LogisticRegression())]).fit([["a"], ["b"]], [0, 1])
    assert refusal(model).startswith("model.features.onehotencoder: OneHotEncoder has dtype=float32; only float64")
