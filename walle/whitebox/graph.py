"""A trained pipeline as data: columns, transformations with references to their parameters, and outputs.

A graph is pure and frozen. `check_graph` checks its spec: every name stands before it is used (so that there are no
cycles), every operator is known, and settings, parameters and inputs are what it takes. What parameters contain is
checked where the data is (`walle.whitebox.archive.contents`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from walle.schema import MAX_PROBLEMS, Malformed, Problems
from walle.schema.fields import did_you_mean
from walle.schema.values import shown
from walle.whitebox.operators import OPERATORS, Call
from walle.whitebox.types import COLUMN_TYPES, LabelType, ValueType, VectorType

MAX_COLUMNS: Final = 4096
MAX_TRANSFORMATIONS: Final = 4096
MAX_INPUTS: Final = 4096
"""The most inputs of one transformation."""
MAX_CLASSES: Final = 10_000
MAX_ARRAY: Final = 1 << 30
"""The most bytes of one array."""
MAX_ARRAYS: Final = 4 << 30
"""The most bytes of all arrays together."""
COLUMN: Final = "column:"
"""What the id of an input begins with that is a column."""
OUTPUTS: Final = ("label", "probabilities", "value", "decision")
"""What a pipeline may answer: the class, its probabilities, the value of a regression, the scores before either."""
MAX_DENSE: Final = 1 << 26
"""The most numbers of all dense vectors together, for which there is memory in each executor."""
DTYPES: Final = {"<i4": 4, "<u8": 8, "<f8": 8}
"""The types of numbers in parameters, and the bytes of each."""

ID: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}")
DIGEST: Final = re.compile(r"[0-9a-f]{64}")

ClassName = str | int | float


class GraphMalformed(Malformed):
    """A graph does not keep to its spec."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A reference to trained numbers, never the numbers.

    `digest` is the SHA-256 (64 hex digits) of the whole array's bytes, little-endian and in C order; `dtype` is its
    type as NumPy writes it, one of DTYPES; `shape` is the whole array's. `start` and `stop` take a part of the last
    axis, as the oven does where it pushes a model through a concatenation: nothing is copied. `packed` asks for it
    without its zeros (walle.whitebox.zero_packing), as the compiler does for models of sparse vectors.
    """

    digest: str
    dtype: str
    shape: tuple[int, ...]
    start: int = 0
    stop: int | None = None
    packed: bool = False

    def __hash__(self) -> int:
        """Hash the digest alone, which tells parameters apart: a plan is bound by looking up dozens of them."""
        return hash(self.digest)

    @property
    def bytes(self) -> int:
        """The bytes of the whole array."""
        return math.prod(self.shape) * DTYPES[self.dtype]

    @property
    def part(self) -> tuple[int, ...]:
        """The shape of the part that is referred to."""
        if not self.shape:
            return ()
        stop = self.shape[-1] if self.stop is None else self.stop
        return (*self.shape[:-1], stop - self.start)

    def slice(self, start: int, stop: int) -> Parameter:
        """Return the part of this part from `start` to `stop` on its last axis."""
        if (start, stop) == (0, self.part[-1]):
            return self
        return replace(self, start=self.start + start, stop=self.start + stop)


@dataclass(frozen=True, slots=True)
class Transformation:
    """One step: an operator with its settings and parameters, and the ids of what it takes.

    An input is the id of a transformation that stands before it, or `column:<name>`. All settings of the operator
    are there; none has a default.
    """

    id: str
    operator: str
    inputs: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    parameters: Mapping[str, Parameter] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Column:
    """One field of a record: `text`, `number` (may be missing, which is NaN) or `category` (a text, may be missing)."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Graph:
    """A pipeline: transformations in an order in which each stands after its inputs.

    `outputs` maps some of OUTPUTS to the ids of transformations; `classes` are the names of the classes whose indices
    the label is, empty for a regression.
    """

    columns: tuple[Column, ...]
    transformations: tuple[Transformation, ...]
    outputs: Mapping[str, str] = field(hash=False)
    classes: tuple[ClassName, ...] = ()


