"""camera/digits: both shipped models are as accurate as stated, differ where stated, and can be made again."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from examples.evaluate import accuracy_line, predict, truth_ranks
from examples.image import train
from tests.examples.replay import cases_of, readme, retrained_ranks

VERSIONS = {"1.0.0": train.train_linear, "1.1.0": train.train_kernel}
CASES = cases_of("image")


def train_anew(version: str) -> dict[str, NDArray[Any]]:
    images, labels, *_ = train.split()
    return VERSIONS[version](images, labels)


trained = cache(train_anew)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_shipped_model_is_as_accurate_as_the_readme_says(version: str) -> None:
    ranks = truth_ranks(train.BUNDLES[version], CASES)
    assert (ranks == 1).mean() >= 0.96
    assert f"camera/digits {version}: {accuracy_line(ranks)}" in readme("image")


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_training_again_gives_the_same_accuracy(version: str, tmp_path: Path) -> None:
    ranks = retrained_ranks(train.BUNDLES[version], trained(version), CASES, tmp_path)
    shipped = truth_ranks(train.BUNDLES[version], CASES)
    # Two of 540 images may lie so close to the border that another processor's rounding moves them.
    assert abs((ranks == 1).sum() - (shipped == 1).sum()) <= 2


@pytest.mark.parametrize("version", VERSIONS)
def test_training_is_deterministic(version: str) -> None:
    once, again = trained(version), train_anew(version)
    assert once.keys() == again.keys()
    assert all(np.array_equal(once[name], again[name]) for name in once)


def test_the_inputs_are_the_held_out_images(tmp_path: Path) -> None:
    *_, images, labels = train.split()
    train.write_inputs(tmp_path / "inputs.jsonl", images, labels)
    assert (tmp_path / "inputs.jsonl").read_bytes() == (train.HERE / "inputs.jsonl").read_bytes()


def test_no_held_out_image_was_trained_on() -> None:
    images, _, held_out, _ = train.split()
    assert not {image.tobytes() for image in images} & {image.tobytes() for image in held_out}


def test_the_versions_answer_the_documented_image_differently() -> None:
    first, six = CASES[0], train.BUNDLES["1.1.0"] / "samples" / "six.json"
    assert first == {"inputs": json.loads(six.read_text("utf-8")), "truth": 6}
    old, new = (next(predict(train.BUNDLES[version], [first])) for version in VERSIONS)
    assert (old["label"], new["label"]) == (1, 6)
    assert f"| 1.0.0 | `{json.dumps(old)}`" in readme("image")
    assert f"| 1.1.0 | `{json.dumps(new)}`" in readme("image")


def test_the_sharpness_is_the_best_calibrated() -> None:
    # Half of the answers with scores 1 against 0 are wrong: no sharpness is deserved, so the least is chosen.
    scores = np.tile(np.eye(10), (2, 1))
    labels = np.concatenate([np.arange(10), (np.arange(10) + 1) % 10])
    assert train.best_sharpness(scores, labels) == train.SHARPNESS[0]
    assert train.best_sharpness(scores[:10], labels[:10]) == train.SHARPNESS[-1]
