"""Relocatable images: programs laid out as words, and at which of these the addresses of their parameters are added.

A host keeps plans as images. To bind one is to add addresses to an array of words, all at once; the instructions from
which the words came are read only where they are needed: for longer texts, for results of stages, to be explained.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np

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
    Place,
    PlanInterface,
    Refusal,
    Room,
    Stride,
    place_slots,
)
from walle.whitebox.compiling.plan_document import from_lines, to_lines
from walle.whitebox.compiling.records import PADDING
from walle.whitebox.graph import DTYPES, Parameter
from walle.whitebox.kernels.operations import Operation
from walle.whitebox.ngram_table import capacity_of

CONSTANTS: Final = -1
"""The target of a word that points to the image's own constants."""
CLASSES: Final = -2
"""The target of a word that points to the table of characters (`walle.whitebox.kernels.characters`)."""


@dataclass(frozen=True, slots=True)
class Frame:
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
class Outline:
    """What is known of a program beside its words.

    `bounds` are the word of each stage's first instruction, and behind the last one; `refusals` say why the instruction
    at a word may refuse a record; `has_trees` whether a batch walks through trees.
    """

    bounds: tuple[int, ...]
    refusals: Mapping[int, Refusal]
    has_trees: bool


@dataclass(frozen=True, slots=True)
class ProgramImage:
    """A program without addresses: `words` (i64), of which those at `places` (i32) lack the address of a target each.

    `targets` (i32) are the places of whole `parameters`, or CONSTANTS or CLASSES.
    """

    frame: Frame
    outline: Outline
    parameters: tuple[Parameter, ...]
    words: bytes
    places: bytes
    targets: bytes
    constants: bytes


@dataclass(frozen=True)
class PlanImage:
    """A plan as a host keeps it: its program for texts like those of training, and the whole of it as lines.

    `shareable` are the identities of stages whose results are worth being kept for other plans.
    """

    interface: PlanInterface
    program: ProgramImage
    shareable: tuple[str, ...]
    document: tuple[str, ...]

    @staticmethod
    def of(plan: PhysicalPlan) -> PlanImage:
        """Return the image of a plan."""
        program = image_of(plan, plan.typical_bytes)
        return PlanImage(plan.interface, program, plan.shareable, tuple(to_lines(plan)))

    @property
    def physical(self) -> PhysicalPlan:
        """The plan, which is read from its lines."""
        return from_lines(self.document)


def image_of(plan: PhysicalPlan, capacity: int) -> ProgramImage:
    """Return the program of a plan for texts of up to `capacity` bytes."""
    frame = _frame_of(tuple(plan.slots.items()), len(plan.cells), capacity)
    program = _Assembler(frame.offsets)
    starts = []
    for each in plan.instructions:
        starts.append(len(program.words))
        program.words += [int(each.operation), 2 + len(each.operands)]
        for operand in each.operands:
            program.add(operand)
    refusals = {word: each.refusal for word, each in zip(starts, plan.instructions, strict=True) if each.refusal}
    starts.append(len(program.words))
    bounds = (*(starts[each.first] for each in plan.stages), starts[-1])
    has_trees = any(each.operation is Operation.FIND_LEAVES for each in plan.instructions)
    return ProgramImage(
        frame,
        Outline(bounds, refusals, has_trees),
        tuple(program.parameters),
        np.array(program.words, np.int64).tobytes(),
        np.array(program.places, np.int32).tobytes(),
        np.array(program.targets, np.int32).tobytes(),
        bytes(program.constants),
    )


class _Assembler:
    """The words of a program in the making, and what is to be added to which."""

    def __init__(self, offsets: Mapping[str, int]) -> None:
        self._offsets = offsets
        self.words: list[int] = []
        self.places: list[int] = []
        self.targets: list[int] = []
        self.parameters: dict[Parameter, int] = {}
        self.constants = bytearray()

    def add(self, operand: Operand) -> None:
        """Add an operand's word."""
        match operand:
            case Place(slot, offset):
                self.words.append(self._offsets[slot] + offset)
            case Stride(parameter):
                self.words.append(DTYPES[parameter.dtype] * (parameter.shape[-1] if len(parameter.shape) > 1 else 1))
            case Capacity(parameter):
                self.words.append(capacity_of(parameter.shape[0]))
            case Data(parameter):
                whole = replace(parameter, start=0, stop=None)
                target = self.parameters.setdefault(whole, len(self.parameters))
                self._add_address(target, 0 if whole.packed else DTYPES[parameter.dtype] * parameter.start)
            case Constant(data):
                self._add_address(CONSTANTS, len(self.constants))
                self.constants += data + bytes(PADDING)
            case CharacterClasses():
                self._add_address(CLASSES, 0)
            case float():
                self.words += struct.unpack("=q", struct.pack("=d", operand))
            case int():
                self.words.append(operand)

    def _add_address(self, target: int, offset: int) -> None:
        self.places.append(len(self.words))
        self.targets.append(target)
        self.words.append(offset)


@lru_cache(maxsize=1024)
def _frame_of(slots: tuple[tuple[str, Room], ...], cells: int, capacity: int) -> Frame:
    offsets, texts = place_slots(dict(slots), capacity)
    end = texts + cells * (capacity + PADDING)
    # An odd number of lines: frames beside each other do not contend for the same lines of the cache.
    size = (-(-end // ALIGNMENT) | 1) * ALIGNMENT
    return Frame(capacity, size, offsets[ANSWER], offsets[KEPT], texts, offsets)