def array_sizes(graph: Graph) -> dict[str, int]:
    """Return the bytes of each array that a graph refers to, each once, by digest."""
    return {each.digest: each.bytes for step in graph.transformations for each in step.parameters.values()}


def check_graph(graph: Graph) -> dict[str, ValueType]:
    """Return the type of each transformation and column by its id. Raises GraphMalformed with all problems."""
    problems = Problems()
    types = _check(graph, problems)
    if problems.found:
        raise GraphMalformed(problems.all)
    return types


def _check(graph: Graph, problems: Problems) -> dict[str, ValueType]:
    types, known = propagate(graph, problems)
    if known:
        check_outputs(graph, types, known, problems)
    dense = sum(each.size for each in types.values() if isinstance(each, VectorType) and not each.sparse)
    if dense > MAX_DENSE:
        problems.say("transformations", f"dense vectors of at most {MAX_DENSE} numbers together", str(dense))
    return types


def propagate(graph: Graph, problems: Problems) -> tuple[dict[str, ValueType], set[str]]:
    """Return the types of columns and transformations by id as far as they can be told, and all ids.

    Reports all that is wrong with columns and transformations; there are no ids where there are too many of them.
    """
    _check_sizes(graph, problems)
    if problems.found:
        return {}, set()
    types = _check_columns(graph, problems)
    _check_parameters(graph, problems)
    known: set[str] = set(types)
    for index, step in enumerate(graph.transformations):
        if problems.full:
            break
        place = f"transformations[{index}]"
        _check_id(step.id, known, f"{place}.id", problems)
        found = _check_transformation(step, place, types, known, problems)
        known.add(step.id)
        if found is not None:
            types[step.id] = found
    return types, known


def _check_sizes(graph: Graph, problems: Problems) -> None:
    limits = (
        ("columns", len(graph.columns), 1, MAX_COLUMNS),
        ("transformations", len(graph.transformations), 1, MAX_TRANSFORMATIONS),
        ("classes", len(graph.classes), 0, MAX_CLASSES),
    )
    for name, count, least, most in limits:
        if not least <= count <= most:
            problems.say(name, f"{least} to {most} of them", str(count))


def _check_columns(graph: Graph, problems: Problems) -> dict[str, ValueType]:
    types: dict[str, ValueType] = {}
    for index, column in enumerate(graph.columns):
        place = f"columns[{index}]"
        if column.type not in COLUMN_TYPES:
            hint = did_you_mean(column.type, COLUMN_TYPES)
            problems.add(f"{place}.type", f"one of {', '.join(COLUMN_TYPES)}", column.type, hint)
        elif not (0 < len(column.name) <= 200 and column.name.isprintable()):
            problems.add(f"{place}.name", "1 to 200 printable characters", column.name)
        elif COLUMN + column.name in types:
            problems.add(f"{place}.name", "no duplicate", column.name)
        else:
            types[COLUMN + column.name] = COLUMN_TYPES[column.type]
    return types


def _check_id(given: str, known: set[str], place: str, problems: Problems) -> None:
    if not ID.fullmatch(given):
        problems.add(place, "1 to 100 letters, digits and . _ + - that begin with a letter, a digit or _", given)
    elif given in known:
        problems.add(place, "an id that no other has", given)


