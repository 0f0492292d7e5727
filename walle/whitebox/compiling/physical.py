"""The physical plan: a program of kernel operations whose operands are still names.

What a plan's program touches lies in one frame for each record: the record's row, then slots. A slot's room grows with
the length of the longest text only, so that a frame is laid out once for all records up to a capacity, and no kernel
can leave it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final

import numpy.typing as npt

from walle.whitebox.graph import ClassName, Column, Parameter
from walle.whitebox.kernels.operations import Operation

if TYPE_CHECKING:
    from walle.whitebox.compiling.binding import ExecutablePlan

ALIGNMENT: Final = 64
Array = npt.NDArray[Any]
ROW: Final = ":row"
"""The slot of a record's row. Slots of no transformation begin with a colon, as no id does."""
ANSWER: Final = ":answer"
"""The slot of a record's answer, and the stage that fills it."""
CASCADE: Final = "cascade"
"""The stage that answers a record of which a prefix is sure, and the part of an answer that says whether it did so."""
CHECK: Final = "numbers"
"""The stage that looks at a record's numbers before any other."""
KEPT: Final = ":kept"
"""The slot for the addresses of values that were kept of a record."""


@dataclass(frozen=True, slots=True)
class Room:
    """So many of something for a text of some bytes: `fixed` and `each` for every byte, at most `most`."""

    fixed: int
    each: int = 0
    most: int | None = None

    def at(self, capacity: int) -> int:
        """Return how many there are for a text of `capacity` bytes."""
        wanted = self.fixed + self.each * capacity
        return wanted if self.most is None else min(wanted, self.most)

    def times(self, factor: int) -> Room:
        """Return so many times as many."""
        return Room(self.fixed * factor, self.each * factor, None if self.most is None else self.most * factor)

    def __add__(self, other: Room) -> Room:
        most = None if self.most is None or other.most is None else self.most + other.most
        return Room(self.fixed + other.fixed, self.each + other.each, most)


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the frame: `offset` bytes into a slot."""

    slot: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Data:
    """The address of a parameter's data."""

    parameter: Parameter


@dataclass(frozen=True, slots=True)
class Stride:
    """The bytes from one row of a parameter to the next."""

    parameter: Parameter


@dataclass(frozen=True, slots=True)
class Capacity:
    """The capacity of the dictionary that a parameter is."""

    parameter: Parameter


@dataclass(frozen=True, slots=True)
class Constant:
    """The address of some bytes."""

    data: bytes


@dataclass(frozen=True, slots=True)
class CharacterClasses:
    """The address of the table that says of each code point whether it is a word character or a space."""


Operand = Place | Data | Stride | Capacity | Constant | CharacterClasses | int | float


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an instruction may refuse a record: the column at fault and what was expected of it."""

    column: str
    expected: str


@dataclass(frozen=True, slots=True)
class Instruction:
    """One operation with its operands."""

    operation: Operation
    operands: tuple[Operand, ...]
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Dense:
    """A vector as all its numbers (f64)."""

    place: Place
    size: int

    def part(self, start: int, size: int) -> Dense:
        """Return some of the numbers."""
        return Dense(replace(self.place, offset=self.place.offset + 8 * start), size)


@dataclass(frozen=True, slots=True)
class Sparse:
    """A vector as the columns (i32) and values (f64) of some of its numbers, and how many these are (i64)."""

    counts: Place
    columns: Place
    values: Place
    size: int
    most: Room


@dataclass(frozen=True, slots=True)
class Words:
    """The tokens of a text: where they begin, and their bytes."""

    starts: Place
    data: Place


@dataclass(frozen=True, slots=True)
class TextInput:
    """A column's text after some steps; each is an operator and, where it has one, its form."""

    column: str
    steps: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """A category: its text's address and length, and whether it is missing."""

    place: Place


PhysicalValue = Dense | Sparse | Words | TextInput | Cell


