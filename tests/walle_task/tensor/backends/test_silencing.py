"""What libraries print while they are loaded, or refuse a model, does not reach the log of a task."""

from __future__ import annotations

import subprocess
import sys

import pytest

from walle_task.tensor.backends.silencing import STANDARD_ERROR, STANDARD_OUTPUT, silenced

REFUSED = """
import sys
from walle_task.tensor.backends.onnx_runtime import _OnnxSession
from walle_task.tensor.backends.port import BackendUnfit, CompileOptions
from walle_task.tensor.inference import infer_types
from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.onnx_writing.model import OnnxModel, onnx_model, onnx_series

graph = GraphBuilder("g")
graph.output(graph.add("exp", graph.input("x", "float32", (2,))))
typed = infer_types(graph.build())
model = onnx_model(onnx_series(typed))
spoilt = OnnxModel(model.data.replace(b"Exp", b"Exq"), model.inputs, model.outputs)
try:
    _OnnxSession("onnxruntime", typed, spoilt, CompileOptions())
except BackendUnfit as error:
    print(error)
"""


@pytest.mark.parametrize("handle", [STANDARD_OUTPUT, STANDARD_ERROR])
def test_a_stream_is_silent_for_a_while_and_other_streams_are_not(capfd, handle):
    import os

    with silenced(handle):
        os.write(STANDARD_OUTPUT, b"out")
        os.write(STANDARD_ERROR, b"error")
    os.write(handle, b" after")
    found = capfd.readouterr()
    expected = (" after", "error") if handle == STANDARD_OUTPUT else ("out", " after")
    assert (found.out, found.err) == expected


@pytest.mark.processes
def test_a_refused_model_says_why_once():
    pytest.importorskip("onnxruntime")
    done = subprocess.run([sys.executable, "-c", REFUSED], capture_output=True, text=True, timeout=120, check=True)
    assert "Exq" in done.stdout
    assert done.stderr == ""
