"""What the gradient of an operator is: a vector-Jacobian product, written with operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from walle_task.tensor.operators.operator import Emitter


@dataclass(frozen=True, slots=True)
class Applied:
    """A node of a lowered graph whose first output has a gradient: the names of its values, complete attributes, and
    the value that is the gradient of the loss by its first output."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    gradient: str


Gradients = Sequence[str | None]
GradientRule = Callable[[Emitter, Applied], Gradients]
"""Returns the gradient of the loss by each input, of the input's type; None is zero everywhere."""


def times(emitter: Emitter, first: str, second: str | float) -> str:
    """Return a product; a number has the dtype of the other factor."""
    return emitter.emit("multiply", first, second if isinstance(second, str) else like(emitter, first, second))


def like(emitter: Emitter, value: str, number: float) -> str:
    """Return a number of the dtype of a value."""
    return emitter.number(number, emitter.type_of(value).dtype)


def summed_to(emitter: Emitter, gradient: str, shape: tuple[int, ...]) -> str:
    """Return the gradient of what was broadcast from a shape: the sum over what was repeated."""
    have = emitter.type_of(gradient).shape
    added = len(have) - len(shape)
    repeated = [axis + added for axis, length in enumerate(shape) if length == 1 != have[axis + added]]
    if axes := (*range(added), *repeated):
        gradient = emitter.emit("reduce_sum", gradient, axes=axes, keep=True)
    if emitter.type_of(gradient).shape != shape:
        gradient = emitter.emit("reshape", gradient, shape=shape, zero="empty")
    return gradient


def masked(emitter: Emitter, mask: str, gradient: str) -> str:
    """Return a gradient where a mask is true, and zero elsewhere."""
    return emitter.emit("where", mask, gradient, like(emitter, gradient, 0))
