"""Files of models: what was saved is loaded, mapped and read only; whatever else a file says is refused."""

from __future__ import annotations

import hashlib
import json
import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walle_task.tensor import load, save
from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.graph import Graph, Node, ValueOf
from walle_task.tensor.model_file import MAGIC, ModelFileMalformed
from walle_task.tensor.session import Session
from walle_task.tensor.types import DTYPES, InputSpec

PREAMBLE = struct.Struct("<8sIIQQ32s")


def small() -> Graph:
    building = GraphBuilder("small")
    x = building.input("x", "float32", ("batch", None, 3))
    rows = building.add("select", building.add("shape_of", x), axis=0, index=0, name="rows")
    found = building.add("clip", x, low=-math.inf, high=2.5)
    found = building.add("matmul", found, building.constant(np.eye(3, dtype="float32")))
    wide = building.add("range", end=ValueOf(rows), dtype="float32", name="wide")
    building.output(building.add("add", found, building.add("reshape", wide, shape=(-1, 1, 1)), name="y"))
    return building.build()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.walle"


def test_a_graph_is_loaded_as_it_was_saved(path):
    graph = small()
    digest = save(graph, path)
    loaded = load(path)
    assert (loaded.name, loaded.inputs, loaded.nodes, loaded.outputs) == (
        graph.name, graph.inputs, graph.nodes, graph.outputs,
    )  # fmt: skip
    assert loaded.constants.keys() == graph.constants.keys()
    assert digest == hashlib.sha256(path.read_bytes()[PREAMBLE.size :]).hexdigest()
    x = np.arange(12, dtype="float32").reshape(2, 2, 3)
    ours, theirs = (Session(each, {"x": x.shape}).run({"x": x})["y"] for each in (loaded, graph))
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", DTYPES)
def test_constants_of_each_type_are_mapped_read_only_at_lines_of_the_cache(path, dtype):
    building = GraphBuilder("constants")
    building.input("x", dtype, (1,))
    for name, array in {"a": np.arange(5).astype(dtype), "b": np.array(1, dtype), "c": np.zeros((0, 3), dtype)}.items():
        building.output(building.add("identity", building.constant(array, name)))
    graph = building.build()
    save(graph, path)
    for name, array in load(path).constants.items():
        np.testing.assert_array_equal(array, graph.constants[name])
        assert (array.dtype, array.shape) == (np.dtype(dtype), graph.constants[name].shape)
        assert not array.flags.writeable
        assert array.ctypes.data % 64 == 0


def test_graphs_of_control_flow_are_saved_with_their_constants(path):
    inner = Graph(
        "half", {"v": InputSpec("float32", (2,))}, {"c": np.full(2, 0.5, "float32")},
        (Node("h", "multiply", ("v", "c"), ("h",)),), ("h",),
    )  # fmt: skip
    building = GraphBuilder("branch")
    on, x = building.input("on", "bool", ()), building.input("x", "float32", (2,))
    building.output(building.add("if", on, x, then=inner, otherwise=inner, name="y"))
    save(building.build(), path)
    (node,) = load(path).nodes
    np.testing.assert_array_equal(node.attributes["then"].constants["c"], inner.constants["c"])


def rewritten(path, change, sign=True) -> None:
    """Change the document of a file, and give it the digest and lengths that go with it."""
    content = path.read_bytes()
    _, version, flags, header_bytes, data_bytes, _ = PREAMBLE.unpack_from(content)
    document = json.loads(content[PREAMBLE.size : PREAMBLE.size + header_bytes])
    data = content[len(content) - data_bytes :]
    header = change(document)
    header = (json.dumps(document) if header is None else header).encode()
    body = header + bytes(-len(header) % 64) + data
    digest = hashlib.sha256(body).digest()
    path.write_bytes(PREAMBLE.pack(MAGIC, version, flags, len(header), data_bytes, digest) + body)


