"""Sub-plan materialization: what plans share is computed once for a record and found by the others (section 4.3 of the
thesis).

What is kept are the features of texts, the costly part of plans that differ in their models.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from ctypes import addressof, c_char
from dataclasses import dataclass, replace
from struct import Struct
from typing import Any, Protocol

from walle.whitebox.compiling.binding import ExecutablePlan, Layout, Prediction, Vectors
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
    """The values of a stage for a record, as bytes that nobody changes, and the capacity of a frame that holds them."""

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

    def get(self, key: Hashable, /) -> Materialized | None:
        """Return what is kept under a key."""

    def put(self, key: Hashable, value: Materialized, /) -> None:
        """Keep something."""


@dataclass(frozen=True)
class _Rest:
    """What is left to do for a record where some stages' values were found: a plan that restores them first.

    `reads_row` is whether it reads the record; `layouts` are those of its program by the capacity of frames.
    """

    plan: PhysicalPlan
    reads_row: bool
    layouts: dict[int, Layout]


class ReusingPlan:
    """A plan that looks up what some of its stages make before it makes it.

    `identities` are those of stages that other plans have too; stages that are not worth it are left out.
    """

    def __init__(self, plan: ExecutablePlan, identities: Collection[str]) -> None:
        self.plan = plan
        physical = plan.plan
        self.shared = tuple(
            each for each in physical.stages if each.identity in identities and physical.is_worth_keeping(each)
        )
        # The identity of each, and its columns: the first is the name of the only one, or nothing.
        self._sources = [
            (each.identity, each.columns[0] if len(each.columns) == 1 else "", each.columns) for each in self.shared
        ]
        self._rests: dict[tuple[bool, ...], _Rest] = {}
        self._whole = self._rest((True,) * len(self.shared))
        most = sum(len(each.values) for each in self.shared)
        self._pack = [Struct(f"={count}q").pack_into for count in range(most + 1)]

    def predict(self, record: Any, vectors: Vectors, store: MaterializedStore) -> Prediction:
        """Return the prediction for a record. Raises RecordRefused."""
        plan = self.plan
        if type(record) is not dict:
            record = plan.reader.as_mapping(record, 0)
        least = 0
        keys: list[Hashable] = []
        found: list[Materialized | None] = []
        addresses: list[int] = []
        for identity, column, columns in self._sources:
            key = (identity, record.get(column) if column else tuple([record.get(each) for each in columns]))
            try:
                kept = store.get(key)
            except TypeError:
                # A value that has no hash is none that a column takes: this refuses it.
                return plan.predict(record, vectors)
            keys.append(key)
            found.append(kept)
            if kept is not None:
                addresses += kept.addresses
                least = max(least, kept.capacity)
        # What was found is held until it was read, whatever the store does.
        rest = self._rest(tuple([each is not None for each in found])) if None in found else self._whole
        frame = plan.load(record, vectors, least) if rest.reads_row else plan.fit(least, vectors)
        layout = rest.layouts.get(frame.capacity)
        if layout is None:
            layout = rest.layouts[frame.capacity] = plan.derive(rest.plan, frame)
        self._pack[len(addresses)](vectors.view, layout.kept, *addresses)
        prediction = plan.execute_one(layout, vectors)
        if rest is not self._whole:
            for stage, missing, there in zip(self.shared, keys, found, strict=True):
                if there is None:
                    store.put(missing, save(stage, layout, vectors))
        return prediction

    def _rest(self, found: tuple[bool, ...]) -> _Rest:
        if found not in self._rests:
            there = [stage for stage, kept in zip(self.shared, found, strict=True) if kept]
            self._rests[found] = find_rest(self.plan.plan, there)
        return self._rests[found]


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
    return _Rest(replace(plan, stages=(whole,), instructions=tuple(instructions)), reads_row, {})


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


def save(stage: PhysicalStage, layout: Layout, vectors: Vectors) -> Materialized:
    """Return what a stage made in a frame: each value's numbers, of a sparse one after how many and the columns."""
    view, offsets = vectors.view, layout.offsets
    parts: list[bytearray] = []
    for value in stage.values.values():
        if isinstance(value, Sparse):
            start = offsets[value.counts.slot]
            head = view[start : start + 8]
            count = int.from_bytes(head, "little")
            columns, values = offsets[value.columns.slot], offsets[value.values.slot]
            even = count + count % 2
            parts.append(
                bytearray().join((head, view[columns : columns + 4 * even], view[values : values + 8 * count]))
            )
        elif isinstance(value, Dense):
            start = layout.place(value.place)
            parts.append(bytearray(view[start : start + 8 * value.size]))
    return Materialized(layout.capacity, tuple(parts))
