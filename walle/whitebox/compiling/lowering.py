"""From transformations to instructions: where each value lies in the frame, and what makes it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from walle.whitebox.compiling.physical import (
    ROW,
    Cell,
    Data,
    Dense,
    Instruction,
    Operand,
    PhysicalValue,
    Place,
    Refusal,
    Room,
    Sparse,
    TextInput,
)
from walle.whitebox.graph import COLUMN, Column, Transformation
from walle.whitebox.kernels.operations import Operation
from walle.whitebox.types import ValueType, VectorType

CELL_BYTES: Final = 24


class OperatorUnsupported(ValueError):
    """No kernel computes an operator."""

    def __init__(self, step: Transformation) -> None:
        super().__init__(f"transformation {step.id}: expected an operator with a kernel, found {step.operator!r}")


class Lowering:
    """The program in the making.

    `values` are what has been made, by the id of a column or transformation; `slots` the room in the frame; `cells`
    what has a cell in the row, and `texts` those of it that are texts. `targets` says where dense results lie that have
    a place already, because they are a part of a concatenation.
    """

    def __init__(
        self,
        columns: Iterable[Column],
        transformations: Iterable[Transformation],
        types: Mapping[str, ValueType],
        outputs: Collection[str],
    ) -> None:
        self.types = types
        self.instructions: list[Instruction] = []
        self.slots: dict[str, Room] = {}
        self.values: dict[str, PhysicalValue] = {}
        self.numbers: list[str] = []
        self.cells: list[TextInput] = []
        self.texts: list[TextInput] = []
        steps = list(transformations)
        self.steps = {each.id: each for each in steps}
        self._place_columns(list(columns), steps)
        self.targets = place_parts(steps, types)
        self.may_miss = find_tolerant(steps, outputs)

    def _place_columns(self, columns: list[Column], steps: Iterable[Transformation]) -> None:
        """Give each number column a word of the row, and each category, and text as it is needed, a cell."""
        self.numbers = [each.name for each in columns if each.type == "number"]
        for index, name in enumerate(self.numbers):
            self.values[COLUMN + name] = Dense(Place(ROW, 8 * index), 1)
        for each in columns:
            if each.type == "category":
                self.values[COLUMN + each.name] = Cell(self._place_cell(TextInput(each.name)))
            elif each.type == "text":
                self.values[COLUMN + each.name] = TextInput(each.name)
        for step in steps:
            self._follow_text(step)
        self.slots[ROW] = Room(8 * len(self.numbers) + CELL_BYTES * len(self.cells) + 8)

    def _follow_text(self, step: Transformation) -> None:
        """Follow texts from step to step; what is done to one is done when its record is read."""
        given = self.values.get(step.inputs[0])
        if not isinstance(given, TextInput):
            return
        if step.operator in TEXT_STEPS:
            form = str(step.settings.get("form", ""))
            self.values[step.id] = TextInput(given.column, (*given.steps, (step.operator, form)))
        elif text_of(given, step) not in self.texts:
            self.texts.append(text_of(given, step))
            self._place_cell(self.texts[-1])

    def _place_cell(self, given: TextInput) -> Place:
        self.cells.append(given)
        return Place(ROW, 8 * len(self.numbers) + CELL_BYTES * (len(self.cells) - 1))

    def cell_of(self, given: TextInput) -> Place:
        """Return the place of a text's cell in the row."""
        return Place(ROW, 8 * len(self.numbers) + CELL_BYTES * self.cells.index(given))

    def emit(self, operation: Operation, *operands: Operand, refusal: Refusal | None = None) -> None:
        """Add an instruction."""
        self.instructions.append(Instruction(operation, operands, refusal))

    def slot(self, name: str, room: Room) -> Place:
        """Return a slot with at least some room, in bytes; a name stands for one slot.

        That of a transformation's result has its id, or begins with it and a space, which no id has.
        """
        known = self.slots.get(name)
        self.slots[name] = room if known is None else _larger(known, room)
        return Place(name)

    def is_sparse(self, id_: str) -> bool:
        """Return whether a vector is to be sparse."""
        return _is_sparse(self.types[id_])

    def size(self, id_: str) -> int:
        """Return the size of a vector; that of a label is 1."""
        return _size(self.types[id_])

    def make_dense(self, step: Transformation) -> Dense:
        """Return where the dense result of a transformation goes."""
        place = self.targets.get(step.id)
        if place is None or place.place.slot not in self.slots:
            size = self.size(step.id) if place is None else self.size(place.place.slot)
            self.slot(step.id if place is None else place.place.slot, Room(8 * size))
        made = place or Dense(Place(step.id), self.size(step.id))
        self.values[step.id] = made
        return made

    def make_sparse(self, step: Transformation, most: Room, like: Sparse | None = None) -> Sparse:
        """Return where the sparse result of a transformation goes; it has the columns of another one if that is
        given.
        """
        size = self.size(step.id)
        most = Room(most.fixed, most.each, size if most.most is None else min(size, most.most))
        made = Sparse(
            like.counts if like else self.slot(f"{step.id} count", Room(8)),
            like.columns if like else self.slot(f"{step.id} columns", most.times(4)),
            self.slot(f"{step.id} values", most.times(8)),
            size,
            most,
        )
        self.values[step.id] = made
        return made

    def dense(self, id_: str) -> Dense:
        """Return a vector as a dense one."""
        found = self.values[id_]
        if isinstance(found, Sparse):
            place = self.slot(f"{id_} dense", Room(8 * found.size))
            self.scatter(found, Dense(place, found.size))
            return Dense(place, found.size)
        assert isinstance(found, Dense)  # noqa: S101 - the graph's types say so
        return found

    def scatter(self, given: Sparse, target: Dense) -> None:
        """Write a sparse vector as a dense one."""
        self.emit(Operation.SCATTER, given.counts, given.columns, given.values, given.size, target.place)

    def scratch(self, name: str, room: Room) -> Place:
        """Return room for what one kernel needs while it runs; all that use a name have the same slot."""
        return self.slot(f":{name}", room)

    def parameter(self, step: Transformation, name: str) -> Operand:
        """Return a parameter as an operand, 0 where a transformation has none of the name."""
        return Data(step.parameters[name]) if name in step.parameters else 0


