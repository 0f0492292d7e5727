"""Models that weigh numbers: linear ones with a link, and naive Bayes, which weighs counts by logarithms."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from walle.whitebox.importing import answers
from walle.whitebox.importing.building import Array, Matrix, ModelAnswer, floats
from walle.whitebox.importing.supporting import Supported, words
from walle.whitebox.importing.use import Use


def _scores(use: Use) -> Matrix:
    weights = floats(getattr(use.estimator.coef_, "toarray", lambda: use.estimator.coef_)())
    return _linear(use, use.matrix(), np.atleast_2d(weights), use.estimator.intercept_)


def _linear(use: Use, vector: Matrix, weights: Array, intercept: Any) -> Matrix:
    added = np.broadcast_to(floats(intercept), (len(weights),))
    return use.step("linear", vector, size=len(weights), weights=weights, intercept=added if added.any() else None)


def logistic(use: Use) -> ModelAnswer:
    scores = _scores(use)
    return answers.binary(use, scores) if scores.size == 1 else answers.softmax(use, scores)


def scored(use: Use) -> ModelAnswer:
    """A classifier without probabilities."""
    return _one_against_rest(use, probable=False)


def sgd_classifier(use: Use) -> ModelAnswer:
    if use.estimator.loss == "modified_huber":
        raise use.refuse("has loss='modified_huber', whose probabilities are a function of their own")
    return _one_against_rest(use, probable=use.estimator.loss == "log_loss")


def _one_against_rest(use: Use, *, probable: bool) -> ModelAnswer:
    scores = _scores(use)
    if getattr(use.estimator, "_label_binarizer", None) is not None and use.estimator._label_binarizer.y_type_ not in (
        "binary",
        "multiclass",
    ):
        raise use.refuse("answers several labels at once")
    if scores.size == 1:
        return answers.binary(use, scores, probable=probable)
    return answers.one_against_rest(use, scores, probable=probable)


def regression(use: Use) -> ModelAnswer:
    return ModelAnswer(value=_scores(use).id)


def log_regression(use: Use) -> ModelAnswer:
    """A generalised linear model whose link is the logarithm."""
    return ModelAnswer(value=use.step("map", _scores(use), {"function": "exp"}).id)


def naive_bayes(use: Use) -> ModelAnswer:
    model = use.estimator
    return _bayes(use, use.matrix(), model.feature_log_prob_, model.class_log_prior_)


def complement_bayes(use: Use) -> ModelAnswer:
    model = use.estimator
    alone = len(model.classes_) == 1
    return _bayes(use, use.matrix(), model.feature_log_prob_, model.class_log_prior_ if alone else 0.0)


def bernoulli_bayes(use: Use) -> ModelAnswer:
    model = use.estimator
    vector = use.matrix()
    if model.binarize is not None:
        vector = use.step("binarize", vector, {"threshold": float(model.binarize)})
    absent = np.log(1 - np.exp(model.feature_log_prob_))
    return _bayes(use, vector, model.feature_log_prob_ - absent, model.class_log_prior_ + absent.sum(axis=1))


def _bayes(use: Use, vector: Matrix, weights: Array, prior: Any) -> ModelAnswer:
    answer = answers.softmax(use, _linear(use, vector, floats(weights), prior))
    return ModelAnswer(answer.label, answer.probabilities, classes=answer.classes)


_SOLVED: Final = words("fit_intercept max_iter tol")
_SEARCHED: Final = words("cv fit_intercept")
_DESCENT: Final = _SOLVED | words(
    "alpha early_stopping eta0 l1_ratio n_iter_no_change penalty random_state shuffle validation_fraction verbose "
    "warm_start"
)
_STEPS: Final = words("average epsilon learning_rate power_t")
_COORDINATES: Final = _SOLVED | words("copy_X positive precompute random_state selection")
_COORDINATE: Final = _COORDINATES | words("alpha warm_start")
_PATH: Final = _COORDINATES | words("alphas cv eps n_jobs verbose")
_LOGISTIC: Final = _SOLVED | words("class_weight dual intercept_scaling n_jobs penalty random_state solver verbose")
_SVM: Final = _SOLVED | words("C dual intercept_scaling loss random_state verbose")
_RIDGE: Final = _SOLVED | words("alpha copy_X positive random_state solver")
_LINKED: Final = _SOLVED | words("alpha solver verbose warm_start")
_COUNTS: Final = words("alpha class_prior fit_prior force_alpha")

CLASSIFIERS: Final = (
    Supported("LogisticRegression", logistic, _LOGISTIC | words("C l1_ratio warm_start")),
    Supported(
        "LogisticRegressionCV", logistic, _LOGISTIC | words("Cs cv l1_ratios refit scoring use_legacy_attributes")
    ),
    Supported("LinearSVC", scored, _SVM | words("class_weight penalty"), only={"multi_class": ("ovr",)}),
    Supported("SGDClassifier", sgd_classifier, _DESCENT | _STEPS | words("class_weight n_jobs"), words("loss")),
    Supported("Perceptron", scored, _DESCENT | words("class_weight n_jobs")),
    Supported("RidgeClassifier", scored, _RIDGE | words("class_weight")),
    Supported("RidgeClassifierCV", scored, _SEARCHED | words("alphas class_weight scoring store_cv_results")),
    Supported("MultinomialNB", naive_bayes, _COUNTS),
    Supported("ComplementNB", complement_bayes, _COUNTS | words("norm")),
    Supported("BernoulliNB", bernoulli_bayes, _COUNTS, words("binarize")),
)
REGRESSIONS: Final = (
    Supported("LinearRegression", regression, words("copy_X fit_intercept n_jobs positive tol")),
    Supported("Ridge", regression, _RIDGE),
    Supported("RidgeCV", regression, _SEARCHED | words("alpha_per_target alphas gcv_mode scoring store_cv_results")),
    Supported("Lasso", regression, _COORDINATE),
    Supported("LassoCV", regression, _PATH),
    Supported("ElasticNet", regression, _COORDINATE | words("l1_ratio")),
    Supported("ElasticNetCV", regression, _PATH | words("l1_ratio")),
    Supported("SGDRegressor", regression, _DESCENT | _STEPS | words("loss")),
    Supported("HuberRegressor", regression, _SOLVED | words("alpha epsilon warm_start")),
    Supported(
        "BayesianRidge",
        regression,
        _SOLVED | words("alpha_1 alpha_2 alpha_init compute_score copy_X lambda_1 lambda_2 lambda_init verbose"),
    ),
    Supported("LinearSVR", regression, _SVM | words("epsilon")),
    Supported("PoissonRegressor", log_regression, _LINKED),
    Supported("GammaRegressor", log_regression, _LINKED),
)
LINEAR: Final = (*CLASSIFIERS, *REGRESSIONS)
