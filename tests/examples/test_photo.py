"""camera/photo: reads photographs as accurately as stated, sees when there is no digit, and runs in the sandbox."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from examples.evaluate import accuracy_line, load_module
from examples.image.train import split
from examples.photo import train
from tests.examples.replay import readme
from walle.bundle.manifest import build_manifest
from walle.bundle.samples import load_samples
from walle.bundle.tree import FolderTree
from walle.bundle.validation import validate_tree
from walle.container.samples import run_samples
from walle.container.sandbox import Sandbox
from walle_task.tensor import Session, load

pytestmark = pytest.mark.processes


@cache
def held_out() -> tuple[Any, Any]:
    *_, images, labels = split()
    return images, labels


def test_the_shipped_model_is_as_accurate_as_the_readme_says() -> None:
    ranks = train.ranks(*held_out())
    assert (ranks == 1).mean() >= 0.96
    assert f"camera/photo 1.0.0: {accuracy_line(ranks)}" in readme("photo")


def test_an_empty_sheet_has_no_digit() -> None:
    random = np.random.default_rng(1)
    digit_in = load_module(train.TASK).digit_in
    assert all(digit_in(train.photograph(None, random)) is None for _ in range(50))


def assert_nearly_all_equal(made: Any, shipped: Any) -> None:
    """Another processor may round single pixels in another way."""
    difference = np.abs(np.asarray(made, int) - np.asarray(shipped, int))
    assert (difference.max() <= 1, (difference > 0).mean() < 0.001) == (True, True)


def test_training_makes_a_net_that_reads(monkeypatch) -> None:
    """The whole training takes a minute; this is a part of it."""
    monkeypatch.setattr(train, "PASSES", 12)
    images, labels, *_ = split()
    net = train.train(images[:256], labels[:256])
    shipped = load(train.TASK / "model.walle")
    assert (net.nodes, net.inputs, net.outputs) == (shipped.nodes, shipped.inputs, shipped.outputs)
    digit_in = load_module(train.TASK).digit_in
    found = np.stack([digit_in(frame) for frame in train.photographs(images[256:384], 1)])[:, None]
    scores = Session(net, {"image": found.shape}).run({"image": found})["scores"]
    assert (scores.argmax(axis=1) == labels[256:384]).mean() > 0.6


def test_samples_are_photographs_made_again(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(train, "TASK", tmp_path)
    (tmp_path / "samples").mkdir()
    train.write_samples(*held_out())
    for sample in (train.HERE / "task" / "samples").iterdir():
        made, kept = (json.loads(path.read_text())["frame"] for path in (tmp_path / "samples" / sample.name, sample))
        assert_nearly_all_equal(made, kept)


def test_the_samples_pass_in_the_sandbox() -> None:
    tree = FolderTree(train.TASK)
    validation = validate_tree(tree)
    assert validation.problems == ()
    assert validation.spec is not None
    manifest = build_manifest(
        validation.spec,
        validation.files,
        lambda path: hashlib.sha256((train.TASK / path).read_bytes()).hexdigest(),
        scenario="camera",
        task="photo",
        version="1.0.0",
        commit="0" * 40,
    )
    with Sandbox() as sandbox:
        results = run_samples(sandbox.run, train.TASK, manifest, load_samples(tree, validation.spec.samples, manifest))
    assert len(results) == 2
    assert all(result.passed for result in results), [(result.mismatches, result.run) for result in results]
