"""The tree of a pipeline: an archive that can be served, no code, and declarations that agree with the archive."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from walle.bundle.kinds import KINDS
from walle.bundle.tree import FolderTree, MemoryTree
from walle.bundle.tree_listing import TreeLimits
from walle.bundle.validation import validate_tree
from walle.whitebox.archive import DOCUMENT, Statistics
from walle.whitebox.archive.writing import parameter_of, write_archive
from walle.whitebox.graph import Column, Graph, Transformation

TASK = """
[task]
kind = "pipeline"

[inputs."sepal length (cm)"]
type = "number"
[inputs.color]
type = "text"

[outputs.label]
type = "text"
[outputs.decision]
type = "list"
"""


@pytest.fixture
def files(tmp_path) -> dict[str, bytes]:
    """The files of a small pipeline over a number and a category."""
    weights, array = parameter_of(np.array([[1.0, 2.0, 3.0]]), "<f8")
    table, slots = parameter_of(np.array([0, 0, 0], np.uint64), "<u8")
    one_hot = {"size": 2, "missing": 0, "unknown_column": 1, "refuse_unknown": False}
    steps = (
        Transformation("color", "one_hot", ("column:color",), one_hot, {"table": table}),
        Transformation("all", "concat", ("column:sepal length (cm)", "color")),
        Transformation("score", "linear", ("all",), {}, {"weights": weights}),
        Transformation("label", "threshold", ("score",), {"threshold": 0.0}),
    )
    columns = (Column("sepal length (cm)", "number"), Column("color", "category"))
    graph = Graph(columns, steps, {"label": "label", "decision": "score"}, ("no", "yes"))
    write_archive(tmp_path, graph, {weights.digest: array, table.digest: slots}, Statistics())
    tree = FolderTree(tmp_path)
    return {entry.path: tree.read(entry.path) for entry in tree.entries()} | {"task.toml": TASK.encode()}


def problems(files: dict[str, bytes], limits: TreeLimits | None = None) -> list[str]:
    return [problem.text for problem in validate_tree(MemoryTree(files), limits).problems]


def parameter(files: dict[str, bytes]) -> str:
    return next(path for path in files if path.startswith("parameters/"))


def test_a_pipeline_is_valid_and_none_of_it_is_for_devices(files):
    validation = validate_tree(MemoryTree(files))
    assert validation.problems == ()
    assert validation.spec.kind == "pipeline"
    assert not KINDS.get("pipeline").on_devices
    assert {Path(file.path).parts[0] for file in validation.files} == {"task.toml", "pipeline.json", "parameters"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            '[outputs.decision]\ntype = "list"',
            "",
            'outputs.decision: expected type = "list", as in pipeline.json, found',
        ),
        (
            '[outputs.label]\ntype = "text"',
            '[outputs.label]\ntype = "integer"',
            "outputs.label.type: expected text, as in",
        ),
        (
            "[inputs.color]",
            "[inputs.colour]",
            'inputs.color: expected type = "text", as in pipeline.json, found nothing',
        ),
    ],
)
def test_declarations_agree_with_the_archive(files, old, new, said):
    found = problems({**files, "task.toml": TASK.replace(old, new).encode()})
    assert found[0].startswith(f"task.toml: {said}")


def test_a_column_that_the_archive_does_not_have_is_refused(files):
    assert problems({**files, "task.toml": (TASK + '[inputs.size]\ntype = "number"').encode()}) == [
        "task.toml: inputs.size: expected one of sepal length (cm), color, which pipeline.json has, found another"
    ]


def test_code_does_not_travel_with_a_pipeline(files):
    assert problems({**files, "train.py": b"pass"}) == [
        "train.py: expected no code in a pipeline: name it in files.exclude, found a Python source"
    ]
    excluding = (TASK + '[files]\nexclude = ["train.py"]').encode()
    assert problems({**files, "train.py": b"pass", "task.toml": excluding}) == []


def test_an_archive_that_lies_is_refused_where_it_does(files):
    assert problems({path: content for path, content in files.items() if path != DOCUMENT}) == [
        "pipeline.json: expected the description of a pipeline, found no file"
    ]
    document = json.loads(files[DOCUMENT])
    document["transformations"][3]["operator"] = "treshold"
    [said] = problems({**files, DOCUMENT: json.dumps(document).encode()})
    assert "transformations[3].operator: expected one of" in said
    path = parameter(files)
    [said] = problems({**files, path: files[path][:-1] + b"\1"})
    assert said == f"{path}: expected the bytes that its name is the SHA-256 of, found others"


def test_a_file_that_is_too_large_is_not_read(files, monkeypatch):
    path = parameter(files)
    tree = MemoryTree(files)
    monkeypatch.setattr(tree, "read", lambda asked: pytest.fail("read") if asked == path else files[asked])
    largest = max(len(content) for name, content in files.items() if name != path)
    small = {**files, path: bytes(largest + 1)}
    monkeypatch.setattr(tree, "_files", small)
    found = validate_tree(tree, TreeLimits(file_bytes=largest)).problems
    assert [problem.text for problem in found] == [
        f"{path}: expected at most {largest} bytes, found {largest + 1} bytes"
    ]
