"""docs/task-format.md: its example is a valid task that runs, and it leaves out no key and no error class."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from tests.container.support import write_bundle
from walle.bundle.manifest import build_manifest
from walle.bundle.samples import load_samples
from walle.bundle.spec import DEFAULT_LIMITS
from walle.bundle.taskfile import PIPELINE_SCHEMA, TASK_SCHEMA, parse_task
from walle.bundle.tree import FolderTree, MemoryTree
from walle.bundle.validation import validate_tree
from walle.container import result
from walle.container.samples import run_samples
from walle.container.sandbox import Sandbox
from walle.protocol.names import RUNTIME_VERSION
from walle.schema import Fields, Items, Named

pytestmark = pytest.mark.processes

DOC = (Path(__file__).parents[2] / "docs" / "task-format.md").read_text()


def block(language: str, text: str = DOC) -> str:
    """The first code block in a language."""
    found = re.search(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert found
    return found[1]


def stream_example() -> dict[str, str]:
    """The files of the document's stream task."""
    part = DOC.partition("\n## Stream tasks\n")[2]
    session = block("jsonl", part)
    return {"task.toml": block("toml", part), "main.py": block("python", part), "samples/two_items.jsonl": session}


@pytest.fixture
def example(tmp_path):
    """The files of the document's example, in a folder."""
    bright = {"image": [[1.0] * 8] * 8, "user": "someone"}
    files = {
        "task.toml": block("toml"),
        "main.py": block("python"),
        "model.json": '{"threshold": 0.5}',
        "defaults/prefs.json": '{"shift": 0.0}',
        "samples/bright.json": json.dumps(bright),
        "README.md": "",
    }
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(content)
    return tmp_path


def test_the_example_is_valid_and_its_samples_pass(example):
    tree = FolderTree(example)
    validation = validate_tree(tree)
    assert validation.problems == ()
    manifest = build_manifest(
        validation.spec,
        validation.files,
        lambda path: hashlib.sha256(tree.read(path)).hexdigest(),
        scenario="camera",
        task="brightness",
        version="1.0.0",
        commit="0" * 40,
    )
    cases = load_samples(tree, validation.spec.samples, manifest)
    with Sandbox() as sandbox:
        results = run_samples(sandbox.run, example, manifest, cases)
    assert [(one.name, one.passed, one.run.message) for one in results] == [
        ("all white", True, None),
        ("all black", True, None),
    ]
    assert results[0].run.metrics == {"margin": 0.5}
    assert results[0].run.logs == "mean 1.000, threshold 0.500\n"


def test_the_stream_task_is_valid_and_its_session_triggers_it(tmp_path):
    files = {path: content.encode() for path, content in stream_example().items()}
    tree, bundle = MemoryTree(files), write_bundle(tmp_path, stream_example()["main.py"])
    validation = validate_tree(tree)
    assert validation.problems == ()
    names = {"scenario": "shop", "task": "visits", "version": "1.0.0", "commit": "0" * 40}
    manifest = build_manifest(validation.spec, validation.files, lambda _: "0" * 64, **names)
    with Sandbox() as sandbox:
        [result] = run_samples(sandbox.run, bundle, manifest, load_samples(tree, validation.spec.samples, manifest))
    assert result.passed, result
    assert [one.run.output for one in result.by_run()] == [
        {"page": "item/1", "seconds": 9.0, "clicks": 1, "seen_before": False},
        {"page": "item/2", "seconds": 2.0, "clicks": 0, "seen_before": False},
        {"page": "item/1", "seconds": 1.0, "clicks": 0, "seen_before": True},
    ]
    assert [one.run.start for one in result.by_run()] == ["cold", "warm", "warm"]
    assert result.by_run()[0].name == "two items, the first one twice, run 1 of 3"


def test_the_pipelines_task_file_is_valid():
    assert parse_task(block("toml", DOC.partition("\n## Pipelines\n")[2]).encode()).problems == ()


def keys(node) -> set[str]:
    """All keys that a schema knows."""
    if isinstance(node, Fields):
        return set(node.fields).union(*(keys(child) for child in node.fields.values()))
    return keys(node.item) if isinstance(node, Items | Named) else set()


def test_every_key_is_in_the_document():
    known = (
        keys(TASK_SCHEMA)
        | keys(PIPELINE_SCHEMA)
        | {
            "type",
            "dtype",
            "shape",
            "min",
            "max",
            "equals",
            "approx",
            "one_of",
            "contains",
            "tolerance",
        }
    )
    assert {key for key in known if not re.search(rf"\b{key}\b", DOC)} == set()
    for name, default in DEFAULT_LIMITS.items():
        assert f"| `{name}` | {default} |" in DOC


def test_every_error_class_and_the_version_are_in_the_document():
    fixed = [value for name, value in vars(result).items() if name.isupper() and isinstance(value, str)]
    assert len(fixed) == 8
    assert [one for one in fixed if f"| `{one}` |" not in DOC] == []
    assert f"describes {RUNTIME_VERSION}" in DOC
