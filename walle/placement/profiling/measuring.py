"""What is measured of a workflow, whoever runs its operators: this process, or a sandbox (`sandboxed`).

The numbers of a run on validation data become a table of measurements, which is put into a problem's document.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from walle.placement.problem.model import Edge, WorkflowGraph
from walle.placement.profiling.models import Metric, Selection, ValidationRun, selections
from walle.placement.profiling.workers import PERCENTILES, item_times_ms, percentiles_ms


class OutputSize(NamedTuple):
    """What an operator took and put out under one selection of models: numbers of records, and KB of each."""

    taken: float
    records: float
    kb_per_record: float


class Measuring(Protocol):
    """Runs operators on validation data. All methods raise CodeUnusable for code that does not do what it promises.

    `metrics` are the names of the operators whose accuracy is measured; that of others passes through.
    """

    @property
    def metrics(self) -> Collection[str]: ...

    def accuracy(self, operator: str, selection: Selection) -> float: ...

    def size(self, name: str, selection: Selection) -> OutputSize: ...

    def percentiles_ms(self, operator: str, selection: Selection) -> Mapping[str, float]: ...


@dataclass
class LocalMeasuring:
    """Measures in this process. `budget_s` is what each model is timed for, by a clock in seconds."""

    run: ValidationRun
    metrics: Mapping[str, Metric]
    budget_s: float = 1.0
    clock: Callable[[], float] = time.perf_counter

    def accuracy(self, operator: str, selection: Selection) -> float:
        return self.run.accuracy(operator, selection, self.metrics)

    def size(self, name: str, selection: Selection) -> OutputSize:
        output = self.run.output(name, selection)
        return OutputSize(output.taken, output.records, output.kb_per_record)

    def percentiles_ms(self, operator: str, selection: Selection) -> Mapping[str, float]:
        ready, hosted = self.run.taken(operator, selection)
        items = [(each.records, count) for each, count in ready]
        return percentiles_ms(item_times_ms(hosted.apply, items, budget_s=self.budget_s, clock=self.clock))


@dataclass(frozen=True)
class Unmeasured:
    """Says of everything that it is 1: with it a document has what measuring would put there, before anything runs."""

    metrics: Collection[str]

    def accuracy(self, operator: str, selection: Selection) -> float:
        return 1.0

    def size(self, name: str, selection: Selection) -> OutputSize:
        return OutputSize(1.0, 1.0, 1.0)

    def percentiles_ms(self, operator: str, selection: Selection) -> Mapping[str, float]:
        return {f"p{each}": 1.0 for each in PERCENTILES}


def measured(
    workflow: WorkflowGraph,
    measuring: Measuring,
    slowdown: Mapping[str, float],
    progress: Callable[[str], object] = lambda text: None,
) -> dict[str, Any]:
    """Return what is measured of a workflow, as JSON: `with_measured` puts it into a problem's document.

    `accuracy_rows` and `profiles` (ms of an item by percentile) are by operator and model; latencies are of the types
    of workers in `slowdown`, each so many times this machine's. `edges` are in the order of the workflow's.
    """
    rows: dict[str, Any] = {}
    profiles: dict[str, Any] = {f"p{each}": {name: {} for name in workflow.order} for each in PERCENTILES}
    for operator in workflow.operators:
        progress(f"accuracy of {operator.name}")
        rows[operator.name] = accuracy_rows(workflow, measuring, operator.name)
    edges = []
    for edge in workflow.edges:
        progress(f"sizes of what {edge.source} puts out")
        edges.append({"source": edge.source, "target": edge.target, **_flow(workflow, measuring, edge)})
    for name in workflow.order:
        for model in workflow.by_name[name].models:
            progress(f"latency of {name} with {model.name}")
            # The models before it are the first ones: they decide what it is given, not how it computes.
            selection = next(each for each in selections(workflow, name) if each[name] == model.name)
            for percentile, value in measuring.percentiles_ms(name, selection).items():
                found = {each: round(value * factor, 4) for each, factor in slowdown.items()}
                profiles[percentile][name][model.name] = found
    return {"accuracy_rows": rows, "edges": edges, "profiles": profiles}


def with_measured(document: Mapping[str, Any], measurements: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a problem's document with what was measured of the operators, models and edges that it has.

    Latencies of other types of workers stay as they are.
    """
    found = copy.deepcopy(dict(document))
    for operator in found["workflow"]["operators"]:
        rows = measurements["accuracy_rows"].get(operator["name"], {})
        for model in operator["models"]:
            if model["name"] in rows:
                model["accuracy_rows"] = rows[model["name"]]
    flows = {(each["source"], each["target"]): each for each in measurements["edges"]}
    for edge in found["workflow"]["edges"]:
        edge.update(flows.get((edge["source"], edge["target"]), {}))
    for percentile, operators in measurements["profiles"].items():
        tables = found.setdefault("profiles", {}).setdefault(percentile, {})
        for name, models in operators.items():
            for model, times in models.items():
                tables.setdefault(name, {}).setdefault(model, {}).update(times)
    return found


def accuracy_rows(workflow: WorkflowGraph, measuring: Measuring, operator: str) -> dict[str, list[dict[str, Any]]]:
    """Return the accuracy rows of each model of an operator, as a problem's document has them.

    One for each selection of models before it; of those with the same accuracies of inputs, the lowest, as estimates
    are from below. An operator without a metric has none: accuracy passes through.
    """
    found: dict[str, dict[tuple[float, ...], float]] = {}
    if operator not in measuring.metrics:
        return {}
    for selection in selections(workflow, operator):
        inputs = tuple(measuring.accuracy(each, selection) for each in workflow.by_name[operator].inputs)
        rows = found.setdefault(selection[operator], {})
        output = measuring.accuracy(operator, selection)
        rows[inputs] = min(output, rows.get(inputs, output))
    return {
        model: [{"inputs": list(inputs), "output": output} for inputs, output in sorted(rows.items())]
        for model, rows in found.items()
    }


def _flow(workflow: WorkflowGraph, measuring: Measuring, edge: Edge) -> dict[str, Any]:
    """Return what flows over an edge: items for each of the source, at the mean of its models, and KB by its model."""
    if edge.source in workflow.sources:
        return {"kb_per_item": _kb(measuring.size(edge.source, {}).kb_per_record)}
    outputs = [(each[edge.source], measuring.size(edge.source, each)) for each in selections(workflow, edge.source)]
    ratio = sum(output.records for _, output in outputs) / max(1, sum(output.taken for _, output in outputs))
    by_model: dict[str, list[float]] = {}
    for model, output in outputs:
        by_model.setdefault(model, []).append(output.kb_per_record)
    sizes = {model: _kb(sum(found) / len(found)) for model, found in by_model.items()}
    one = len(set(sizes.values())) == 1
    return {"rate_ratio": round(max(ratio, 1e-6), 6), "kb_per_item": next(iter(sizes.values())) if one else sizes}


def _kb(size: float) -> float:
    return round(max(size, 0.001), 4)
