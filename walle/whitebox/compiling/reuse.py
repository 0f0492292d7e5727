"""Sub-plan materialization: what plans share is computed once for a record and found by the others (section 4.3 of the
thesis).

What is kept are the features of texts, the costly part of plans that differ in their models.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from ctypes import addressof, c_char
from dataclasses import dataclass, replace
from functools import lru_cache
from struct import Struct
from sys import intern
from typing import Any, Protocol

from walle.protocol.canonical import canonical_digest
from walle.whitebox.compiling.answer_reading import Prediction
from walle.whitebox.compiling.binding import ExecutablePlan, Layout, Vectors
from walle.whitebox.compiling.physical import (
    ANSWER,
    CHECK,
    KEPT,
    ROW,
    Dense,
    Instruction,
    PhysicalPlan,
    PhysicalStage,
    PhysicalValue,
    Place,
    Sparse,
)
from walle.whitebox.kernels.operations import Operation


class Materialized:
    """The values of stages for a record, as bytes that nobody changes, and the capacity of a frame that holds them."""

    __slots__ = ("addresses", "capacity", "parts")

    def __init__(self, capacity: int, parts: tuple[bytearray, ...]) -> None:
        self.capacity = capacity
        self.parts = parts
        self.addresses = tuple([addressof(c_char.from_buffer(each)) for each in parts])

    @property
    def size(self) -> int:
        """The bytes that are kept."""
        return sum(map(len, self.parts))


class MaterializedStore(Protocol):
    """Where values are kept, by what they are of."""

    def pauses(self) -> bool:
        """Return whether the next record goes without a look-up."""

    def get(self, key: Hashable, /) -> Materialized | None:
        """Return what is kept under a key."""

    def wants(self, key: Hashable, /) -> bool:
        """Return whether what was not found under a key is to be kept."""

    def put(self, key: Hashable, value: Materialized, /) -> None:
        """Keep something."""


@dataclass(frozen=True)
class _Rest:
    """What is left to do for a record where some stages' values were found: a plan that restores them first.

    `reads_row` is whether it reads the record.
    """

    plan: PhysicalPlan
    reads_row: bool


class ReusingPlan:
    """A plan that looks up what some of its stages make before it makes it: all of that under one key, or nothing.

    `identities` are those of stages that other plans have too; stages that are not worth it are left out. One look-up
    for all of them takes half the time of one for each, and plans that share some stages mostly share all.

    A prediction with what was found takes about as long as its parts take to come from memory: what plans have alike is
    one object for all of them, as far as possible, which is near the processor for each.
    """

    __slots__ = (
        "_column",
        "_columns",
        "_identity",
        "_pack",
        "_reads_row",
        "_rest",
        "_resumed",
        "_store",
        "plan",
        "shared",
    )

    def __init__(self, plan: ExecutablePlan, identities: Collection[str], store: MaterializedStore) -> None:
        self.plan, self._store = plan, store
        physical = plan.plan
        self.shared = tuple(
            each for each in physical.stages if each.identity in identities and physical.is_worth_keeping(each)
        )
        self._identity = intern(canonical_digest([each.identity for each in self.shared]))
        columns = tuple(dict.fromkeys(column for each in self.shared for column in each.columns))
        self._column = intern(columns[0]) if len(columns) == 1 else None
        self._columns = columns
        self._rest = find_rest(physical, self.shared)
        self._reads_row = self._rest.reads_row
        self._resumed: dict[int, Layout] = {}
        """The program of what is left, by the capacity of its frames."""
        self._pack = _packs(len(_values(self.shared)))

    def predict(self, record: Any, vectors: Vectors) -> Prediction:
        """Return the prediction for a record. Raises RecordRefused."""
        plan = self.plan
        if self._store.pauses():
            return plan.predict(record, vectors)
        if type(record) is not dict:
            record = plan.reader.as_mapping(record, 0)
        if self._column is None:
            key: Hashable = (self._identity, *[record.get(each) for each in self._columns])
        else:
            key = self._identity, record.get(self._column)
        try:
            # What was found is held until it was read, whatever the store does.
            kept = self._store.get(key)
        except TypeError:
            # A value that has no hash is none that a column takes: this refuses it.
            return plan.predict(record, vectors)
        if kept is None:
            return self._make(record, vectors, key)
        least = kept.capacity
        if self._reads_row:
            least = plan.load(record, vectors, least).capacity
        resumed = self._resumed.get(least) or self._resume(least)
        if resumed.size > vectors.size:
            vectors.reserve(resumed.size)
        self._pack(vectors.view, resumed.kept, *kept.addresses)
        return plan.execute_one(resumed, vectors)

    def _make(self, record: Mapping[str, Any], vectors: Vectors, key: Hashable) -> Prediction:
        """Return the prediction for a record of which nothing was found; keep what it takes, if that is wanted."""
        layout = self.plan.load(record, vectors)
        prediction = self.plan.execute_one(layout, vectors)
        if self._store.wants(key):
            self._store.put(key, save(self.shared, layout, vectors))
        return prediction

    def _resume(self, capacity: int) -> Layout:
        """Return the program of what is left, in frames of a capacity."""
        found = self._resumed[capacity] = self.plan.derive(self._rest.plan, self.plan.layout(capacity))
        return found


def find_rest(plan: PhysicalPlan, there: Sequence[PhysicalStage]) -> _Rest:
    """Return what is left of a plan where the values of some stages were found."""
    by_id = {each.id: each for each in plan.stages}
    needed, waiting = set[str](), [ANSWER]
    while waiting:
        stage = by_id[waiting.pop()]
        if stage.id not in needed and stage not in there:
            needed.add(stage.id)
            waiting += stage.after
    reads_row = any(_reads_row(plan, by_id[id_]) for id_ in needed)
    if reads_row and CHECK in by_id:
        needed.add(CHECK)
    instructions = [
        *(each for place, value in enumerate(_values(there)) for each in _restored(value, Place(KEPT, 8 * place))),
        *(each for stage in plan.stages if stage.id in needed for each in plan.instructions[stage.first : stage.last]),
    ]
    whole = PhysicalStage(ANSWER, None, None, 0, len(instructions), (), (), {})
    return _Rest(replace(plan, stages=(whole,), instructions=tuple(instructions)), reads_row)


@lru_cache(maxsize=64)
def _packs(words: int) -> Callable[..., None]:
    return Struct(f"={words}q").pack_into


def _values(stages: Iterable[PhysicalStage]) -> list[PhysicalValue]:
    return [value for stage in stages for value in stage.values.values()]


def _restored(value: PhysicalValue, kept: Place) -> Iterator[Instruction]:
    if isinstance(value, Sparse):
        yield Instruction(Operation.RESTORE_SPARSE, (kept, value.counts, value.columns, value.values))
    elif isinstance(value, Dense):
        yield Instruction(Operation.RESTORE_DENSE, (kept, value.size, value.place))


def _reads_row(plan: PhysicalPlan, stage: PhysicalStage) -> bool:
    operands = (operand for each in plan.instructions[stage.first : stage.last] for operand in each.operands)
    return any(isinstance(each, Place) and each.slot == ROW for each in operands)


def save(stages: Sequence[PhysicalStage], layout: Layout, vectors: Vectors) -> Materialized:
    """Return what stages made in a frame: each value's numbers, of a sparse one after how many and the columns."""
    view, offsets = vectors.view, layout.offsets
    parts: list[bytearray] = []
    for value in _values(stages):
        if isinstance(value, Sparse):
            start = offsets[value.counts.slot]
            head = view[start : start + 8]
            count = int.from_bytes(head, "little")
            columns, values = offsets[value.columns.slot], offsets[value.values.slot]
            even = count + count % 2
            pieces = (head, view[columns : columns + 4 * even], view[values : values + 8 * count])
            parts.append(bytearray().join(pieces))
        elif isinstance(value, Dense):
            start = layout.place(value.place)
            parts.append(bytearray(view[start : start + 8 * value.size]))
    return Materialized(layout.capacity, tuple(parts))
