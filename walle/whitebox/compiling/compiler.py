"""Compilation: from the stages of a logical plan to a physical plan (section 4.2.2 of the thesis).

Nothing is generated or translated: kernels are compiled ahead of time and are the same for all plans. A kernel is picked for
each transformation by its parameters and by what the oven labelled with the statistics of training, and gets its
place in the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from walle.whitebox.compiling.lowering import Lower, Lowering, OperatorUnsupported
from walle.whitebox.compiling.model_operators import MODEL_LOWERINGS
from walle.whitebox.compiling.number_operators import NUMBER_LOWERINGS
from walle.whitebox.compiling.physical import (
    ANSWER,
    ROW,
    Answer,
    PhysicalPlan,
    PhysicalStage,
    PhysicalValue,
    Place,
    Refusal,
    Room,
    TextInput,
)
from walle.whitebox.compiling.text_operators import TEXT_LOWERINGS, is_prepared, prepare_text, text_slot
from walle.whitebox.graph import COLUMN, OUTPUTS
from walle.whitebox.kernels.operations import Operation
from walle.whitebox.oven import LogicalPlan, LogicalStage

LEAST_BYTES: Final = 512
"""A frame has room for texts of at least so many bytes."""
CHECK: Final = "numbers"
"""The stage that looks at a record's numbers before any other."""

LOWERINGS: Final[dict[str, Lower]] = {**TEXT_LOWERINGS, **NUMBER_LOWERINGS, **MODEL_LOWERINGS}


def compile_plan(plan: LogicalPlan) -> PhysicalPlan:
    """Return the physical plan of a logical one. Raises OperatorUnsupported for an operator without a kernel."""
    graph = plan.graph
    steps = [each for stage in plan.stages for each in stage.transformations]
    lowering = Lowering(graph.columns, steps, plan.types, graph.outputs.values())
    stages = [*_prepare(lowering)]
    made_in: dict[PhysicalValue | str, str] = {}
    for logical in plan.stages:
        stage = _lower_stage(lowering, logical, made_in)
        made_in.update(dict.fromkeys((each.id for each in logical.transformations), stage.id))
        stages.append(stage)
    stages.append(_answer(lowering, graph.outputs, made_in))
    seen = [each.bytes_max for each in plan.statistics.columns.values()]
    return PhysicalPlan(
        columns=graph.columns,
        numbers=tuple(lowering.numbers),
        cells=tuple(lowering.cells),
        stages=tuple(stages),
        instructions=tuple(lowering.instructions),
        slots=dict(lowering.slots),
        answers=_answers(lowering, graph.outputs),
        classes=graph.classes,
        typical_bytes=max([LEAST_BYTES, *seen]),
    )


def _prepare(lowering: Lowering) -> Iterator[PhysicalStage]:
    """Emit what looks at a record's row: one stage that checks its numbers, and one for each text."""
    if lowering.numbers:
        refusal = Refusal("", "a finite number")
        lowering.emit(Operation.CHECK_NUMBERS, Place(ROW), len(lowering.numbers), refusal=refusal)
        yield PhysicalStage(CHECK, None, 0, len(lowering.instructions), (), {})
    for each in lowering.cells:
        if is_prepared(lowering, each):
            first = len(lowering.instructions)
            prepare_text(lowering, each)
            yield PhysicalStage(text_slot(each), None, first, len(lowering.instructions), (), {})


def _lower_stage(lowering: Lowering, logical: LogicalStage, made_in: dict[str, str]) -> PhysicalStage:
    first = len(lowering.instructions)
    own = {each.id for each in logical.transformations}
    after: dict[str, None] = {}
    for step in logical.transformations:
        lower = LOWERINGS.get(step.operator)
        for each in step.inputs:
            given = lowering.values[each]
            if isinstance(given, TextInput):
                after[text_slot(given)] = None
            elif each not in own and not each.startswith(COLUMN):
                after[made_in[each]] = None
        if lower is not None:
            lower(lowering, step)
        elif not isinstance(lowering.values.get(step.id), TextInput):
            raise OperatorUnsupported(step)
    values = {each: lowering.values[each] for each in logical.outputs}
    last = len(lowering.instructions)
    return PhysicalStage(logical.id, logical.identity, first, last, tuple(after), values)
