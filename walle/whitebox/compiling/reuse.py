"""Sub-plan materialization: what plans share is computed once for a record and found by the others (section 4.3 of the
thesis).

What is kept are the features of texts, the costly part of plans that differ in their models.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from walle.whitebox.compiling.binding import ExecutablePlan, Layout, Prediction, Vectors
from walle.whitebox.compiling.physical import ROW, Dense, PhysicalPlan, PhysicalStage, Place, Sparse
from walle.whitebox.kernels.operations import Operation


@dataclass(frozen=True, slots=True)
class Materialized:
    """The values of a stage for a record, as bytes, and the capacity of a frame in which they have room."""

    capacity: int
    parts: tuple[bytes, ...]

    @property
    def size(self) -> int:
        """The bytes that are kept."""
        return sum(map(len, self.parts))


class MaterializedStore(Protocol):
    """Where values are kept, by what they are of."""

    def get(self, key: Hashable, /) -> Materialized | None:
        """Return what is kept under a key."""

    def put(self, key: Hashable, value: Materialized, /) -> None:
        """Keep something."""


def is_worth_keeping(plan: PhysicalPlan, stage: PhysicalStage) -> bool:
    """Return whether looking up what a stage made takes less time than making it: it counts n-grams."""
    counts = (Operation.COUNT_NGRAMS, Operation.HASH_NGRAMS)
    instructions = plan.instructions[stage.first : stage.last]
    return stage.identity is not None and any(each.operation in counts for each in instructions)


class ReusingPlan:
    """A plan that looks up what some of its stages make before it makes it.

    `identities` are those of stages that other plans have too; stages not worth it are left out.
    """

    def __init__(self, plan: ExecutablePlan, identities: Collection[str]) -> None:
        self.plan = plan
        stages = plan.plan.stages
        self.shared = tuple(
            index
            for index, each in enumerate(stages)
            if each.identity in identities and is_worth_keeping(plan.plan, each)
        )
        self._single = tuple(
            (stages[index].identity, stages[index].columns[0]) if len(stages[index].columns) == 1 else None
            for index in self.shared
        )
        self._runs = cache(self._find_runs)

    def predict(self, record: Any, vectors: Vectors, store: MaterializedStore) -> Prediction:
        """Return the prediction for a record. Raises RecordRefused."""
        plan = self.plan
        if type(record) is not dict:
            record = plan.reader.as_mapping(record, 0)
        keys = [self._key(place, record) for place in range(len(self.shared))]
        found = [store.get(key) for key in keys]
        reads_row, runs = self._runs(tuple([each is None for each in found]))
        least = max([each.capacity for each in found if each is not None], default=0)
        layout = plan.load(record, vectors, least) if reads_row else plan.fit(least, vectors)
        for index, each in zip(self.shared, found, strict=True):
            if each is not None:
                restore(plan.plan.stages[index], each, layout, vectors)
        for first, last in runs:
            plan.run(layout, vectors, first, last)
        for index, key, each in zip(self.shared, keys, found, strict=True):
            if each is None:
                store.put(key, save(plan.plan.stages[index], layout, vectors))
        return plan.answer(layout, vectors)

    def _key(self, place: int, record: Any) -> Hashable:
        single = self._single[place]
        if single:
            return single[0], record.get(single[1])
        stage = self.plan.plan.stages[self.shared[place]]
        return stage.identity, tuple([record.get(each) for each in stage.columns])

    def _find_runs(self, missing: tuple[bool, ...]) -> tuple[bool, list[tuple[int, int]]]:
        """Return whether the record is read, and the stages that are run, first and behind the last of each run of
        them.
        """
        stages = self.plan.plan.stages
        there = {index for index, lacks in zip(self.shared, missing, strict=True) if not lacks}
        places = {each.id: index for index, each in enumerate(stages)}
        needed, waiting = set[int](), [len(stages) - 1]
        while waiting:
            index = waiting.pop()
            if index not in needed and index not in there:
                needed.add(index)
                waiting += [places[each] for each in stages[index].after]
        reads_row = any(self._reads_row(stages[index]) for index in needed)
        if reads_row and self.plan.reader.number_bytes:
            needed.add(0)
        runs: list[tuple[int, int]] = []
        for index in sorted(needed):
            if runs and runs[-1][1] == index:
                runs[-1] = (runs[-1][0], index + 1)
            else:
                runs.append((index, index + 1))
        return reads_row, runs

    def _reads_row(self, stage: PhysicalStage) -> bool:
        instructions = self.plan.plan.instructions[stage.first : stage.last]
        operands = (operand for each in instructions for operand in each.operands)
        return any(isinstance(each, Place) and each.slot == ROW for each in operands)


def save(stage: PhysicalStage, layout: Layout, vectors: Vectors) -> Materialized:
    """Return what a stage made in a frame."""
    view, parts = vectors.view, list[bytes]()
    for value in stage.values.values():
        if isinstance(value, Sparse):
            start = layout.place(value.counts)
            head = bytes(view[start : start + 8])
            count = int.from_bytes(head, "little")
            columns, values = layout.place(value.columns), layout.place(value.values)
            parts += (head, bytes(view[columns : columns + 4 * count]), bytes(view[values : values + 8 * count]))
        elif isinstance(value, Dense):
            start = layout.place(value.place)
            parts.append(bytes(view[start : start + 8 * value.size]))
    return Materialized(layout.capacity, tuple(parts))


def restore(stage: PhysicalStage, found: Materialized, layout: Layout, vectors: Vectors) -> None:
    """Put what a stage made once into a frame."""
    view = vectors.view
    places = layout.restored.get(stage.id)
    if places is None:
        places = layout.restored[stage.id] = tuple(layout.place(each) for each in _places(stage))
    for start, part in zip(places, found.parts, strict=True):
        view[start : start + len(part)] = part


def _places(stage: PhysicalStage) -> list[Place]:
    places: list[Place] = []
    for value in stage.values.values():
        if isinstance(value, Sparse):
            places += (value.counts, value.columns, value.values)
        elif isinstance(value, Dense):
            places.append(value.place)
    return places
