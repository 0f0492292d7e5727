"""Executable plans: a physical plan with the addresses of its parameters, laid out for texts up to a length."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from walle.whitebox.columns import RecordColumns
from walle.whitebox.compiling.answer_reading import Prediction, reader_of
from walle.whitebox.compiling.column_reading import parse_columns
from walle.whitebox.compiling.physical import (
    ALIGNMENT,
    ANSWER,
    KEPT,
    Capacity,
    CharacterClasses,
    Constant,
    Data,
    Operand,
    PhysicalPlan,
    PhysicalStage,
    Place,
    Refusal,
    Room,
    Stride,
    place_slots,
)
from walle.whitebox.compiling.records import PADDING, Batch, RecordReader, RecordRefused, join_cells
from walle.whitebox.graph import Parameter
from walle.whitebox.kernels import load_kernels
from walle.whitebox.kernels.characters import character_classes
from walle.whitebox.kernels.operations import Operation
from walle.whitebox.ngram_table import capacity_of
from walle.whitebox.zero_packing import pack_zeros

Array = npt.NDArray[Any]
TOGETHER: Final = 32
"""So many records go through a tree together at most: more would not hide more of the time that memory takes."""
NEAR_BYTES: Final = 640 << 10
"""The bytes of frames that stay in a core's own cache beside the trees."""


class Vectors:
    """The memory in which an executor runs plans: one for each executor, used by whatever plan, one at a time."""

    def __init__(self, size: int = 0) -> None:
        self.size = 0
        self.address = 0
        self.view = memoryview(b"")
        self.reserve(size)

    def reserve(self, size: int) -> None:
        """Have at least so many bytes; what was there is lost where they have to be found anew."""
        if size > self.size:
            buffer = np.zeros(size + ALIGNMENT, np.uint8)
            start = -buffer.ctypes.data % ALIGNMENT
            self.view = memoryview(buffer.data)[start:]
            self.address, self.size = buffer.ctypes.data + start, size

    def touch(self) -> None:
        """Have all pages in memory; what was there is lost."""
        self.view[:] = bytes(len(self.view))

    def shrink(self, size: int) -> None:
        """Give back what is more than so many bytes."""
        if size < self.size:
            self.size = 0
            self.reserve(size)


class Frame(NamedTuple):
    """A frame for texts of up to `capacity` bytes: of `size` bytes, in which the answer begins at `answer`, the
    addresses of kept values at `kept`, the texts of a record that is predicted alone at `texts`, slots at `offsets`.

    Plans with the same slots have the same one, down to its numbers, so that it is near the processor for each.
    """

    capacity: int
    size: int
    answer: int
    kept: int
    texts: int
    offsets: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Layout:
    """A program for texts of up to `capacity` bytes.

    `program` are its words; `refusals` say why the instruction at a word may refuse a record; `bounds` the word of
    each stage's first instruction, and behind the last one (`last`). The rest is what its `Frame` says.
    """

    capacity: int
    size: int
    answer: int
    kept: int
    texts: int
    offsets: Mapping[str, int]
    address: int
    last: int
    bounds: tuple[int, ...]
    program: npt.NDArray[np.int64]
    refusals: Mapping[int, Refusal]

    def place(self, place: Place) -> int:
        """Return the byte of the frame at which something lies."""
        return self.offsets[place.slot] + place.offset


