"""What the libraries themselves predict, to compare with: scikit-learn by an estimator, LightGBM and XGBoost by a file.

An estimator is given what it was trained with: texts, a data frame with named columns, or an array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np

from walle.whitebox.graph import ClassName, Graph
from walle.whitebox.importing.building import TEXT_COLUMN, Array, Imported
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
    """scikit-learn, with a trained estimator and what was imported of it.

    `frame` makes a data frame of columns by name, as pandas.DataFrame does; it is asked for one only if the estimator
    was trained with names.
    """

    def __init__(self, estimator: Any, imported: Imported, frame: Callable[[dict[str, Array]], Any]) -> None:
        self._estimator, self._imported, self._frame = estimator, imported, frame
        self.tolerance = SINGLE_TOLERANCE if imported.single else TOLERANCE

    def predictions(self, records: Sequence[Record]) -> list[Outputs]:
        given, outputs = self._given(records), self._imported.graph.outputs
        found = {name: getattr(self._estimator, _METHODS[name])(given) for name in outputs}
        return [{name: _output(name, values[index]) for name, values in found.items()} for index in range(len(records))]

    def _given(self, records: Sequence[Record]) -> Any:
        if not hasattr(self._estimator, "n_features_in_"):
            return [record[TEXT_COLUMN] for record in records]
        names = getattr(self._estimator, "feature_names_in_", None)
        if names is None:
            names = [f"x{index}" for index in range(self._estimator.n_features_in_)]
            return np.column_stack([self._column(name, records) for name in names])
        return self._frame({str(name): self._column(str(name), records) for name in names})

    def _column(self, name: str, records: Sequence[Record]) -> Array:
        """Return a column as training had it; one that is not used is a number that is missing."""
        kinds = {column.name: column.type for column in self._imported.graph.columns}
        if name not in kinds:
            return np.full(len(records), np.nan)
        if kinds[name] == "number":
            return _column(name, records)
        blank = self._imported.blanks.get(name)
        found = np.empty(len(records), object)
        found[:] = [blank if record[name] is None else record[name] for record in records]
        return found


def _column(name: str, records: Sequence[Record]) -> Array:
    return np.array([record[name] for record in records], np.float64)


_METHODS: Final = {
    "label": "predict",
    "probabilities": "predict_proba",
    "decision": "decision_function",
    "value": "predict",
}


def _output(name: str, value: Any) -> ClassName | tuple[float, ...]:
    return class_of(value) if name == "label" else tuple(float(each) for each in np.atleast_1d(value))


class BoosterLibrary:
    """LightGBM or XGBoost, by what gives the scores and the predictions for an array of features."""

    def __init__(
        self, graph: Graph, predict: Callable[[Array], Any], scores: Callable[[Array], Any], tolerance: float
    ) -> None:
        self._graph, self._predict, self._scores, self.tolerance = graph, predict, scores, tolerance

    def predictions(self, records: Sequence[Record]) -> list[Outputs]:
        given = np.column_stack([_column(column.name, records) for column in self._graph.columns])
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
