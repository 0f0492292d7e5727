"""Helpers shared by the tests of the examples."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from examples.evaluate import HERE, Case, read_cases, truth_ranks


def cases_of(example: str) -> list[Case]:
    return read_cases(HERE / example / "inputs.jsonl")


def readme(example: str) -> str:
    return (HERE / example / "README.md").read_text("utf-8")


def retrained_ranks(
    bundle: Path, model: dict[str, NDArray[Any]], cases: list[Case], tmp_path: Path
) -> NDArray[np.float64]:
    """The ranks that a copy of `bundle` reaches with `model` in the place of the shipped one."""
    copy = shutil.copytree(bundle, tmp_path / "bundle")
    np.savez_compressed(copy / "model.npz", allow_pickle=False, **model)
    return truth_ranks(copy, cases)
