"""What is said of an operator: its annotations, by which the oven works, and the spec by which graphs are checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from walle.schema import Fields, Node, Problems
from walle.whitebox.types import NUMBER, ValueType, VectorType


class Flow(StrEnum):
    """How many values an operator makes of how many, in terms of PRETZEL's annotations."""

    ONE_TO_ONE = "1-to-1"
    ONE_TO_MANY = "1-to-n"
    MANY_TO_ONE = "n-to-1"


class Bound(StrEnum):
    """What limits an operator's speed: reaching its data, or computing."""

    MEMORY = "memory"
    COMPUTE = "compute"


@dataclass(frozen=True, slots=True)
class ParameterSpec:
    """What a parameter is: its type of numbers, its rank, and what it says, in words."""

    dtype: str
    rank: int
    words: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class Call:
    """One use of an operator, by which it says what it makes; settings and parameters are valid by themselves."""

    inputs: tuple[ValueType, ...]
    settings: Mapping[str, Any]
    shapes: Mapping[str, tuple[int, ...]]
    place: str
    problems: Problems

    def takes(self, *kinds: type[ValueType]) -> bool:
        """Return whether every input is of one of some types; report those that are not."""
        words = " or ".join(kind.__name__.removesuffix("Type").lower() for kind in kinds)
        for index, each in enumerate(self.inputs):
            if not isinstance(each, kinds):
                self.problems.say(f"{self.place}.inputs[{index}]", words, str(each))
        return all(isinstance(each, kinds) for each in self.inputs)

    def vectors(self) -> tuple[VectorType, ...] | None:
        """Return the inputs if all are vectors; report those that are not."""
        return tuple(each for each in self.inputs if isinstance(each, VectorType)) if self.takes(VectorType) else None

    def vector(self) -> VectorType | None:
        """Return the one input if it is a vector; report it if it is not."""
        vectors = self.vectors()
        return vectors[0] if vectors else None

    def are_single(self, first: int) -> bool:
        """Return whether the inputs from the one with an index are vectors of 1; report those that are not."""
        fit = True
        for index, each in enumerate(self.inputs[first:], first):
            if not isinstance(each, VectorType) or each.size != 1:
                self.problems.say(f"{self.place}.inputs[{index}]", str(NUMBER), str(each))
                fit = False
        return fit

    def fits(self, name: str, shape: tuple[int, ...]) -> bool:
        """Return whether a parameter has a shape, or is left out; report it if not."""
        if self.shapes.get(name, shape) == shape:
            return True
        self.refuse(f"parameters.{name}", f"the shape {list(shape)}", str(list(self.shapes[name])))
        return False

    def fit(self, shapes: Mapping[str, tuple[int, ...]]) -> bool:
        """Return whether all parameters have their shape, or are left out; report those that do not."""
        return False not in [self.fits(name, shape) for name, shape in shapes.items()]

    def refuse(self, field: str, expected: str, found: str) -> None:
        """Report a problem of this use."""
        self.problems.say(f"{self.place}.{field}", expected, found)


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator. `inputs` is how many it takes, None for any number.

    `type_of` returns the type of what a use of it makes, None after it reported a problem. Annotations: `commutative`
    where the order of the inputs does not matter, `associative` where they may be grouped at will, `breaks` where all
    of the input must be there before anything goes on (a pipeline breaker), `vectorizable` where the processor can do
    several numbers of a dense vector at once, `elementwise` where the number at a place depends on that place only,
    so that it can go before a concatenation with its parameters cut into parts.
    """

    name: str
    words: str
    flow: Flow
    bound: Bound
    type_of: Callable[[Call], ValueType | None]
    inputs: int | None = 1
    settings: Mapping[str, Node] = field(default_factory=dict)
    parameters: Mapping[str, ParameterSpec] = field(default_factory=dict)
    commutative: bool = False
    associative: bool = False
    breaks: bool = False
    vectorizable: bool = False
    elementwise: bool = False

    def check_settings(self, settings: object, place: str, problems: Problems) -> None:
        """Report what is wrong with the settings of a use: all of them must be there."""
        Fields(self.settings, tuple(self.settings), f"the settings of {self.name}").check(settings, place, problems)

    def check_parameters(
        self, shapes: Mapping[str, tuple[int, ...]], dtypes: Mapping[str, str], place: str, problems: Problems
    ) -> None:
        """Report what is wrong with the parameters of a use by themselves: which there are, their types and ranks."""
        for name, shape in shapes.items():
            spec = self.parameters.get(name)
            if spec is None:
                known = ", ".join(self.parameters) or "none"
                problems.say(f"{place}.{name}", f"one of the parameters of {self.name} ({known})", "another")
            elif (dtypes[name], len(shape)) != (spec.dtype, spec.rank):
                found = f"{dtypes[name]} of rank {len(shape)}"
                problems.say(f"{place}.{name}", f"{spec.dtype} of rank {spec.rank}, {spec.words}", found)
        for name, spec in self.parameters.items():
            if spec.required and name not in shapes:
                problems.say(f"{place}.{name}", f"{spec.dtype} of rank {spec.rank}, {spec.words}", "nothing")
