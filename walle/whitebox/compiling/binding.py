"""Executable plans: a physical plan with the addresses of its parameters, laid out for texts up to a length."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from walle.whitebox.columns import RecordColumns
from walle.whitebox.compiling.answer_reading import Prediction, reader_of
from walle.whitebox.compiling.column_reading import parse_columns
from walle.whitebox.compiling.image import CLASSES, PlanImage, ProgramImage, image_of
from walle.whitebox.compiling.physical import ALIGNMENT, PhysicalPlan, PhysicalStage, Place, PlanInterface, Refusal
from walle.whitebox.compiling.records import PADDING, Batch, RecordReader, RecordRefused, join_cells
from walle.whitebox.graph import Parameter
from walle.whitebox.kernels import load_kernels
from walle.whitebox.kernels.characters import character_classes
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


@dataclass(frozen=True, slots=True)
class Layout:
    """A program for texts of up to `capacity` bytes.

    `program` are its words, `constants` the bytes to which some point; `refusals` say why the instruction at a word may
    refuse a record; `bounds` the word of each stage's first instruction, and behind the last one (`last`). The rest is
    what its `Frame` says.
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
    constants: npt.NDArray[np.uint8]
    refusals: Mapping[int, Refusal]

    def place(self, place: Place) -> int:
        """Return the byte of the frame at which something lies."""
        return self.offsets[place.slot] + place.offset


class ExecutablePlan:
    """A plan that predicts. It is never changed; any number of executors may use it, each with vectors of its own."""

    def __init__(self, image: PlanImage, parameters: Callable[[Parameter], Array]) -> None:
        self.image = image
        self.interface = image.interface
        self.reader = _reader_for(image.interface)
        self.execute = load_kernels()
        self._addresses = _Addresses(parameters)
        self._typical = self._addresses.relocate(image.program)
        self._layouts = {self._typical.capacity: self._typical}
        self._answers = reader_of(image.interface)
        self.read = self._answers.read
        """Returns the predictions that answers (records x numbers) say."""

    @cached_property
    def plan(self) -> PhysicalPlan:
        """The physical plan, which is read where more than its program is needed."""
        return self.image.physical

    @property
    def stages(self) -> tuple[ExecutableStage, ...]:
        """The stages, which can be run one by one."""
        return tuple(ExecutableStage(self, index) for index in range(len(self.plan.stages)))

    @property
    def vector_bytes(self) -> int:
        """The bytes of a frame for texts like those of training."""
        return self._typical.size

    def layout(self, longest: int) -> Layout:
        """Return the layout for texts of up to so many bytes."""
        capacity = max(self.interface.typical_bytes, 1 << max(0, longest - 1).bit_length())
        if capacity not in self._layouts:
            self._layouts[capacity] = self._addresses.relocate(image_of(self.plan, capacity))
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
        return self._addresses.relocate(image_of(plan, layout.capacity))

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
        self.reader.pack_cells(view, self.reader.number_bytes, *words)

    def refusal(self, layout: Layout, word: int, row: memoryview, index: int) -> RecordRefused:
        """Return why the instruction at a word refused a record."""
        refusal = layout.refusals[word]
        if refusal.column:
            return RecordRefused(index, refusal.column, refusal.expected)
        numbers = struct.unpack_from(f"={len(self.interface.numbers)}d", row)
        return self.reader.find_wrong_number(numbers, index)

    def parse(self, records: Iterable[Any]) -> Batch:
        """Return records as a batch; those that are none are refused there, and the others go on."""
        if isinstance(records, RecordColumns):
            return parse_columns(self.interface, self.reader, records)
        return parse_records(self.interface, self.reader, list(records))

    def run_batch(self, batch: Batch, vectors: Vectors, first: int = 0, last: int | None = None) -> None:
        """Answer the records of a batch from one to another.

        Where there are trees, as many go through them together as have their frames near the processor.
        """
        records = range(*slice(first, last).indices(len(batch)))
        near = NEAR_BYTES // self.layout(batch.longest).size if self.image.program.outline.has_trees else 1
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
                self.interface.row_words,
                layout.size,
                answers.ctypes.data,
                layout.answer,
                self.interface.answer_words,
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
    """The addresses of a plan's parameters, and the arrays that have to stay where they are."""

    def __init__(self, parameters: Callable[[Parameter], Array]) -> None:
        self._parameters = parameters
        self._arrays: dict[Parameter, tuple[int, Array]] = {}

    def relocate(self, image: ProgramImage) -> Layout:
        """Return a program with the addresses of all that it names."""
        constants = np.frombuffer(image.constants, np.uint8)
        targets = np.frombuffer(image.targets, np.int32)
        found = [self._find(each) for each in image.parameters]
        classes = character_classes().ctypes.data if CLASSES in targets else 0
        # The last two are found from behind, as CLASSES and CONSTANTS say.
        addresses = np.array([*found, classes, constants.ctypes.data], np.int64)
        words = np.frombuffer(image.words, np.int64).copy()
        words[np.frombuffer(image.places, np.int32)] += addresses[targets]
        frame, outline = image.frame, image.outline
        return Layout(
            frame.capacity,
            frame.size,
            frame.answer,
            frame.kept,
            frame.texts,
            frame.offsets,
            words.ctypes.data,
            len(words),
            outline.bounds,
            words,
            constants,
            outline.refusals,
        )

    def _find(self, parameter: Parameter) -> int:
        """Return the address of a whole parameter. One that is to be packed may come packed already, as it is kept."""
        known = self._arrays.get(parameter)
        if known is not None:
            return known[0]
        array = self._parameters(parameter)
        if parameter.packed:
            array = array if array.dtype == np.uint64 else pack_zeros(array)
        elif array.shape != parameter.shape or array.dtype.str != parameter.dtype or not array.flags.c_contiguous:
            raise ValueError(
                f"expected an array {parameter.dtype} {parameter.shape}, found {array.dtype} {array.shape}"
            )
        address: int = array.__array_interface__["data"][0]
        self._arrays[parameter] = address, array
        return address


@lru_cache(maxsize=1024)
def _reader_for(interface: PlanInterface) -> RecordReader:
    """Return what reads the records of all plans that have an interface."""
    return RecordReader(interface)


def parse_records(plan: PlanInterface, reader: RecordReader, records: list[Any]) -> Batch:
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
