"""Compilation: from the stages of a logical plan to a physical plan (section 4.2.2 of the thesis).

Nothing is generated or translated: kernels are compiled ahead of time and are the same for all plans. A kernel is
picked for each transformation by its parameters and by what the oven labelled with the statistics of training, and gets
its place in the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from walle.protocol.canonical import canonical_digest
from walle.whitebox.archive.document import Statistics
from walle.whitebox.compiling.lowering import TEXT_STEPS, Lower, Lowering, OperatorUnsupported, text_of
from walle.whitebox.compiling.model_operators import MODEL_LOWERINGS
from walle.whitebox.compiling.number_operators import NUMBER_LOWERINGS
from walle.whitebox.compiling.physical import (
    ANSWER,
    CASCADE,
    CHECK,
    KEPT,
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
from walle.whitebox.graph import COLUMN, OUTPUTS, Transformation
from walle.whitebox.kernels.operations import Operation
from walle.whitebox.oven.plan import LogicalCascade, LogicalPlan, LogicalStage
from walle.whitebox.types import VectorType

LEAST_BYTES: Final = 512
"""A frame has room for texts of at least so many bytes."""

LOWERINGS: Final[dict[str, Lower]] = {**TEXT_LOWERINGS, **NUMBER_LOWERINGS, **MODEL_LOWERINGS}


def compile_plan(plan: LogicalPlan, statistics: Statistics | None = None) -> PhysicalPlan:
    """Return the physical plan of a logical one; frames have room for the longest texts of training at first.

    Raises OperatorUnsupported for an operator without a kernel.
    """
    steps = [each for stage in plan.stages for each in stage.transformations]
    types = {name: each for stage in plan.stages for name, each in stage.types.items()}
    cascade = plan.cascade
    lowering = Lowering(
        plan.columns, steps, types, [*plan.outputs.values(), *(cascade.outputs.values() if cascade else ())]
    )
    stages = [*_prepare(lowering)]
    making = _Stages(plan, lowering)
    for number, logical in enumerate(plan.stages, 1):
        stages.extend(making.lower(logical))
        if cascade and number == cascade.stages:
            stages.append(_answer_if_sure(lowering, plan.outputs, cascade, making.makers(cascade.outputs.values())))
    answers, last = _answer(lowering, plan.outputs, making.makers(plan.outputs.values()), cascade)
    lowering.slot(KEPT, Room(8 * sum(len(each.values) for each in stages)))
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


def _answered(plan: LogicalPlan) -> tuple[str, ...]:
    """Return the ids of all outputs, those of a prefix too."""
    return (*plan.outputs.values(), *(plan.cascade.outputs.values() if plan.cascade else ()))


def _prepare(lowering: Lowering) -> Iterator[PhysicalStage]:
    """Emit what looks at a record's row: one stage that checks its numbers, and one for each text."""
    if lowering.numbers:
        needed = Constant(bytes(int(not lowering.may_miss[COLUMN + each]) for each in lowering.numbers))
        refusal = Refusal("", "a finite number")
        lowering.emit(Operation.CHECK_NUMBERS, Place(ROW), len(lowering.numbers), needed, refusal=refusal)
        yield PhysicalStage(CHECK, None, None, 0, len(lowering.instructions), (), (), {})
    for each in lowering.texts:
        first = len(lowering.instructions)
        prepare_text(lowering, each)
        yield PhysicalStage(text_slot(each), None, None, first, len(lowering.instructions), (), (), {})


def _parts(logical: LogicalStage) -> Iterator[list[Transformation]]:
    """Yield the transformations of a logical stage in parts, each a physical stage.

    A linear model of a sparse vector begins a new one: what makes the vector is the same in many plans, which differ in
    their models.
    """
    part: list[Transformation] = []
    for step in logical.transformations:
        given = logical.types[step.inputs[0]]
        if part and step.operator == "linear" and isinstance(given, VectorType) and given.sparse:
            yield part
            part = []
        part.append(step)
    yield part


