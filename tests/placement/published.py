"""The published inputs of JellyBean, which the benchmarks keep."""

from pathlib import Path

from walle.placement.problem.document import read_problem
from walle.placement.problem.model import PlacementProblem

INPUTS = Path(__file__).resolve().parents[2] / "benchmarks" / "support" / "placement" / "inputs"
NAMES = sorted(path.stem for path in INPUTS.glob("*.json"))


def published(name: str) -> PlacementProblem:
    """Return a published input by the name of its file, such as vqa_medium."""
    return read_problem((INPUTS / f"{name}.json").read_bytes(), name)