@dataclass(frozen=True, slots=True)
class PhysicalStage:
    """Some consecutive instructions, `first` up to but not including `last`, and the stages whose values they take.

    `logical` is the id of the logical stage of which it is all or a part; what prepares records and answers is of none.
    `values` are what it makes for others, by the ids of their transformations, `columns` all columns of which, and
    `identity` says what they are: equal in whatever plans compute the same. None for what prepares records and answers.
    """

    id: str
    logical: str | None
    identity: str | None
    first: int
    last: int
    after: tuple[str, ...]
    columns: tuple[str, ...]
    values: Mapping[str, PhysicalValue] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """Where an output's numbers lie in the answer: `start` and `size` in words."""

    start: int
    size: int


_COUNTING: Final = (Operation.COUNT_NGRAMS, Operation.HASH_NGRAMS)


@dataclass(frozen=True, eq=False)
class PlanInterface:
    """What a plan takes and answers; plans that were read from a host's disk and have the same one have one object.

    A record's row holds its number columns (`numbers`, and whether each may be missing), then a cell for each text and
    category (`cells`).
    """

    columns: tuple[Column, ...]
    numbers: Mapping[str, bool]
    cells: tuple[TextInput, ...]
    answers: Mapping[str, Answer]
    classes: tuple[ClassName, ...]
    typical_bytes: int

    @property
    def row_words(self) -> int:
        """The words of a record's row."""
        return len(self.numbers) + 3 * len(self.cells)

    @property
    def answer_words(self) -> int:
        """The words of an answer."""
        return sum(each.size for each in self.answers.values())


@dataclass(frozen=True)
class PhysicalPlan(PlanInterface):
    """A logical plan in terms of kernels: what `bind` makes executable without compiling anything."""

    stages: tuple[PhysicalStage, ...]
    instructions: tuple[Instruction, ...]
    slots: Mapping[str, Room]

    @property
    def interface(self) -> PlanInterface:
        """The part of the plan that its callers need."""
        return PlanInterface(*(getattr(self, each.name) for each in fields(PlanInterface)))

    @property
    def shareable(self) -> tuple[str, ...]:
        """The identities of stages whose results are worth being kept for other plans."""
        kept = {each.identity for each in self.stages if each.identity is not None and self.is_worth_keeping(each)}
        return tuple(sorted(kept))

    def is_worth_keeping(self, stage: PhysicalStage) -> bool:
        """Return whether looking up what a stage made takes less time than making it: it counts n-grams.

        Of a plan with a cascade nothing is kept: after a prefix has answered, the other stages have made nothing.
        """
        if CASCADE in self.answers:
            return False
        instructions = self.instructions[stage.first : stage.last]
        return stage.identity is not None and any(each.operation in _COUNTING for each in instructions)

    def parameters(self) -> dict[str, Parameter]:
        """Return the whole parameters that the program reads, by digest."""
        found = (
            operand.parameter
            for each in self.instructions
            for operand in each.operands
            if isinstance(operand, Data | Stride | Capacity)
        )
        return {each.digest: replace(each, start=0, stop=None) for each in found}

    def bind(self, parameters: Callable[[Parameter], Array]) -> ExecutablePlan:
        """Return the plan with the addresses of its parameters, each an array of the part that is referred to.

        Nothing is compiled for it: kernels are loaded if they are not yet.
        """
        from walle.whitebox.compiling.binding import ExecutablePlan
        from walle.whitebox.compiling.image import PlanImage

        return ExecutablePlan(PlanImage.of(self), parameters)


def place_slots(slots: Mapping[str, Room], capacity: int) -> tuple[dict[str, int], int]:
    """Return where each slot begins in the frame for texts of up to `capacity` bytes, and the frame's bytes."""
    offsets: dict[str, int] = {}
    end = 0
    for name, room in slots.items():
        offsets[name] = end
        end += -(-room.at(capacity) // ALIGNMENT) * ALIGNMENT
    return offsets, end