def setting(value, *place):
    def change(document):
        for key in place[:-1]:
            document = document[key]
        document[place[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (setting(64, "constants", 0, "offset"), "offset: expected a multiple of 64 with 36 bytes before the end, 64"),
        (setting(1, "constants", 0, "offset"), "offset: expected a multiple of 64"),
        (setting(-64, "constants", 0, "offset"), "offset: expected an integer of at least 0, found -64"),
        (setting(1.0, "constants", 0, "offset"), "offset: expected an integer"),
        (setting([1 << 40], "constants", 0, "shape"), "shape: expected a shape of at most 8 axes and 2"),
        (setting([-1, 3], "constants", 0, "shape"), "shape: expected a shape"),
        (setting([True, 9], "constants", 0, "shape"), "shape: expected a shape"),
        (setting("float128", "constants", 0, "dtype"), "dtype: expected one of float32"),
        (setting({}, "constants"), "constants: expected a list"),
        (setting(None, "nodes", 0, "inputs"), r"nodes\[0\].inputs: expected a list"),
        (setting("a\ud800", "nodes", 0, "outputs", 0), r"outputs\[0\]: expected a text of .* found a\\ud800"),
        (setting("\x1b[2J", "constants", 0, "name"), r"name: expected a text of .* found \\x1b\[2J"),
        (setting("a\nb", "name"), r"graph.name: expected nothing, or 1 to 1000 characters, .* found a\\nb"),
        (setting("", "nodes", 0, "name"), r"nodes\[0\].name: expected a text of 1 to 1000 characters"),
        (setting([1.5], "nodes", 1, "attributes", "axis"), r"nodes\[1\].axis: expected integers"),
        (setting({"number": "1e5"}, "nodes", 2, "attributes", "low"), r"nodes\[2\].low: expected a graph, a value or"),
        (setting({"code": "x"}, "nodes", 2, "attributes", "low"), r"nodes\[2\].low: expected a graph, a value or"),
        (setting(1, "more"), "graph: expected an object with constants, inputs, name, nodes, outputs"),
        (setting([0.5], "inputs", 0, "shape"), r"inputs\[0\].shape: expected lengths, names and null"),
        (lambda document: "[" * 100_000, "header: expected JSON"),
        (lambda document: "NaN", "header: expected JSON, found the number NaN"),
        (
            lambda document: document["constants"].append({**document["constants"][0], "name": "d"}),
            "expected one from",
        ),
        (lambda document: document["constants"].append(document["constants"][0]), "expected different names"),
    ],
)
def test_a_document_that_says_what_cannot_be_is_refused(path, change, text):
    save(small(), path)
    rewritten(path, change)
    with pytest.raises(ModelFileMalformed, match=text):
        load(path)


def test_a_graph_with_faults_is_refused_as_any_other(path):
    save(small(), path)
    rewritten(path, setting("warp", "nodes", 0, "operator"))
    with pytest.raises(GraphMalformed, match="operator: expected an operator of the catalogue, found warp"):
        load(path)


def test_booleans_other_than_0_and_1_are_refused(path):
    building = GraphBuilder("flags")
    building.input("x", "bool", (1,))
    building.output(building.add("identity", building.constant(np.zeros(3, bool), "flags")))
    save(building.build(), path)
    content = bytearray(path.read_bytes())
    content[-64] = 2
    path.write_bytes(content)
    rewritten(path, lambda document: None)
    with pytest.raises(ModelFileMalformed, match="constant flags: expected bytes 0 and 1"):
        load(path)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "expected a file of a model"),
        (b"PK\x03\x04" + bytes(100), "expected a file of a model, which begins with"),
        (PREAMBLE.pack(MAGIC, 2, 0, 0, 0, bytes(32)), "version: expected 1, found 2"),
        (PREAMBLE.pack(MAGIC, 1, 0, 1 << 62, 0, bytes(32)), "header: expected at most"),
        (PREAMBLE.pack(MAGIC, 1, 0, 64, 1 << 62, bytes(32)), "size: expected"),
        (PREAMBLE.pack(MAGIC, 1, 0, 0, 0, bytes(32)), "digest: expected"),
    ],
)
def test_a_file_that_lies_about_its_lengths_is_refused(path, content, text):
    path.write_bytes(content)
    with pytest.raises(ModelFileMalformed, match=text):
        load(path)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_change_of_a_file_is_loaded(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "model.walle"
    save(small(), path)
    content = bytearray(path.read_bytes())
    if data.draw(st.booleans(), "cut"):
        content = content[: data.draw(st.integers(0, len(content) - 1))]
    else:
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)
    with pytest.raises(ModelFileMalformed):
        load(path)
