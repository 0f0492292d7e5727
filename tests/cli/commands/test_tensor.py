"""`walle tensor import`: from an ONNX model to a file that tasks load."""

from __future__ import annotations

import json

import pytest

from tests.tensor import networks

pytestmark = pytest.mark.processes


def test_import_says_what_the_model_takes_and_answers(walle, tmp_path):
    (tmp_path / "shuffled.onnx").write_bytes(networks.shuffled().SerializeToString())
    done = walle("tensor", "import", tmp_path / "shuffled.onnx")
    assert done.status == 0
    assert "image float32[batch, 3, height, width]" in done.out
    assert (tmp_path / "shuffled.walle").is_file()
    done = walle("tensor", "import", tmp_path / "shuffled.onnx", "-o", tmp_path / "other.walle", "--json")
    assert done.json["inputs"] == [{"name": "image", "dtype": "float32", "shape": ["batch", 3, "height", "width"]}]
    assert (done.json["bytes"], done.json["operators"]["convolution"]) == ((tmp_path / "other.walle").stat().st_size, 3)


def test_import_lists_all_that_is_wrong_with_a_model(walle, tmp_path):
    model = networks.shuffled()
    model.graph.node[0].op_type, model.graph.node[1].op_type = "Warp", "Bend"
    (tmp_path / "broken.onnx").write_bytes(model.SerializeToString())
    done = walle("tensor", "import", tmp_path / "broken.onnx")
    assert done.status == 2
    assert "found Warp in n0" in done.err
    assert "found Bend in n1" in done.err
    done = walle("tensor", "import", tmp_path / "broken.onnx", "--json")
    assert len(json.loads(done.err.splitlines()[-1])["error"]["problems"]) == 2  # behind progress, where it is slow
    (tmp_path / "none.onnx").write_bytes(b"no model")
    assert walle("tensor", "import", tmp_path / "none.onnx").status == 2
    assert walle("tensor", "import", tmp_path / "nowhere.onnx").status == 1
