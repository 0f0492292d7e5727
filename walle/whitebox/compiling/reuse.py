"""Sub-plan materialization: what plans share is computed once for a record and found by the others (thesis, 4.3).

What is kept are the features of texts, the costly part of plans that differ in their models.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from walle.protocol.canonical import canonical_digest
from walle.whitebox.compiling.binding import ExecutablePlan, Layout, Prediction, Vectors
from walle.whitebox.compiling.physical import (
    ROW,
    Dense,
    PhysicalPlan,
    PhysicalStage,
    PhysicalValue,
    Place,
    Sparse,
)
from walle.whitebox.kernels.operations import Operation

DENSE: Final = -1
"""What stands for the place of the count of a dense vector (walle.whitebox.kernels.restoring)."""
_ADDRESS: Final = struct.Struct("=q").pack_into
_COUNTING: Final = (Operation.COUNT_NGRAMS, Operation.HASH_NGRAMS)


@dataclass(frozen=True, slots=True)
class Materialized:
    """The values of stages for a record, one behind the other, and the capacity of a frame in which they have room."""

    capacity: int
    numbers: npt.NDArray[np.uint8]
    address: int

    @property
    def size(self) -> int:
        """The bytes that are kept."""
        return self.numbers.nbytes + 200


class MaterializedStore(Protocol):
    """Where values are kept, by what they are of."""

    def get(self, key: Hashable, /) -> Materialized | None:
        """Return what is kept under a key."""

    def put(self, key: Hashable, value: Materialized, /) -> None:
        """Keep something."""


class _Resumption(NamedTuple):
    """A program that goes on from kept values in one layout: its address and words, and where theirs belongs."""

    program: npt.NDArray[np.int64]
    address: int
    words: int
    place: int


def is_worth_keeping(plan: PhysicalPlan, stage: PhysicalStage) -> bool:
    """Return whether looking up what a stage made takes less time than making it: it counts n-grams."""
    instructions = plan.instructions[stage.first : stage.last]
    return (
        stage.identity is not None
        and all(isinstance(each, (Sparse, Dense)) for each in stage.values.values())
        and any(each.operation in _COUNTING for each in instructions)
    )


class ReusingPlan:
    """A plan that looks up what some of its stages make of a record before it makes it: all of that, or nothing.

    `identities` are those of stages that other plans have too; stages not worth it are left out.
    """

    def __init__(self, plan: ExecutablePlan, identities: Collection[str]) -> None:
        self.plan = plan
        self.shared = tuple(
            each for each in plan.plan.stages if each.identity in identities and is_worth_keeping(plan.plan, each)
        )
        self._values = tuple(value for stage in self.shared for value in stage.values.values())
        self._identity = canonical_digest([stage.identity for stage in self.shared])
        self._key = _key_of(dict.fromkeys(column for stage in self.shared for column in stage.columns))
        self._others = _others(plan, self.shared)
        self._loads = any(_reads_row(plan, each) for each in self._others)
        self._address = Place(ROW, 8 * plan.plan.row_words)
        self._resumptions: dict[int, tuple[Layout, _Resumption]] = {}

    def predict(self, record: Any, vectors: Vectors, store: MaterializedStore) -> Prediction:
        """Return the prediction for a record. Raises RecordRefused."""
        plan = self.plan
        if type(record) is not dict:
            record = plan.reader.as_mapping(record, 0)
        key = self._identity, self._key(record)
        found = store.get(key)
        if found is None:
            layout = plan.load(record, vectors)
            plan.run(layout, vectors, 0, len(plan.plan.stages))
            store.put(key, _save(self._values, layout, vectors))
            return plan.answer(layout, vectors)
        least = found.capacity
        layout = plan.load(record, vectors, least) if self._loads else plan.fit(least, vectors)
        resumption = self._resumption(layout)
        _ADDRESS(vectors.view, resumption.place, found.address)
        if plan.execute(resumption.address, 0, resumption.words, vectors.address, 0) >= 0:
            return plan.predict(record, vectors)
        return plan.answer(layout, vectors)

    def _resumption(self, layout: Layout) -> _Resumption:
        found = self._resumptions.get(layout.capacity)
        if found is None:
            made = _resume(self._values, self._others, self._address, layout, self.plan)
            found = self._resumptions[layout.capacity] = layout, made
        return found[1]


def _key_of(columns: Collection[str]) -> Callable[[dict[str, Any]], Any]:
    """Return what of a record its values are kept by."""
    if len(columns) == 1:
        (name,) = columns
        return lambda record: record.get(name)
    return lambda record: tuple([record.get(each) for each in columns])


def _others(plan: ExecutablePlan, shared: Collection[PhysicalStage]) -> tuple[PhysicalStage, ...]:
    """Return the stages that have to run where the values of the shared ones are there, in their order."""
    stages = {each.id: each for each in plan.plan.stages}
    there = {each.id for each in shared}
    needed, waiting = set[str](), [plan.plan.stages[-1].id]
    while waiting:
        id_ = waiting.pop()
        if id_ not in needed and id_ not in there:
            needed.add(id_)
            waiting += stages[id_].after
    if plan.reader.number_bytes:
        # What looks at the numbers of a record stands before all others.
        needed.add(plan.plan.stages[0].id)
    return tuple(each for each in plan.plan.stages if each.id in needed)


def _reads_row(plan: ExecutablePlan, stage: PhysicalStage) -> bool:
    instructions = plan.plan.instructions[stage.first : stage.last]
    return any(isinstance(each, Place) and each.slot == ROW for step in instructions for each in step.operands)


def _resume(
    values: Collection[PhysicalValue],
    others: Collection[PhysicalStage],
    address: Place,
    layout: Layout,
    plan: ExecutablePlan,
) -> _Resumption:
    """Return the program that puts values into their places and runs the other stages."""
    restore = [int(Operation.RESTORE), 4 + 3 * len(values), layout.place(address), len(values)]
    for value in values:
        if isinstance(value, Sparse):
            restore += [layout.place(each) for each in (value.counts, value.columns, value.values)]
        elif isinstance(value, Dense):
            restore += [DENSE, layout.place(value.place), value.size]
    bounds = dict(zip([each.id for each in plan.plan.stages], pairwise(layout.bounds), strict=True))
    pieces = [layout.program[slice(*bounds[each.id])] for each in others]
    program = np.concatenate([np.array(restore, np.int64), *pieces])
    return _Resumption(program, program.ctypes.data, len(program), layout.place(address))


def _save(values: Collection[PhysicalValue], layout: Layout, vectors: Vectors) -> Materialized:
    """Return values that are in a frame."""
    view, parts = vectors.view, list[bytes]()
    for value in values:
        if isinstance(value, Sparse):
            start = layout.place(value.counts)
            head = bytes(view[start : start + 8])
            count = int.from_bytes(head, "little")
            columns, numbers = layout.place(value.columns), layout.place(value.values)
            filling = bytes(4 * (count % 2))
            ends = columns + 4 * count, numbers + 8 * count
            parts += (head, bytes(view[columns : ends[0]]), filling, bytes(view[numbers : ends[1]]))
        elif isinstance(value, Dense):
            start = layout.place(value.place)
            parts.append(bytes(view[start : start + 8 * value.size]))
    kept = np.frombuffer(b"".join(parts), np.uint8)
    return Materialized(layout.capacity, kept, kept.ctypes.data)
