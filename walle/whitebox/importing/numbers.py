"""Scalers, imputers, selections and projections: from numbers to numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from walle.whitebox.importing.building import (
    Array,
    Matrix,
    ModelAnswer,
    RawColumn,
    Table,
    Value,
    floats,
    integers,
    is_missing,
)
from walle.whitebox.importing.supporting import Supported, words
from walle.whitebox.importing.use import Use
from walle.whitebox.operators.numbers import FUNCTIONS


def standard_scaler(use: Use) -> Value:
    scaler = use.estimator
    return _affine(use, center=scaler.mean_ if scaler.with_mean else None, divisor=scaler.scale_)


def min_max_scaler(use: Use) -> Value:
    scaler = use.estimator
    clip = [float(each) for each in scaler.feature_range] if scaler.clip else None
    return _affine(use, clip, factor=scaler.scale_, offset=scaler.min_)


def max_abs_scaler(use: Use) -> Value:
    return _affine(use, [-1.0, 1.0] if use.estimator.clip else None, divisor=use.estimator.scale_)


def robust_scaler(use: Use) -> Value:
    scaler = use.estimator
    center = scaler.center_ if scaler.with_centering else None
    return _affine(use, center=center, divisor=scaler.scale_ if scaler.with_scaling else None)


def _affine(use: Use, clip: list[float] | None = None, **arrays: Array | None) -> Value:
    given: dict[str, Any] = {name: floats(each) for name, each in arrays.items() if each is not None}
    vector = use.matrix()
    return use.step("affine", vector, {"clip": clip}, **given) if given or clip else vector


def normalizer(use: Use) -> Value:
    return use.step("normalize", use.matrix(), {"norm": use.estimator.norm})


def binarizer(use: Use) -> Value:
    return use.step("binarize", use.matrix(), {"threshold": float(use.estimator.threshold)})


def function_transformer(use: Use) -> Value:
    """A function is code; those of NumPy that stand in the list of operators are known."""
    function = use.estimator.func
    if function is None:
        return use.given
    known = next((name for name in FUNCTIONS if function is getattr(np, name)), None)
    if known is None or use.estimator.kw_args:
        which = ", ".join(f"numpy.{name}" for name in FUNCTIONS)
        raise use.refuse(f"calls {getattr(function, '__name__', function)!r}, which is code; known are {which}")
    return use.step("map", use.matrix(), {"function": known})


def simple_imputer(use: Use) -> Value:
    statistics = use.estimator.statistics_
    given = use.columns()
    if statistics.dtype.kind in "OUS" and not all(isinstance(each, int | float) for each in statistics):
        return _filled_categories(use, given)
    return _imputed_numbers(use, floats(statistics))


def _filled_categories(use: Use, given: Value) -> Value:
    imputer = use.estimator
    missing = imputer.missing_values
    if imputer.add_indicator or not is_missing(missing):
        raise use.refuse("fills categories, with an indicator or other missing values than None or NaN")
    if not isinstance(given, Table) or any(not isinstance(each, str) for each in imputer.statistics_):
        raise use.refuse("fills in something else than texts in columns of texts")
    fills = zip(given.cells, imputer.statistics_, strict=True)
    return replace(
        given, cells=tuple(cell if cell.fill is not None else RawColumn(cell.name, str(fill)) for cell, fill in fills)
    )


def _imputed_numbers(use: Use, statistics: Array) -> Value:
    imputer, vector = use.estimator, use.matrix()
    missing = imputer.missing_values
    if missing is not None and not isinstance(missing, int | float | np.number):
        raise use.refuse(f"takes {missing!r} for a missing number")
    marker = None if is_missing(missing) else float(imputer.missing_values)
    indicated = integers(imputer.indicator_.features_) if imputer.add_indicator else integers([])
    kept = np.ones(len(statistics), bool) if imputer.keep_empty_features else ~np.isnan(statistics)
    size = len(statistics) + len(indicated)
    made = use.step(
        "impute",
        vector,
        {"missing": marker},
        size,
        values=np.where(np.isnan(statistics), 0.0, statistics),
        indicated=indicated if len(indicated) else None,
    )
    if kept.all():
        return made
    places = [*np.flatnonzero(kept), *range(len(statistics), size)]
    return _selected(use, made, places)


def selector(use: Use) -> Value:
    """Whatever chooses some of the numbers."""
    places = use.estimator.get_support(indices=True)
    if not len(places):
        raise use.refuse("selects nothing")
    return _selected(use, use.matrix(), places)


def _selected(use: Use, vector: Matrix, places: Any) -> Matrix:
    if len(places) == vector.size and list(places) == list(range(vector.size)):
        return vector
    return use.step("select", vector, size=len(places), indices=integers(places))


def pca(use: Use) -> Value:
    model = use.estimator
    divisor = None
    if model.whiten:
        divisor = np.maximum(np.sqrt(floats(model.explained_variance_)), np.finfo(np.float64).eps)
    return _projected(use, model.components_, mean=floats(model.mean_), divisor=divisor)


def truncated_svd(use: Use) -> Value:
    return _projected(use, use.estimator.components_)


def _projected(use: Use, components: Array, **arrays: Any) -> Value:
    return use.step("pca", use.matrix(), size=len(components), components=floats(components), **arrays)


def k_means(use: Use) -> Matrix:
    centers = floats(use.estimator.cluster_centers_)
    return use.step("kmeans", use.matrix(), size=len(centers), centers=centers)


def nearest_cluster(use: Use) -> ModelAnswer:
    distances = k_means(use)
    return ModelAnswer(use.builder.add("argmin", [distances.id]), classes=tuple(range(distances.size)))


_SCORE: Final = words("score_func")
_KMEANS: Final = words("algorithm copy_x init max_iter n_clusters n_init random_state tol verbose")
_MINI_BATCHES: Final = words(
    "batch_size compute_labels init init_size max_iter max_no_improvement n_clusters n_init random_state "
    "reassignment_ratio tol verbose"
)

NUMBERS: Final = (
    Supported("StandardScaler", standard_scaler, words("copy with_std"), words("with_mean")),
    Supported("MinMaxScaler", min_max_scaler, words("copy"), words("feature_range clip")),
    Supported("MaxAbsScaler", max_abs_scaler, words("copy"), words("clip")),
    Supported(
        "RobustScaler", robust_scaler, words("copy quantile_range unit_variance"), words("with_centering with_scaling")
    ),
    Supported("Normalizer", normalizer, words("copy"), words("norm")),
    Supported("Binarizer", binarizer, words("copy"), words("threshold")),
    Supported(
        "FunctionTransformer",
        function_transformer,
        words("inverse_func accept_sparse check_inverse feature_names_out inv_kw_args validate"),
        words("func kw_args"),
    ),
    Supported(
        "SimpleImputer",
        simple_imputer,
        words("strategy fill_value copy"),
        words("missing_values add_indicator keep_empty_features"),
    ),
    Supported("SelectKBest", selector, _SCORE | words("k")),
    Supported("SelectPercentile", selector, _SCORE | words("percentile")),
    Supported("SelectFpr", selector, _SCORE | words("alpha")),
    Supported("SelectFdr", selector, _SCORE | words("alpha")),
    Supported("SelectFwe", selector, _SCORE | words("alpha")),
    Supported("GenericUnivariateSelect", selector, _SCORE | words("mode param")),
    Supported("VarianceThreshold", selector, words("threshold")),
    Supported(
        "SelectFromModel", selector, words("estimator importance_getter max_features norm_order prefit threshold")
    ),
    Supported(
        "PCA",
        pca,
        words("copy iterated_power n_components n_oversamples power_iteration_normalizer random_state svd_solver tol"),
        words("whiten"),
    ),
    Supported("IncrementalPCA", pca, words("batch_size copy n_components"), words("whiten")),
    Supported(
        "TruncatedSVD",
        truncated_svd,
        words("algorithm n_components n_iter n_oversamples power_iteration_normalizer random_state tol"),
    ),
    Supported("KMeans", k_means, _KMEANS),
    Supported("MiniBatchKMeans", k_means, _MINI_BATCHES),
)
CLUSTERS: Final = (
    Supported("KMeans", nearest_cluster, _KMEANS),
    Supported("MiniBatchKMeans", nearest_cluster, _MINI_BATCHES),
)
