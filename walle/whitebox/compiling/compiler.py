"""Compilation: from the stages of a logical plan to a physical plan (section 4.2.2 of the thesis).

Nothing is generated or translated: kernels are compiled ahead of time and are the same for all plans. A kernel is picked for
each transformation by its parameters and by what the oven labelled with the statistics of training, and gets its
place in the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from walle.whitebox.archive.document import Statistics
from walle.whitebox.compiling.lowering import Lower, Lowering, OperatorUnsupported
from walle.whitebox.compiling.model_operators import MODEL_LOWERINGS
from walle.whitebox.compiling.number_operators import NUMBER_LOWERINGS
from walle.whitebox.compiling.physical import (
    ANSWER,
    ROW,
    Answer,
    Constant,
    PhysicalPlan,
    PhysicalStage,
    Place,
    Refusal,
    Room,
    TextInput,
)
from walle.whitebox.compiling.text_operators import TEXT_LOWERINGS, prepare_text, text_slot
from walle.whitebox.graph import COLUMN, OUTPUTS
from walle.whitebox.kernels.operations import Operation
from walle.whitebox.oven.plan import LogicalPlan, LogicalStage

LEAST_BYTES: Final = 512
"""A frame has room for texts of at least so many bytes."""
CHECK: Final = "numbers"
"""The stage that looks at a record's numbers before any other."""

LOWERINGS: Final[dict[str, Lower]] = {**TEXT_LOWERINGS, **NUMBER_LOWERINGS, **MODEL_LOWERINGS}


def compile_plan(plan: LogicalPlan, statistics: Statistics | None = None) -> PhysicalPlan:
    """Return the physical plan of a logical one; frames have room for the longest texts of training at first.

    Raises OperatorUnsupported for an operator without a kernel.
    """
    steps = [each for stage in plan.stages for each in stage.transformations]
    types = {name: each for stage in plan.stages for name, each in stage.types.items()}
    lowering = Lowering(plan.columns, steps, types, plan.outputs.values())
    stages = [*_prepare(lowering)]
    made_in: dict[str, str] = {}
    for logical in plan.stages:
        stages.append(_lower_stage(lowering, logical, made_in))
        made_in.update(dict.fromkeys((each.id for each in logical.transformations), logical.id))
    answers, last = _answer(lowering, plan.outputs, made_in)
    seen = statistics.columns.values() if statistics else ()
    return PhysicalPlan(
        columns=plan.columns,
        numbers={each: lowering.may_miss[COLUMN + each] for each in lowering.numbers},
        cells=tuple(lowering.cells),
        stages=(*stages, last),
        instructions=tuple(lowering.instructions),
        slots=dict(lowering.slots),
        answers=answers,
        classes=plan.classes,
        typical_bytes=max([LEAST_BYTES, *(each.bytes_max for each in seen)]),
    )


def _prepare(lowering: Lowering) -> Iterator[PhysicalStage]:
    """Emit what looks at a record's row: one stage that checks its numbers, and one for each text."""
    if lowering.numbers:
        needed = Constant(bytes(int(not lowering.may_miss[COLUMN + each]) for each in lowering.numbers))
        refusal = Refusal("", "a finite number")
        lowering.emit(Operation.CHECK_NUMBERS, Place(ROW), len(lowering.numbers), needed, refusal=refusal)
        yield PhysicalStage(CHECK, None, 0, len(lowering.instructions), (), {})
    for each in lowering.texts:
        first = len(lowering.instructions)
        prepare_text(lowering, each)
        yield PhysicalStage(text_slot(each), None, first, len(lowering.instructions), (), {})


def _lower_stage(lowering: Lowering, logical: LogicalStage, made_in: Mapping[str, str]) -> PhysicalStage:
    first = len(lowering.instructions)
    own = {each.id for each in logical.transformations}
    after: dict[str, None] = {}
    for step in logical.transformations:
        for each in step.inputs:
            given = lowering.values[each]
            if isinstance(given, TextInput):
                after[text_slot(given)] = None
            elif each not in own and not each.startswith(COLUMN):
                after[made_in[each]] = None
        lower = LOWERINGS.get(step.operator)
        if lower is not None:
            lower(lowering, step)
        elif not isinstance(lowering.values.get(step.id), TextInput):
            raise OperatorUnsupported(step)
    values = {each: lowering.values[each] for each in logical.outputs}
    return PhysicalStage(logical.id, logical.identity, first, len(lowering.instructions), tuple(after), values)


def _answer(
    lowering: Lowering, outputs: Mapping[str, str], made_in: Mapping[str, str]
) -> tuple[dict[str, Answer], PhysicalStage]:
    """Emit what puts the outputs side by side; return where they are, and the stage that does so."""
    first, start = len(lowering.instructions), 0
    answers: dict[str, Answer] = {}
    for name in OUTPUTS:
        if name in outputs:
            given = lowering.dense(outputs[name])
            lowering.emit(Operation.COPY, given.place, given.size, Place(ANSWER, 8 * start))
            answers[name] = Answer(start, given.size)
            start += given.size
    lowering.slot(ANSWER, Room(8 * start))
    after = tuple(dict.fromkeys(made_in[each] for each in outputs.values()))
    return answers, PhysicalStage(ANSWER, None, first, len(lowering.instructions), after, {})
