"""What compiling made of a plan, in words and as JSON data: kernels, frames, and what other plans may share."""

from __future__ import annotations

from typing import Any

from walle.whitebox.compiling.physical import PhysicalPlan, PhysicalStage, PhysicalValue, Sparse, place_slots


def executed_by(plan: PhysicalPlan) -> dict[str, str]:
    """Return in words which kernels execute each logical stage, by its id; its physical stages are divided by `|`."""
    found: dict[str, list[str]] = {}
    for stage in plan.stages:
        if stage.logical:
            found.setdefault(stage.logical, []).append(", ".join(kernels_of(plan, stage)))
    return {id_: " | ".join(parts) for id_, parts in found.items()}


def kernels_of(plan: PhysicalPlan, stage: PhysicalStage) -> list[str]:
    """Return the names of the kernels that a stage calls, in their order."""
    return [each.operation.name.lower() for each in plan.instructions[stage.first : stage.last]]


def explain_physical(plan: PhysicalPlan) -> dict[str, Any]:
    """Return a physical plan as JSON data.

    `frame` is the memory that a prediction works in, for records whose texts have at most `text_bytes`; `parameters`
    what is read from the parameter store. A stage that is `materialized` is looked up before it is made where other
    plans have it too.
    """
    slots, size = place_slots(plan.slots, plan.typical_bytes)
    parameters = plan.parameters().values()
    return {
        "frame": {"bytes": size, "text_bytes": plan.typical_bytes, "row_words": plan.row_words, "slots": dict(slots)},
        "instructions": len(plan.instructions),
        "parameters": {"arrays": len(parameters), "bytes": sum(each.bytes for each in parameters)},
        "stages": [_stage_json(plan, each) for each in plan.stages],
    }


def _stage_json(plan: PhysicalPlan, stage: PhysicalStage) -> dict[str, Any]:
    return {
        "id": stage.id,
        "logical": stage.logical,
        "kernels": kernels_of(plan, stage),
        "after": list(stage.after),
        "columns": list(stage.columns),
        "makes": {id_: _kind(value) for id_, value in stage.values.items()},
        "identity": stage.identity,
        "materialized": plan.is_worth_keeping(stage),
    }


def _kind(value: PhysicalValue) -> str:
    return type(value).__name__.lower() + (f" of {value.size}" if isinstance(value, Sparse) else "")
