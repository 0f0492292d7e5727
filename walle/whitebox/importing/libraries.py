"""What the libraries themselves predict, to compare with: scikit-learn by an estimator, LightGBM and XGBoost by a file.

An estimator is given what it was trained with: texts, a data frame with named columns, or an array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np

from walle.whitebox.graph import ClassName, Graph
from walle.whitebox.importing.building import TEXT_COLUMN, Array
from walle.whitebox.importing.use import class_of

Record = Mapping[str, str | float | None]
Outputs = dict[str, ClassName | tuple[float, ...]]

TOLERANCE: Final = 1e-6
"""How far numbers may be from the library's, relative to those above one."""
SINGLE_TOLERANCE: Final = 1e-5
"""The same where the library adds in float32."""


class Library(Protocol):
    """Predicts as the library that trained a model does."""

    tolerance: float

    def predictions(self, records: Sequence[Record]) -> list[Outputs]:
        """Return the outputs for each record. Raises what the library raises for records that it refuses."""
        ...


class EstimatorLibrary:
    """scikit-learn, with a trained estimator and the graph that was made of it."""

    tolerance = TOLERANCE

    def __init__(self, estimator: Any, graph: Graph, frame: Callable[[Sequence[Record], Sequence[str]], Any]) -> None:
        self._estimator, self._graph, self._frame = estimator, graph, frame

    def predictions(self, records: Sequence[Record]) -> list[Outputs]:
        given, found = self._given(records), {}
        for name in self._graph.outputs:
            method = _METHODS[name]
            found[name] = getattr(self._estimator, method)(given)
        return [{name: _output(name, values[index]) for name, values in found.items()} for index in range(len(records))]

    def _given(self, records: Sequence[Record]) -> Any:
        names = getattr(self._estimator, "feature_names_in_", None)
        if names is not None:
            return self._frame(records, [str(name) for name in names])
        if not hasattr(self._estimator, "n_features_in_"):
            return [record[TEXT_COLUMN] for record in records]
        return _array(self._graph, records, [f"x{index}" for index in range(self._estimator.n_features_in_)])


_METHODS: Final = {
    "label": "predict",
    "probabilities": "predict_proba",
    "decision": "decision_function",
    "value": "predict",
}


def _array(graph: Graph, records: Sequence[Record], names: Sequence[str]) -> Array:
    kinds = {column.name: column.type for column in graph.columns}
    numbers = all(kinds.get(name, "number") == "number" for name in names)
    rows = [[record.get(name) for name in names] for record in records]
    return np.array(rows, np.float64 if numbers else object)


def _output(name: str, value: Any) -> ClassName | tuple[float, ...]:
    return class_of(value) if name == "label" else tuple(float(each) for each in np.atleast_1d(value))


class BoosterLibrary:
    """LightGBM or XGBoost, by what gives the scores and the predictions for an array of features."""

    def __init__(
        self, graph: Graph, predict: Callable[[Array], Array], scores: Callable[[Array], Array], tolerance: float
    ) -> None:
        self._graph, self._predict, self._scores, self.tolerance = graph, predict, scores, tolerance

    def predictions(self, records: Sequence[Record]) -> list[Outputs]:
        given = _array(self._graph, records, [column.name for column in self._graph.columns])
        return [self._outputs(*each) for each in zip(self._predict(given), self._scores(given), strict=True)]

    def _outputs(self, predicted: Any, scores: Any) -> Outputs:
        if "value" in self._graph.outputs:
            return {"value": _numbers(predicted)}
        shares = _numbers(predicted)
        probabilities = (1 - shares[0], shares[0]) if len(shares) == 1 else shares
        label = self._graph.classes[int(np.argmax(probabilities))]
        return {"label": label, "probabilities": probabilities, "decision": _numbers(scores)}


def _numbers(value: Any) -> tuple[float, ...]:
    return tuple(float(each) for each in np.atleast_1d(value))


def differences(found: Outputs, wanted: Outputs, tolerance: float) -> list[str]:
    """Return in words where outputs differ from those of the library."""
    return [
        f"{name} is {found.get(name)!r}, not {value!r}"
        for name, value in wanted.items()
        if not _is_close(found.get(name), value, tolerance)
    ]


def _is_close(found: Any, wanted: Any, tolerance: float) -> bool:
    if not isinstance(wanted, tuple):
        return bool(found == wanted)
    if not isinstance(found, tuple) or len(found) != len(wanted):
        return False
    pairs = zip(found, wanted, strict=True)
    return all(one == other or abs(one - other) <= tolerance * max(1.0, abs(other)) for one, other in pairs)
