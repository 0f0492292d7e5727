"""Models are imported by a process with limits: what it cannot do there ends it, and the caller says so."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tensor import networks
from tests.tensor.onnx_models import computed, expected
from walle.tensor import importing
from walle.tensor.importing import ImportFailed, ModelRefused, import_onnx
from walle_task.tensor import load
from walle_task.tensor.faults import GraphMalformed

pytestmark = pytest.mark.processes


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "interest.onnx"
    path.write_bytes(networks.interest().SerializeToString())
    return path


def test_a_model_becomes_a_file_that_computes_the_same(model, tmp_path):
    output = tmp_path / "interest.walle"
    import_onnx(model, output)
    feeds = {"history": np.arange(6).reshape(2, 3), "item": np.array([4, 5])}
    (ours,), (theirs,) = computed(load(output), feeds), expected(networks.interest(), feeds)
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)
    assert {path.name for path in tmp_path.iterdir()} == {"interest.onnx", "interest.walle"}


def test_faults_come_with_their_nodes_and_nothing_is_written(model, tmp_path):
    broken = networks.interest()
    for node in broken.graph.node[:2]:
        node.op_type = "Warp"
    model.write_bytes(broken.SerializeToString())
    with pytest.raises(GraphMalformed, match="found Warp in n0, n1"):
        import_onnx(model, tmp_path / "interest.walle")
    assert {path.name for path in tmp_path.iterdir()} == {"interest.onnx"}


def test_what_is_no_model_is_refused(model, tmp_path):
    model.write_bytes(b"\x80\x04\x95pickle" * 10)
    with pytest.raises(ModelRefused, match="expected an ONNX model, found what cannot be parsed"):
        import_onnx(model, tmp_path / "interest.walle")


def test_a_model_that_is_too_large_is_not_read(model, tmp_path, monkeypatch):
    monkeypatch.setattr(importing, "MOST_MODEL", 100)
    with pytest.raises(ModelRefused, match="expected a model of at most 100 bytes, found"):
        import_onnx(model, tmp_path / "interest.walle")


@pytest.mark.parametrize(
    ("limit", "value", "text"),
    [
        ("MEMORY_BYTES", 100 << 20, None),
        ("MOST_OUTPUT", 1000, "expected a model whose graph has at most 1000 bytes, found a larger one"),
        ("CPU_S", 0, "it took longer than 0 s of processor time"),
    ],
)
def test_a_process_that_needs_more_than_it_may_is_ended(model, tmp_path, monkeypatch, limit, value, text):
    monkeypatch.setattr(importing, limit, value)
    with pytest.raises((ImportFailed, ModelRefused), match=text):
        import_onnx(model, tmp_path / "interest.walle")
    assert not (tmp_path / "interest.walle").exists()
