"""Declared models: what is imported and planned of a tree, and what stands against it. Processes with limits do it."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

from tests.bundle.examples import FILES
from tests.tensor.onnx_models import model_of
from walle.bundle.bytecode import SourceFile
from walle.bundle.manifest import build_manifest
from walle.bundle.models import with_models
from walle.bundle.tree import MemoryTree
from walle.bundle.validation import BundleValidation, validate_tree

pytestmark = pytest.mark.processes

MODEL = '\n[models.net]\nfile = "nets/net.onnx"\n'
SHAPES = "shapes = { x = [2, 8] }\n"


def net(**changes: Any) -> bytes:
    """A linear layer and a relu over batches whose length is open."""
    weights = {"w": np.ones((8, 4), "float32")}
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], name="product"),
        helper.make_node(changes.get("last", "Relu"), ["h"], ["y"], name="end"),
    ]
    model: onnx.ModelProto = model_of(nodes, {"x": ("float32", ["batch", 8])}, ["y"], weights)
    return model.SerializeToString()


def tree(model: bytes | None = None, declared: str = MODEL + SHAPES, **files: bytes) -> MemoryTree:
    content = dict(FILES)
    content["task.toml"] = content["task.toml"].replace(b'runtime = ">=1.0.0"', b'runtime = ">=1.3.0"')
    content["task.toml"] += declared.encode()
    content["nets/net.onnx"] = net() if model is None else model
    return MemoryTree(content | files)


def found(of: MemoryTree) -> BundleValidation:
    return with_models(of, validate_tree(of))


def problems(of: MemoryTree) -> list[str]:
    return [problem.text for problem in found(of).problems]


def test_devices_get_what_was_imported_and_the_manifest_says_how_to_run_it():
    given = tree()
    validation = found(given)
    assert validation.ok, validation.problems
    models = validation.models
    content = models.imported["nets/net.walle"]
    assert content.startswith(b"WALLEGRF")
    assert models.sources == (SourceFile.of("nets/net.onnx", given.read("nets/net.onnx")),)
    assert validation.spec is not None
    manifest = build_manifest(
        validation.spec, validation.files, lambda path: SourceFile.of(path, given.read(path)).digest,
        scenario="camera", task="digits", version="1.0.0", commit="0" * 40, models=models,
    )  # fmt: skip
    assert manifest["models"] == {"net": {"file": "nets/net.walle", "shapes": {"x": [2, 8]}, "int8": False}}
    files = {file["path"]: (file.get("digest"), file.get("size")) for file in manifest["files"]}
    assert files["nets/net.walle"] == (SourceFile.of("", content).digest, len(content))
    assert "nets/net.onnx" not in files
    plan = models.plans["net"]
    assert (plan["mode"], plan["inputs"]["x"]) == ("session", "float32[2, 8]")
    assert [each["performance"] for each in plan["classes"]] == ["low", "mid", "high"]
    assert found(given).models == models, "the same tree gives the same bytes"


def test_without_shapes_it_is_planned_where_it_runs():
    plan = found(tree(declared=MODEL)).models.plans["net"]
    assert (plan["mode"], plan["inputs"]["x"]) == ("module", "float32[batch, 8]")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (tree(net(last="Unique")), "operators that can be imported, found Unique in end"),
        (tree(b"no model"), "nets/net.onnx: expected a model that can be imported"),
        (tree(declared=MODEL + "shapes = { x = [2, 9] }\n"), "nets/net.onnx: "),
        (tree(declared=MODEL + "shapes = { z = [2, 9] }\n"), "shapes: expected inputs of the model, x"),
    ],
    ids=["unknown operator", "no model", "shapes that contradict", "no such input"],
)
def test_what_cannot_be_imported_or_planned_is_said_with_its_place(given, problem):
    texts = problems(given)
    assert texts, "expected a problem"
    assert problem in texts[0], texts


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (tree(declared='\n[models.net]\nfile = "net.onnx"\n'), "models.net.file: expected a file that travels"),
        (tree(**{"nets/net.walle": b""}), "nets/net.walle: expected another name"),
    ],
    ids=["no such file", "a file in its place"],
)
def test_what_stands_in_the_way_is_said_before_anything_is_read(given, problem, monkeypatch):
    monkeypatch.setattr("walle.bundle.models._Import.add", None)
    (text,) = problems(given)
    assert problem in text


def test_a_tree_without_declared_models_is_as_it_was():
    given = MemoryTree(dict(FILES))
    validation = validate_tree(given)
    assert with_models(given, validation) is validation


def test_an_older_runtime_has_no_models():
    given = tree()
    text = given.read("task.toml").decode().replace(">=1.3.0", ">=1.0.0")
    older = validate_tree(
        MemoryTree({entry.path: given.read(entry.path) for entry in given.entries()} | {"task.toml": text.encode()})
    )
    assert any("requires.runtime" in problem.text and "[models]" in problem.text for problem in older.problems)


def test_an_onnx_file_that_is_not_declared_is_warned_of():
    validation = validate_tree(tree(declared=""))
    assert any("nets/net.onnx is sent to devices as it is" in warning for warning in validation.warnings)
