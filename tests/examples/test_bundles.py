"""The bundles of the examples are valid tasks, and only what a device needs travels."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from examples.evaluate import EXAMPLES, HERE
from walle.bundle.tree import FolderTree
from walle.bundle.validation import Validation, validate_tree

VERSION_2 = HERE / "image" / "versions" / "1.1.0"


@pytest.fixture
def newer_digits(tmp_path: Path) -> Path:
    """1.1.0 of the digits, as its README says to make it."""
    bundle = shutil.copytree(HERE / "image" / "task", tmp_path / "digits")
    return shutil.copytree(VERSION_2, bundle, dirs_exist_ok=True)


def validated(bundle: Path) -> Validation:
    result = validate_tree(FolderTree(bundle))
    assert result.problems == ()
    return result


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_task_is_valid(example: str) -> None:
    travelling = {file.path for file in validated(HERE / example / "task").files}
    assert {"main.py", "model.npz", "task.toml"} <= travelling
    assert not any(path.startswith("samples/") for path in travelling)


def test_the_newer_digits_are_valid(newer_digits: Path) -> None:
    assert {file.path for file in validated(newer_digits).files} == {"main.py", "model.npz", "task.toml"}