class ExecutablePlan:
    """A plan that predicts. It is never changed; any number of executors may use it, each with vectors of its own."""

    def __init__(self, plan: PhysicalPlan, parameters: Callable[[Parameter], Array]) -> None:
        self.plan = plan
        self.reader = RecordReader(plan)
        self.execute = load_kernels()
        self._addresses = _Addresses(plan, parameters)
        self._layouts: dict[int, Layout] = {}
        self._typical = self.layout(plan.typical_bytes)
        self._answers = reader_of(plan)
        self.read = self._answers.read
        """Returns the predictions that answers (records x numbers) say."""
        self._cell_pack = struct.Struct(f"={3 * len(plan.cells)}q").pack_into
        self._has_trees = any(each.operation is Operation.FIND_LEAVES for each in plan.instructions)
        self.stages = tuple(ExecutableStage(self, index) for index in range(len(plan.stages)))

    def layout(self, longest: int) -> Layout:
        """Return the layout for texts of up to so many bytes."""
        capacity = max(self.plan.typical_bytes, 1 << max(0, longest - 1).bit_length())
        if capacity not in self._layouts:
            self._layouts[capacity] = lay_out(self.plan, self._addresses, capacity)
        return self._layouts[capacity]

    def vectors(self, records: int = 1) -> Vectors:
        """Return memory for the plan: frames for so many records at a time, with texts like those of training."""
        return Vectors(self._typical.size * records)

    def predict(self, record: Any, vectors: Vectors) -> Prediction:
        """Return the prediction for a record, in the thread of the caller. Raises RecordRefused."""
        return self.execute_one(self.load(record, vectors), vectors)

    def execute_one(self, layout: Layout, vectors: Vectors) -> Prediction:
        """Run all of a program for the record that was loaded, and return what it answers. Raises RecordRefused."""
        word = self.execute(layout.address, 0, layout.last, vectors.address, 0)
        if word >= 0:
            raise self.refusal(layout, word, vectors.view, 0)
        return self._answers.read_one(vectors.view, layout.answer)

    def derive(self, plan: PhysicalPlan, layout: Layout) -> Layout:
        """Return the program of a plan with the same slots and operands, in the frames of a layout of this one."""
        return lay_out(plan, self._addresses, layout.capacity)

    def fit(self, least: int, vectors: Vectors) -> Layout:
        """Return a layout with room for texts of so many bytes, for which the vectors then are large enough."""
        layout = self._typical if least <= self._typical.capacity else self.layout(least)
        if layout.size > vectors.size:
            vectors.reserve(layout.size)
        return layout

    def load(self, record: Any, vectors: Vectors, least: int = 0) -> Layout:
        """Write a record's row and texts to the frame; return the layout in which it fits.

        That has room for texts of `least` bytes. Raises RecordRefused.
        """
        if type(record) is not dict:
            record = self.reader.as_mapping(record, 0)
        reader = self.reader
        if reader.has_cells:
            cells = reader.read_cells(record, 0)
            for text, _ in cells:
                least = len(text) if len(text) > least else least
            layout = self.fit(least, vectors)
            self._write_cells(cells, layout, vectors)
        else:
            layout = self.fit(least, vectors)
        if reader.number_bytes:
            reader.write_numbers(record, vectors.view, 0, 0)
        return layout

    def _write_cells(self, cells: list[tuple[bytes, int]], layout: Layout, vectors: Vectors) -> None:
        place, view = layout.texts, vectors.view
        words: list[int] = []
        for text, kind in cells:
            size = len(text)
            view[place : place + size] = text
            words += (vectors.address + place, size, kind)
            place += layout.capacity + PADDING
        self._cell_pack(view, self.reader.number_bytes, *words)

    def refusal(self, layout: Layout, word: int, row: memoryview, index: int) -> RecordRefused:
        """Return why the instruction at a word refused a record."""
        refusal = layout.refusals[word]
        if refusal.column:
            return RecordRefused(index, refusal.column, refusal.expected)
        numbers = struct.unpack_from(f"={len(self.plan.numbers)}d", row)
        return self.reader.find_wrong_number(numbers, index)

    def parse(self, records: Iterable[Any]) -> Batch:
        """Return records as a batch; those that are none are refused there, and the others go on."""
        if isinstance(records, RecordColumns):
            return parse_columns(self.plan, self.reader, records)
        return parse_records(self.plan, self.reader, list(records))

    def run_batch(self, batch: Batch, vectors: Vectors, first: int = 0, last: int | None = None) -> None:
        """Answer the records of a batch from one to another.

        Where there are trees, as many go through them together as have their frames near the processor.
        """
        records = range(*slice(first, last).indices(len(batch)))
        near = NEAR_BYTES // self.layout(batch.longest).size if self._has_trees else 1
        self._run_many(batch, vectors, records, max(1, min(len(records), TOGETHER, near)), slice(0, None))

    def run_stage(self, index: int, batch: Batch, vectors: Vectors, first: int, last: int) -> None:
        """Run one stage for the records of a batch from one to another, each in a frame of its own.

        What an earlier stage made is found there if it was run for the same records with the same vectors.
        """
        self._run_many(batch, vectors, range(first, last), last - first, slice(index, index + 2))

    def _run_many(self, batch: Batch, vectors: Vectors, records: range, together: int, stages: slice) -> None:
        """Run stages for records, each in one of the frames of those that are run together."""
        if not records:
            return
        layout = self.layout(batch.longest)
        vectors.reserve(layout.size * together)
        rows, answers = batch.rows[records.start :], batch.answers[records.start :]
        call = np.array(
            [
                len(records),
                rows.ctypes.data,
                self.plan.row_words,
                layout.size,
                answers.ctypes.data,
                layout.answer,
                self.plan.answer_words,
                together,
            ],
            np.int64,
        )
        bounds = layout.bounds[stages]
        self.execute(layout.address, bounds[0], bounds[-1], vectors.address, call.ctypes.data)

    def predictions(self, batch: Batch) -> list[Prediction | RecordRefused]:
        """Return for each record of a batch that was run the prediction, or why there is none, in their order."""
        layout = self.layout(batch.longest)
        found: list[Prediction | RecordRefused] = [*self.read(batch.answers[:, 1:].view(np.float64))]
        for row in np.flatnonzero(batch.answers[:, 0] >= 0).tolist():
            word, bytes_ = int(batch.answers[row, 0]), memoryview(batch.rows[row].view(np.uint8).data)
            found[row] = self.refusal(layout, word, bytes_, batch.indices[row])
        for each in batch.refused:
            found.insert(each.index, each)
        return found


class ExecutableStage:
    """One stage of an executable plan, as the batch engine schedules it."""

    def __init__(self, plan: ExecutablePlan, index: int) -> None:
        self.plan = plan
        self.index = index
        self.physical: PhysicalStage = plan.plan.stages[index]

    @property
    def identity(self) -> str | None:
        """What the stage computes of which columns; None for what prepares records and answers."""
        return self.physical.identity

    def run(self, batch: Batch, vectors: Vectors, first: int, last: int) -> None:
        """Run the stage for the records of a batch from one to another."""
        self.plan.run_stage(self.index, batch, vectors, first, last)


