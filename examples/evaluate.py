"""Run an example's held-out inputs through its own main.py, as a device would, and print how often it is right.

Run it from the top of the repository:
    python -m examples.evaluate image
    python -m examples.evaluate image --bundle examples/image/versions/1.1.0
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from examples import no_bytecode
from walle_task.tensor.task_models import TaskModel, ready_model

HERE = Path(__file__).parent
EXAMPLES = ("image", "text", "recommendation")
HIT_RANKS = (1, 3, 5)

Case = dict[str, Any]
Run = Callable[[dict[str, Any], Any], dict[str, Any]]


@cache
def _ready(path: Path, shapes: str) -> TaskModel:
    return ready_model(path, json.loads(shapes), keeps=True)


class LocalContext:
    """What a device hands to `run`, reduced to a folder: bundle files, and metrics in a dictionary."""

    def __init__(self, bundle: Path, files: dict[str, str] | None = None) -> None:
        self.bundle, self.files = bundle, files or {}
        self.metrics: dict[str, float] = {}

    def path(self, name: str) -> Path:
        return self.bundle / self.files.get(name, name)

    def model(self, name: str) -> TaskModel:
        declared = tomllib.loads((self.bundle / "task.toml").read_text())["models"][name]
        return _ready(self.path(declared["file"]), json.dumps(declared.get("shapes", {})))

    def metric(self, name: str, value: float) -> None:
        self.metrics[name] = value


def load_run(bundle: Path) -> Run:
    """The `run` function of `bundle`/main.py, freshly loaded."""
    run: Run = load_module(bundle).run
    return run


def load_module(bundle: Path) -> ModuleType:
    """`bundle`/main.py as a module, freshly loaded."""
    spec = importlib.util.spec_from_file_location("task_main", bundle / "main.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(bundle / "main.py")
    module = importlib.util.module_from_spec(spec)
    with no_bytecode():
        spec.loader.exec_module(module)
    return module


def exclusive_defaults(bundle: Path) -> dict[str, str]:
    """Installed path -> shared default, for each exclusive file that `bundle`/task.toml declares."""
    described = tomllib.loads((bundle / "task.toml").read_text("utf-8"))
    files = described.get("files", {}).get("exclusive", [])
    return {file["path"]: file["default"] for file in files if "default" in file}


def read_cases(path: Path) -> list[Case]:
    """The lines of an inputs.jsonl: `{"inputs": {...}, "truth": ...}` each."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def predict(bundle: Path, cases: list[Case]) -> Iterator[dict[str, Any]]:
    """The outputs of a bundle for each case, in order."""
    run, context = load_run(bundle), LocalContext(bundle, exclusive_defaults(bundle))
    for case in cases:
        inputs = dict(case["inputs"])
        if "image" in inputs:  # tensors reach a task as arrays
            inputs["image"] = np.asarray(inputs["image"], dtype=np.float32)
        yield run(inputs, context)


def rank_of_truth(output: dict[str, Any], truth: Any) -> float:
    """1 for the right answer at the first place; infinity when it was not given at all."""
    given = output["recommendations"] if "recommendations" in output else [output["label"]]
    return given.index(truth) + 1 if truth in given else math.inf


def truth_ranks(bundle: Path, cases: list[Case]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """`rank_of_truth` of every case: shape (cases,)."""
    outputs = predict(bundle, cases)
    return np.array([rank_of_truth(out, case["truth"]) for out, case in zip(outputs, cases, strict=True)])


def wilson(right: int, of: int) -> tuple[float, float]:
    """The 95 % confidence interval of a share (Wilson's score interval)."""
    z, share = 1.96, right / of
    middle = share + z * z / (2 * of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (middle - half) / (1 + z * z / of), (middle + half) / (1 + z * z / of)


def accuracy_line(ranks: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    right, of = int((ranks == 1).sum()), len(ranks)
    low, high = wilson(right, of)
    return f"accuracy {right / of:.4f} ({right} of {of}; 95 % interval {low:.3f} to {high:.3f})"


def hit_rate_line(ranks: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    rates = ", ".join(f"hit rate@{k} {(ranks <= k).mean():.4f}" for k in HIT_RANKS)
    return f"{rates} ({len(ranks)} cases)"


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure an example on its held-out inputs.")
    parser.add_argument("example", choices=EXAMPLES)
    parser.add_argument("--bundle", type=Path, help="another folder than <example>/task")
    chosen = parser.parse_args()
    ranks = truth_ranks(
        chosen.bundle or HERE / chosen.example / "task", read_cases(HERE / chosen.example / "inputs.jsonl")
    )
    print(hit_rate_line(ranks) if chosen.example == "recommendation" else accuracy_line(ranks))


if __name__ == "__main__":
    main()
