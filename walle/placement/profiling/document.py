"""A problem's document with what profiling measures: accuracy rows, sizes, ratios of rates, latencies."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from walle.placement.problem.document import problem_of
from walle.placement.problem.model import Edge, PlacementProblem
from walle.placement.processor.code_document import CodeDocument
from walle.placement.processor.operators import load_function
from walle.placement.processor.specs import OperatorCode
from walle.placement.profiling.models import Metric, ValidationRun, accuracy_rows
from walle.placement.profiling.workers import PERCENTILES, item_times_ms, percentiles_ms

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
    clock: Callable[[], float] = time.perf_counter,
    progress: Callable[[str], object] = lambda text: None,
) -> dict[str, Any]:
    """Return a problem's document with measured accuracies, sizes, ratios and latencies.

    Latencies are of the given types of workers, or of all that the code says this machine imitates: measured here once,
    times their slowdown. `budget_s` is what each model is timed for. Raises ProblemMalformed if the document is wrong
    apart from what it lacks, CodeUnusable if the code is.
    """
    found = completed(document)
    problem = problem_of(found)
    run = ValidationRun(problem.workflow, code.code, _cases(code))
    metrics = {name: _metric(code, reference) for name, reference in code.metrics.items()}
    for operator in found["workflow"]["operators"]:
        progress(f"accuracy of {operator['name']}")
        rows = accuracy_rows(run, operator["name"], metrics)
        for model in operator["models"]:
            if model["name"] in rows:
                model["accuracy_rows"] = rows[model["name"]]
    for written, edge in zip(found["workflow"]["edges"], problem.workflow.edges, strict=True):
        written.update(_flow(run, edge))
    measured = types or [
        each for each in dict.fromkeys(w.type for w in problem.infrastructure.workers) if each in code.code.slowdown
    ]
    for operator_name in problem.workflow.order:
        for spec in problem.workflow.by_name[operator_name].models:
            progress(f"latency of {operator_name} with {spec.name}")
            times = _latency(run, operator_name, spec.name, budget_s, clock)
            for percentile, value in percentiles_ms(times).items():
                for each in measured:
                    slower = value * code.code.slowdown.get(each, 1.0)
                    found["profiles"][percentile][operator_name][spec.name][each] = round(slower, 4)
    problem_of(found)
    return found


def _cases(code: CodeDocument) -> list[Any]:
    cases = load_function(OperatorCode(str(code.folder)), code.validation)()
    return list(cases)[:MAX_CASES]


def _metric(code: CodeDocument, reference: str) -> Metric:
    return load_function(OperatorCode(str(code.folder)), reference)


def _flow(run: ValidationRun, edge: Edge) -> dict[str, Any]:
    """Return what flows over an edge: items for each of the source, at the mean of its models, and KB by its model."""
    workflow = run.workflow
    if edge.source in workflow.sources:
        return {"kb_per_item": _kb(run.output(edge.source, {}).kb_per_record)}
    outputs = [(each[edge.source], run.output(edge.source, each)) for each in run.selections(edge.source)]
    ratio = sum(output.records for _, output in outputs) / max(1, sum(output.taken for _, output in outputs))
    by_model: dict[str, list[float]] = {}
    for model, output in outputs:
        by_model.setdefault(model, []).append(output.kb_per_record)
    sizes = {model: _kb(sum(found) / len(found)) for model, found in by_model.items()}
    one = len(set(sizes.values())) == 1
    return {"rate_ratio": round(max(ratio, 1e-6), 6), "kb_per_item": next(iter(sizes.values())) if one else sizes}


def _kb(size: float) -> float:
    return round(max(size, 0.001), 4)


def _latency(run: ValidationRun, operator: str, model: str, budget_s: float, clock: Callable[[], float]) -> list[float]:
    """Time a model on what the first models of all operators before it put out."""
    selection = next(each for each in run.selections(operator) if each[operator] == model)
    ready, hosted = run.taken(operator, selection)
    return item_times_ms(hosted.apply, [(each.records, count) for each, count in ready], budget_s=budget_s, clock=clock)


def unprofiled(problem: PlacementProblem, code: CodeDocument, types: Sequence[str]) -> list[str]:
    """Return the types of workers whose latencies a profile of this machine leaves as placeholders."""
    known = set(types) or set(code.code.slowdown)
    return sorted({each.type for each in problem.infrastructure.workers} - known)
