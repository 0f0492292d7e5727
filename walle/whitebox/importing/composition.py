"""What puts transformers together: pipelines, unions, and columns of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from walle.whitebox.importing.building import Matrix, ModelAnswer, RawColumn, Table, Value, floats
from walle.whitebox.importing.supporting import Supported, words
from walle.whitebox.importing.use import Use


def pipeline_answer(use: Use) -> ModelAnswer:
    steps = _steps(use)
    last = steps[-1]
    return use.importer.answered(use.inside(last[0], last[1], _through(use, steps[:-1])))


def pipeline_value(use: Use) -> Value:
    return _through(use, _steps(use))


def _steps(use: Use) -> list[tuple[str, Any]]:
    steps = [(name, each) for name, each in use.estimator.steps if each is not None and each != "passthrough"]
    if not steps:
        raise use.refuse("has no steps")
    return steps


def _through(use: Use, steps: list[tuple[str, Any]]) -> Value:
    value = use.given
    for name, estimator in steps:
        value = use.importer.transformed(use.inside(name, estimator, value))
    return value


def feature_union(use: Use) -> Value:
    union = use.estimator
    parts = []
    for name, estimator, weight in union._iter():
        value = use.importer.transformed(use.inside(name, estimator))
        parts.append(_weighted(use, _vector(use, value), weight))
    return use.builder.concat(parts)


def column_transformer(use: Use) -> Value:
    parts = []
    for name, estimator, cells, weight in _branches(use):
        given = Table(cells) if isinstance(cells, tuple) else Table((cells,), flat=True)
        if estimator == "passthrough":
            parts.append(_weighted(use, use.inside(name, use.estimator, given).matrix(), weight))
            continue
        value = use.importer.transformed(use.inside(name, estimator, given))
        parts.append(_weighted(use, _vector(use, value), weight))
    return _joined(use, parts)


def _joined(use: Use, parts: list[Matrix]) -> Matrix:
    if not parts:
        raise use.refuse("drops all columns")
    return use.builder.concat(parts)


def _branches(use: Use) -> Iterator[tuple[str, Any, tuple[RawColumn, ...] | RawColumn, float | None]]:
    """Yield what is done with which columns: several, or one by itself, which is not a table then."""
    transformer = use.estimator
    given = use.columns()
    if not isinstance(given, Table):
        raise use.refuse("takes columns of what other transformers made; columns can be taken of the record alone")
    weights = transformer.transformer_weights or {}
    for name, estimator, columns in transformer.transformers_:
        places = transformer._transformer_to_input_indices[name]
        if estimator == "drop" or not len(places):
            continue
        cells = tuple(given.cells[place] for place in places)
        yield name, estimator, cells[0] if np.isscalar(columns) else cells, weights.get(name)


def _vector(use: Use, value: Value) -> Matrix:
    return value if isinstance(value, Matrix) else use.inside("output", use.estimator, value).matrix()


def _weighted(use: Use, vector: Matrix, weight: float | None) -> Matrix:
    if weight is None:
        return vector
    return use.step("affine", vector, {"clip": None}, factor=floats([weight] * vector.size))


_VERBOSE: Final = words("n_jobs verbose verbose_feature_names_out")
_PIPELINE: Final = (words("memory verbose"), words("steps"), {"transform_input": (None,)})

COMPOSED_ANSWERS: Final = (Supported("Pipeline", pipeline_answer, *_PIPELINE),)
COMPOSED_VALUES: Final = (
    Supported("Pipeline", pipeline_value, *_PIPELINE),
    Supported("FeatureUnion", feature_union, _VERBOSE, words("transformer_list transformer_weights")),
    Supported(
        "ColumnTransformer",
        column_transformer,
        _VERBOSE | words("sparse_threshold"),
        words("transformers transformer_weights remainder"),
    ),
)
