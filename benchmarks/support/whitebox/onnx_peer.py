"""ONNX Runtime as a peer: pipelines converted by skl2onnx, with one thread, as everything beside it has."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from sklearn.cluster import KMeans

from benchmarks.support.whitebox.archives import Family
from benchmarks.support.whitebox.models import models_folder
from benchmarks.support.whitebox.sentiment import Sentiment

CONVERSION_S: Final = 300.0
"""Longer than that nobody waits for the conversion of one pipeline."""

_LOCALE: Final = {"locale": "C.UTF-8"}
_WORDS: Final = {"tokenexp": r"[\p{L}\p{N}_][\p{L}\p{N}_]+"}
"""As near to scikit-learn's words as RE2 comes, which has no Unicode for \\b and \\w."""


class NotConverted(Exception):
    """skl2onnx refused a pipeline, or did not end in time."""


class OnnxPipeline:
    """A converted pipeline."""

    def __init__(self, path: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._input = self._session.get_inputs()[0].name
        self._outputs = [self._session.get_outputs()[-1].name]

    def probabilities(self, inputs: Any) -> Any:
        """Return the probabilities of each class, of shape (records, classes)."""
        return self._session.run(self._outputs, {self._input: inputs})[0]


def inputs_of(family: Family, records: Sequence[Any]) -> Any:
    """Return records as ONNX Runtime takes them: texts as objects, numbers as float32."""
    if isinstance(family, Sentiment):
        return np.array(records, dtype=object).reshape(-1, 1)
    return np.asarray(records, np.float32)


def converted(family: Family, number: int) -> OnnxPipeline:
    """Convert a pipeline, or take what an earlier run has converted. Raises NotConverted."""
    path = models_folder() / f"{family.name}-onnx" / f"{number}.onnx"
    reason = path.with_suffix(".txt")
    if not path.exists() and not reason.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        _convert_in_time(family, number, path, reason)
    if reason.exists():
        raise NotConverted(reason.read_text())
    return OnnxPipeline(path)


def convert_model(model: Any, path: Path) -> OnnxPipeline:
    """Convert a classifier of 40 numbers by itself."""
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import FloatTensorType

    found = convert_sklearn(
        model, initial_types=[("record", FloatTensorType([None, 40]))], options={id(model): {"zipmap": False}}
    )
    path.write_bytes(found.SerializeToString())
    return OnnxPipeline(path)


def _convert_in_time(family: Family, number: int, path: Path, reason: Path) -> None:
    """Leave a file with the converted pipeline, or else one with the reason why there is none."""
    process = multiprocessing.get_context("fork").Process(target=_convert, args=(family, number, path, reason))
    process.start()
    process.join(CONVERSION_S)
    if process.is_alive():
        process.kill()
        process.join()
        reason.write_text(f"not converted within {CONVERSION_S:g} s")
    elif not path.exists() and not reason.exists():
        reason.write_text(f"the conversion ended with status {process.exitcode}")


def _convert(family: Family, number: int, path: Path, reason: Path) -> None:
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType

    is_text = isinstance(family, Sentiment)
    kind = StringTensorType([None, 1]) if is_text else FloatTensorType([None, 40])
    model = family.pipeline(number)
    options: dict[int, dict[str, Any]] = {id(model.steps[-1][1]): {"zipmap": False}}
    if is_text:
        for name, vectorizer in model["features"].transformer_list:
            options[id(vectorizer)] = _LOCALE if name.startswith("c") else _LOCALE | _WORDS
    try:
        found = convert_sklearn(
            model, initial_types=[("record", kind)], options=options, custom_parsers={KMeans: _parse_distances}
        )
    except Exception as error:
        reason.write_text(f"{type(error).__name__}: {str(error).splitlines()[0][:200]}")
        return
    draft = path.with_suffix(".part")
    draft.write_bytes(found.SerializeToString())
    draft.rename(path)


def _parse_distances(scope: Any, model: KMeans, inputs: Any, custom_parsers: Any = None) -> Any:
    """Declare k-means with its distances first: of what is in a union skl2onnx takes the first output, the labels."""
    from skl2onnx.common.data_types import FloatTensorType, Int64TensorType

    operator = scope.declare_local_operator("SklearnKMeans", model)
    operator.inputs = inputs
    labels = scope.declare_local_variable("label", Int64TensorType())
    distances = scope.declare_local_variable("scores", FloatTensorType())
    operator.outputs += [labels, distances]
    return [distances, labels]