def _check_parameters(graph: Graph, problems: Problems) -> None:
    """Check each reference by itself, and that all that share a digest are as large: equal bytes may differ in type."""
    sizes: dict[str, int] = {}
    for index, step in enumerate(graph.transformations):
        for name, each in step.parameters.items():
            place = f"transformations[{index}].parameters.{name}"
            if problems.full:
                return
            if not DIGEST.fullmatch(each.digest):
                problems.add(f"{place}.digest", "the SHA-256 of the array, 64 hex digits", each.digest)
            elif each.dtype not in DTYPES:
                problems.add(f"{place}.dtype", f"one of {', '.join(DTYPES)}", each.dtype)
            elif not 1 <= len(each.shape) <= 2 or any(size < 1 for size in each.shape):
                problems.add(f"{place}.shape", "one or two sizes of at least 1", list(each.shape))
            elif not 0 <= each.start < (each.shape[-1] if each.stop is None else each.stop) <= each.shape[-1]:
                problems.add(place, "a part inside the array", (each.start, each.stop))
            elif each.bytes > MAX_ARRAY:
                problems.say(place, f"at most {MAX_ARRAY} bytes", str(each.bytes))
            elif sizes.setdefault(each.digest, each.bytes) != each.bytes:
                problems.say(place, f"{sizes[each.digest]} bytes, as others of this digest", str(each.bytes))
    if sum(sizes.values()) > MAX_ARRAYS:
        problems.say("transformations", f"parameters of at most {MAX_ARRAYS} bytes together", str(sum(sizes.values())))


def _check_transformation(
    step: Transformation, place: str, types: Mapping[str, ValueType], known: set[str], problems: Problems
) -> ValueType | None:
    """Return the type of what a transformation makes; None where a problem, here or before, leaves it open."""
    operator = OPERATORS.get(step.operator)
    if operator is None:
        hint = did_you_mean(step.operator, OPERATORS)
        problems.add(f"{place}.operator", f"one of {', '.join(OPERATORS)}", step.operator, hint)
        return None
    least, most = (1, MAX_INPUTS) if operator.inputs is None else (operator.inputs, operator.inputs)
    if not least <= len(step.inputs) <= most:
        expected = f"{least} to {most} inputs" if least < most else f"as many inputs as {operator.name} takes, {most}"
        problems.say(f"{place}.inputs", expected, str(len(step.inputs)))
    for index, each in enumerate(step.inputs[:MAX_INPUTS]):
        if each not in known:
            problems.add(f"{place}.inputs[{index}]", "a column, or a transformation that stands before this one", each)
    operator.check_settings(step.settings, f"{place}.settings", problems)
    shapes = {name: each.part for name, each in step.parameters.items()}
    dtypes = {name: each.dtype for name, each in step.parameters.items()}
    operator.check_parameters(shapes, dtypes, f"{place}.parameters", problems)
    if problems.touches(place) or not all(each in types for each in step.inputs):
        return None
    inputs = tuple(types[each] for each in step.inputs)
    return operator.type_of(Call(inputs, step.settings, shapes, place, problems))


def check_outputs(graph: Graph, types: Mapping[str, ValueType], known: set[str], problems: Problems) -> None:
    """Report what is wrong with the outputs and classes of a graph."""
    if not graph.outputs:
        problems.say("outputs", f"at least one of {', '.join(OUTPUTS)}", "none")
    for name, each in list(graph.outputs.items())[:MAX_PROBLEMS]:
        place = f"outputs.{name}" if name in OUTPUTS else "outputs"
        if name not in OUTPUTS:
            problems.add(place, f"one of {', '.join(OUTPUTS)}", name, did_you_mean(name, OUTPUTS))
        elif each not in known or each.startswith(COLUMN):
            problems.add(place, "the id of a transformation", each)
        elif each in types:
            _check_output(name, types[each], len(graph.classes), place, problems)
    if "label" not in graph.outputs and graph.classes:
        problems.say("classes", "none where the label is no output", str(len(graph.classes)))


def _check_output(name: str, found: ValueType, classes: int, place: str, problems: Problems) -> None:
    match name:
        case "label":
            fits = found == LabelType(classes)
            expected = f"label of {classes}, as many as there are classes"
        case "probabilities":
            fits = isinstance(found, VectorType) and found.size == classes
            expected = f"vector of {classes}, as many as there are classes"
        case _:
            fits, expected = isinstance(found, VectorType), "vector"
    if not fits:
        problems.say(place, expected, str(found) if found else shown(found))
