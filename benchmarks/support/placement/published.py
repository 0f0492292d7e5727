"""The published inputs, and what the paper measured on them."""

from __future__ import annotations

from pathlib import Path

from walle.placement.problem.document import read_problem
from walle.placement.problem.model import PlacementProblem

INPUTS = Path(__file__).with_name("inputs")
DATASETS = {"vqa": "{}", "aicity": "{}_assumed"}
SETUPS = ("small", "medium", "large", "xlarge")
PAPER_SAVED = {"vqa": (0.581, 5.0), "aicity": (0.363, 2.1)}
"""By dataset: the most that is saved of the cost of PTc, and how often SPC costs as much, at the most (section 6.2)."""


def published(dataset: str, setup: str) -> PlacementProblem:
    """Return one of the published inputs; those of AICity have assumed accuracies, as their names say."""
    name = f"{dataset}_{DATASETS[dataset].format(setup)}"
    return read_problem((INPUTS / f"{name}.json").read_bytes(), name)


def all_published() -> dict[str, PlacementProblem]:
    """Return all inputs by their names."""
    return {f"{dataset}_{setup}": published(dataset, setup) for dataset in DATASETS for setup in SETUPS}
