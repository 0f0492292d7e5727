"""`walle tensor explain`: how a model is planned, as text, as JSON and as a drawing."""

from __future__ import annotations

import pytest

from tests.tensor.explained import small_graph
from walle_task.tensor import GraphBuilder, save


@pytest.fixture
def model(tmp_path):
    save(small_graph(), tmp_path / "small.walle")
    return tmp_path / "small.walle"


@pytest.fixture
def open_model(tmp_path):
    """A model that leaves the number of rows open."""
    building = GraphBuilder("open")
    building.output(building.add("relu", building.input("x", "float32", (None, 4)), name="y"))
    save(building.build(), tmp_path / "open.walle")
    return tmp_path / "open.walle"


def test_the_steps_are_told_and_drawn(walle, model, tmp_path):
    told = walle("tensor", "explain", model, "--svg", tmp_path / "steps.svg")
    assert told.status == 0, told
    assert "horizontal merging" in told.out
    assert "graph small" in told.out
    assert (tmp_path / "steps.svg").read_text().startswith("<svg ")
    found = walle("tensor", "explain", model, "--json").json
    assert [step["step"] for step in found["steps"]][:2] == ["imported", "lowered"]
    assert found["outputs"] == {"y": "float32[1, 4, 4, 3]"}


def test_open_shapes_are_given(walle, open_model):
    found = walle("tensor", "explain", open_model, "--shape", "x=3,4", "--json")
    assert found.json["inputs"] == {"x": "float32[3, 4]"}
    missing = walle("tensor", "explain", open_model)
    assert missing.status == 2
    assert "graph: inputs.x: expected a shape for float32[?, 4], found none given" in missing.err
    for malformed in ("x", "x=3,", "=3", "x=-1,4", "x=3,4.5"):
        refused = walle("tensor", "explain", open_model, f"--shape={malformed}")
        assert (
            refused.status,
            f"expected --shape to be as in x=1,3,224,224, found '{malformed}'" in refused.err,
        ) == (
            2,
            True,
        ), refused


def test_what_is_no_model_is_refused(walle, model, tmp_path):
    (tmp_path / "other.walle").write_bytes(b"not a model, and long enough for a preamble of one, so that it is read")
    refused = walle("tensor", "explain", tmp_path / "other.walle")
    assert (refused.status, "is no model:" in refused.err) == (2, True), refused
    absent = walle("tensor", "explain", tmp_path / "absent.walle")
    assert (absent.status, "cannot be read" in absent.err) == (1, True), absent
    unwritable = walle("tensor", "explain", model, "--svg", tmp_path / "absent" / "steps.svg")
    assert (unwritable.status, "cannot write" in unwritable.err) == (2, True), unwritable