class _Addresses:
    """The addresses of what a program's operands name, and the arrays that have to stay where they are."""

    def __init__(self, plan: PhysicalPlan, parameters: Callable[[Parameter], Array]) -> None:
        self._arrays: dict[Parameter | bytes, Array] = {}
        self._words: dict[Operand, int] = {}
        for instruction in plan.instructions:
            for operand in instruction.operands:
                if not isinstance(operand, Place | int | float) and operand not in self._words:
                    self._words[operand] = self._resolve(operand, parameters)

    def _resolve(self, operand: Operand, parameters: Callable[[Parameter], Array]) -> int:
        match operand:
            case Data(parameter):
                return int(self._array(parameter, parameters).ctypes.data)
            case Stride(parameter):
                return int(self._array(parameter, parameters).strides[0])
            case Capacity(parameter):
                return capacity_of(parameter.shape[0])
            case Constant(data):
                self._arrays[data] = np.frombuffer(data + bytes(PADDING), np.uint8)
                return int(self._arrays[data].ctypes.data)
            case CharacterClasses():
                return int(character_classes().ctypes.data)
        raise AssertionError(f"no operand: {operand!r}")

    def _array(self, parameter: Parameter, parameters: Callable[[Parameter], Array]) -> Array:
        """Return the part of an array that a parameter is; its numbers lie side by side.

        One that is to be packed may come packed already, as it is kept.
        """
        if parameter not in self._arrays:
            array = parameters(parameter)
            if parameter.packed:
                self._arrays[parameter] = array if array.dtype == np.uint64 else pack_zeros(array)
                return self._arrays[parameter]
            packed = array.shape[-1] == 1 or array.strides[-1] == array.itemsize
            if array.shape != parameter.part or array.dtype.str != parameter.dtype or not packed:
                raise ValueError(
                    f"expected an array {parameter.dtype} {parameter.part}, found {array.dtype} {array.shape}"
                )
            self._arrays[parameter] = array
        return self._arrays[parameter]

    def word(self, operand: Operand, offsets: Mapping[str, int]) -> int:
        """Return an operand as a word of a program."""
        match operand:
            case Place(slot, offset):
                return offsets[slot] + offset
            case float():
                (bits,) = struct.unpack("=q", struct.pack("=d", operand))
                return int(bits)
            case int():
                return operand
        return self._words[operand]


def lay_out(plan: PhysicalPlan, addresses: _Addresses, capacity: int) -> Layout:
    """Return the program of a plan for texts of up to `capacity` bytes."""
    frame = _frame_of(tuple(plan.slots.items()), len(plan.cells), capacity)
    program: list[int] = []
    words: list[int] = []
    for each in plan.instructions:
        words.append(len(program))
        program += [int(each.operation), 2 + len(each.operands)]
        program += [addresses.word(operand, frame.offsets) for operand in each.operands]
    starts = [*words, len(program)]
    refusals = {word: each.refusal for word, each in zip(words, plan.instructions, strict=True) if each.refusal}
    array = np.array(program, np.int64)
    bounds = (*(starts[each.first] for each in plan.stages), len(program))
    return Layout(*frame, array.ctypes.data, len(program), bounds, array, refusals)


@lru_cache(maxsize=1024)
def _frame_of(slots: tuple[tuple[str, Room], ...], cells: int, capacity: int) -> Frame:
    offsets, texts = place_slots(dict(slots), capacity)
    end = texts + cells * (capacity + PADDING)
    # An odd number of lines: frames beside each other do not contend for the same lines of the cache.
    size = (-(-end // ALIGNMENT) | 1) * ALIGNMENT
    return Frame(capacity, size, offsets[ANSWER], offsets[KEPT], texts, offsets)


def parse_records(plan: PhysicalPlan, reader: RecordReader, records: list[Any]) -> Batch:
    """Return records as a batch."""
    rows = np.zeros((max(1, len(records)), plan.row_words), np.int64)
    view, width = memoryview(rows.view(np.uint8).data).cast("B"), 8 * plan.row_words
    indices: list[int] = []
    refused: list[RecordRefused] = []
    cells: list[list[tuple[bytes, int]]] = []
    for index, given in enumerate(records):
        try:
            record = given if type(given) is dict else reader.as_mapping(given, index)
            found = reader.read_cells(record, index) if plan.cells else []
            if reader.number_bytes:
                reader.write_numbers(record, view, width * len(indices), index)
        except RecordRefused as error:
            refused.append(error)
            continue
        indices.append(index)
        cells.append(found)
    rows = rows[: len(indices)]
    table, texts, longest = join_cells(cells)
    rows[:, len(plan.numbers) :] = table.reshape(len(rows), 3 * len(plan.cells))
    answers = np.full((len(rows), plan.answer_words + 1), -1, np.int64)
    return Batch(indices, rows, texts, longest, answers, tuple(refused))