def text_of(given: TextInput, step: Transformation) -> TextInput:
    """Return the text that a transformation reads: for words, spaces may be collapsed, as n-grams want them."""
    if step.operator != "tokenize" or ("collapse_spaces", "") in given.steps:
        return given
    return TextInput(given.column, (*given.steps, ("collapse_spaces", "")))


TEXT_STEPS: Final = ("lowercase", "strip_accents", "collapse_spaces")
Lower = Callable[[Lowering, Transformation], None]


def place_parts(steps: list[Transformation], types: Mapping[str, ValueType]) -> dict[str, Dense]:
    """Return the places of dense vectors that one concatenation takes: inside it, so that nothing is copied.

    Whatever else takes them finds them there.
    """
    uses = Counter(each for step in steps if step.operator == "concat" for each in step.inputs)
    made = {step.id for step in steps}
    targets: dict[str, Dense] = {}
    for step in reversed(steps):
        if step.operator != "concat" or _is_sparse(types[step.id]):
            continue
        whole, start = targets.get(step.id, Dense(Place(step.id), _size(types[step.id]))), 0
        for each in step.inputs:
            if each in made and uses[each] == 1 and not _is_sparse(types[each]):
                targets[each] = whole.part(start, _size(types[each]))
            start += _size(types[each])
    return targets


_TAKE_MISSING: Final = frozenset({"trees", "tree_features", "one_hot", "ordinal"})
_PASS_MISSING: Final = frozenset({"concat", "select", "affine", "map"})


def find_tolerant(steps: list[Transformation], outputs: Iterable[str]) -> dict[str, bool]:
    """Return for each column and transformation whether numbers of it may be missing, by all that takes it."""
    tolerant = dict.fromkeys(outputs, False)
    for step in reversed(steps):
        takes = (
            step.operator in _TAKE_MISSING
            or (step.operator == "impute" and step.settings["missing"] is None)
            or (step.operator in _PASS_MISSING and tolerant.get(step.id, True))
        )
        for each in step.inputs:
            tolerant[each] = takes and tolerant.get(each, True)
    return defaultdict(lambda: True, tolerant)


def _is_sparse(found: ValueType) -> bool:
    return isinstance(found, VectorType) and found.sparse


def _size(found: ValueType) -> int:
    return found.size if isinstance(found, VectorType) else 1


def _larger(one: Room, other: Room) -> Room:
    most = None if one.most is None or other.most is None else max(one.most, other.most)
    return Room(max(one.fixed, other.fixed), max(one.each, other.each), most)
