"""A problem's document with what profiling measures: accuracy rows, sizes, ratios of rates, latencies."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from walle.placement.problem.document import problem_of
from walle.placement.problem.model import PlacementProblem
from walle.placement.processor.code_document import CodeDocument
from walle.placement.processor.operators import load_function
from walle.placement.processor.planning import WorkflowCode
from walle.placement.processor.specs import OperatorCode
from walle.placement.profiling.measuring import LocalMeasuring, measured, with_measured
from walle.placement.profiling.models import Metric, ValidationRun
from walle.placement.profiling.workers import PERCENTILES

PLACEHOLDER: Final = 1.0
MAX_CASES: Final = 10_000


def completed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a problem's document that has placeholders where it lacks what profiling measures.

    What is no table where one is needed stays, so that reading the copy as a problem names all that is wrong.
    """
    found = copy.deepcopy(dict(document))
    workflow, infrastructure = found.get("workflow"), found.get("infrastructure")
    if not isinstance(workflow, dict) or not isinstance(infrastructure, dict):
        return found
    operators = _tables(workflow.get("operators"), "name")
    for edge in _tables(workflow.get("edges"), "source"):
        edge.setdefault("kb_per_item", PLACEHOLDER)
    for operator in operators:
        for model in _tables(operator.get("models"), "name"):
            if not operator.get("inputs"):
                model.setdefault("accuracy_rows", [{"inputs": [], "output": PLACEHOLDER}])
    _complete_profiles(found, operators, _tables(infrastructure.get("workers"), "type"))
    return found


def _tables(rows: Any, key: str) -> list[dict[str, Any]]:
    """Return the tables of a list that have a text at a key."""
    rows = rows if isinstance(rows, list) else []
    return [each for each in rows if isinstance(each, dict) and isinstance(each.get(key), str)]


def _complete_profiles(
    document: dict[str, Any], operators: Sequence[Mapping[str, Any]], workers: Sequence[Mapping[str, Any]]
) -> None:
    profiles = document.setdefault("profiles", {})
    if not isinstance(profiles, dict):
        return
    for percentile in (f"p{each}" for each in PERCENTILES):
        for operator in operators:
            for model in _tables(operator.get("models"), "name"):
                table = (
                    profiles.setdefault(percentile, {}).setdefault(operator["name"], {}).setdefault(model["name"], {})
                )
                for worker in workers:
                    table.setdefault(worker["type"], PLACEHOLDER)


def profiled(
    document: Mapping[str, Any],
    code: CodeDocument,
    *,
    types: Sequence[str] = (),
    budget_s: float = 1.0,
    most_cases: int = MAX_CASES,
    clock: Callable[[], float] = time.perf_counter,
    progress: Callable[[str], object] = lambda text: None,
) -> dict[str, Any]:
    """Return a problem's document with measured accuracies, sizes, ratios and latencies.

    Latencies are of the given types of workers, or of all that the code says this machine imitates: measured here once,
    times their slowdown. `budget_s` is what each model is timed for, on the first `most_cases` of the validation data.
    Raises ProblemMalformed if the document is wrong apart from what it lacks, CodeUnusable if the code is.
    """
    found = completed(document)
    problem = problem_of(found)
    run = ValidationRun(problem.workflow, code.code, validation_cases(code, most_cases))
    measuring = LocalMeasuring(run, metrics_of(code), budget_s, clock)
    slowdown = {each: code.code.slowdown.get(each, 1.0) for each in types or measured_types(problem, code.code)}
    found = with_measured(found, measured(problem.workflow, measuring, slowdown, progress))
    problem_of(found)
    return found


def measured_types(problem: PlacementProblem, code: WorkflowCode) -> list[str]:
    """Return the types of a problem's workers that the code says this machine imitates."""
    return [each for each in dict.fromkeys(w.type for w in problem.infrastructure.workers) if each in code.slowdown]


def validation_cases(code: CodeDocument, most: int = MAX_CASES) -> list[Any]:
    """Return the first of the items of the validation data, with their truths. Raises CodeUnusable."""
    return list(islice(load_function(OperatorCode(str(code.folder)), code.validation)(), most))


def metrics_of(code: CodeDocument) -> dict[str, Metric]:
    """Return the metric of each operator that has one. Raises CodeUnusable."""
    folder = OperatorCode(str(code.folder))
    return {name: load_function(folder, reference) for name, reference in code.metrics.items()}


def unprofiled(problem: PlacementProblem, code: CodeDocument, types: Sequence[str]) -> list[str]:
    """Return the types of workers whose latencies a profile of this machine leaves as placeholders."""
    known = set(types) or set(code.code.slowdown)
    return sorted({each.type for each in problem.infrastructure.workers} - known)
