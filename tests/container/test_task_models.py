"""Models that a task declares, inside the sandbox: what runs them, and that an app's profile decides."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.container.support import manifest as manifest_of
from tests.container.support import write_bundle
from walle.container.calibration import FILE
from walle.container.profile import Profile
from walle.container.sandbox import Sandbox
from walle_task.tensor import GraphBuilder, save

pytestmark = pytest.mark.processes
SOURCE = """
    import numpy as np

    def run(inputs, context):
        model = context.model("net")
        found = model.run({"x": np.ones((64, 256), "float32")})
        return {"result": [model.backend, float(found["y"].sum())]}
"""
DECLARED = {
    "models": {"net": {"file": "net.walle", "shapes": {"x": [64, 256]}, "int8": False}},
    "requires": {"modules": ["numpy"]},
    "limits": {"time_ms": 20_000, "memory_mb": 512, "output_kb": 64},
}


@pytest.fixture
def bundle(tmp_path):
    made = write_bundle(tmp_path, SOURCE)
    building = GraphBuilder("net")
    x = building.input("x", "float32", ("batch", 256))
    product = building.add("matmul", x, building.constant(np.ones((256, 256), "float32")))
    building.output(building.add("erf", product, name="y"))
    save(building.build(), made / "net.walle")
    return made


def app_with(*modules: str) -> Profile:
    return Profile(sdk="1.3.0", python="3.11", modules=dict.fromkeys(("numpy", *modules), "*"))


@pytest.mark.parametrize(
    ("modules", "backend"), [((), "walle"), (("onnxruntime",), "onnxruntime")], ids=["numpy alone", "onnxruntime"]
)
def test_what_runs_a_model_is_what_the_app_has(sandbox, bundle, modules, backend):
    kept = {"vm": {"keep": True, "idle_s": 60, "held_mb": 512}}
    result = sandbox.run(bundle, manifest_of(**DECLARED, **kept), {}, profile=app_with(*modules))
    sandbox.end(bundle)
    assert result.output == {"result": [backend, 64.0 * 256]}, result
    assert result.backends == {"net": backend}


def test_a_run_that_uses_no_model_names_no_backend(sandbox, bundle):
    (bundle / "main.py").write_text("def run(inputs, context): return {'result': []}")
    assert sandbox.run(bundle, manifest_of(**DECLARED), {}).backends == {}


def test_only_declared_models_are_there(sandbox, bundle):
    result = sandbox.run(bundle, manifest_of(**DECLARED | {"models": {}}), {})
    assert (result.error_class, result.backends) == ("exception:KeyError", {}), result
    assert "expected a model that task.toml declares" in result.message


def test_what_a_task_invents_is_no_backend(sandbox, bundle):
    (bundle / "main.py").write_text(
        "def run(inputs, context):\n"
        "    context._models.used |= {'net': 'Not a name', 'other': 'walle'}\n"
        "    return {'result': []}"
    )
    assert sandbox.run(bundle, manifest_of(**DECLARED), {}).backends == {}


def test_the_rates_of_this_device_decide_and_are_measured_once(bundle, tmp_path):
    (bundle / "main.py").write_text("def run(inputs, context):\n    return {'result': [context.model('net').why[-1]]}")
    folder, manifest = tmp_path / "device", manifest_of(**DECLARED)
    with Sandbox(calibration_folder=folder) as sandbox:
        result = sandbox.run(bundle, manifest, {})
        assert (result.output, result.logs) == ({"result": ["rates measured on this device"]}, ""), result
    kept = json.loads((folder / FILE).read_text())
    assert kept["rates"].keys() >= {"walle", "onnxruntime", "mnn"}
    (folder / FILE).write_text(json.dumps(kept | {"rates": {"walle": {}}}))
    with Sandbox(calibration_folder=folder) as sandbox:
        result = sandbox.run(bundle, manifest, {})
    expected = "rates of a reference device, as its calibration cannot be read (KeyError: 'kinds')"
    assert result.output == {"result": [expected]}, result
    assert "model net: the rates of a reference device decided what runs it, as its calibration" in result.logs