class _Stages:
    """The physical stages as they are made: which of them made what, and of which columns."""

    def __init__(self, plan: LogicalPlan, lowering: Lowering) -> None:
        self._lowering = lowering
        self._made_in: dict[str, PhysicalStage] = {}
        self._takers: dict[str, set[str]] = {}
        for stage in plan.stages:
            for part, steps in enumerate(_parts(stage)):
                for step in steps:
                    for each in step.inputs:
                        self._takers.setdefault(each, set()).add(f"{stage.id}.{part}")
        for each in _answered(plan):
            self._takers.setdefault(each, set()).add(ANSWER)

    def lower(self, logical: LogicalStage) -> Iterator[PhysicalStage]:
        """Emit the instructions of a logical stage."""
        for part, steps in enumerate(_parts(logical)):
            id_, first = f"{logical.id}.{part}", len(self._lowering.instructions)
            after, columns = self._needs(steps)
            for step in steps:
                lower = LOWERINGS.get(step.operator)
                if lower is not None:
                    lower(self._lowering, step)
                elif not isinstance(self._lowering.values.get(step.id), TextInput):
                    raise OperatorUnsupported(step)
            made = [each.id for each in steps if self._takers.get(each.id, set()) - {id_}]
            values = {each: self._lowering.values[each] for each in made}
            values = {name: each for name, each in values.items() if not isinstance(each, TextInput)}
            identity = canonical_digest([logical.identities[each] for each in values]) if values else None
            last = len(self._lowering.instructions)
            stage = PhysicalStage(id_, logical.id, identity, first, last, after, columns, values)
            self._made_in.update(dict.fromkeys((each.id for each in steps), stage))
            if last > first:
                yield stage

    def _needs(self, steps: Iterable[Transformation]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the stages that come before some transformations, and all columns that these need."""
        after: dict[str, None] = {}
        columns: dict[str, None] = {}
        own = {each.id for each in steps}
        for step in steps:
            for each in step.inputs:
                given = self._lowering.values.get(each)
                if isinstance(given, TextInput):
                    columns[given.column] = None
                    if step.operator not in TEXT_STEPS:
                        after[text_slot(text_of(given, step))] = None
                elif each.startswith(COLUMN):
                    columns[each.removeprefix(COLUMN)] = None
                elif each not in own:
                    after[self._made_in[each].id] = None
                    columns.update(dict.fromkeys(self._made_in[each].columns))
        return tuple(after), tuple(columns)

    def makers(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return the stages that made some values."""
        return tuple(dict.fromkeys(self._made_in[each].id for each in ids))


def _answer(
    lowering: Lowering, outputs: Mapping[str, str], after: tuple[str, ...], cascade: LogicalCascade | None
) -> tuple[dict[str, Answer], PhysicalStage]:
    """Emit what puts the outputs side by side; return where they are, and the stage that does so."""
    first = len(lowering.instructions)
    answers = _copy_outputs(lowering, outputs)
    if cascade:
        # No probability is infinite: this says that the whole pipeline has answered.
        _finish(lowering, cascade, float("inf"), answers[CASCADE])
    if not cascade:
        del answers[CASCADE]
    lowering.slot(ANSWER, Room(8 * sum(each.size for each in answers.values())))
    return answers, PhysicalStage(ANSWER, None, None, first, len(lowering.instructions), after, (), {})


def _answer_if_sure(
    lowering: Lowering, outputs: Iterable[str], cascade: LogicalCascade, after: tuple[str, ...]
) -> PhysicalStage:
    """Emit what answers with the outputs of a prefix, and ends there if that is sure."""
    first = len(lowering.instructions)
    answers = _copy_outputs(lowering, {name: cascade.outputs[name] for name in outputs})
    _finish(lowering, cascade, float(cascade.threshold), answers[CASCADE])
    return PhysicalStage(CASCADE, None, None, first, len(lowering.instructions), after, (), {})


def _finish(lowering: Lowering, cascade: LogicalCascade, threshold: float, said: Answer) -> None:
    given = lowering.dense(cascade.outputs["probabilities"])
    lowering.emit(Operation.FINISH_IF_SURE, given.place, given.size, threshold, Place(ANSWER, 8 * said.start))


def _copy_outputs(lowering: Lowering, outputs: Mapping[str, str]) -> dict[str, Answer]:
    """Emit copies of outputs, one behind the other; return where they are, and behind them room for one word more."""
    answers: dict[str, Answer] = {}
    start = 0
    for name in OUTPUTS:
        if name in outputs:
            given = lowering.dense(outputs[name])
            lowering.emit(Operation.COPY, given.place, given.size, Place(ANSWER, 8 * start))
            answers[name] = Answer(start, given.size)
            start += given.size
    return {**answers, CASCADE: Answer(start, 1)}
