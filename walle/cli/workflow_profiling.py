"""Profiling a problem from the command line: reads its files, measures, writes the problem with what was measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from walle.cli.errors import CommandFailed, FileMalformed, WrongUsage
from walle.cli.workflow_plans import file_bytes
from walle.placement.problem.document import MAX_BYTES, problem_of
from walle.placement.problem.model import PlacementProblem
from walle.placement.processor.code_document import CodeDocument, CodeMalformed, read_code
from walle.placement.processor.operators import CodeUnusable
from walle.placement.profiling.document import completed, profiled, unprofiled
from walle.schema import Malformed, read_json


def profile_problem(
    problem: Path, code: Path, out: Path, *, types: Sequence[str], seconds: float, say: Callable[[str], object]
) -> dict[str, Any]:
    """Profile a problem and write it; return what was measured. Raises CommandError."""
    try:
        document = read_json(file_bytes(problem, MAX_BYTES), problem.name, MAX_BYTES)
        draft = problem_of(completed(document) if isinstance(document, dict) else document, problem.name)
        named = read_code_file(code, draft.infrastructure.tiers)
        if not named.validation:
            raise WrongUsage(f"{code}: expected `validation`, a function that returns validation data, found none")
        if unknown := sorted(set(types) - {each.type for each in draft.infrastructure.workers}):
            raise WrongUsage(f"expected types of workers of {problem}, found {', '.join(unknown)}")
        found = profiled(document, named, types=types, budget_s=seconds, progress=say)
    except Malformed as error:
        raise FileMalformed(f"{problem} is no placement problem", error.texts) from error
    except CodeUnusable as error:
        raise CommandFailed(str(error)) from error
    out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return {"file": str(out), "models": _models(problem_of(found)), "unprofiled": unprofiled(draft, named, types)}


def read_code_file(path: Path, tiers: tuple[str, ...]) -> CodeDocument:
    """Return what a file says of the operators' code; load none of it. Raises CommandError with all that is wrong."""
    try:
        return read_code(path, tiers)
    except OSError as error:
        raise WrongUsage(f"cannot read {path}: {error.strerror}") from error
    except CodeMalformed as error:
        raise FileMalformed(f"{path} does not name the code of a workflow", error.texts) from error


def _models(problem: PlacementProblem) -> list[dict[str, Any]]:
    return [
        {
            "operator": operator.name,
            "model": model.name,
            "accuracy": max((row.output for row in model.accuracy_rows), default=None),
            "fastest_ms": model.selection_cost_ms,
        }
        for operator in problem.workflow.operators
        for model in operator.models
    ]
