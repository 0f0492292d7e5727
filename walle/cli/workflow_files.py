"""The files of workflows that commands read: problems, plans, code. What is wrong with one is said all at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from walle.cli.errors import CommandFailed, WrongUsage
from walle.schema import Malformed

if TYPE_CHECKING:
    from walle.placement.problem.model import PlacementPlan, PlacementProblem
    from walle.placement.processor.code_document import CodeDocument


def content_of(path: Path, most: int) -> bytes:
    """Return the bytes of a file, one more than allowed at most, which reading it refuses. Raises WrongUsage."""
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise WrongUsage(f"{path}: {error.strerror}") from error


def problem_in(path: Path) -> PlacementProblem:
    """Return the problem of a file. Raises CommandFailed with all that is wrong."""
    from walle.placement.problem.document import MAX_BYTES, read_problem

    try:
        return read_problem(content_of(path, MAX_BYTES), path.name)
    except Malformed as error:
        raise CommandFailed(str(error)) from error


def plan_in(path: Path) -> PlacementPlan:
    """Return the plan of a file. Raises CommandFailed with all that is wrong."""
    from walle.placement.problem.plan_document import MAX_PLAN_BYTES, read_plan

    try:
        return read_plan(content_of(path, MAX_PLAN_BYTES), path.name)
    except Malformed as error:
        raise CommandFailed(str(error)) from error


def code_in(path: Path, tiers: tuple[str, ...]) -> CodeDocument:
    """Return what a file says of the operators' code, and load none of it. Raises CommandFailed with all wrong."""
    from walle.placement.processor.code_document import read_code

    try:
        return read_code(path, tiers)
    except OSError as error:
        raise WrongUsage(f"{path}: {error.strerror}") from error
    except Malformed as error:
        raise CommandFailed(str(error)) from error
