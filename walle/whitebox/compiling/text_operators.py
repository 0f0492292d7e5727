"""How operators over texts and categories become instructions."""

from __future__ import annotations

from typing import Final

from walle.whitebox.compiling.lowering import Lower, Lowering, text_of
from walle.whitebox.compiling.physical import (
    Capacity,
    Cell,
    CharacterClasses,
    Constant,
    Data,
    Dense,
    Operand,
    Place,
    Refusal,
    Room,
    TextInput,
    Words,
)
from walle.whitebox.graph import COLUMN, Transformation
from walle.whitebox.kernels.codes import AHEAD, CHARACTERS, HEADER, INSIDE_WORDS, SPACE, WORD_CHARACTER, WORDS
from walle.whitebox.kernels.operations import Operation

NOWHERE: Final = -1


def prepare_text(lowering: Lowering, given: TextInput) -> None:
    """Emit what copies a text into its slot; steps that need Python are done when the record is read."""
    steps = {operator for operator, _ in given.steps}
    lowering.emit(
        Operation.PREPARE,
        lowering.cell_of(given),
        int("lowercase" in steps),
        int("collapse_spaces" in steps),
        CharacterClasses(),
        lowering.slot(text_slot(given), Room(HEADER + 8, 1)),
    )


def text_slot(given: TextInput) -> str:
    """Return the name of the slot of a text after its steps; the column comes last, as any word may be in its name."""
    steps = (f"{operator}{form and ':' + form}" for operator, form in given.steps)
    return " ".join([":text", *steps, f"of {given.column}"])


def lower_tokenize(lowering: Lowering, step: Transformation) -> None:
    """Emit what finds words."""
    given = lowering.values[step.inputs[0]]
    assert isinstance(given, TextInput)  # noqa: S101 - the graph's types say so
    stop_words = step.parameters.get("stop_words")
    starts = lowering.slot(f"{step.id} starts", Room(HEADER + 16, 4))
    data = lowering.slot(f"{step.id} words", Room(16, 1))
    lowering.emit(
        Operation.TOKENIZE,
        Place(text_slot(text_of(given, step))),
        WORD_CHARACTER if step.settings["characters"] == "word" else SPACE,
        step.settings["shortest"],
        CharacterClasses(),
        Data(stop_words) if stop_words else 0,
        Capacity(stop_words) if stop_words else 0,
        starts,
        data,
    )
    lowering.values[step.id] = Words(starts, data)


def lower_ngrams(lowering: Lowering, step: Transformation) -> None:
    """Emit what counts n-grams of a dictionary."""
    operands, most = _keys(lowering, step)
    table = step.parameters["table"]
    _count(lowering, step, Operation.COUNT_NGRAMS, [*operands, Data(table), Capacity(table)], most)


def lower_hashed_ngrams(lowering: Lowering, step: Transformation) -> None:
    """Emit what counts hashed n-grams."""
    operands, most = _keys(lowering, step)
    _count(lowering, step, Operation.HASH_NGRAMS, [*operands, int(step.settings["signed"]), 0], most)


def _count(lowering: Lowering, step: Transformation, operation: Operation, operands: list[Operand], most: Room) -> None:
    made = lowering.make_sparse(step, most)
    # A power of two, at least 16 and less than four times as many.
    seen = lowering.scratch("seen", (made.most.times(4) + Room(16)).times(4))
    lowering.emit(operation, *operands, seen, made.size, made.counts, made.columns, made.values)


def _keys(lowering: Lowering, step: Transformation) -> tuple[list[Operand], Room]:
    """Return the operands from which keys are made, and how many keys there may be."""
    given = lowering.values[step.inputs[0]]
    low, high = step.settings["low"], step.settings["high"]
    lengths = high - low + 1
    if isinstance(given, Words):
        what, source, data = WORDS, given.starts, given.data
        each = Room(1, 1)
    else:
        assert isinstance(given, TextInput)  # noqa: S101 - the graph's types say so
        what = INSIDE_WORDS if step.settings["boundary"] else CHARACTERS
        source = data = Place(text_slot(given))
        # A word has a blank before and behind it.
        each = Room(4, 2) if step.settings["boundary"] else Room(1, 1)
    most = each.times(lengths)
    word = lowering.scratch("word", Room(16, 1))
    states = lowering.scratch("states", Room(64, 8))
    keys = lowering.scratch("keys", (most + Room(AHEAD)).times(8))
    return [source, data, what, low, high, CharacterClasses(), word, states, keys], most


def lower_fill(lowering: Lowering, step: Transformation) -> None:
    """Emit what puts a text in the place of a missing category."""
    text = step.settings["value"].encode("utf-8", "surrogatepass")
    target = lowering.slot(step.id, Room(24))
    lowering.emit(Operation.FILL, _cell(lowering, step), target, Constant(text), len(text))
    lowering.values[step.id] = Cell(target)


def _cell(lowering: Lowering, step: Transformation) -> Place:
    given = lowering.values[step.inputs[0]]
    assert isinstance(given, Cell | Dense)  # noqa: S101 - the graph's types say so
    return given.place


def _place_of(lowering: Lowering, step: Transformation) -> list[Operand]:
    """Return the operands by which a category's place in its list is found."""
    missing = NOWHERE if step.settings["missing"] is None else step.settings["missing"]
    if "table" in step.parameters:
        table = step.parameters["table"]
        return [_cell(lowering, step), 1, Data(table), Capacity(table), missing]
    values = step.parameters["values"]
    return [lowering.dense(step.inputs[0]).place, 0, Data(values), values.part[-1], missing]


def _refusal(lowering: Lowering, step: Transformation) -> Refusal:
    """Return what is said of a category that is refused: which column it is, as far as that can be told."""
    name = step.inputs[0]
    while name in lowering.steps:
        name = lowering.steps[name].inputs[0]
    return Refusal(name.removeprefix(COLUMN), "one of the categories that were there in training")


def lower_one_hot(lowering: Lowering, step: Transformation) -> None:
    """Emit what marks a category."""
    unknown = step.settings["unknown_column"]
    operands = [
        *_place_of(lowering, step),
        lowering.parameter(step, "columns"),
        NOWHERE if unknown is None else unknown,
        int(step.settings["refuse_unknown"]),
    ]
    refusal = _refusal(lowering, step)
    if lowering.is_sparse(step.id):
        made = lowering.make_sparse(step, Room(1))
        lowering.emit(Operation.ONE_HOT_SPARSE, *operands, made.counts, made.columns, made.values, refusal=refusal)
    else:
        target = lowering.make_dense(step)
        lowering.emit(Operation.ONE_HOT, *operands, target.place, target.size, refusal=refusal)


def lower_ordinal(lowering: Lowering, step: Transformation) -> None:
    """Emit what numbers a category."""
    unknown = step.settings["unknown_value"]
    lowering.emit(
        Operation.ORDINAL,
        *_place_of(lowering, step),
        lowering.parameter(step, "codes"),
        float("nan" if unknown is None else unknown),
        int(step.settings["refuse_unknown"]),
        lowering.make_dense(step).place,
        refusal=_refusal(lowering, step),
    )


TEXT_LOWERINGS: Final[dict[str, Lower]] = {
    "tokenize": lower_tokenize,
    "char_ngrams": lower_ngrams,
    "word_ngrams": lower_ngrams,
    "hash_char_ngrams": lower_hashed_ngrams,
    "hash_word_ngrams": lower_hashed_ngrams,
    "fill": lower_fill,
    "one_hot": lower_one_hot,
    "ordinal": lower_ordinal,
}
