"""Recurrent layers of ONNX, as many cells one after the other as the sequence is long."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from walle.tensor.onnx.node import OnnxNode, Translation
from walle_task.tensor.faults import Unfit
from walle_task.tensor.graph import ValueOf

MOST_STEPS: Final = 512
"""The longest sequence."""
_MATRIX: Final = 2


@dataclass(frozen=True, slots=True)
class _Parameters:
    """The weights of one direction: for the input, for the state, and a bias for each."""

    weights: str
    recurrent: str
    bias: str
    recurrent_bias: str

    @property
    def all(self) -> tuple[str, str, str, str]:
        return self.weights, self.recurrent, self.bias, self.recurrent_bias


Cell = Callable[[OnnxNode, str, tuple[str, ...], _Parameters], tuple[str, ...]]
"""Emits the next state of an input, a state and parameters."""


def _lstm_cell(node: OnnxNode, x: str, state: tuple[str, ...], parameters: _Parameters) -> tuple[str, ...]:
    return node.emitter.emit_all("lstm_cell", x, *state, *parameters.all, count=2)


def _gru_cell(node: OnnxNode, x: str, state: tuple[str, ...], parameters: _Parameters) -> tuple[str, ...]:
    return (node.emit("gru_cell", x, *state, *parameters.all),)


def _plain_cell(node: OnnxNode, x: str, state: tuple[str, ...], parameters: _Parameters) -> tuple[str, ...]:
    ahead = node.emit("linear", x, parameters.weights, parameters.bias)
    behind = node.emit("linear", state[0], parameters.recurrent, parameters.recurrent_bias)
    return (node.emit("tanh", node.emit("add", ahead, behind)),)


def _recurrent(cell: Cell, order: Sequence[int], states: int, activations: Sequence[str]) -> Translation:
    """Return the translation of a layer. `order` are the places of the cell's gates among those of ONNX."""

    def translate(node: OnnxNode) -> tuple[str, ...]:
        directions = _directions(node, activations)
        x = node.input()
        steps = (node.type_of(x).shape or (None,))[0]
        if steps is None or steps > MOST_STEPS:
            raise Unfit("inputs[0]", f"a sequence of a known length up to {MOST_STEPS}", str(node.type_of(x)))
        inputs = [node.emit("select", x, axis=0, index=step) for step in range(steps)]
        found = []
        for direction, reverse in enumerate(directions):
            parameters = _parameters(node, direction, order)
            state = tuple(_initial(node, 5 + index, direction) for index in range(states))
            made = []
            for each in reversed(inputs) if reverse else inputs:
                state = cell(node, each, state, parameters)
                made.append(state[0])
            sequence = node.emit("stack", *(reversed(made) if reverse else made), axis=0)
            found.append((sequence, *state))
        whole, *last = zip(*found, strict=True)
        return node.emit("stack", *whole, axis=1), *(node.emit("stack", *each, axis=0) for each in last)

    return translate


def _directions(node: OnnxNode, activations: Sequence[str]) -> tuple[bool, ...]:
    """Return for each direction whether it goes backwards. Raises Unfit for what cells do not do."""
    directions = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
    direction = node.text_of("direction", "forward")
    node.only("direction", direction, *directions)
    found = directions[direction]
    if node.texts_of("activations"):
        node.only("activations", node.texts_of("activations"), (*activations,) * len(found))
    for name, default in (("layout", 0), ("input_forget", 0)):
        node.only(name, node.int_of(name, default), default)
    if node.operator == "GRU":
        node.only("linear_before_reset", node.int_of("linear_before_reset", 0), 1)
    node.ignore("hidden_size")
    for index, words in ((4, "sequence_lens"), (7, "peepholes")):
        if node.optional(index) is not None:
            raise Unfit(f"inputs[{index}]", f"no {words}", "a value")
    return found


def _parameters(node: OnnxNode, direction: int, order: Sequence[int]) -> _Parameters:
    weights, recurrent = (_ordered(node, _matrix(node, index, direction), order) for index in (1, 2))
    if node.optional(3) is None:
        (rows, _) = node.exact(weights).shape
        zeros = node.emit("broadcast_to", node.array(0, node.dtype(weights)), shape=(rows,))
        return _Parameters(weights, recurrent, zeros, zeros)
    both = node.emit("select", node.input(3), axis=0, index=direction)
    found = node.exact(both, "inputs[3]")
    if found.rank != 1:
        raise Unfit("inputs[3]", "a tensor of 2 axes: directions, gates", node.type_of(node.input(3)))
    half = found.count // 2
    biases = (
        _ordered(node, node.emit("slice", both, axes=(0,), starts=(start,), ends=(start + half,)), order)
        for start in (0, half)
    )
    return _Parameters(weights, recurrent, *biases)


def _matrix(node: OnnxNode, index: int, direction: int) -> str:
    """Emit the weights of one direction. Raises Unfit for what is no matrix of known lengths for each."""
    value = node.emit("select", node.input(index), axis=0, index=direction)
    if node.exact(value, f"inputs[{index}]").rank != _MATRIX:
        expected = "a tensor of 3 axes: directions, gates, inputs"
        raise Unfit(f"inputs[{index}]", expected, node.type_of(node.input(index)))
    return value


def _ordered(node: OnnxNode, value: str, order: Sequence[int]) -> str:
    """Emit the rows of gates in another order."""
    rows = node.exact(value).shape[0]
    if rows % len(order):
        raise Unfit("inputs[1]", f"a multiple of {len(order)} rows", rows)
    width = rows // len(order)
    gates = [node.emit("slice", value, axes=(0,), starts=(gate * width,), ends=((gate + 1) * width,)) for gate in order]
    return node.emit("concatenate", *gates, axis=0)


def _initial(node: OnnxNode, index: int, direction: int) -> str:
    """Emit a state to begin with, which is zero where none is given."""
    if node.optional(index) is not None:
        return node.emit("select", node.input(index), axis=0, index=direction)
    width = node.exact(node.input(2), "inputs[2]").shape[-1]
    batch = node.length(node.input(), 1)
    zero = node.array(0, node.dtype(node.input()))
    if isinstance(batch, ValueOf):
        one = node.emit("reshape", batch.name, shape=(1,))
        shape = node.emit("concatenate", one, node.array([width], "int64"), axis=0)
        return node.emit("broadcast_to", zero, shape=ValueOf(shape))
    return node.emit("broadcast_to", zero, shape=(batch, width))


TRANSLATIONS: Final[Mapping[str, Translation]] = {
    "LSTM": _recurrent(_lstm_cell, (0, 2, 3, 1), 2, ("Sigmoid", "Tanh", "Tanh")),
    "GRU": _recurrent(_gru_cell, (1, 0, 2), 1, ("Sigmoid", "Tanh")),
    "RNN": _recurrent(_plain_cell, (0,), 1, ("Tanh",)),
}
