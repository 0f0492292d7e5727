"""The explanation of a pipeline as JSON data: what was imported, what the oven made of it by which rules, its kernels.

The dashboard and `walle pipeline explain` show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from walle.whitebox.archive import Archive
from walle.whitebox.graph import Parameter, Transformation
from walle.whitebox.types import ValueType, VectorType

if TYPE_CHECKING:
    from walle.whitebox.compiling.physical import PhysicalPlan
    from walle.whitebox.oven.plan import LogicalPlan, LogicalStage


def explanation_of(archive: Archive, logical: LogicalPlan, physical: PhysicalPlan) -> dict[str, Any]:
    """Return the explanation of an archive, from what the oven made of it, and what that was compiled to."""
    graph = archive.graph
    return {
        "columns": [{"name": column.name, "type": column.type} for column in graph.columns],
        "outputs": dict(graph.outputs),
        "classes": list(graph.classes[:100]),
        "imported": [_transformation(step, archive.types) for step in graph.transformations],
        "logical": _logical(logical),
        "trace": [
            {"step": each.step, "rule": each.rule, "before": list(each.before), "after": list(each.after)}
            for each in logical.trace
        ],
        "physical": _physical(physical),
        "parameters": [
            {"digest": each.digest, "dtype": each.dtype, "shape": list(each.shape), "bytes": each.bytes}
            for each in _distinct(graph.transformations)
        ],
    }


def _logical(plan: LogicalPlan) -> dict[str, Any]:
    return {"stages": [_stage(stage) for stage in plan.stages], "outputs": dict(plan.outputs)}


def _stage(stage: LogicalStage) -> dict[str, Any]:
    return {
        "id": stage.id,
        "inputs": list(stage.inputs),
        "outputs": list(stage.outputs),
        "identity": stage.identity,
        "vectorizable": sorted(stage.vectorizable),
        "transformations": [_transformation(step, stage.types) for step in stage.transformations],
    }


def _transformation(step: Transformation, types: Mapping[str, ValueType]) -> dict[str, Any]:
    found = types[step.id]
    return {
        "id": step.id,
        "operator": step.operator,
        "inputs": list(step.inputs),
        "settings": dict(step.settings),
        "parameters": {name: each.digest for name, each in step.parameters.items()},
        "type": str(found),
        "sparse": isinstance(found, VectorType) and found.sparse,
    }


def _physical(plan: PhysicalPlan) -> dict[str, Any]:
    stages = [
        {
            "id": stage.id,
            "identity": stage.identity,
            "after": list(stage.after),
            "kernels": [each.operation.name for each in plan.instructions[stage.first : stage.last]],
        }
        for stage in plan.stages
    ]
    return {"stages": stages, "instructions": len(plan.instructions), "typical_bytes": plan.typical_bytes}


def _distinct(steps: Iterable[Transformation]) -> list[Parameter]:
    return list({each.digest: each for step in steps for each in step.parameters.values()}.values())
